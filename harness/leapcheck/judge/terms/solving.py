"""Accelerations solved with another mass matrix than M: a regularised one, one with damping in it, or a spoilt one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.dictionary.robust import linear_fit, tolerance
from leapcheck.judge.words import SAME, name_list, number_words
from leapcheck_models.arrays import Floats

WRONG_SYMMETRY: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "couplings-halved": ("the couplings of M are halved: (M + M^T) / 2 of one triangle", lambda M: 0.5 * (M + _diagonal(M))),
    "diagonal-doubled": ("the diagonal of M is doubled: M + M^T of one triangle", lambda M: M + _diagonal(M)),
    "diagonal-only": ("M is its diagonal: the couplings are missing", lambda M: _diagonal(M)),
}
"""What goes wrong when one triangle is made a symmetric matrix."""

SOLVED = ("forward_dynamics", "contact_inertia", "kinetic_energy")
"""What an engine computes with M."""

TELLING = 0.9
"""Share of the equations that a diagonal added to M must explain."""


def spoilt_matrices(belief: Belief) -> Iterator[Hypothesis]:
    """M made symmetric in a wrong way, in M itself and in what the engine computes with it."""
    wrong = [name for name in ("mass_matrix", *SOLVED) if name in belief.evidence.quantities and not belief.explains(name)]
    if not wrong or wrong == ["kinetic_energy"]:
        return
    for name, (words, spoil) in WRONG_SYMMETRY.items():
        first = belief.plus(engine_fault(name, words, answer_edit=computed_with(spoil, wrong)))
        if scope := [quantity for quantity in wrong if first.explains(quantity)]:
            yield engine_fault(f"matrix/{name}", words, answer_edit=computed_with(spoil, scope), prior=2.0)


def regularised_matrices(belief: Belief) -> Iterator[Hypothesis]:
    """Forward dynamics with M + diag(d): d the same for all dofs, or each its own (implicit damping: step times damping)."""
    if "forward_dynamics" not in belief.evidence.quantities or belief.explains("forward_dynamics"):
        return
    M, a = belief.value("mass_matrix"), belief.evidence.answers["forward_dynamics"]
    off = belief.read.tau - belief.value("bias_force") - np.einsum("nij,nj->ni", M, a)
    near = np.einsum("nij,nj->ni", np.abs(M), tolerance(belief.evidence, "forward_dynamics"))
    if not np.isfinite(off).all():
        return
    d = np.zeros(off.shape[1])
    for dof in range(len(d)):
        if (np.abs(off[:, dof]) > near[:, dof]).any():
            fit = linear_fit(a[:, dof : dof + 1], off[:, dof], near[:, dof])
            if fit is None or fit.share < TELLING:
                return
            d[dof] = fit.x[0]
    if np.ptp(d) <= SAME * abs(d).max():
        words = f"accelerations are solved with M + {number_words(float(d.mean()))} on the diagonal: a regularised M"
        yield _regularised("solve/regularised", words, np.full_like(d, d.mean()))
    else:
        named = name_list((f"dof {dof}: {number_words(float(x))}" for dof, x in enumerate(d) if x), 12)
        words = f"accelerations are solved with M + diag(d): damping taken implicitly, or an armature of their own (d: {named})"
        yield _regularised("solve/implicit-damping", words, d)


def _regularised(name: str, words: str, d: Floats) -> Hypothesis:
    edit = computed_with(lambda M: M + np.diag(d), ["forward_dynamics"])
    return engine_fault(name, words, answer_edit=edit, prior=3.0)


def computed_with(change: Callable[[Floats], Floats], scope: list[str]) -> AnswerEdit:
    """The answers in the scope, computed with the changed M (n, nv, nv)."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        return quantity_with(view, quantity, values, change(view.value("mass_matrix")))

    return lambda view, quantity, values: edit(view, quantity, values) if quantity in scope else values


def quantity_with(view: AnswerView, quantity: str, values: Floats, M: Floats) -> Floats:
    """A quantity's values (n, ...) if they were computed with another M."""
    match quantity:
        case "mass_matrix":
            return M
        case "kinetic_energy":
            energy: Floats = 0.5 * np.einsum("ni,nij,nj->n", view.read.v, M - view.value("mass_matrix"), view.read.v)
            return values + energy
        case "forward_dynamics":
            return solve(M, view.value("mass_matrix") @ values[..., None]).reshape(values.shape)
        case "contact_inertia":
            J = view.value("contact_jacobians").reshape(len(values), -1, M.shape[-1])
            return np.asarray(J @ solve(M, J.swapaxes(1, 2)))
    return values


def solve(M: Floats, b: Floats) -> Floats:
    """M^-1 b of blocks (n, nv, nv) and (n, nv, k); not a number where a spoilt M is singular."""
    try:
        return np.asarray(np.linalg.solve(M, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def _diagonal(M: Floats) -> Floats:
    return M * np.eye(M.shape[-1])
