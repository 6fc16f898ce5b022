"""M with its entries in the order of another storage form, in other coordinates, or with one half only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import leapcheck_reference as reference
from leapcheck.coordinates.conventions import Convention, velocity_map
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.matrices import FORMS, pack, unpack
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats

SYMMETRIC = ("mass_matrix", "minverse", "forward_dynamics_derivative_tau")

HALVES: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "upper-only": ("the upper triangle of M only is filled", np.triu),
    "lower-only": ("the lower triangle of M only is filled", np.tril),
    "upper-doubled": ("the lower triangle of M is added to the upper one", lambda M: np.triu(M) + np.triu(M, 1)),
    "lower-doubled": ("the upper triangle of M is added to the lower one", lambda M: np.tril(M) + np.tril(M, -1)),
}


def storage_form(belief: Belief) -> Iterator[Hypothesis]:
    """qM and CSR mixed up (qM's rows start at the diagonal and walk to the root, CSR's end there); canonical coordinates."""
    asked = [form for form in FORMS if form in belief.evidence.quantities]
    if not asked:
        return
    layout = reference.layout(reference.build(belief.evidence.spec))
    if layout.nM == layout.nC:  # else there are simple bodies, and the forms differ in length
        for form, other in (("qM", "csr"), ("csr", "qM")):
            words = f"the entries of {form} are in the order of {other}: diagonal first in qM's rows, last in those of CSR"
            if form in asked:
                yield convention(f"storage/{form}-as-{other}", words, answer_edit=_in_order_of(form, other))
    words = f"{' and '.join(asked)} holds M in the canonical coordinates instead of MuJoCo's"
    canonical = edit_answers(FORMS, lambda view, _values: view.value("mass_matrix"))
    yield convention("storage/canonical", words, answer_edit=canonical)


def symmetric_half(belief: Belief) -> Iterator[Hypothesis]:
    """M, or its inverse, of which the caller must fill in the other half, or has filled it in twice."""
    for quantity in SYMMETRIC:
        for name, (words, half) in HALVES.items() if quantity in belief.evidence.quantities else ():
            prior = 3.0 if name.endswith("doubled") else 1.0
            is_M, label = quantity == "mass_matrix", QUANTITIES[quantity].label
            suffix, cause = ("", words) if is_M else (f":{quantity}", words.replace(" of M ", f" of {label} "))
            yield convention(f"storage/{name}{suffix}", cause, answer_edit=_half(quantity, half), prior=prior)
            if own := _own_convention(belief):
                words, edit = f"{cause}, in the engine's own order of dofs", _own_half(quantity, half, own)
                yield convention(f"storage/{name}-in-own-order{suffix}", words, answer_edit=edit, prior=prior)


def _in_order_of(form: str, other: str) -> AnswerEdit:
    return edit_answers((form,), lambda view, values: unpack(view.spec, pack(view.spec, values, other), form))


def _own_convention(belief: Belief) -> Convention | None:
    """The convention that an engine declares, where it has as many velocities."""
    own = getattr(belief.evidence.engine, "convention", None)
    return own if isinstance(own, Convention) and own.is_square else None


def _own_half(quantity: str, half: Callable[[Floats], Floats], own: Convention) -> AnswerEdit:
    """T^T half(T M T^T) T with the orthogonal T of u = T v."""

    def edit(view: AnswerView, values: Floats) -> Floats:
        T = velocity_map(own, view.read.q)
        back: Floats = np.swapaxes(T, -1, -2) @ half(T @ values @ np.swapaxes(T, -1, -2)) @ T
        return back

    return edit_answers((quantity,), edit)


def _half(quantity: str, half: Callable[[Floats], Floats]) -> AnswerEdit:
    return edit_answers((quantity,), lambda _view, values: half(values))
