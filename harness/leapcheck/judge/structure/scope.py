"""Which bodies and contact points an error puts in question, and which structure faults would explain most of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.edits import ancestors, subtree
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.layout import DOF_AXES, POINT_QUANTITIES, places
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.batch import evaluate_batch

Flags = NDArray[np.bool_]

MASS_MATRICES = ("mass_matrix", "qM", "csr")

KINEMATIC = POINT_QUANTITIES
"""Quantities that no inertia enters."""

ZERO = 1e-10
"""Scale-free size of an entry of M below which two dofs count as uncoupled."""


STATES = 6
"""States at which effects are computed."""

MOST = 20
"""Faults that are proposed at most by each of the two measures."""

FALLS = 0.9
"""Share of the remaining error that a proposed fault leaves at most, where it sets no entry right."""

PREFERRED = (
    *("mass_matrix", "qM", "csr", "contact_jacobians", "gravity_force", "bias_force", "coriolis_force", "contact_positions"),
    *("contact_velocities", "contact_bias_accelerations", "cinert", "crb", "cdof", "kinetic_energy", "potential_energy"),
    *("forward_dynamics", "contact_inertia"),
)
"""Quantities in the order in which they distinguish faults at little cost."""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where to look: `bodies` and computed `points` that may be at fault, by name, as one quantity shows them.

    `dofs` (nv,) are the rows that are off, None where there are no rows; `coupled` (nv, nv) tells which dofs the found M
    couples, None without M. `has_inertia`, `has_points`: whether inertias, or contact points, enter the quantity.
    """

    spec: RobotSpec
    bodies: frozenset[str]
    points: frozenset[str]
    dofs: Flags | None
    has_inertia: bool
    has_points: bool
    coupled: Flags | None

    def has_one_of(self, names: Iterable[str]) -> bool:
        """Whether one of these bodies may be at fault."""
        return not self.bodies.isdisjoint(names)

    def moves_only(self, name: str) -> bool:
        """Whether all the rows that are off are those of dofs that move a body: its inertia alone may be at fault."""
        return self.dofs is None or not (self.dofs & ~self._dofs([name, *ancestors(self.spec, name)])).any()

    def may_hang(self, name: str, other: str) -> bool:
        """Whether the engine's M allows a body to hang on another: its branch is coupled to no dof off that one's chain.

        Deeper in the same chain it must be coupled to the dofs that come in between, too.
        """
        if self.coupled is None:
            return True
        below = subtree(self.spec, name)
        chain = [] if other == WORLD else [other, *ancestors(self.spec, other)]
        parent = self.spec.bodies[self.spec.body_index(name)].parent
        between = chain[: chain.index(parent)] if parent in chain else []
        own, above, new = (self._dofs(names) for names in (below, chain, between))
        rows = self.coupled[own]
        return not rows[:, ~(own | above)].any() and (not new.any() or bool(rows[:, new].any()))

    def _dofs(self, names: Iterable[str]) -> Flags:
        """Flags (nv,) of the dofs of some bodies' joints."""
        flags = np.zeros(self.spec.nv, dtype=bool)
        numbers = {self.spec.body_index(name) for name in names}
        for place in places(self.spec):
            flags[place.v] |= place.body in numbers
        return flags


def scope(belief: Belief, quantity: str) -> Scope:
    """The scope of what a belief leaves unexplained in one quantity."""
    evidence, spec = belief.evidence, belief.evidence.spec
    answer, predicted = evidence.answers[quantity], belief.prediction(quantity)
    with np.errstate(all="ignore"):
        error = np.abs(answer - predicted) / evidence.scale[quantity]
    limit = evidence.allowed[quantity].reshape(-1, *(1,) * (error.ndim - 1))
    wrong: Flags = np.any(~(error <= limit), axis=0)
    points = frozenset(p.name for p in spec.contact_points if p.computed)
    bodies = frozenset(body.name for body in spec.bodies)
    coupled = dofs = None
    if quantity in DOF_AXES and quantity not in POINT_QUANTITIES:
        dofs = _wrong_force(belief) if quantity == "forward_dynamics" else _rows(wrong, DOF_AXES[quantity][0] - 1)
        bodies = frozenset(body.name for body in spec.bodies if dofs[_reach(spec, body.name)].any())
    elif quantity in POINT_QUANTITIES:
        names = [p.name for p in spec.contact_points if p.computed]
        points = frozenset(name for name, flag in zip(names, _rows(wrong, 0), strict=True) if flag)
        on = {p.body for p in spec.contact_points if p.name in points}
        bodies = frozenset(body.name for body in spec.bodies if on & set(subtree(spec, body.name)))
    if quantity in MASS_MATRICES:
        coupled = np.asarray((np.abs(answer) / evidence.scale[quantity] > ZERO).any(axis=0))
    return Scope(
        spec, bodies, points, dofs, quantity not in KINEMATIC, quantity in (*POINT_QUANTITIES, "contact_inertia"), coupled
    )


