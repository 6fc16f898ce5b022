"""Accelerations solved with another mass matrix than M: a regularised one, one with damping in it, or a spoilt one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.dictionary.robust import linear_fit, tolerance
from leapcheck.judge.words import name_list, number_words
from leapcheck_models.arrays import Floats

WRONG_SYMMETRY: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "couplings-halved": ("the couplings of M are halved: (M + M^T) / 2 of one triangle", lambda M: 0.5 * (M + _diagonal(M))),
    "diagonal-doubled": ("the diagonal of M is doubled: M + M^T of one triangle", lambda M: M + _diagonal(M)),
    "lower-only": ("M is its lower triangle alone: the other one is missing", np.tril),
    "upper-only": ("M is its upper triangle alone: the other one is missing", np.triu),
    "diagonal-only": ("M is its diagonal: the couplings are missing", lambda M: _diagonal(M)),
}
"""What goes wrong when one triangle is made a symmetric matrix."""

FOLLOWS = ("forward_dynamics", "contact_inertia")
"""What an engine solves for with what it has computed."""

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
            spoilt = engine_fault(f"matrix/{name}", words, answer_edit=computed_with(spoil, scope), prior=2.0)
            wider = None if scope == wrong else replace(spoilt, answer_edit=computed_with(spoil, wrong))
            yield replace(spoilt, wider=wider)


def regularised_matrices(belief: Belief) -> Iterator[Hypothesis]:
    """Forward dynamics with M + diag(d): d the same for all dofs, or each its own (implicit damping: step times damping)."""
    if "forward_dynamics" not in belief.evidence.quantities or belief.explains("forward_dynamics"):
        return
    M, a = belief.value("mass_matrix"), belief.evidence.answers["forward_dynamics"]
    off = belief.read.tau - belief.value("bias_force") - np.einsum("nij,nj->ni", M, a)
    near = np.einsum("nij,nj->ni", np.abs(M), tolerance(belief.evidence, "forward_dynamics"))
    if not np.isfinite(off).all():
        return
    common = linear_fit(a.reshape(-1, 1), off.ravel(), near.ravel())
    if common and common.share >= TELLING:
        words = f"accelerations are solved with M + {number_words(float(common.x[0]))} on the diagonal: a regularised M"
        same = _regularised("solve/regularised", words, np.full(off.shape[1], common.x[0]))
        if belief.plus(same).explains("forward_dynamics"):
            yield same
            return
    d = np.zeros(off.shape[1])
    for dof in range(len(d)):
        if (np.abs(off[:, dof]) > near[:, dof]).any():
            fit = linear_fit(a[:, dof : dof + 1], off[:, dof], near[:, dof])
            if fit is None or fit.share < TELLING:
                return
            d[dof] = fit.x[0]
    named = name_list((f"dof {dof}: {number_words(float(x))}" for dof, x in enumerate(d) if x), 12)
    words = f"accelerations are solved with M + diag(d): damping taken implicitly, or an armature of their own (d: {named})"
    yield _regularised("solve/implicit-damping", words, d)


WRONG_FORCES: dict[str, tuple[str, Mapping[str, float]]] = {
    "no-bias-force": ("the bias force h is left out: tau for tau - h", {"bias_force": 1.0}),
    "bias-force-sign": ("the bias force h has the opposite sign: tau + h for tau - h", {"bias_force": 2.0}),
    "no-coriolis-force": ("the Coriolis force is left out of h", {"coriolis_force": 1.0}),
    "no-gravity-force": ("the gravity force is left out of h", {"gravity_force": 1.0}),
    "coriolis-force-sign": ("the Coriolis force has the opposite sign in h", {"coriolis_force": 2.0}),
    "gravity-force-sign": ("the gravity force has the opposite sign in h", {"gravity_force": 2.0}),
}
"""What goes wrong with the forces when accelerations are solved for: the words, and what is left out how many times."""


def wrong_forces(belief: Belief) -> Iterator[Hypothesis]:
    """Forward dynamics with a force left out, or of the wrong sign."""
    if "forward_dynamics" not in belief.evidence.quantities or belief.explains("forward_dynamics"):
        return
    for name, (words, left_out) in WRONG_FORCES.items():

        def edit(
            view: AnswerView, quantity: str, values: Floats, left_out: Mapping[str, float] = MappingProxyType(left_out)
        ) -> Floats:
            if quantity != "forward_dynamics":
                return values
            force = sum(-amount * view.engine_value(name) for name, amount in left_out.items())
            return consequence(view, quantity, values, {"bias_force": np.asarray(force)})

        hypothesis = engine_fault(f"solve/{name}", f"in forward dynamics {words}", answer_edit=edit, prior=2.0)
        if belief.plus(hypothesis).explains("forward_dynamics"):
            yield hypothesis


def _regularised(name: str, words: str, d: Floats) -> Hypothesis:
    edit = computed_with(lambda M: M + np.diag(d), ["forward_dynamics"])
    return engine_fault(name, words, answer_edit=edit, prior=3.0)


def computed_with(change: Callable[[Floats], Floats], scope: list[str]) -> AnswerEdit:
    """The answers in the scope, computed with the changed M (n, nv, nv)."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        M = view.engine_value("mass_matrix")
        return consequence(view, quantity, values, {"mass_matrix": change(M) - M})

    return lambda view, quantity, values: edit(view, quantity, values) if quantity in scope else values


def consequence(view: AnswerView, quantity: str, values: Floats, added: Mapping[str, Floats]) -> Floats:
    """A quantity's values (n, ...) where what an engine computes it from has something added: M, the bias force, J."""
    if quantity in added:
        return values + added[quantity]
    M = view.engine_value("mass_matrix")
    M_used = M + added.get("mass_matrix", 0.0)
    match quantity:
        case "forward_dynamics":
            force = (M @ values[..., None])[..., 0] - added.get("bias_force", 0.0)  # M a = tau - h
            return solve(M_used, force[..., None]).reshape(values.shape)
        case "contact_inertia":
            J = view.engine_value("contact_jacobians") + added.get("contact_jacobians", 0.0)
            rows = J.reshape(len(values), -1, M.shape[-1])
            return np.asarray(rows @ solve(M_used, rows.swapaxes(1, 2)))
        case "kinetic_energy":
            energy: Floats = 0.5 * np.einsum("ni,nij,nj->n", view.read.v, M_used - M, view.read.v)
            return values + energy
    return values


def solve(M: Floats, b: Floats) -> Floats:
    """M^-1 b of blocks (n, nv, nv) and (n, nv, k); not a number where a spoilt M is singular."""
    try:
        return np.asarray(np.linalg.solve(M, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def _diagonal(M: Floats) -> Floats:
    return M * np.eye(M.shape[-1])
