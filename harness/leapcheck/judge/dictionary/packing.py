"""M with its entries in the order of another storage form, in other coordinates, or with one half only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import leapcheck_reference as reference
from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.storage import FORMS, packed, unpacked
from leapcheck.states import Floats

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
            words = f"the entries of {form} stand in the order of {other}: diagonal first in qM's rows, last in those of CSR"
            if form in asked:
                yield Hypothesis(f"storage/{form}-as-{other}", "convention", words, answering=_in_order_of(form, other))
    words = f"{' and '.join(asked)} holds M in the canonical coordinates instead of MuJoCo's"
    yield Hypothesis("storage/canonical", "convention", words, answering=_canonical)


def symmetric_half(belief: Belief) -> Iterator[Hypothesis]:
    """M of which the caller has to fill in, or has filled in twice, the other half."""
    if "mass_matrix" in belief.evidence.quantities:
        for name, (words, half) in HALVES.items():
            prior = 3.0 if name.endswith("doubled") else 1.0
            yield Hypothesis(f"storage/{name}", "convention", words, answering=_half(half), prior=prior)


def _in_order_of(form: str, other: str) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        return unpacked(view.spec, packed(view.spec, values, other), form) if quantity == form else values

    return answering


def _canonical(view: View, quantity: str, values: Floats) -> Floats:
    return view.value("mass_matrix") if quantity in FORMS else values


def _half(half: Callable[[Floats], Floats]) -> Callable[[View, str, Floats], Floats]:
    return lambda _view, quantity, values: half(values) if quantity == "mass_matrix" else values
