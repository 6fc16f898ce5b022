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

and those of other quantities by the quantity's own name, in its shape with the engine's dofs.

An engine's raw numbers are what it itself leaves behind, in whatever form it does; `assembly` says how one of the numbers above
is assembled where it is not simply a raw number of the same name.

With geared rotors the engine holds them as bodies and knows nothing of the gears: udot and MinvJT are then not used,
and the equations of motion are projected with T = T_full G and solved here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention, transpose
from leapcheck.engines.constrained import constrained_accelerations
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import DOFS, QUANTITIES, sizes
from leapcheck.sampling import States, with_contact_forces
from leapcheck_models.arrays import Floats
from leapcheck_reference.coriolis import coriolis_normal_form
from leapcheck_reference.scalar import sign

NUMBERS = {
    "mass_matrix": "M",
    "bias_force": "h",
    "gravity_force": "g",
    "coriolis_force": "c",
    "forward_dynamics": "udot",
    "contact_positions": "p",
    "contact_velocities": "pdot",
    "contact_jacobians": "J",
    "contact_bias_accelerations": "a",
    "contact_inertia": "MinvJT",
    "kinetic_energy": "T_kin",
    "potential_energy": "V_pot",
}
"""The engine's own number behind each quantity of the core."""

BESIDES = {
    "forward_dynamics": ("M", "h"),
    "contact_inertia": ("M", "J"),
    "minverse": ("M",),
    "operational_inertia_inverse": ("M", "minverse", "frame_jacobians"),
    "forward_dynamics_derivative_v": ("M", "inverse_dynamics_derivative_v"),
    "forward_dynamics_derivative_tau": ("M",),
    "constrained_forward_dynamics": ("M", "h", "constraint_jacobian", "constraint_bias"),
}
"""Further numbers behind quantities that are solved for here where the engine does not know the gears."""

MADE_HERE = frozenset({"operational_inertia_inverse"})
"""Quantities of which no engine has a number of its own: they follow from others, with its own solver."""

DERIVED = frozenset({"forward_dynamics_derivative_v", "forward_dynamics_derivative_tau"})
"""Derivatives that follow from M and those of inverse dynamics; the one by q needs the acceleration, which comes before."""

SOLVED_HERE_WITH_ROTORS = frozenset({"udot", "MinvJT", "minverse", "constrained_forward_dynamics", *DERIVED})

PART = 64
"""States at once: the mass matrices of so many stay in the second-level cache."""


class OwnStates(NamedTuple):
    """A block of n states in the engine's coordinates: q (n, nq_u), u, tau_u and udot (n, nv_u), contact forces as they are
    (n, 3 points, or 0), rows contiguous.

    `tau` is no force where there are rotors; `tau` and `vdot` are not meant for use where no quantity depends on them.
    """

    q: Floats
    v: Floats
    tau: Floats
    vdot: Floats
    contact_forces: Floats


class Assembly(NamedTuple):
    """How one of an engine's numbers is assembled: a pure function of blocks (..., *shape) of the raw arrays named.

    `speed_power` is the power of the velocity in the terms that it adds up, which may cancel.
    """

    raw: tuple[str, ...]
    assemble: Callable[..., Floats]
    speed_power: int = 0


class RawSource(Protocol):
    """What gives raw numbers, and says how others are assembled of them."""

    @property
    def raw_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of each raw number of one state."""

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """For each number that is no raw one, how it is assembled."""

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out` for n states into its C-contiguous arrays (n, *shape) of float64."""


