"""Fingerprint of an engine that contradicts itself: its mass matrix against its own bias force and accelerations."""

from __future__ import annotations

import numpy as np

from leapcheck.compare.errors import scale_free, scales
from leapcheck.conventions import product
from leapcheck.judge.case import Case, Cause, is_explained, vanishing
from leapcheck.states import Floats

NEEDED = frozenset({"mass_matrix", "bias_force", "forward_dynamics"})

ZERO = 1e-12
"""Scale-free size below which an entry of M counts as zero."""


def self_contradiction(at: Case) -> Cause | None:
    """M vdot + h differs from tau by the engine's own numbers, and couplings are lost: joints are not depth-first.

    An algorithm that takes a subtree's dofs for neighbours loses couplings or puts them between branches, and leaves the
    diagonal right (stack-of-tasks/pinocchio#1897: crba, but neither rnea nor aba).
    """
    if at.quantity != "mass_matrix" or not at.suspect.quantities >= NEEDED or not _loses_couplings(at):
        return None
    own = at.suspect.evaluate(at.states, ("bias_force", "forward_dynamics"))
    with_found, with_true = (_misfit(at, M, own["bias_force"], own["forward_dynamics"]) for M in (at.found, at.expected))
    if not is_explained(with_found, with_true):
        return None
    cause = "the mass matrix contradicts the engine's own inverse and forward dynamics: its joints are not in depth-first order"
    evidence = f"M vdot + h misses tau; with the in-house M in its place {vanishing(with_found, with_true, len(at.states))}"
    return Cause("engine", cause, f"couplings between dofs are lost or misplaced, the diagonal is right; {evidence}")


def _misfit(at: Case, M: Floats, h: Floats, vdot: Floats) -> float:
    """Scale-free misfit of M vdot + h = tau."""
    force = product(M, vdot)
    scale = np.maximum(scales("bias_force", at.states.tau), scales("bias_force", force))
    return float(scale_free(force + h - at.states.tau, scale).max(initial=0.0))


def _loses_couplings(at: Case) -> bool:
    """Whether each wrong entry is an off-diagonal one that is zero where it should not be, or the other way round."""
    scale = scales("mass_matrix", at.expected)
    found, expected = (np.abs(M / scale).max(axis=0) for M in (at.found, at.expected))
    wrong = (np.abs(at.found - at.expected) / scale).max(axis=0) > ZERO
    return bool(((found <= ZERO) != (expected <= ZERO))[wrong].all() and not np.diag(wrong).any())
