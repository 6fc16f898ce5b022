"""Laws that the answers of one engine must obey among themselves, with what rounding explains of a miss.

An answer is right to rounding where its scale-free error is within the tolerance of a comparison; what such errors of all
quantities in a law can add up to is what is allowed. Nothing here knows which engine is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leapcheck.compare.errors import scale_free
from leapcheck.compare.in_house import FLOOR
from leapcheck.compare.tally import TOLERANCE_UNITS
from leapcheck.conventions import product
from leapcheck.judge.identities.manifold import Slope
from leapcheck.states import Floats, States


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What one engine answers at n states (n, ...), and along curves through them in the direction of v.

    `off` (n,) is the error that rounding explains in any entry of a quantity, in the entry's unit; scale-free for M.
    """

    states: States
    found: Mapping[str, Floats]
    off: Mapping[str, Floats]
    slopes: Mapping[str, Slope]

    @property
    def weights(self) -> Floats:
        """sqrt(M_ii) (n, nv) of the engine's own M: errors of M_ij are told in units of the product of two."""
        return np.sqrt(np.abs(np.diagonal(self.found["mass_matrix"], axis1=1, axis2=2)))


class Miss(NamedTuple):
    """By how much a law is missed, what rounding explains of that, both (n, ...), and the scale (n,) of both."""

    error: Floats
    allowed: Floats
    scale: Floats


@dataclass(frozen=True, slots=True)
class Law:
    """A law in words, the quantities and the derivatives along v that it needs, and how far answers miss it."""

    words: str
    quantities: tuple[str, ...]
    miss: Callable[[Answers], Miss]
    slope: str = ""


def symmetric(at: Answers) -> Miss:
    """Largest of |M_ij - M_ji| and of what the least eigenvalue of the scale-free M lies below zero."""
    M, weights = at.found["mass_matrix"], at.weights
    with np.errstate(all="ignore"):
        M = M / (weights[:, :, None] * weights[:, None, :])
    if not np.isfinite(M).all():
        M = np.where(np.isfinite(M).all(axis=(1, 2), keepdims=True), M, -np.eye(M.shape[1]))
    lowest = np.linalg.eigvalsh((M + M.swapaxes(1, 2)) / 2.0)[:, 0]
    error = np.maximum(np.abs(M - M.swapaxes(1, 2)).max(axis=(1, 2)), np.maximum(-lowest, 0.0))
    return Miss(error, 2.0 * M.shape[1] * at.off["mass_matrix"], np.ones(len(M)))


def sum_of_forces(at: Answers) -> Miss:
    """h - gravity - Coriolis."""
    names = ("bias_force", "gravity_force", "coriolis_force")
    h, g, c = (at.found[name] for name in names)
    allowed = np.sum([at.off[name] for name in names], axis=0)
    return Miss(np.abs(h - g - c), allowed[:, None] + 0.0 * h, _largest(h, g, c))


def motion(at: Answers) -> Miss:
    """M vdot + h - tau.

    Forward dynamics that is right to rounding is exact for a robot off by rounding: its own M misses by as much as M may.
    """
    M, h, vdot, tau = at.found["mass_matrix"], at.found["bias_force"], at.found["forward_dynamics"], at.states.tau
    force = product(M, vdot)
    moving = at.weights * np.einsum("ni,ni->n", at.weights, np.abs(vdot))[:, None]
    from_M = 2.0 * at.off["mass_matrix"][:, None] * moving
    from_forces = 2.0 * at.off["bias_force"] + TOLERANCE_UNITS * FLOOR * np.abs(tau).max(axis=1, initial=0.0)
    return Miss(np.abs(force + h - tau), from_M + from_forces[:, None], _largest(force, h, tau))


def energy(at: Answers) -> Miss:
    """The kinetic energy less v . M v / 2."""
    E, v = at.found["kinetic_energy"], at.states.v
    error = np.abs(E - np.einsum("ni,nij,nj->n", v, at.found["mass_matrix"], v) / 2.0)
    return Miss(error, at.off["kinetic_energy"] + square_off(at) / 2.0, _largest(E))


def square_off(at: Answers) -> Floats:
    """What rounding of M explains in v . M v (n,)."""
    off: Floats = at.off["mass_matrix"] * np.einsum("ni,ni->n", at.weights, np.abs(at.states.v)) ** 2
    return off


def velocities(at: Answers) -> Miss:
    """Contact velocities less J v."""
    velocity, v = at.found["contact_velocities"], at.states.v
    error = np.abs(velocity - np.einsum("npxi,ni->npx", at.found["contact_jacobians"], v))
    allowed = at.off["contact_velocities"] + along_v(at, "contact_jacobians")
    return Miss(error, allowed[:, None, None] + 0.0 * error, _largest(velocity))


def along_v(at: Answers, quantity: str) -> Floats:
    """What rounding of a quantity explains in its product with v (n,)."""
    off: Floats = at.off[quantity] * np.abs(at.states.v).sum(axis=1)
    return off


