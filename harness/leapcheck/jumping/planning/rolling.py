"""Velocities, accelerations and forces of a robot over feet that roll without slipping.

The lowest point of a foot, a sphere of radius r around c, has the velocity cdot + w x (-r n) and stands still; so does it in
acceleration, cddot + wdot x (-r n) = 0, as n does not turn. With the trunk's turning and the com's motion given these are
as many equations as a robot with three joints per leg has coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from leapcheck.jumping.planning.equations import at_the_ground
from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.path import Path
from leapcheck.jumping.planning.pose import rotations
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

    Foot forces: of all that give the trunk its six rows of M vdot + h, those with the least sum of squares. Where a leg is
    singular velocities and accelerations are not finite.
    """
    v, _ = rolling_velocities(robot, q, path, s)
    still = np.zeros((len(q), len(robot.feet), 3))
    turning = rotations(q[:, 3:7])[:, 1, :] * path.pitch_at(s, 2)[:, None]  # about the world's y axis, in the trunk's
    given = {"q": q, "v": v, "turning": turning, "com": path.com_at(s, 2), "points": still}
    return _with_foot_forces(robot, q, v, robot.rolling_acceleration(given))


def rolling_velocities(robot: Legged, q: Floats, path: Path, s: Floats) -> tuple[Floats, Floats]:
    """(v (n, nv), velocities (n, feet, 3) m/s of the feet's centres) at poses q (n, nq), the moments s (n,) of as many paths."""
    answers = robot.rolling_velocity({"q": q, "pitch_rate": path.pitch_at(s, 1)[:, None], "com": path.com_at(s, 1)})
    return answers["v"], answers["centres"]


def landing_velocity(robot: Legged, pose: Floats, com_velocity: Floats, angular_momentum: Floats) -> Floats:
    """v (nv,) at a pose (nq,): com velocity (3,) and angular momentum (3,) about it as given, the contact points at rest."""
    q = pose[None]
    terms = robot.geometry(q)
    turning = robot.momentum(q)["centroidal_momentum_matrix"][0, :3]
    slip = at_the_ground(robot.radii, terms["contact_jacobians"][0], terms["contact_angular_jacobians"][0])
    A = np.concatenate([turning, terms["com_jacobian"][0], slip.reshape(-1, len(pose) - 1)])
    b = np.concatenate([angular_momentum, com_velocity, np.zeros(slip.size // A.shape[1])])
    v: Floats = _solve(A[None], b[None])[0]
    return v


def free_fall_acceleration(robot: Legged, pose: Floats, v: Floats, lift: float) -> Floats:
    """vdot (nv,) in free fall at a pose (nq,), the trunk turning on evenly, the contact points lifted at `lift` m/s^2."""
    up = np.broadcast_to(lift * UP, (1, len(robot.feet), 3))
    given = {"q": pose[None], "v": v[None], "turning": np.zeros((1, 3)), "com": -robot.gravity * UP[None], "points": up}
    vdot: Floats = robot.rolling_acceleration(given)["vdot"][0]
    return vdot


def _with_foot_forces(robot: Legged, q: Floats, v: Floats, terms: dict[str, Floats]) -> Motion:
    """The motion with the foot forces of least norm that balance the trunk, and the torques that belong to them."""
    n, feet, force = len(q), len(robot.feet), terms["force"]
    J = terms["slip"].reshape(n, 3 * feet, -1)
    G = J[:, :, :6]
    # the least f with G^T f = the trunk's six rows: f = G (G^T G)^-1 rows
    f = np.einsum("nij,nj->ni", G, _solve(G.transpose(0, 2, 1) @ G, force[:, :6]))
    left = force - np.einsum("nji,nj->ni", J, f)
    forces = f.reshape(n, feet, 3)
    forces[np.abs(left[:, :6]).max(axis=1) > BALANCED * np.abs(force[:, :6]).max(axis=1)] = np.nan
    return Motion(q, v, terms["vdot"], left[:, robot.joint_v], forces)


def _solve(A: Floats, b: Floats) -> Floats:
    """x (n, k) of A x = b at each of n states; where a matrix is exactly singular the least solution."""
    try:
        x = np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        x = (np.linalg.pinv(A) @ b[..., None])[..., 0]
    return np.asarray(x, dtype=float)
