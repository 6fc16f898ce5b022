"""Inverse dynamics with a part of M vdot + h left out, or with vdot reversed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from leapcheck.coordinates.conventions import product
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import INVERSE_DYNAMICS
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats


def inverse_dynamics_parts(belief: Belief) -> Iterator[Hypothesis]:
    """Each part left out, in inverse dynamics alone, with contact forces or without, or in both."""
    asked = tuple(name for name in INVERSE_DYNAMICS if name in belief.evidence.quantities)
    concerned = [(name,) for name in asked] + ([asked] if len(asked) > 1 else [])
    for quantities in concerned:
        label = " and ".join(QUANTITIES[name].label for name in quantities)
        suffix = SUFFIXES[quantities]
        for name, (words, edit) in PARTS.items():
            cause = f"{label}: {words}"
            yield convention(f"inverse-dynamics/{name}{suffix}", cause, answer_edit=edit_answers(quantities, edit))


SUFFIXES = {INVERSE_DYNAMICS[:1]: "", INVERSE_DYNAMICS[1:]: ":contacts", INVERSE_DYNAMICS: ":both"}
"""How a name ends, by the quantities concerned."""


def _moving(view: AnswerView) -> Floats:
    return product(view.value("mass_matrix"), view.read.vdot)


PARTS: dict[str, tuple[str, Callable[[AnswerView, Floats], Floats]]] = {
    "no-acceleration": ("the bias force alone: M vdot is missing", lambda view, values: values - _moving(view)),
    "no-bias": ("M vdot alone: the bias force is missing", lambda view, values: values - view.value("bias_force")),
    "no-gravity": ("gravity is missing", lambda view, values: values - view.value("gravity_force")),
    "no-coriolis": ("the Coriolis force is missing", lambda view, values: values - view.value("coriolis_force")),
    "reversed": ("the acceleration counts with the opposite sign", lambda view, values: values - 2.0 * _moving(view)),
}
