"""Velocities, accelerations and forces of a robot over feet that roll without slipping.

The lowest point of a foot, a sphere of radius r around c, has the velocity cdot + w x (-r n) and stands still; so does it in
acceleration, cddot + wdot x (-r n) = 0, as n does not turn. With the trunk's turning and the com's motion given these are
as many equations as a robot with three joints per leg has coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.path import Path
from leapcheck.jumping.planning.pose import batch_solve, com_jacobian, rotations
from leapcheck_models.arrays import Floats

UP = np.array([0.0, 0.0, 1.0])
BALANCED = 1e-8
"""Part of the trunk's wrench that foot forces may leave over; more means that they cannot balance it."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A robot in motion at n moments: canonical q, v, vdot, joint torques (n, actuators) N m and foot forces (n, feet, 3) N.

    The torque is what the rigid bodies need at the joints, the drives' losses not counted; the forces act on the robot.
    """

    q: Floats
    v: Floats
    vdot: Floats
    torque: Floats
    foot_forces: Floats

    def lower(self, height: float) -> Motion:
        """The same motion `height` m lower."""
        if not height:
            return self
        q = self.q.copy()
        q[:, 2] -= height
        return replace(self, q=q)

    def repeat(self, times: int) -> Motion:
        """Every moment `times` times."""
        parts = (self.q, self.v, self.vdot, self.torque, self.foot_forces)
        return Motion(*(np.repeat(rows, times, axis=0) for rows in parts))


def join(first: Motion, *others: Motion) -> Motion:
    """The moments of several motions, one after the other."""
    every = (first, *others)
    return Motion(*(np.concatenate([getattr(m, name) for m in every]) for name in Motion.__dataclass_fields__))


def rolling_motion(robot: Legged, q: Floats, path: Path, s: Floats) -> Motion:
    """The motion at poses q (n, nq), the moments s (n,) of as many paths.

    Rows: trunk turning, com, no slip: A v = b, A vdot = bdot - Adot v. Foot forces: of all that give the trunk its six rows
    of M vdot + h, those with the least sum of squares.
    """
    R_WB = rotations(q[:, 3:7])
    v, _ = _rolling_velocities(robot, q, R_WB, path, s)
    terms = robot.dynamics(q, v)
    still = np.zeros((len(q), len(robot.feet), 3))
    vdot = _accelerations(robot, R_WB, terms, (_turning(path, R_WB, s, 2), path.com_at(s, 2), still))
    wrench = np.einsum("nij,nj->ni", terms["mass_matrix"], vdot) + terms["bias_force"]
    return _with_foot_forces(robot, Motion(q, v, vdot, wrench, still), contact_point_jacobian(robot, terms))


def rolling_velocities(robot: Legged, q: Floats, path: Path, s: Floats) -> tuple[Floats, Floats]:
    """(v (n, nv), velocities (n, feet, 3) m/s of the feet's centres) at poses q (n, nq), the moments s (n,) of as many paths."""
    return _rolling_velocities(robot, q, rotations(q[:, 3:7]), path, s)


def _rolling_velocities(robot: Legged, q: Floats, R_WB: Floats, path: Path, s: Floats) -> tuple[Floats, Floats]:
    terms = robot.geometry(q)
    A = _rows(robot, R_WB, terms["mass_matrix"], contact_point_jacobian(robot, terms))
    wanted = np.zeros(A.shape[:2])
    wanted[:, :3], wanted[:, 3:6] = _turning(path, R_WB, s, 1), path.com_at(s, 1)
    v = batch_solve(A, wanted)
    return v, np.einsum("nfij,nj->nfi", terms["contact_jacobians"], v)


def landing_velocity(robot: Legged, pose: Floats, com_velocity: Floats, angular_momentum: Floats) -> Floats:
    """v (nv,) at a pose (nq,): com velocity (3,) and angular momentum (3,) about it as given, the contact points at rest."""
    q = pose[None]
    terms = robot.geometry(q)
    turning = robot.momentum(q)["centroidal_momentum_matrix"][:, :3]
    slip = contact_point_jacobian(robot, terms).reshape(1, -1, len(pose) - 1)
    A = np.concatenate([turning, com_jacobian(robot, rotations(q[:, 3:7]), terms["mass_matrix"]), slip], axis=1)
    wanted = np.concatenate([angular_momentum, com_velocity, np.zeros(slip.shape[1])])
    v: Floats = batch_solve(A, wanted[None])[0]
    return v


def free_fall_acceleration(robot: Legged, pose: Floats, v: Floats, lift: float) -> Floats:
    """vdot (nv,) in free fall at a pose (nq,), the trunk turning on evenly, the contact points lifted at `lift` m/s^2."""
    q = pose[None]
    terms = robot.dynamics(q, v[None])
    up = np.broadcast_to(lift * UP, (1, len(robot.feet), 3))
    vdot: Floats = _accelerations(robot, rotations(q[:, 3:7]), terms, (np.zeros((1, 3)), -robot.gravity * UP[None], up))[0]
    return vdot


def contact_point_jacobian(robot: Legged, terms: dict[str, Floats]) -> Floats:
    """(n, feet, 3, nv): world velocity of the point of each foot that touches the ground, as a point of the foot."""
    return _at_the_ground(robot, terms["contact_jacobians"], terms["contact_angular_jacobians"])


def _at_the_ground(robot: Legged, centres: Floats, turning: Floats) -> Floats:
    """What holds for the feet's contact points of what holds for their centres and their turning, (n, feet, 3, ...) each.

    w x (-r n) is r (-w_y, w_x, 0).
    """
    points = centres.copy()
    r = robot.radii.reshape(-1, *(1,) * (centres.ndim - 3))
    points[:, :, 0] -= r * turning[:, :, 1]
    points[:, :, 1] += r * turning[:, :, 0]
    return points


def _accelerations(robot: Legged, R_WB: Floats, terms: dict[str, Floats], wanted: tuple[Floats, Floats, Floats]) -> Floats:
    """vdot (n, nv) for accelerations of the trunk's turning, of the com (n, 3) and of the contact points (n, feet, 3).

    The com's bias: R (M vdot + h) of the trunk's force rows is m (acceleration + g).
    """
    turning, com, contact = wanted
    M, h = terms["mass_matrix"], terms["bias_force"]
    bias = _at_the_ground(robot, terms["contact_bias_accelerations"], terms["contact_angular_bias_accelerations"])
    lifted = com + robot.gravity * UP - np.einsum("nij,nj->ni", R_WB, h[:, 3:6]) / robot.mass
    b = np.concatenate([turning, lifted, (contact - bias).reshape(len(M), -1)], axis=1)
    return batch_solve(_rows(robot, R_WB, M, contact_point_jacobian(robot, terms)), b)


def _with_foot_forces(robot: Legged, motion: Motion, slip: Floats) -> Motion:
    """The motion whose `torque` holds M vdot + h, with the foot forces of least norm and the torques that belong to them."""
    n, feet, wrench = len(motion.q), len(robot.feet), motion.torque
    J = slip.reshape(n, 3 * feet, -1)
    G = J[:, :, :6].transpose(0, 2, 1)
    force = np.einsum("nij,nj->ni", np.linalg.pinv(G), wrench[:, :6])
    left = wrench - np.einsum("nji,nj->ni", J, force)
    forces = force.reshape(n, feet, 3)
    forces[np.abs(left[:, :6]).max(axis=1) > BALANCED * np.abs(wrench[:, :6]).max(axis=1)] = np.nan
    return Motion(motion.q, motion.v, motion.vdot, left[:, robot.joint_v], forces)


def _rows(robot: Legged, R_WB: Floats, M: Floats, slip: Floats) -> Floats:
    """A (n, nv, nv): A v = [trunk's angular velocity in trunk axes; velocity of the com; of the contact points]."""
    n, nv = M.shape[:2]
    turning = np.broadcast_to(np.eye(3, nv), (n, 3, nv))
    return np.concatenate([turning, com_jacobian(robot, R_WB, M), slip.reshape(n, -1, nv)], axis=1)


def _turning(path: Path, R_WB: Floats, s: Floats, order: int) -> Floats:
    """The trunk's angular velocity (order 1) or its rate (2), trunk axes (n, 3): the pitch turns about the world's y axis."""
    return R_WB[:, 1, :] * path.pitch_at(s, order)[:, None]
