"""Which of many structure faults are worth a look: their effect on one quantity against what is left unexplained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.structure.scope import Scope, scope
from leapcheck.states import Floats

STATES = 6
"""States at which effects are computed."""

MOST = 20
"""Faults that are proposed at most by each of the two measures."""

FALLS = 0.9
"""Share of the remaining error that a proposed fault leaves at most, where it sets no entry right."""

PREFERRED = (
    "mass_matrix",
    "qM",
    "csr",
    "contact_jacobians",
    "gravity_force",
    "bias_force",
    "coriolis_force",
    "contact_positions",
    "contact_velocities",
    "contact_bias_accelerations",
    "cinert",
    "crb",
    "cdof",
    "kinetic_energy",
    "potential_energy",
    "forward_dynamics",
    "contact_inertia",
)
"""Quantities in the order in which they tell faults apart at little cost."""

Candidates = Callable[[Scope], Iterable[Hypothesis]]


class Effects(NamedTuple):
    """Faults with what each adds to one quantity, (faults, n, entries), at the states of a small `sample`."""

    sample: Evidence
    faults: tuple[Hypothesis, ...]
    added: Floats


def promising(belief: Belief, candidates: Candidates) -> Iterator[Hypothesis]:
    """Faults that would set entries right or make the rest of the error smaller, those that leave least first.

    Their effects are added to what is believed. That is exact where the entries they touch are not the same, and near
    enough elsewhere for faults of the robot alone; under a belief in other readings or answers they are computed anew.
    """
    quantity = next((name for name in PREFERRED if _deviates(belief, name)), None)
    if quantity is None:
        return
    if any(h.reading or h.answering for h in belief.hypotheses):
        effects = _effects_under(belief, quantity, candidates)
    else:
        effects = _effects(belief.evidence, quantity, candidates)
    wrong, size = _left(effects, quantity, Belief(effects.sample, belief.hypotheses).predicted(quantity))
    before_wrong, before_size = wrong[-1], size[-1]
    wrong, size = wrong[:-1], size[:-1]
    order = [*np.lexsort((size, wrong))[:MOST], *np.lexsort((wrong, size))[:MOST]]
    for i in dict.fromkeys(sorted(order, key=lambda i: (wrong[i], size[i]))):
        if wrong[i] < before_wrong or size[i] < FALLS * before_size:
            yield effects.faults[i]


def _deviates(belief: Belief, quantity: str) -> bool:
    return quantity in belief.evidence.quantities and belief.misfit(quantity) > 1.0


@lru_cache(maxsize=4)
def _effects(evidence: Evidence, quantity: str, candidates: Candidates) -> Effects:
    return _effects_under(Belief(evidence), quantity, candidates)


def _effects_under(belief: Belief, quantity: str, candidates: Candidates) -> Effects:
    sample = _sample(belief.evidence.restricted([quantity]), quantity)
    few = Belief(sample, belief.hypotheses)
    start = few.predicted(quantity)
    faults, added = [], []
    for fault in candidates(scope(few, quantity)):
        effect = few.with_(fault).predicted(quantity) - start
        if np.any(effect):
            faults.append(fault)
            added.append(effect.reshape(len(start), -1))
    return Effects(sample, tuple(faults), np.array(added).reshape(len(faults), len(start), -1))


def _sample(evidence: Evidence, quantity: str) -> Evidence:
    """Some of the states at which the quantity is off, generic ones where there are enough."""
    off = evidence.error(quantity, evidence.expected[quantity]) > evidence.allowed[quantity]
    generic = np.array([kind == "generic" for kind in evidence.states.kind])
    rows = np.flatnonzero(off & generic) if (off & generic).sum() >= STATES else np.flatnonzero(off)
    chosen = rows[np.linspace(0, len(rows) - 1, min(STATES, len(rows))).astype(int)]
    return evidence.at([int(i) for i in chosen])


def _left(effects: Effects, quantity: str, believed: Floats) -> tuple[Floats, Floats]:
    """Wrong entries, and size of the error, that each fault leaves; last those without any."""
    sample, n = effects.sample, len(believed)
    scale = np.broadcast_to(sample.scale[quantity], believed.shape).reshape(n, -1)
    rest = (sample.found[quantity] - believed).reshape(n, -1)
    with np.errstate(all="ignore"):
        errors = np.abs(np.concatenate([rest - effects.added, rest[None]])) / scale
    errors = np.where(np.isnan(errors), np.inf, errors)
    wrong = (errors > sample.allowed[quantity][:, None]).sum(axis=(1, 2)).astype(float)
    size = np.sqrt(np.mean(np.minimum(errors, 1e3) ** 2, axis=(1, 2)))
    return wrong, size
