"""The coordinates that motion is integrated in: u = [v_WB; w_WB_B; qd], with the base's linear velocity in world axes.

In u the total linear momentum and a body in free flight keep simple forms, and MuJoCo integrates in it (its qvel). The
canonical velocity is v = [w_WB_B; v_WB_B; qd]; with R = R_WB: v_WB = R v_WB_B. A fixed-base robot has u = v.
"""

import numpy as np

from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.rotation import cross, quaternion_rotation
from leapcheck_reference.scalar import sin_cos, sqrt, stack
from leapcheck_reference.tree import Tree

SMALLEST_SQUARE = 1e-300
"""Added to the square of an angle, so that none is divided by; it changes no bit of another."""


def sound_state(name: str, free_base: bool, q: Floats, v: Floats, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Copies of the canonical q (nq,), v (nv,) that the robot `name` starts from, the quaternion a unit one; `sizes` (nq, nv).

    ValueError where they are no state of this robot.
    """
    nq, nv = sizes
    if np.shape(q) != (nq,) or np.shape(v) != (nv,):
        raise ValueError(f"'{name}' starts with q ({nq},), v ({nv},): not {np.shape(q)}, {np.shape(v)}")
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise ValueError(f"'{name}': the state to start from is not finite: correct it")
    if free_base:
        length = float(np.linalg.norm(q[3:7]))
        if length == 0.0:
            raise ValueError(
                f"'{name}': the base's quaternion to start from is zero: give q[3:7] = 1, 0, 0, 0 for an upright base"
            )
        q[3:7] /= length
    return q, v


def zero_configuration(tree: Tree) -> Floats:
    """q (nq,) with everything at zero and a floating base upright."""
    q = np.zeros(tree.nq)
    if tree.links[0].type is JointType.FREE:
        q[3] = 1.0
    return q


def has_free_base(tree: Tree) -> bool:
    """Whether the first link floats; ValueError for a robot that cannot be simulated here (ball joints, a second free base)."""
    for link in tree.links[1:]:
        if link.type in (JointType.FREE, JointType.BALL):
            raise ValueError(f"'{tree.name}': link '{link.name}' has a {link.type} joint: only the first link may float")
    if tree.links[0].type is JointType.BALL:
        raise ValueError(f"'{tree.name}': link '{tree.links[0].name}' has a ball joint: use revolute joints")
    return tree.links[0].type is JointType.FREE


def world_velocity(free_base: bool, q: Floats, v: Floats) -> Floats:
    """u (nv,) of a canonical v (nv,)."""
    if not free_base:
        return v.copy()
    u = v.copy()
    u[:3], u[3:6] = quaternion_rotation(q[3:7]) @ v[3:6], v[:3]
    return u


def canonical_velocity(free_base: bool, q: Array, u: Array) -> Array:
    """Canonical v (nv,) of u (nv,)."""
    if not free_base:
        return u.copy()
    v = u.copy()
    v[:3], v[3:6] = u[3:6], quaternion_rotation(q[3:7]).T @ u[:3]
    return v


def displace(free_base: bool, q: Array, displacement: Array) -> Array:
    """q (nq,) moved by a displacement (nv,), u times a time: the quaternion by the exponential map, q exp(w dt) in base axes."""
    if not free_base:
        return q + displacement
    answer = np.empty_like(q)
    answer[:3] = q[:3] + displacement[:3]
    answer[3:7] = rotate_quaternion(q[3:7], displacement[3:6])
    answer[7:] = q[7:] + displacement[6:]
    return answer


def configuration_rate(free_base: bool, quaternion: Floats, u: Floats) -> Floats:
    """dq/dt (nq,) at u (nv,); that of the base's `quaternion` wxyz (4,), of any length, is q w / 2."""
    if not free_base:
        return u
    s, x, a, b = quaternion.tolist()
    p, r, w = u[3:6].tolist()
    turning = [-x * p - a * r - b * w, s * p + a * w - b * r, s * r + b * p - x * w, s * w + x * r - a * p]
    return np.concatenate([u[:3], 0.5 * np.array(turning), u[6:]])


def displacement_rate(free_base: bool, displacement: Array, u: Array) -> Array:
    """Rate (nv,) of the displacement (nv,) since a step's begin that goes with u (nv,), as MuJoCo's Runge-Kutta method has it.

    Where it has turned by U it is w + U x w / 2 + U x (U x w) / 12: the series of the exponential map's inverse derivative.
    """
    rate = u.copy()
    if free_base:
        U, w = displacement[3:6], u[3:6]
        first = cross(U, w)
        rate[3:6] = w + 0.5 * first + cross(U, first) / 12.0
    return rate


def rotate_quaternion(quaternion: Array, rotation: Array) -> Array:
    """Unit quaternion wxyz (4,) after a rotation vector (3,) in body axes: q * exp(rotation). Over any scalar."""
    x, y, z = rotation.tolist()
    angle = sqrt(x * x + y * y + z * z + SMALLEST_SQUARE)
    s, c = sin_cos(0.5 * angle)
    s = s / angle
    x, y, z = s * x, s * y, s * z
    qw, qx, qy, qz = quaternion.tolist()
    product = [
        qw * c - qx * x - qy * y - qz * z,
        qw * x + qx * c + qy * z - qz * y,
        qw * y - qx * z + qy * c + qz * x,
        qw * z + qx * y - qy * x + qz * c,
    ]
    length = sqrt(sum(part * part for part in product))
    return stack([part / length for part in product], 4, like=quaternion)
