"""Inverse dynamics with a part of M vdot + h left out, or with vdot reversed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from leapcheck.coordinates.conventions import product
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck_models.arrays import Floats

QUANTITY = "inverse_dynamics"


def inverse_dynamics_parts(belief: Belief) -> Iterator[Hypothesis]:
    """Each part left out, in inverse dynamics alone."""
    if QUANTITY in belief.evidence.quantities:
        for name, (words, edit) in PARTS.items():
            yield convention(
                f"inverse-dynamics/{name}", f"inverse dynamics: {words}", answer_edit=edit_answers((QUANTITY,), edit)
            )


def _moving(view: AnswerView) -> Floats:
    return product(view.value("mass_matrix"), view.read.vdot)


PARTS: dict[str, tuple[str, Callable[[AnswerView, Floats], Floats]]] = {
    "no-acceleration": ("the bias force alone: M vdot is missing", lambda view, values: values - _moving(view)),
    "no-bias": ("M vdot alone: the bias force is missing", lambda view, _values: _moving(view)),
    "no-gravity": ("gravity is missing", lambda view, values: values - view.value("gravity_force")),
    "no-coriolis": ("the Coriolis force is missing", lambda view, values: values - view.value("coriolis_force")),
    "reversed": ("the acceleration counts with the opposite sign", lambda view, values: values - 2.0 * _moving(view)),
}
