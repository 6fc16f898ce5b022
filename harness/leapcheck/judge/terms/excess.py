"""What the answers have too much of a quantity, and what of that rounding explains: what terms and readings are fitted to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leapcheck.judge.attribution.problem import INVERSE_DYNAMICS
from leapcheck.judge.belief import Belief
from leapcheck.judge.dictionary.robust import tolerance
from leapcheck_models.arrays import Floats

ENERGIES = frozenset({"kinetic_energy", "potential_energy"})

FEW = 5
"""Ordinary states at which terms are fitted."""

MANY = 48
"""States of any kind at which they are fitted to energies, which are one number a state."""


@dataclass(frozen=True, slots=True, eq=False)
class Excess:
    """What a quantity's answers have too much, `off` (n, ...), and what of that rounding explains, `near` (n, ...)."""

    quantity: str
    off: Floats
    near: Floats


def ordinary(belief: Belief, wrong: Iterable[str]) -> list[int]:
    """Rows of some ordinary states, or of any where there are none; of many states of any kind where only energies are wrong."""
    kinds = belief.evidence.states.kind
    if ENERGIES.issuperset(wrong):
        return list(range(min(MANY, len(kinds))))
    rows = [i for i, kind in enumerate(kinds) if kind in ("generic", "file")] or list(range(len(kinds)))
    return rows[:FEW]


def excess_of(belief: Belief, quantity: str) -> Excess | None:
    """The excess of a quantity's answers; None where they are not numbers."""
    evidence = belief.evidence
    if not np.isfinite(evidence.answers[quantity]).all():
        return None
    return Excess(quantity, evidence.answers[quantity] - belief.prediction(quantity), tolerance(evidence, quantity))


def excess_of_inverse_dynamics(belief: Belief) -> Excess | None:
    """What the engine's own M a + h has too much: it took what it computed for tau."""
    evidence = belief.evidence
    M, a = belief.value("mass_matrix"), evidence.answers["forward_dynamics"]
    if not np.isfinite(a).all():
        return None
    off = belief.read.tau - np.einsum("nij,nj->ni", M, a) - belief.value("bias_force")
    near = np.einsum("nij,nj->ni", np.abs(M), tolerance(evidence, "forward_dynamics"))
    return Excess(INVERSE_DYNAMICS, off, near)
