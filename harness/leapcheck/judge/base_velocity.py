"""Fingerprints of a base velocity in other coordinates than the canonical ones: frames, order, and the Tdot term.

With u = T v the engine's velocity, an adapter must convert the inputs (u = T v, tau_u = T tau, T being orthogonal) and the
outputs (M = T^T M_u T, h = T^T (h_u + M_u Tdot v), J = J_u T, Jdot v = (Jdot u)_u + J_u Tdot v, vdot = T^T (udot - Tdot v)).
Each hypothesis leaves one of these out. All of them are invisible where R_WB = 1 and w = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from leapcheck import conventions
from leapcheck.conventions import product, transposed
from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, values
from leapcheck.judge.coordinates import COORDINATES, MUJOCO, Coordinates, free_joints, velocity_map, velocity_map_rate
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats

AFFECTED = frozenset(
    {
        "mass_matrix",
        "bias_force",
        "coriolis_force",
        "gravity_force",
        "forward_dynamics",
        "contact_velocities",
        "contact_jacobians",
        "contact_bias_accelerations",
        "kinetic_energy",
    }
)
"""Quantities whose value depends on what the base velocity means."""

TDOT_WORDS = {0.0: "is missing", -1.0: "has the wrong sign", 2.0: "is counted twice"}
TDOT = "the Tdot term (M Tdot v of the bias force, J Tdot v of Jdot v, Tdot v of the acceleration)"


def base_velocity(at: Case) -> Cause | None:
    """A Tdot term missing; a base velocity or a force on the base in other axes or in the order linear, angular."""
    if at.quantity not in AFFECTED or not any(free_joints(at.spec)):
        return None
    return first_explanation(at, _hypotheses(at))


def _hypotheses(at: Case) -> Iterator[Hypothesis]:
    q, v, tau = at.states.q, at.states.v, at.states.tau
    adapter = _adapter(at, MUJOCO)
    rate = velocity_map_rate(at.spec, q, v, MUJOCO)
    for share, words in TDOT_WORDS.items():
        cause = f"{TDOT} {words}: the base velocity behind it is in world axes"
        yield Hypothesis("convention", cause, adapter.canonical(adapter.own(at.expected, rate), share * rate))
    for coordinates in COORDINATES:
        adapter, rate = _adapter(at, coordinates), velocity_map_rate(at.spec, q, v, coordinates)
        cause = f"the answers are left in the base coordinates {coordinates.words}"
        yield Hypothesis("convention", cause, adapter.own(at.expected, rate))
        if not set(QUANTITIES[at.quantity].arguments) & {"v", "tau"}:
            continue
        back = transposed(adapter.T)
        believed = replace(at.states, v=product(back, v), tau=product(back, tau))
        canonical = values(at.quantity, at.spec, believed)
        own = adapter.own(canonical, velocity_map_rate(at.spec, q, believed.v, coordinates))
        words = f"the base velocity is taken as {coordinates.words}"
        yield Hypothesis("convention", f"{words}, and the answers are left so", own)
        yield Hypothesis("convention", words, canonical)
        yield Hypothesis("convention", f"{words}, but not in Tdot v", adapter.canonical(own, rate))


@dataclass(frozen=True, slots=True, eq=False)
class _Adapter:
    """What stands between an engine's coordinates u = T v and the canonical ones, T orthogonal; M_u and J_u where needed."""

    quantity: str
    T: Floats
    M_u: Floats
    J_u: Floats

    def own(self, value: Floats, Tdot_v: Floats) -> Floats:
        """The engine's own value behind a canonical one."""
        match self.quantity:
            case "mass_matrix":
                return conventions.mass_matrix(transposed(self.T), value)
            case "bias_force" | "coriolis_force":
                return product(self.T, value) - product(self.M_u, Tdot_v)
            case "gravity_force":
                return product(self.T, value)
            case "forward_dynamics":
                return product(self.T, value) + Tdot_v
            case "contact_jacobians":
                return conventions.jacobians(transposed(self.T), value)
            case "contact_bias_accelerations":
                return value - product(self.J_u, Tdot_v[:, None, :])
        return value

    def canonical(self, own: Floats, Tdot_v: Floats) -> Floats:
        """The canonical value that an adapter makes of the engine's own with this Tdot v."""
        match self.quantity:
            case "bias_force" | "coriolis_force":
                return conventions.bias_force(self.T, own, self.M_u, Tdot_v)
            case "forward_dynamics":
                return conventions.acceleration(self.T, own, Tdot_v)
            case "contact_bias_accelerations":
                return conventions.bias_accelerations(own, self.J_u, Tdot_v)
        return own


def _adapter(at: Case, coordinates: Coordinates) -> _Adapter:
    T = velocity_map(at.spec, at.states.q, coordinates)
    M_u, J_u = np.zeros(0), np.zeros(0)
    if at.quantity in ("bias_force", "coriolis_force"):
        M_u = conventions.mass_matrix(transposed(T), values("mass_matrix", at.spec, at.states))
    if at.quantity == "contact_bias_accelerations":
        J_u = conventions.jacobians(transposed(T), values("contact_jacobians", at.spec, at.states))
    return _Adapter(at.quantity, T, M_u, J_u)
