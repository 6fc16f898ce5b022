"""Rotation matrices and products of blocks of 3-vectors."""

from __future__ import annotations

import numpy as np

from leapcheck_models.arrays import Array


def skew(a: Array) -> Array:
    """[a x] (..., 3, 3)."""
    zero = np.zeros_like(a[..., 0])
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    rows = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def about(axis: Array, angle: Array) -> Array:
    """Rodrigues' formula: R (n, 3, 3) of turns by `angle` (n,) about a unit axis (3,)."""
    K = skew(axis)
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + sin * K + (1.0 - cos) * (K @ K))


def from_quaternion(quaternion: Array) -> Array:
    """R (n, 3, 3) of quaternions wxyz (n, 4)."""
    unit = quaternion / np.linalg.norm(quaternion, axis=1)[:, None]
    w, u = unit[:, 0], unit[:, 1:]
    K = skew(u)
    return np.asarray(np.eye(3) + 2.0 * w[:, None, None] * K + 2.0 * (K @ K))


def transpose(A: Array) -> Array:
    """A^T of blocks."""
    return np.swapaxes(A, -1, -2)


def times(A: Array, x: Array) -> Array:
    """A x of blocks: A (3, 3) or (n, 3, 3), x (3,) or (n, 3)."""
    return np.asarray((A @ x[..., None])[..., 0])


def cross(a: Array, b: Array) -> Array:
    """a x b of blocks; quicker than np.cross for short ones."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def dot(a: Array, b: Array) -> Array:
    """a . b of blocks."""
    return np.asarray((a * b).sum(axis=-1))
