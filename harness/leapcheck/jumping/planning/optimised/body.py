"""The robot in the planner's coordinates: poses, velocities, forces and what the laws of motion leave over, as expressions.

Coordinates z: trunk position (3) m, trunk roll, pitch, yaw rad about the axes that it stands in, joints; a robot that is the same
left and right needs only the sagittal ones: x, height, pitch, and the joints of the left legs, which the right ones follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.optimised.recorded import expressions
from leapcheck.jumping.planning.rolling import UP
from leapcheck_models.arrays import Floats
from leapcheck_reference.rotation import skew

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """`matrix` (6 + joints, n) and `offset` (6 + joints,): all coordinates are matrix z + offset.

    `base` is how many of z are the trunk's. `feet`: for each force that is planned, the feet that it acts on alike; `forces`
    (3, parts): what of it is planned, x and z in the sagittal plane. `drives` (k,): actuators that stand for all; `points` of the
    trunk and the legs alike.
    """

    matrix: Floats
    offset: Floats
    base: int
    feet: tuple[tuple[int, ...], ...]
    forces: Floats
    drives: Places
    points: Places

    @property
    def size(self) -> int:
        """n."""
        return int(self.matrix.shape[1])

    @property
    def contacts(self) -> int:
        """Forces that are planned."""
        return len(self.feet)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """Expressions of `z`, `zd`, `zdd` (n,) and `force` (contacts * parts,) in weights.

    `q`, `v`, `vdot` canonical; `trunk_rows` (base,) of the generalised force that nothing gives, in weights; `torque`
    (actuators,) N m; `slip` and `slip_rate` (contacts * parts,) of the contact points; `feet` (contacts, 3), `points` (k, 3) m
    centres; `com` (3,) m and `com_velocity` m/s; `loads` (contacts, 3) forces in weights.
    """

    robot: Legged
    coordinates: Coordinates
    z: Any
    zd: Any
    zdd: Any
    force: Any
    q: Any
    v: Any
    vdot: Any
    trunk_rows: Any
    torque: Any
    slip: Any
    slip_rate: Any
    feet: Any
    points: Any
    com: Any
    com_velocity: Any
    loads: Any


def body(robot: Legged, coordinates: Coordinates) -> Body:
    """The expressions of a robot."""
    n, parts = coordinates.size, coordinates.forces.shape[1]
    z, zd, zdd = (ca.SX.sym(name, n) for name in ("z", "zd", "zdd"))
    force = ca.SX.sym("force", coordinates.contacts * parts)
    q, v = _state(robot, coordinates, z, zd)
    vdot = ca.jtimes(v, ca.vertcat(z, zd), ca.vertcat(zd, zdd))
    every = expressions(
        robot.geometry_tree,
        {"q": ca.vertsplit(q), "v": ca.vertsplit(v), "vdot": ca.vertsplit(vdot)},
        *("inverse_dynamics", "contact_positions", "contact_jacobians", "contact_angular_jacobians", "com_position"),
    )
    chosen = [pair[0] for pair in coordinates.feet]
    weight = robot.mass * robot.gravity
    loads = ca.vertcat(*(ca.mtimes(coordinates.forces, part).T for part in ca.vertsplit(force, parts)))
    left = every["inverse_dynamics"]
    arms = robot.radii[:, None, None] * skew(UP)
    slips = []
    for i, feet in enumerate(coordinates.feet):
        for foot in feet:
            J = every["contact_jacobians"][3 * foot : 3 * foot + 3, :] + ca.mtimes(
                arms[foot], every["contact_angular_jacobians"][3 * foot : 3 * foot + 3, :]
            )
            left -= weight * ca.mtimes(J.T, loads[i, :].T)
            if foot == feet[0]:
                slips.append(ca.mtimes(coordinates.forces.T, ca.mtimes(J, v)))
    slip = ca.vertcat(*slips)
    rows = ca.mtimes(ca.jacobian(v, zd).T, left)[: coordinates.base]
    points = expressions(robot.tree, {"q": ca.vertsplit(q)}, "contact_positions")["contact_positions"]
    com = every["com_position"]
    return Body(
        robot=robot,
        coordinates=coordinates,
        z=z,
        zd=zd,
        zdd=zdd,
        force=force,
        q=q,
        v=v,
        vdot=vdot,
        trunk_rows=rows / weight,
        torque=left[robot.joint_v.tolist()],
        slip=slip,
        slip_rate=ca.jtimes(slip, ca.vertcat(z, zd), ca.vertcat(zd, zdd)),
        feet=every["contact_positions"][chosen, :],
        points=points[coordinates.points.tolist(), :],
        com=com,
        com_velocity=ca.jtimes(com, z, zd),
        loads=loads,
    )


def _state(robot: Legged, coordinates: Coordinates, z: Any, zd: Any) -> tuple[Any, Any]:
    """(q, v) canonical: the trunk turned by yaw, then pitch, then roll, from the orientation that it stands in."""
    x, rate = ca.mtimes(coordinates.matrix, z) + coordinates.offset, ca.mtimes(coordinates.matrix, zd)
    roll, pitch, yaw = ca.vertsplit(x[3:6])
    quaternion = _turn(yaw, 3)
    for angle, axis in ((pitch, 2), (roll, 1)):
        quaternion = _product(quaternion, _turn(angle, axis))
    quaternion = _product(quaternion, ca.DM(robot.home[3:7].tolist()))
    s, c, sp, cp = ca.sin(roll), ca.cos(roll), ca.sin(pitch), ca.cos(pitch)
    rolled, pitched, yawed = ca.vertsplit(rate[3:6])
    turning = ca.vertcat(rolled - yawed * sp, pitched * c + yawed * cp * s, yawed * cp * c - pitched * s)
    R, home = _rotation(quaternion), _rotation(ca.DM(robot.home[3:7].tolist()))
    v = ca.vertcat(ca.mtimes(home.T, turning), ca.mtimes(R.T, rate[:3]), rate[6:])
    return ca.vertcat(x[:3], quaternion, x[6:]), v


def _turn(angle: Any, axis: int) -> Any:
    parts = [ca.cos(angle / 2), 0, 0, 0]
    parts[axis] = ca.sin(angle / 2)
    return ca.vertcat(*parts)


def _product(first: Any, second: Any) -> Any:
    """The quaternion of R_AC = R_AB R_BC."""
    (a, x), (b, y) = ((q[0], q[1:]) for q in (first, second))
    return ca.vertcat(a * b - ca.dot(x, y), a * y + b * x + ca.cross(x, y))


def _rotation(quaternion: Any) -> Any:
    w, x, y, z = ca.vertsplit(quaternion)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))
