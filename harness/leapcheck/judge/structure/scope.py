"""What an error leaves in question: the bodies and contact points whose rows are off, and which dofs M couples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.judge.belief import Belief
from leapcheck.judge.coordinates import DOF_AXES, POINT_QUANTITIES, places
from leapcheck.judge.structure.edits import ancestors, subtree
from leapcheck.states import Floats
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.batch import evaluated

Flags = NDArray[np.bool_]

MASS_MATRICES = ("mass_matrix", "qM", "csr")

KINEMATIC = POINT_QUANTITIES
"""Quantities that no inertia enters."""

ZERO = 1e-10
"""Scale-free size of an entry of M below which two dofs count as uncoupled."""


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
        """Whether the found M allows a body to hang on another: its branch is coupled to no dof off that one's chain.

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
        for at in places(self.spec):
            flags[at.v] |= at.body in numbers
        return flags


def scope(belief: Belief, quantity: str) -> Scope:
    """The scope of what a belief leaves unexplained in one quantity."""
    evidence, spec = belief.evidence, belief.evidence.spec
    found, predicted = evidence.found[quantity], belief.predicted(quantity)
    with np.errstate(all="ignore"):
        error = np.abs(found - predicted) / evidence.scale[quantity]
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
        coupled = np.asarray((np.abs(found) / evidence.scale[quantity] > ZERO).any(axis=0))
    return Scope(
        spec, bodies, points, dofs, quantity not in KINEMATIC, quantity in (*POINT_QUANTITIES, "contact_inertia"), coupled
    )


def _rows(wrong: Flags, axis: int) -> Flags:
    return np.asarray(wrong.any(axis=tuple(i for i in range(wrong.ndim) if i != axis)))


def _reach(spec: RobotSpec, name: str) -> list[int]:
    """Dofs of a body's branch; of a branch that is rigid, those of the nearest joint above."""
    dofs = {spec.bodies[at.body].name: list(range(at.v.start, at.v.stop)) for at in places(spec)}
    own = [dof for below in subtree(spec, name) for dof in dofs[below]]
    return own or next((dofs[above] for above in ancestors(spec, name) if dofs[above]), [])


def _wrong_force(belief: Belief) -> Flags:
    """Dofs (nv,) at which the force is wrong that the found accelerations ask for."""
    evidence, states = belief.evidence, belief.read
    found, allowed = evidence.found["forward_dynamics"], evidence.allowed["forward_dynamics"]
    with np.errstate(all="ignore"):
        force: Floats = evaluated(reference.inverse_dynamics, belief.tree, states.q, states.v, found)
        scale = np.fmax(np.abs(force).max(axis=1), np.abs(states.tau).max(axis=1))[:, None]
        wrong = ~(np.abs(force - states.tau) <= allowed[:, None] * scale)
    return np.asarray(wrong.any(axis=0)) if force.shape == states.tau.shape else np.ones(evidence.spec.nv, dtype=bool)
