"""Constraint rows of one implicit step: contact points, joint stops, dry friction in joints; and their impulses.

    (M + dt D) (u' - u) = dt (tau - h - D u) + J^T p,     v = J u' - wanted + compliance p,     p and v by `ncp`

Rigid contact has `compliance` 0 and as `wanted` the velocity that closes the gap; a spring and damper taken at the end of the
step is the same problem with compliance 1 / (dt (K dt + D)).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.definite import definite_solution
from leapcheck_reference.simulate.ncp import impulses
from leapcheck_reference.simulate.ncp_problem import ConeProblem
from leapcheck_reference.simulate.plant import Equations, Plant
from leapcheck_reference.simulate.terrain import Touch


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """Rows that may carry an impulse: J (n, nv), `wanted` and `compliance` (n,), cones and bounds as in `ConeProblem`;
    `inconsistency`: see `impulses`."""

    J: Floats
    wanted: Floats
    compliance: Floats
    friction: Floats
    lower: Floats
    upper: Floats
    inconsistency: float = 0.0


class FreeStep:
    """The step before any impulse: velocity `u` (nv,), and the mass matrix for what impulses change."""

    def __init__(self, M: Floats, u: Floats, momentum: Floats) -> None:
        """M (nv, nv), u (nv,) at the step's beginning, `momentum` (nv,) that forces give in it.

        Raises ArithmeticError where M is not positive definite along what it moves, or something is not finite.
        """
        change = definite_solution(M, momentum)
        if change is None:
            raise ArithmeticError("the mass matrix or a force is not finite: lower the gains or the time step")
        self._M, self.u = M, u + change

    def with_impulses(self, constraints: Constraints, start: Floats) -> tuple[Floats, Floats]:
        """(u' (nv,), p (n,)) with the constraints' impulses, sought from `start` (n,)."""
        if not len(constraints.J):
            return self.u, start
        MinvJT = np.linalg.solve(self._M, constraints.J.T)
        G = constraints.J @ MinvJT
        G = 0.5 * (G + G.T)
        G.flat[:: len(G) + 1] += constraints.compliance
        p = impulses(
            ConeProblem(
                G, constraints.J @ self.u - constraints.wanted, constraints.friction, constraints.lower, constraints.upper
            ),
            start,
            constraints.inconsistency,
        )
        changed: Floats = self.u + MinvJT @ p
        return changed, p


def free_step(plant: Plant, equations: Equations, u: Floats, torque: Floats, dt: float) -> FreeStep:
    """The step under drive torques (actuators,) N m, gravity and joint damping; damping is taken at the step's end."""
    force = plant.generalised_force(torque) - equations.h
    damping = plant.joints.damping
    if not damping.any():
        return FreeStep(equations.M, u, dt * force)
    M, joints = equations.M.copy(), plant.joints.u
    force[joints] -= damping * u[joints]
    M[joints, joints] += dt * damping
    return FreeStep(M, u, dt * force)


Indices = NDArray[np.intp]

ROUNDING, DISTANCE, LARGEST_INCONSISTENCY = 64 * float(np.finfo(float).eps), 0.1, 1e-4
"""Rounding of a position (m), a distance (m) between two points of a body, and the most (m/s) that `_inconsistency` allows."""


class Chosen(NamedTuple):
    """Some points or stops: which (n,), `wanted` velocity and `compliance` of their rows: (n, 3) for points, (n,) for stops."""

    which: Indices
    wanted: Floats
    compliance: Floats


class ConstraintRows:
    """A robot's points, stops and joints with dry friction, and the impulses of the last step, from which the next are sought.

    `points` (pairs, 3) N s in the contacts' axes, for each pair of a contact sphere and a solid of the ground: on level ground
    the points, in world axes. `stops` (stops,) N m s away from the stop: lower of each limited joint, then upper
    of each; `dry` (dry joints,) N m s. `friction` (pairs,): Coulomb's coefficients.
    """

    def __init__(self, plant: Plant, dt: float, friction: float | Floats) -> None:
        """`friction`: Coulomb's coefficient, one number or one for each point; ValueError where it is no such."""
        self._plant, self._dt = plant, dt
        if np.shape(friction) not in ((), plant.radii.shape):
            raise ValueError(
                f"friction of shape {np.shape(friction)}: give one number, or one for each of {len(plant.radii)} points"
            )
        self.friction = np.broadcast_to(np.asarray(friction, dtype=float), plant.radii.shape)[plant.pair_points]
        if not (np.isfinite(self.friction).all() and (self.friction >= 0.0).all()):
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
        self.points, self.stops = np.zeros((len(self._plant.pair_points), 3)), np.zeros(len(self._stop_q))
        self._touch: Touch | None = None
        self.dry = np.zeros(len(self._dry_u))

    def carry(self, impulses: Floats) -> None:
        """Takes the impulses (pairs, 3) N s of the points for the last step's; all others are zero."""
        self.points, self._touch = impulses, None
        self.stops[:], self.dry[:] = 0.0, 0.0

    @property
    def any_dry(self) -> bool:
        """Whether a joint has dry friction of its own."""
        return len(self._dry_u) > 0

    def gaps(self, equations: Equations) -> Floats:
        """Gaps (pairs,) m between contact spheres and solids at a state, which the next `opening` and `solve` are about too."""
        self._touch = self._plant.touch(equations)
        return self._touch.gaps

    def forces(self, dt: float) -> Floats:
        """Mean forces (points, 3) N on the contact points in the last step, world axes."""
        if self._touch is None or self._touch.axes is None:
            return self.points / dt
        pairs = np.flatnonzero(self.points[:, 2])
        return self._touch.forces(pairs, self.points[pairs] / dt, len(self._plant.radii))

    def rooms(self, q: Floats) -> Floats:
        """How far (stops,) rad or m each joint is from its stops."""
        rooms: Floats = self._signs * (q[self._stop_q] - self._bounds)
        return rooms

    def opening(self, equations: Equations, u: Floats) -> tuple[Floats, Floats]:
        """Velocities (pairs,) away from the ground and (stops,) away from the stops at u (nv,)."""
        away = self._signs * u[self._stop_u]
        if self._touch is None or self._touch.axes is None:
            return equations.J[:, 2] @ u, away
        return np.einsum("ni,ni->n", self._touch.axes[:, 2], (equations.J @ u)[self._touch.points]), away

    def limit_torques(self, dt: float) -> Floats:
        """Mean torques (nv,) N m of the stops in the last step."""
        answer = np.zeros(self._plant.tree.nv)
        if not np.count_nonzero(self.stops):
            return answer
        np.add.at(answer, self._stop_u, self._signs * self.stops / dt)
        return answer

    def solve(self, equations: Equations, free: FreeStep, points: Chosen, stops: Chosen) -> Floats:
        """u' (nv,) at the end of the step with these points and stops and all dry friction; the others give nothing."""
        start = np.concatenate([self.points[points.which].ravel(), self.stops[stops.which], self.dry])
        u, p = free.with_impulses(self._constraints(equations, points, stops), start)
        end, dry = 3 * len(points.which), len(p) - len(self._dry_u)
        self.points[:], self.stops[:] = 0.0, 0.0
        self.points[points.which], self.stops[stops.which] = p[:end].reshape(-1, 3), p[end:dry]
        self.dry[:] = p[dry:]
        return u

    def _constraints(self, equations: Equations, points: Chosen, stops: Chosen) -> Constraints:
        n, dry = len(stops.which), len(self._dry_u)
        single = np.zeros((n + dry, self._plant.tree.nv))
        single[range(n), self._stop_u[stops.which]] = self._signs[stops.which]
        single[range(n, n + dry), self._dry_u] = 1.0
        return Constraints(
            J=np.concatenate([self._jacobians(equations, points.which), single]),
            wanted=np.concatenate([points.wanted.ravel(), stops.wanted, np.zeros(dry)]),
            compliance=np.concatenate([points.compliance.ravel(), stops.compliance, np.zeros(dry)]),
            friction=self.friction[points.which],
            lower=np.concatenate([np.zeros(n), -self._largest_dry]),
            upper=np.concatenate([np.full(n, np.inf), self._largest_dry]),
            inconsistency=_inconsistency(points.wanted, self._dt),
        )

    def _jacobians(self, equations: Equations, pairs: Indices) -> Floats:
        """J (3 n, nv) of the points of the spheres that are nearest to the solids, in the contacts' axes."""
        if self._touch is None or self._touch.axes is None:
            return contact_jacobians(equations, self._plant.radii, pairs)
        points = self._touch.points[pairs]
        J, J_w = self._touch.in_axes(equations.J[points], pairs), self._touch.in_axes(equations.J_w[points], pairs)
        return lowest_jacobians(J, J_w, self._plant.radii[points, None])


def contact_jacobians(equations: Equations, radii: Floats, points: Indices) -> Floats:
    """J (3 n, nv) of the lowest points of n contact spheres, fixed to their links: v = v_centre - r w x z."""
    return lowest_jacobians(equations.J[points], equations.J_w[points], radii[points, None])


def lowest_jacobians(J: Floats, J_w: Floats, r: Floats) -> Floats:
    """J (3 n, nv) of points r (n, 1) m below centres with Jacobians J, J_w (n, 3, nv), of which J is overwritten."""
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
