"""An engine that contradicts itself: M against its own bias force and accelerations, the Coriolis force against its own h - g."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from leapcheck.compare.entries import dof_names
from leapcheck.compare.errors import scale_free, scales
from leapcheck.conventions import product
from leapcheck.judge.asking import answers_at
from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.words import listed
from leapcheck.states import Floats

ZERO = 1e-12
"""Scale-free size below which an entry of M counts as zero."""

SHRINKS = 1e4
"""Factor by which the right M must bring the engine's own numbers nearer to each other."""

NEAR_ROUNDING = 1e-8
"""Largest scale-free misfit of M vdot + h = tau that may then remain."""

OWN = ("bias_force", "forward_dynamics")

Flags = NDArray[np.bool_]


def self_contradictions(belief: Belief) -> Iterator[Hypothesis]:
    """M with couplings lost or misplaced, and a Coriolis force that is not h - g, where the engine's other answers are right."""
    quantities = belief.evidence.quantities
    if "mass_matrix" in quantities:
        yield from _lost_couplings(belief)
    if {"coriolis_force", "bias_force", "gravity_force"} <= set(quantities):
        yield from _wrong_coriolis(belief)


def _lost_couplings(belief: Belief) -> Iterator[Hypothesis]:
    """M vdot + h misses tau by the engine's own numbers, and couplings are lost: its joints are not depth-first.

    An algorithm that takes a subtree's dofs for neighbours loses couplings or puts them between branches, and leaves the
    diagonal right (stack-of-tasks/pinocchio#1897: crba, but neither rnea nor aba). Where M is all there is, it is a guess.
    """
    evidence, found = belief.evidence, belief.evidence.found["mass_matrix"]
    right = belief.predicted("mass_matrix")
    lost, misplaced = _couplings(evidence, found, right)
    if not (lost | misplaced).any():
        return
    names = dof_names(evidence.spec)
    pairs = [f"{names[i]} with {names[j]}" for i, j in np.argwhere(np.triu(lost | misplaced)).tolist()]
    details = f"couplings between dofs are lost or misplaced ({listed(pairs)}), the diagonal is right"
    answering = _with_couplings(evidence, lost, misplaced)
    own = _own(evidence)
    if own is None:
        words = "couplings of the mass matrix are lost or misplaced, as where joints are not in depth-first order"
        yield Hypothesis("engine/depth-first", "engine", words, answering=answering, prior=3.0, details=details)
        return
    h, vdot = own
    before, after = (_misfit(evidence, M, h, vdot) for M in (found, right))
    if after <= NEAR_ROUNDING and after * SHRINKS <= before:
        words = "the mass matrix contradicts the engine's own inverse and forward dynamics: joints not in depth-first order"
        fall = f"M vdot + h misses tau by {before:.2g} of it; with the in-house M in its place by {after:.2g}"
        yield Hypothesis("engine/depth-first", "engine", words, answering=answering, details=f"{details}; {fall}")


def _couplings(evidence: Evidence, found: Floats, right: Floats) -> tuple[Flags, Flags]:
    """Entries of M (nv, nv) that are lost and that are misplaced; none at all where others are wrong too."""
    none = np.zeros(found.shape[1:], dtype=bool)
    scale = scales("mass_matrix", right)
    with np.errstate(all="ignore"):
        sizes = (np.nan_to_num(np.abs(M / scale).max(axis=0), nan=np.inf) for M in (found, right))
        wrong = (np.abs(found - right) / scale > np.maximum(ZERO, evidence.allowed["mass_matrix"])[:, None, None]).any(axis=0)
    in_found, in_right = (size > ZERO for size in sizes)
    if not wrong.any() or not (in_found != in_right)[wrong].all() or np.diag(wrong).any():
        return none, none
    return wrong & ~in_found, wrong & in_found


def _with_couplings(evidence: Evidence, lost: Flags, misplaced: Flags) -> Callable[[View, str, Floats], Floats]:
    """M without the lost couplings, and with the misplaced ones as they were found: NaN at states that were not asked for."""
    found = dict(zip(map(bytes, evidence.states.q), evidence.found["mass_matrix"], strict=True))
    unknown = np.full(lost.shape, np.nan)

    def answering(view: View, quantity: str, values: Floats) -> Floats:
        if quantity != "mass_matrix":
            return values
        values = np.where(lost, 0.0, values)
        if misplaced.any():
            known = np.array([found.get(bytes(q), unknown) for q in view.states.q])
            values = np.where(misplaced, known, values)
        return values

    return answering


def _own(evidence: Evidence) -> tuple[Floats, Floats] | None:
    """The engine's own h and vdot at the states; None where it does not answer them."""
    if set(OWN) <= set(evidence.quantities):
        return evidence.found[OWN[0]], evidence.found[OWN[1]]
    if not evidence.engine.quantities >= set(OWN):
        return None
    answers = answers_at(evidence, evidence.states, OWN)
    return (answers[OWN[0]], answers[OWN[1]]) if answers else None


def _misfit(evidence: Evidence, M: Floats, h: Floats, vdot: Floats) -> float:
    """Scale-free misfit of M vdot + h = tau."""
    force, tau = product(M, vdot), evidence.states.tau
    scale = np.maximum(scales("bias_force", tau), scales("bias_force", force))
    return float(scale_free(force + h - tau, scale).max(initial=0.0))


def _wrong_coriolis(belief: Belief) -> Iterator[Hypothesis]:
    """A Coriolis force that is off while h and g, of which it is the difference, are right: a Coriolis matrix that is wrong.

    So it is in Pinocchio 4.1.0 where joints are geared to one another. It names a contradiction and foretells no number: what it
    "predicts" are the found answers themselves.
    """
    evidence = belief.evidence
    off = {name: belief.misfit(name) > 1.0 for name in ("coriolis_force", "bias_force", "gravity_force")}
    if not off["coriolis_force"] or off["bias_force"] or off["gravity_force"]:
        return
    found = dict(zip(_keys(evidence.states.q, evidence.states.v), evidence.found["coriolis_force"], strict=True))
    unknown = np.full(evidence.spec.nv, np.nan)

    def answering(view: View, quantity: str, values: Floats) -> Floats:
        if quantity != "coriolis_force":
            return values
        return np.array([found.get(key, unknown) for key in _keys(view.states.q, view.states.v)])

    words = "the Coriolis force contradicts the engine's own inverse dynamics: a Coriolis matrix that is wrong"
    error = evidence.worst_error("coriolis_force")
    details = f"C v is off by {error:.2g} of it, while the engine's h - g is right; a contradiction, no prediction"
    yield Hypothesis("engine/coriolis-matrix", "engine", words, answering=answering, prior=3.0, details=details)


def _keys(q: Floats, v: Floats) -> list[bytes]:
    return [bytes(a) + bytes(b) for a, b in zip(q, v, strict=True)]
