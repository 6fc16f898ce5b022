"""Rates and small moves of configurations, on any scalar, and derivatives of answers along them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import product, rotation_matrices
from leapcheck.judge.layout import places
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

LEVELS = (1.0, 0.5, 0.25)
"""Steps of a derivative, in units of the largest: Richardson's extrapolation takes out the errors of order 2 and 4."""

WEIGHTS = (1.0 / 45.0, -20.0 / 45.0, 64.0 / 45.0)
"""What the central difference of each step counts in the extrapolated derivative."""

WEIGHTS_BEFORE = (0.0, -1.0 / 3.0, 4.0 / 3.0)
"""The same one extrapolation earlier; the difference of the two estimates what truncation leaves."""


def rate(spec: RobotSpec, q: Any, v: Any) -> Any:
    """qdot (..., nq) of canonical v (..., nv): R v_B for a base, half the quaternion times w for one that turns."""
    qdot = np.zeros_like(q)
    for _, joint, in_q, in_v in places(spec):
        turning = v[..., in_v][..., :3]
        match joint.type:
            case JointType.FREE:
                quaternion = q[..., in_q.start + 3 : in_q.stop]
                qdot[..., in_q.start : in_q.start + 3] = product(rotation_matrices(quaternion), v[..., in_v][..., 3:])
                qdot[..., in_q.start + 3 : in_q.stop] = _half_product(quaternion, turning)
            case JointType.BALL:
                qdot[..., in_q] = _half_product(q[..., in_q], turning)
            case JointType.REVOLUTE | JointType.PRISMATIC:
                qdot[..., in_q] = v[..., in_v]
    return qdot


def point_on_curve(spec: RobotSpec, q: Floats, qdot: Floats, time: Any) -> Floats:
    """q + qdot `time` with quaternions of unit norm (n, nq): a smooth curve through q whose tangent there is qdot."""
    there: Floats = q + qdot * time
    for _, joint, in_q, _ in places(spec):
        if joint.type in (JointType.FREE, JointType.BALL):
            quaternion = there[..., in_q.stop - 4 : in_q.stop]
            there[..., in_q.stop - 4 : in_q.stop] = quaternion / np.sqrt((quaternion**2).sum(axis=-1, keepdims=True))
    return there


def _half_product(quaternion: Any, w: Any) -> Any:
    """quaternion times (0, w) over 2 (..., 4): the rate of a quaternion wxyz that takes the turning axes to the fixed ones."""
    a, x, y, z = np.moveaxis(quaternion, -1, 0)
    p, q, r = np.moveaxis(w, -1, 0)
    product_ = [-(x * p + y * q + z * r), a * p + y * r - z * q, a * q + z * p - x * r, a * r + x * q - y * p]
    return np.stack(product_, axis=-1) / 2


class Slope(NamedTuple):
    """A derivative (n, ...) and the error of it that rounding of the differentiated values and truncation explain."""

    value: Floats
    allowed: Floats


def curve(spec: RobotSpec, q: Floats, v: Floats, step: Floats) -> Floats:
    """Configurations (6 n, nq) for a derivative along v at each of n: both sides of every level's step (n,)."""
    qdot = rate(spec, q, v)
    return np.concatenate(
        [point_on_curve(spec, q, qdot, sign * level * step[:, None]) for level in LEVELS for sign in (1.0, -1.0)]
    )


def slope(values: Floats, step: Floats, off: Floats) -> Slope:
    """Derivative of what has the `values` (6 n, ...) on the `curve`, each right to `off` (n, ...) or (n,)."""
    n = len(step)
    shape = (n, *(1,) * (values.ndim - 1))
    sides = values.reshape(len(LEVELS), 2, n, *values.shape[1:])
    width = step.reshape(shape)
    differences = [(sides[k, 0] - sides[k, 1]) / (2.0 * level * width) for k, level in enumerate(LEVELS)]
    best, before = (_weighted_sum(weights, differences) for weights in (WEIGHTS, WEIGHTS_BEFORE))
    amplified = sum(abs(weight) / level for weight, level in zip(WEIGHTS, LEVELS, strict=True))
    rounding = amplified * off.reshape(n, *off.shape[1:], *(1,) * (values.ndim - off.ndim)) / width
    return Slope(best, rounding + np.abs(best - before))


def _weighted_sum(weights: tuple[float, ...], differences: list[Floats]) -> Floats:
    total: Floats = sum((weight * one for weight, one in zip(weights, differences, strict=True)), start=np.zeros(()))
    return total
