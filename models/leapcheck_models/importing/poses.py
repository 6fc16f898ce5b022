"""Poses and inertias put together: what readers of model files need of rigid-body geometry."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import inside_realisable, rotation_matrix
from leapcheck_models.spec import Inertia, Placement, Quaternion, Symmetric3, Vector3
from leapcheck_models.validation import is_realisable, rotational_matrix


def vector3(values: ArrayLike) -> Vector3:
    """Three floats."""
    x, y, z = (float(value) + 0.0 for value in np.asarray(values))  # + 0.0: no negative zero
    return x, y, z


def unit_quaternion(values: ArrayLike) -> Quaternion:
    """A quaternion wxyz divided by its norm."""
    array = np.asarray(values, dtype=float)
    w, x, y, z = (float(value) + 0.0 for value in array / math.sqrt(float((array * array).sum())))
    return w, x, y, z


def quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Quaternion of R_AC = R_AB R_BC; exactly the other where one is the identity."""
    identity = (1.0, 0.0, 0.0, 0.0)
    if identity in (a, b):
        return b if a == identity else a
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return unit_quaternion(
        (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        )
    )


def rpy_quaternion(rpy: ArrayLike) -> Quaternion:
    """Quaternion of R = Rz(yaw) Ry(pitch) Rx(roll), angles in rad."""
    roll, pitch, yaw = (float(angle) for angle in np.asarray(rpy))
    turned = quaternion_product(turn((0.0, 0.0, 1.0), yaw), turn((0.0, 1.0, 0.0), pitch))
    return quaternion_product(turned, turn((1.0, 0.0, 0.0), roll))


def turn(axis: Vector3, angle: float) -> Quaternion:
    """Quaternion of a turn by `angle` (rad) about a unit axis."""
    if angle == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    half = math.remainder(angle, 4 * math.pi) / 2
    s = math.sin(half)
    return unit_quaternion((math.cos(half), s * axis[0], s * axis[1], s * axis[2]))


def product(a: Placement, b: Placement) -> Placement:
    """Pose X_AC = X_AB X_BC."""
    p = np.array(a.p) + rotation_matrix(a.quaternion) @ np.array(b.p) if any(b.p) else a.p
    return Placement(vector3(p), quaternion_product(a.quaternion, b.quaternion))


def rotate_inertia(R: Floats, rotational: Symmetric3) -> Symmetric3:
    """Rotational inertia in axes A, given in axes B, with R = R_AB; unchanged where R is the identity."""
    if np.array_equal(R, np.eye(3)):
        return rotational
    return entries(R @ rotational_matrix(rotational) @ R.T)


def entries(matrix: NDArray[Any]) -> Symmetric3:
    """(xx, xy, xz, yy, yz, zz) of the symmetric part of a 3x3 matrix."""
    m = (matrix + matrix.T) / 2
    return float(m[0, 0]), float(m[0, 1]), float(m[0, 2]), float(m[1, 1]), float(m[1, 2]), float(m[2, 2])


def declared_inertia(mass: float, com: Vector3, rotational: Symmetric3, source: str) -> Inertia:
    """The inertia; one that no physical body has is kept as it is and carries a realisable one near it."""
    if is_realisable(rotational):
        return Inertia(mass, com, rotational)
    moments, axes = np.linalg.eigh(rotational_matrix(rotational))
    positive = entries((axes * np.maximum(moments, 0.0)) @ axes.T)  # `nearest_realisable` wants no negative moment
    return Inertia(mass, com, rotational, realisable=False, nearest=inside_realisable(positive), source=source)