def assembled_numbers(source: RawSource, states: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
    """The numbers of those names, (n, *shape) each: raw ones, and what is assembled of them."""
    recipes = {name: source.assembly.get(name, Assembly((name,), identity)) for name in names}
    raw = {part: np.empty((len(states.q), *source.raw_shapes[part])) for recipe in recipes.values() for part in recipe.raw}
    source.write_raw(states, raw)
    return {name: recipe.assemble(*(raw[part] for part in recipe.raw)) for name, recipe in recipes.items()}


def own_states(convention: Convention, T: Floats, states: States) -> OwnStates:
    """The states in the engine's coordinates; T (n, nv_u, nv) is the velocity map there."""
    v = conventions.product(T, states.v)
    # Of a robot with rotors tau serves as commands alone, one for each joint as it stands.
    tau = conventions.engine_force(T, states.tau) if convention.is_square else conventions.product(T, states.tau)
    vdot = conventions.engine_acceleration(T, states.vdot, conventions.velocity_map_rate(convention, states.q, states.v))
    q = conventions.configuration(convention, states.q)
    return OwnStates(*map(np.ascontiguousarray, (q, v, tau, vdot, states.contact_forces)))


def number_of(quantity: str) -> str:
    """Name of the engine's own number behind a quantity."""
    return NUMBERS.get(quantity, quantity)


def own_names(convention: Convention, quantities: Iterable[str]) -> frozenset[str]:
    """Names of the engine's own numbers behind the quantities."""
    names: set[str] = set()
    for quantity in quantities:
        names |= {*(() if quantity in MADE_HERE else (number_of(quantity),)), *BESIDES.get(quantity, ())}
        if takes_rate(convention, quantity):
            names.add(number_of(QUANTITIES[quantity].coefficient))
    return frozenset(names if convention.is_square else names - SOLVED_HERE_WITH_ROTORS)


def takes_rate(convention: Convention, quantity: str) -> bool:
    """Whether the quantity takes its coefficient and Tdot, or Tdot v, to become canonical."""
    row = QUANTITIES[quantity]
    return bool(row.coefficient and (convention.rotations if row.is_rate else convention.has_rate))


class Projection:
    """Canonical quantities of one block of states, each computed on first use, out of an engine's own numbers."""

    def __init__(self, convention: Convention, states: States, T: Floats, own: Mapping[str, Floats]) -> None:
        self._convention = convention
        self._states = states
        self._tau = states.tau
        self._own = own
        self._T = T
        self._Tdot_v = conventions.velocity_map_rate(convention, states.q, states.v)
        self._known: dict[str, Floats] = {}

    def quantity(self, name: str) -> Floats:
        """A quantity by its name, (n, *shape)."""
        if name not in self._known:
            match name:
                case "forward_dynamics":
                    self._known[name] = self._forward_dynamics()
                case "contact_inertia":
                    self._known[name] = self._contact_inertia()
                case "constrained_forward_dynamics":
                    self._known[name] = self._constrained_forward_dynamics()
                case "forward_dynamics_derivative_v" if not self._convention.is_square:
                    self._known[name] = -_solution(self.quantity("mass_matrix"), self.quantity("inverse_dynamics_derivative_v"))
                case "operational_inertia_inverse":
                    self._known[name] = self._operational_inertia_inverse()
                case "coriolis_matrix":
                    self._known[name] = coriolis_normal_form(self._converted(name), self._states.v)
                case "minverse" | "forward_dynamics_derivative_tau" if not self._convention.is_square:
                    M = self.quantity("mass_matrix")
                    self._known[name] = _solution(M, np.broadcast_to(np.eye(M.shape[-1]), M.shape))
                case _:
                    self._known[name] = self._converted(name)
        return self._known[name]

    def _converted(self, name: str) -> Floats:
        """A quantity by what its axes count; one without dofs is the engine's own number, unless Tdot counts in it."""
        row, values = QUANTITIES[name], self._own[number_of(name)]
        axes = row.axes or ()
        first, last = axes[:1] != () and axes[0] in DOFS, axes[-1:] != () and axes[-1] in DOFS
        if not takes_rate(self._convention, name):
            return conventions.canonical(self._T, values, first, last)
        coefficient = self._own[number_of(row.coefficient)]
        if row.is_rate:
            Tdot = conventions.velocity_map_rates(self._convention, self._states.q, self._states.v)
            return conventions.canonical(self._T, conventions.jacobian_rates(self._T, Tdot, values, coefficient), first, False)
        values = conventions.bias_accelerations(values, coefficient, self._Tdot_v)
        return conventions.canonical(self._T, values, first, last)

    def _forward_dynamics(self) -> Floats:
        """vdot = M^-1 (tau - h), shape (n, nv)."""
        if self._convention.is_square:
            return conventions.acceleration(self._T, self._own["udot"], self._Tdot_v)
        return _solution(self.quantity("mass_matrix"), (self._tau - self.quantity("bias_force"))[..., None])[..., 0]

    def _constrained_forward_dynamics(self) -> Floats:
        """vdot (n, nv) with M vdot + h = tau + J^T lambda and J vdot = -Jdot v."""
        if self._convention.is_square:
            return conventions.acceleration(self._T, self._own["constrained_forward_dynamics"], self._Tdot_v)
        force, spec = self._tau - self.quantity("bias_force"), self._convention.spec
        J, bias = self.quantity("constraint_jacobian"), self.quantity("constraint_bias")
        return constrained_accelerations(spec, self.quantity("mass_matrix"), force, J, bias)

    def _operational_inertia_inverse(self) -> Floats:
        """J M^-1 J^T (n, points, 6, 6) of the frames of the contact points, which are the last."""
        J = self.quantity("frame_jacobians")
        J = J[:, J.shape[1] - sizes(self._convention.spec).points :]
        inverse: Floats = J @ self.quantity("minverse")[:, None] @ transpose(J)
        return inverse

    def _contact_inertia(self) -> Floats:
        """J M^-1 J^T (n, 3 points, 3 points): with T square the same in every convention."""
        if self._convention.is_square:
            return _rows(self._own["J"]) @ self._own["MinvJT"]
        J = _rows(self.quantity("contact_jacobians"))
        return J @ _solution(self.quantity("mass_matrix"), transpose(J))


def canonical_answers(
    convention: Convention,
    numbers: Callable[[OwnStates, frozenset[str]], Mapping[str, Floats]],
    states: States,
    quantities: Sequence[str],
) -> Answers:
    """Each quantity (n, *shape), canonical, out of the engine's own numbers of the names that `numbers` is asked for.

    A few states at a time, whose numbers then stay in the second-level cache.
    """
    names, parts = own_names(convention, quantities), []
    for first in range(0, max(len(states), 1), PART):
        some = with_contact_forces(convention.spec, states[first : first + PART])
        T = conventions.velocity_map(convention, some.q)
        projection = Projection(convention, some, T, numbers(own_states(convention, T, some), names))
        parts.append([projection.quantity(name) for name in quantities])
    return {name: np.concatenate(rows) for name, rows in zip(quantities, zip(*parts, strict=True), strict=True)}


def number_shapes(nv: int, points: int) -> dict[str, tuple[int, ...]]:
    """Shape of each number of one state."""
    return {
        "M": (nv, nv), "h": (nv,), "c": (nv,), "g": (nv,), "udot": (nv,), "p": (points, 3), "pdot": (points, 3),
        "J": (points, 3, nv), "a": (points, 3), "MinvJT": (nv, 3 * points), "T_kin": (), "V_pot": (),
        "inverse_dynamics": (nv,),
    }  # fmt: skip


def identity(raw: Floats) -> Floats:
    """The raw number, unchanged."""
    return raw


def sliding_friction(friction: Floats, v: Floats) -> Floats:
    """-friction sign(v) (..., nv) of an engine that holds dry friction (nv,) and leaves the force to its solver of contacts."""
    signs = np.frompyfunc(sign, 1, 1)(v) if v.dtype.hasobject else np.sign(v)
    force: Floats = -friction * signs
    return force


def _rows(J: Floats) -> Floats:
    """Jacobians (n, points, 3, nv) as (n, 3 points, nv)."""
    n, points, three, nv = J.shape
    return J.reshape(n, points * three, nv)


def _solution(M: Floats, right: Floats) -> Floats:
    """X (n, nv, k) with M X = right."""
    X: NDArray[Any] = np.linalg.solve(M, right)
    return X