def contact_inertia(at: Answers) -> Miss:
    """J M^-1 J^T as answered, less that of M and J as answered."""
    J, M, answer = at.found["contact_jacobians"], at.found["mass_matrix"], at.found["contact_inertia"]
    rows = J.reshape(len(J), -1, J.shape[-1])
    try:
        moved = np.linalg.solve(M, rows.swapaxes(1, 2))
    except np.linalg.LinAlgError:
        return Miss(np.full(len(J), np.inf), np.ones(len(J)), np.ones(len(J)))
    from_M = np.einsum("ni,nia->na", at.weights, np.abs(moved))
    from_J = np.abs(moved).sum(axis=1)
    allowed = (
        at.off["contact_inertia"][:, None, None]
        + at.off["mass_matrix"][:, None, None] * from_M[:, :, None] * from_M[:, None, :]
        + at.off["contact_jacobians"][:, None, None] * (from_J[:, :, None] + from_J[:, None, :])
    )
    return Miss(np.abs(answer - rows @ moved), allowed, _largest(answer))


def gradient(at: Answers) -> Miss:
    """v . gravity force less the rate of the potential energy."""
    powers = at.states.v * at.found["gravity_force"]
    of_energy = at.slopes["potential_energy"]
    return Miss(
        np.abs(powers.sum(axis=1) - of_energy.value),
        along_v(at, "gravity_force") + of_energy.allowed,
        np.maximum(np.abs(powers).sum(axis=1), np.abs(of_energy.value)),
    )


def jacobian(at: Answers) -> Miss:
    """J v less the rate of the contact positions."""
    Jv = np.einsum("npxi,ni->npx", at.found["contact_jacobians"], at.states.v)
    rate = at.slopes["contact_positions"]
    return Miss(np.abs(Jv - rate.value), along_v(at, "contact_jacobians")[:, None, None] + rate.allowed, _largest(Jv, rate.value))


def jacobian_rate(at: Answers) -> Miss:
    """Jdot v less the rate of J v at constant v."""
    found, rate = at.found["contact_bias_accelerations"], at.slopes["J v"]
    allowed = at.off["contact_bias_accelerations"][:, None, None] + rate.allowed
    return Miss(np.abs(found - rate.value), allowed, _largest(found, rate.value))


def power(at: Answers) -> Miss:
    """v . Coriolis force less half the rate of v . M v at constant v."""
    powers = at.states.v * at.found["coriolis_force"]
    rate = at.slopes["v M v"]
    return Miss(
        np.abs(powers.sum(axis=1) - rate.value / 2.0),
        along_v(at, "coriolis_force") + rate.allowed / 2.0,
        np.maximum(np.abs(powers).sum(axis=1), np.abs(rate.value)),
    )


LAWS = (
    Law("M is symmetric and positive definite", ("mass_matrix",), symmetric),
    Law("h = gravity force + Coriolis force", ("bias_force", "gravity_force", "coriolis_force"), sum_of_forces),
    Law("M vdot + h = tau", ("mass_matrix", "bias_force", "forward_dynamics"), motion),
    Law("kinetic energy = v . M v / 2", ("kinetic_energy", "mass_matrix"), energy),
    Law("contact velocity = J v", ("contact_velocities", "contact_jacobians"), velocities),
    Law("J M^-1 J^T is that of M and J", ("contact_inertia", "mass_matrix", "contact_jacobians"), contact_inertia),
    Law("v . gravity force = rate of the potential energy", ("gravity_force",), gradient, "potential_energy"),
    Law("J v = rate of the contact positions", ("contact_jacobians",), jacobian, "contact_positions"),
    Law("Jdot v = rate of J v at constant v", ("contact_bias_accelerations",), jacobian_rate, "J v"),
    Law("v . Coriolis force = v . Mdot v / 2", ("coriolis_force",), power, "v M v"),
)
"""The laws, in the order of a report."""

BEHIND = {
    "potential_energy": "potential_energy",
    "contact_positions": "contact_positions",
    "J v": "contact_jacobians",
    "v M v": "mass_matrix",
}
"""The quantity behind each derivative."""


def _largest(*values: Floats) -> Floats:
    """Largest entry (n,) of all of them at each state, 1 where all are zero."""
    n = len(values[0])
    largest = np.max([np.abs(part).reshape(n, -1).max(axis=1, initial=0.0) for part in values], axis=0)
    return np.where((largest > 0.0) & np.isfinite(largest), largest, 1.0)


def worst(miss: Miss) -> tuple[float, float]:
    """(error, allowed), scale-free, where the error is largest beside what is allowed; what is no number is infinitely wrong."""
    n = len(miss.scale)
    scale = np.where(miss.scale > 0.0, miss.scale, 1.0)
    with np.errstate(all="ignore"):
        error = scale_free(miss.error.reshape(n, -1), scale[:, None])
        allowed = np.nan_to_num(np.broadcast_to(miss.allowed.reshape(n, -1), error.shape) / scale[:, None], nan=0.0)
        place = int(np.nan_to_num(error / allowed, nan=0.0, posinf=np.inf).argmax())
    return float(error.ravel()[place]), float(allowed.ravel()[place])
