"""The constraint rows that a robot may get in a step: contact points, joint stops, dry friction of joints; and their impulses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.contact_step import Constraints, Unconstrained
from leapcheck_reference.simulate.plant import Equations, Plant

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

ROUNDING, DISTANCE, LARGEST_INCONSISTENCY = 64 * float(np.finfo(float).eps), 0.1, 1e-4
"""Rounding of a position (m), a distance (m) between two points of a body, and the most (m/s) that `_inconsistency` allows."""


class Chosen(NamedTuple):
    """Some points or stops: which (n,), `wanted` velocity and `compliance` of their rows: (n, 3) for points, (n,) for stops."""

    which: Indices
    wanted: Floats
    compliance: Floats


class Rows:
    """A robot's points, stops and joints with dry friction, and the impulses of the last step, from which the next are sought.

    `points` (points, 3) N s in world axes, `stops` (stops,) N m s away from the stop: lower of each limited joint, then upper
    of each; `dry` (dry joints,) N m s.
    """

    def __init__(self, plant: Plant, dt: float, friction: float | Floats) -> None:
        """`friction`: Coulomb's coefficient, one number or one for each point; ValueError where it is no such."""
        self._plant, self._dt = plant, dt
        if np.shape(friction) not in ((), plant.radii.shape):
            raise ValueError(
                f"friction of shape {np.shape(friction)}: give one number, or one for each of {len(plant.radii)} points"
            )
        self._friction = np.broadcast_to(np.asarray(friction, dtype=float), plant.radii.shape).copy()
        if not (np.isfinite(self._friction).all() and (self._friction >= 0.0).all()):
            raise ValueError(f"friction {friction}: give Coulomb's coefficient, 0 or more")
        joints = plant.joints
        low, high = np.flatnonzero(np.isfinite(joints.lower)), np.flatnonzero(np.isfinite(joints.upper))
        self._stop_q, self._stop_u = (np.concatenate([place[low], place[high]]) for place in (joints.q, joints.u))
        self._signs = np.concatenate([np.ones(len(low)), -np.ones(len(high))])
        self._bounds = np.concatenate([joints.lower[low], joints.upper[high]])
        rubbing = joints.friction > 0.0
        self._dry_u, self._largest_dry = joints.u[rubbing], dt * joints.friction[rubbing]
        self.clear()

    def clear(self) -> None:
        """Forgets the impulses."""
        self.points, self.stops = np.zeros((len(self._plant.radii), 3)), np.zeros(len(self._stop_q))
        self.dry = np.zeros(len(self._dry_u))

    @property
    def any_dry(self) -> bool:
        """Whether a joint has dry friction of its own."""
        return len(self._dry_u) > 0

    def gaps(self, at: Equations) -> Floats:
        """Heights (points,) m of the lowest points of the contact spheres above the ground."""
        gaps: Floats = at.centres[:, 2] - self._plant.radii
        return gaps

    def rooms(self, q: Floats) -> Floats:
        """How far (stops,) rad or m each joint is from its stops."""
        rooms: Floats = self._signs * (q[self._stop_q] - self._bounds)
        return rooms

    def opening(self, at: Equations, u: Floats) -> tuple[Floats, Floats]:
        """Velocities (points,) upwards and (stops,) away from the stops at u (nv,)."""
        return at.J[:, 2] @ u, self._signs * u[self._stop_u]

    def limit_torques(self, dt: float) -> Floats:
        """Mean torques (nv,) N m of the stops in the last step."""
        answer = np.zeros(self._plant.tree.nv)
        np.add.at(answer, self._stop_u, self._signs * self.stops / dt)
        return answer

    def solved(self, at: Equations, free: Unconstrained, points: Chosen, stops: Chosen) -> Floats:
        """u' (nv,) at the end of the step with these points and stops and all dry friction; the others give nothing."""
        start = np.concatenate([self.points[points.which].ravel(), self.stops[stops.which], self.dry])
        u, p = free.constrained(self._constraints(at, points, stops), start)
        end, dry = 3 * len(points.which), len(p) - len(self._dry_u)
        self.points[:], self.stops[:] = 0.0, 0.0
        self.points[points.which], self.stops[stops.which] = p[:end].reshape(-1, 3), p[end:dry]
        self.dry[:] = p[dry:]
        return u

    def _constraints(self, at: Equations, points: Chosen, stops: Chosen) -> Constraints:
        n, dry = len(stops.which), len(self._dry_u)
        single = np.zeros((n + dry, self._plant.tree.nv))
        single[range(n), self._stop_u[stops.which]] = self._signs[stops.which]
        single[range(n, n + dry), self._dry_u] = 1.0
        return Constraints(
            J=np.concatenate([contact_jacobians(at, self._plant.radii, points.which), single]),
            wanted=np.concatenate([points.wanted.ravel(), stops.wanted, np.zeros(dry)]),
            compliance=np.concatenate([points.compliance.ravel(), stops.compliance, np.zeros(dry)]),
            friction=self._friction[points.which],
            lower=np.concatenate([np.zeros(n), -self._largest_dry]),
            upper=np.concatenate([np.full(n, np.inf), self._largest_dry]),
            inconsistency=_inconsistency(points.wanted, self._dt),
        )


def contact_jacobians(at: Equations, radii: Floats, points: Indices) -> Floats:
    """J (3 n, nv) of the lowest points of n contact spheres, fixed to their links: v = v_centre - r w x z."""
    J, J_w, r = at.J[points], at.J_w[points], radii[points, None]  # copies, both
    J[:, 0] -= r * J_w[:, 1]
    J[:, 1] += r * J_w[:, 0]
    return J.reshape(-1, J.shape[-1])


def _inconsistency(wanted: Floats, dt: float) -> float:
    """Velocity (m/s) by which the wishes (n, 3) of points of one body may disagree.

    If two points at a distance L are to stick and each to close its own gap within the step, the body would have to change its
    length: the velocities along it differ by (gap - gap')^2 / (L dt).
    """
    spread = float(np.ptp(wanted[:, 2])) if len(wanted) else 0.0
    return min(ROUNDING / dt + dt * spread**2 / DISTANCE, LARGEST_INCONSISTENCY)
