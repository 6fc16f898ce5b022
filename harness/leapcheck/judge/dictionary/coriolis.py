"""Other matrices C with C v the Coriolis force: of another factorisation, transposed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck_models.arrays import Floats
from leapcheck_reference import build, inverse_dynamics_derivative_v
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.coriolis import (
    christoffel_matrix,
    momentum_cross_matrix,
    newton_euler_at_coms,
    newton_euler_matrix,
    newton_euler_without_turning,
)

MATRICES = ("coriolis_matrix", "christoffel_matrix")

NOT_SKEW = "C v is the Coriolis force, but C + C^T is not Mdot: Mdot - 2 C is not skew-symmetric"

NOT_CHRISTOFFEL = "a Coriolis matrix, with Mdot - 2 C skew-symmetric, but not Christoffel's"

FORMS: dict[str, tuple[str, Callable[[Any, Any, Any], Any]]] = {
    "newton-euler": (f"{NOT_SKEW} (B = v x* I of Newton and Euler)", newton_euler_matrix),
    "newton-euler-at-coms": (
        f"{NOT_CHRISTOFFEL} (m a and I alpha + w x I w at the coms: m Jc^T Jcdot + Jw^T (I Jwdot + w~ I Jw))",
        newton_euler_at_coms,
    ),
    "no-gyroscopic-term": (
        "the part of w x I w is missing: m Jc^T Jcdot + Jw^T I Jwdot alone",
        newton_euler_without_turning,
    ),
    "rate": ("Mdot instead of C", lambda tree, q, v: _mass_rate(tree, q, v)),
    "half-rate": ("Mdot / 2 instead of C", lambda tree, q, v: 0.5 * _mass_rate(tree, q, v)),
    "momentum-cross": (NOT_CHRISTOFFEL, momentum_cross_matrix),
    "half-derivative": (
        "half of the derivative of C v by v, which is a Coriolis matrix with joints alone, not with a base's velocity",
        lambda tree, q, v: 0.5 * inverse_dynamics_derivative_v(tree, q, v),
    ),
    "transposed": ("C^T instead of C", lambda tree, q, v: christoffel_matrix(tree, q, v).T),
}
"""Name, words and the matrix of each; a Coriolis matrix in another form than Christoffel's is right as such."""


def coriolis_forms(belief: Belief) -> Iterator[Hypothesis]:
    """Each Coriolis matrix that is asked for in another form."""
    for quantity in MATRICES:
        if quantity in belief.evidence.quantities:
            for name, (words, matrix) in FORMS.items():
                edit = edit_answers((quantity,), _in_form(matrix))
                yield convention(f"coriolis/{name}:{quantity}", f"{_LABELS[quantity]}: {words}", answer_edit=edit)


def _mass_rate(tree: Any, q: Any, v: Any) -> Any:
    """Mdot = C + C^T."""
    C = christoffel_matrix(tree, q, v)
    return C + C.T


_LABELS = {"coriolis_matrix": "Coriolis matrix C", "christoffel_matrix": "Christoffel's C"}


def _in_form(matrix: Callable[[Any, Any, Any], Any]) -> Callable[[AnswerView, Floats], Floats]:
    def edit(view: AnswerView, _values: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return evaluate_batch(matrix, build(view.spec), view.read.q, view.read.v)

    return edit
