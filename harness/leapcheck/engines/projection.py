"""An engine's own numbers, in its own coordinates, turned into canonical answers for a block of states.

An engine gives, for the n states of a block, arrays by these names (u its velocity, tau_u its force):

======== ==================== ===================================================================
name     shape                meaning
======== ==================== ===================================================================
M        (n, nv_u, nv_u)      mass matrix
h, c, g  (n, nv_u)            bias, Coriolis and gravity force
udot     (n, nv_u)            acceleration under tau_u, by the engine's own solver
p, pdot  (n, points, 3)       positions and velocities of the contact points in world axes
J        (n, points, 3, nv_u) their Jacobians
a        (n, points, 3)       their classical accelerations at udot = 0, without gravity: Jdot u
MinvJT   (n, nv_u, 3 points)  M^-1 J^T by the engine's own solver
T_kin    (n,)                 kinetic energy
V_pot    (n,)                 potential energy
======== ==================== ===================================================================

An engine's raw numbers are what it itself leaves behind, in whatever form it does; `assembly` says how one of the numbers above
is assembled where it is not simply a raw number of the same name.

With geared rotors the engine holds them as bodies and knows nothing of the gears: udot and MinvJT are then not used,
and the equations of motion are projected with T = T_full G and solved here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention, transpose
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats

NEEDS: dict[str, tuple[str, ...]] = {
    "mass_matrix": ("M",),
    "bias_force": ("M", "h"),
    "gravity_force": ("g",),
    "coriolis_force": ("M", "c"),
    "forward_dynamics": ("M", "h", "udot"),
    "contact_positions": ("p",),
    "contact_velocities": ("pdot",),
    "contact_jacobians": ("J",),
    "contact_bias_accelerations": ("J", "a"),
    "contact_inertia": ("M", "J", "MinvJT"),
    "kinetic_energy": ("T_kin",),
    "potential_energy": ("V_pot",),
}
"""For each canonical quantity the engine's own numbers behind it."""

SOLVED_HERE_WITH_ROTORS = frozenset({"udot", "MinvJT"})


class OwnStates(NamedTuple):
    """A block of n states in the engine's coordinates: q (n, nq_u), u (n, nv_u), tau_u (n, nv_u), rows contiguous.

    `tau` is not meant for use where there are rotors.
    """

    q: Floats
    v: Floats
    tau: Floats


class Assembly(NamedTuple):
    """How one of an engine's numbers is assembled: a pure function of blocks (..., *shape) of the raw arrays named."""

    raw: tuple[str, ...]
    assemble: Callable[..., Floats]


def own_states(convention: Convention, T: Floats, states: States) -> OwnStates:
    """The states in the engine's coordinates; T (n, nv_u, nv) is the velocity map there."""
    v = conventions.product(T, states.v)
    tau = conventions.engine_force(T, states.tau) if convention.is_square else v
    return OwnStates(*map(np.ascontiguousarray, (conventions.configuration(convention, states.q), v, tau)))


def own_names(convention: Convention, quantities: Iterable[str]) -> frozenset[str]:
    """Names of the engine's own numbers behind the quantities."""
    names = {name for quantity in quantities for name in NEEDS.get(quantity, (quantity,))}
    return frozenset(names if convention.is_square else names - SOLVED_HERE_WITH_ROTORS)


class Projection:
    """Canonical quantities of one block of states, each computed on first use.

    Positions, velocities and energies are the same in every convention: `quantity` gives the engine's own.
    """

    def __init__(self, convention: Convention, states: States, T: Floats, own: Mapping[str, Floats]) -> None:
        self._convention = convention
        self._tau = states.tau
        self._own = own
        self._T = T
        self._Tdot_v = conventions.velocity_map_rate(convention, states.q, states.v)

    def quantity(self, name: str) -> Floats:
        """A quantity by its name, (n, *shape)."""
        answer: Floats = getattr(self, name) if hasattr(type(self), name) else self._own[NEEDS.get(name, (name,))[0]]
        return answer

    @cached_property
    def mass_matrix(self) -> Floats:
        """M (n, nv, nv)."""
        return conventions.mass_matrix(self._T, self._own["M"])

    @cached_property
    def bias_force(self) -> Floats:
        """h (n, nv)."""
        return conventions.bias_force(self._T, self._own["h"], self._own["M"], self._Tdot_v)

    @cached_property
    def coriolis_force(self) -> Floats:
        """The bias force without gravity (n, nv)."""
        return conventions.bias_force(self._T, self._own["c"], self._own["M"], self._Tdot_v)

    @cached_property
    def gravity_force(self) -> Floats:
        """The bias force at v = 0 (n, nv)."""
        return conventions.force(self._T, self._own["g"])

    @cached_property
    def forward_dynamics(self) -> Floats:
        """vdot = M^-1 (tau - h), shape (n, nv)."""
        if self._convention.is_square:
            return conventions.acceleration(self._T, self._own["udot"], self._Tdot_v)
        return _solution(self.mass_matrix, (self._tau - self.bias_force)[..., None])[..., 0]

    @cached_property
    def contact_jacobians(self) -> Floats:
        """J (n, points, 3, nv)."""
        return conventions.jacobians(self._T, self._own["J"])

    @cached_property
    def contact_bias_accelerations(self) -> Floats:
        """Jdot v (n, points, 3)."""
        return conventions.bias_accelerations(self._own["a"], self._own["J"], self._Tdot_v)

    @cached_property
    def contact_inertia(self) -> Floats:
        """J M^-1 J^T (n, 3 points, 3 points): with T square the same in every convention."""
        if self._convention.is_square:
            return _rows(self._own["J"]) @ self._own["MinvJT"]
        J = _rows(self.contact_jacobians)
        return J @ _solution(self.mass_matrix, transpose(J))


def number_shapes(nv: int, points: int) -> dict[str, tuple[int, ...]]:
    """Shape of each number of one state."""
    return {
        "M": (nv, nv), "h": (nv,), "c": (nv,), "g": (nv,), "udot": (nv,), "p": (points, 3), "pdot": (points, 3),
        "J": (points, 3, nv), "a": (points, 3), "MinvJT": (nv, 3 * points), "T_kin": (), "V_pot": (),
    }  # fmt: skip


def identity(raw: Floats) -> Floats:
    """The raw number, unchanged."""
    return raw


def _rows(J: Floats) -> Floats:
    """Jacobians (n, points, 3, nv) as (n, 3 points, nv)."""
    n, points, three, nv = J.shape
    return J.reshape(n, points * three, nv)


def _solution(M: Floats, right: Floats) -> Floats:
    """X (n, nv, k) with M X = right."""
    X: NDArray[Any] = np.linalg.solve(M, right)
    return X