def _rows(wrong: Flags, axis: int) -> Flags:
    return np.asarray(wrong.any(axis=tuple(i for i in range(wrong.ndim) if i != axis)))


def _reach(spec: RobotSpec, name: str) -> list[int]:
    """Dofs of a body's branch; of a branch that is rigid, those of the nearest joint above."""
    dofs = {spec.bodies[place.body].name: list(range(place.v.start, place.v.stop)) for place in places(spec)}
    own = [dof for below in subtree(spec, name) for dof in dofs[below]]
    return own or next((dofs[above] for above in ancestors(spec, name) if dofs[above]), [])


def _wrong_force(belief: Belief) -> Flags:
    """Dofs (nv,) at which the force is wrong that the found accelerations ask for."""
    evidence, states = belief.evidence, belief.read
    answer, allowed = evidence.answers["forward_dynamics"], evidence.allowed["forward_dynamics"]
    with np.errstate(all="ignore"):
        force: Floats = evaluate_batch(reference.inverse_dynamics, belief.tree, states.q, states.v, answer)
        scale = np.fmax(np.abs(force).max(axis=1), np.abs(states.tau).max(axis=1))[:, None]
        wrong = ~(np.abs(force - states.tau) <= allowed[:, None] * scale)
    return np.asarray(wrong.any(axis=0)) if force.shape == states.tau.shape else np.ones(evidence.spec.nv, dtype=bool)


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
    if any(h.state_edit or h.answer_edit for h in belief.hypotheses):
        effects = _effects_under(belief, quantity, candidates)
    else:
        effects = _effects(belief.evidence, quantity, candidates)
    wrong, size = _remaining_error(effects, quantity, Belief(effects.sample, belief.hypotheses).prediction(quantity))
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
    sample = _sample(belief.evidence.of_quantities([quantity]), quantity)
    few = Belief(sample, belief.hypotheses)
    start = few.prediction(quantity)
    faults, added = [], []
    for fault in candidates(scope(few, quantity)):
        effect = few.plus(fault).prediction(quantity) - start
        if np.any(effect):
            faults.append(fault)
            added.append(effect.reshape(len(start), -1))
    entries = start[0].size  # also where no fault has an effect
    return Effects(sample, tuple(faults), np.array(added).reshape(len(faults), len(start), entries))


def _sample(evidence: Evidence, quantity: str) -> Evidence:
    """Some of the states at which the quantity is off, generic ones where there are enough."""
    off = evidence.error(quantity, evidence.expected[quantity]) > evidence.allowed[quantity]
    generic = np.array([kind == "generic" for kind in evidence.states.kind])
    rows = np.flatnonzero(off & generic) if (off & generic).sum() >= STATES else np.flatnonzero(off)
    chosen = rows[np.linspace(0, len(rows) - 1, min(STATES, len(rows))).astype(int)]
    return evidence.at_states([int(i) for i in chosen])


def _remaining_error(effects: Effects, quantity: str, believed: Floats) -> tuple[Floats, Floats]:
    """Wrong entries, and size of the error, that each fault leaves; last those without any."""
    sample, n = effects.sample, len(believed)
    scale = np.broadcast_to(sample.scale[quantity], believed.shape).reshape(n, -1)
    rest = (sample.answers[quantity] - believed).reshape(n, -1)
    with np.errstate(all="ignore"):
        errors = np.abs(np.concatenate([rest - effects.added, rest[None]])) / scale
    errors = np.where(np.isnan(errors), np.inf, errors)
    wrong = (errors > sample.allowed[quantity][:, None]).sum(axis=(1, 2)).astype(float)
    size = np.sqrt(np.mean(np.minimum(errors, 1e3) ** 2, axis=(1, 2)))
    return wrong, size
