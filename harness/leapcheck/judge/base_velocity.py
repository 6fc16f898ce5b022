"""Fingerprints of a base velocity in other coordinates than the canonical ones: frames, order, and the Tdot term.

With u = T v the engine's velocity, an adapter must convert the inputs (u = T v, tau_u = T tau, T being orthogonal) and the
outputs (M = T^T M_u T, h = T^T (h_u + M_u Tdot v), J = J_u T, Jdot v = (Jdot u)_u + J_u Tdot v, vdot = T^T (udot - Tdot v)).
Each hypothesis leaves one of these out. All of them are invisible where R_WB = 1 and w = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from leapcheck import conventions
from leapcheck.conventions import product, transposed
from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, values
from leapcheck.judge.coordinates import COORDINATES, MUJOCO, Coordinates, free_joints, velocity_map, velocity_map_rate
from leapcheck.states import Floats, States

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
    right = _Own.at(at, MUJOCO, at.states)
    for share, words in TDOT_WORDS.items():
        cause = f"{TDOT} {words}: the base velocity behind it is in world axes"
        yield Hypothesis("convention", cause, right.converted(share))
    for coordinates in COORDINATES:
        left = _Own.at(at, coordinates, at.states)
        yield Hypothesis("convention", f"the answers are left in the base coordinates {coordinates.words}", left.value)
        T = velocity_map(at.spec, at.states.q, coordinates)
        v, tau = product(transposed(T), at.states.v), product(transposed(T), at.states.tau)
        believed = replace(at.states, v=v, tau=tau)
        raw = _Own.at(at, coordinates, believed)
        yield Hypothesis("convention", f"the base velocity is taken and given as {coordinates.words}", raw.value)
        words = f"the base velocity is taken as {coordinates.words}"
        yield Hypothesis("convention", words, values(at.quantity, at.spec, believed))
        yield Hypothesis("convention", f"{words}, but not in Tdot v", raw.converted(1.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Own:
    """An engine's `value` in its own coordinates, at the canonical states that it believes in; T and Tdot v of the adapter."""

    quantity: str
    value: Floats
    M_u: Floats
    J_u: Floats
    T: Floats
    Tdot_v: Floats

    @classmethod
    def at(cls, at: Case, coordinates: Coordinates, believed: States) -> _Own:
        T = velocity_map(at.spec, at.states.q, coordinates)
        back = transposed(T)
        true_rate = velocity_map_rate(at.spec, believed.q, believed.v, coordinates)
        rate = velocity_map_rate(at.spec, at.states.q, at.states.v, coordinates)
        M_u = conventions.mass_matrix(back, values("mass_matrix", at.spec, believed))
        J_u = conventions.jacobians(back, values("contact_jacobians", at.spec, believed))
        canonical = values(at.quantity, at.spec, believed)
        match at.quantity:
            case "mass_matrix":
                value = M_u
            case "bias_force" | "coriolis_force":
                value = product(T, canonical) - product(M_u, true_rate)
            case "gravity_force":
                value = product(T, canonical)
            case "forward_dynamics":
                value = product(T, canonical) + true_rate
            case "contact_jacobians":
                value = J_u
            case "contact_bias_accelerations":
                value = canonical - product(J_u, true_rate[:, None, :])
            case _:
                value = canonical
        return cls(at.quantity, value, M_u, J_u, T, rate)

    def converted(self, share: float) -> Floats:
        """The canonical value that an adapter makes of it with `share` of the Tdot term; 1 is right."""
        Tdot_v = share * self.Tdot_v
        match self.quantity:
            case "mass_matrix":
                return conventions.mass_matrix(self.T, self.value)
            case "bias_force" | "coriolis_force":
                return conventions.bias_force(self.T, self.value, self.M_u, Tdot_v)
            case "gravity_force":
                return conventions.force(self.T, self.value)
            case "forward_dynamics":
                return conventions.acceleration(self.T, self.value, Tdot_v)
            case "contact_jacobians":
                return conventions.jacobians(self.T, self.value)
            case "contact_bias_accelerations":
                return conventions.bias_accelerations(self.value, self.J_u, Tdot_v)
        return self.value
