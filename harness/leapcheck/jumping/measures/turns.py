"""How far the trunk has turned, out of its orientations over time: pitch and yaw apart, whole turns counted."""

from __future__ import annotations

import math

import numpy as np

from leapcheck_models.arrays import Floats

SEEN = 0.5
"""Part of the vertical in the trunk's own x-z plane from which on its direction there is clear: rolled by up to 60 deg."""


def pitch_turn(quaternions: Floats) -> float:
    """Turn (rad) about the trunk's own lateral axis over the rows (n, 4) wxyz, nose down positive; yaw does not change it.

    The angle from the trunk's z axis to up in the trunk's own x-z plane, last row minus first. Its whole turns are those that it
    makes itself where up never comes near the y axis; else those nearest to the integral of the angular velocity about that axis,
    which a trunk that is rolled while it turns about the vertical has, too.
    """
    w, x, y, z = quaternions.T
    up = 2.0 * (w * y - x * z), w * w - x * x - y * y + z * z
    angles = np.arctan2(*up)
    if np.hypot(*up).min() > SEEN:
        angles = np.unwrap(angles)
        return float(angles[-1] - angles[0])
    return _with_whole_turns(float(angles[-1] - angles[0]), _steps(_conjugate(quaternions[:-1]), quaternions[1:])[:, 1])


def roll_turn(quaternions: Floats) -> float:
    """Turn (rad) about the trunk's own long axis over the rows (n, 4) wxyz, right side down positive.

    As `pitch_turn`, in the trunk's own y-z plane.
    """
    w, x, y, z = quaternions[[0, -1]].T
    first, last = np.arctan2(2.0 * (w * x + y * z), w * w - x * x - y * y + z * z).tolist()
    return _with_whole_turns(last - first, _steps(_conjugate(quaternions[:-1]), quaternions[1:])[:, 0])


def yaw_turn(quaternions: Floats) -> float:
    """Turn (rad) about the vertical over the rows (n, 4) wxyz, to the left positive; pitch does not change it.

    The heading of the trunk's x axis, last row minus first, and the whole turns nearest to the integral of the angular velocity
    about the vertical: well-defined wherever the robot begins and ends neither nose up nor nose down, whatever it did between.
    """
    first, last = headings(quaternions[[0, -1]]).tolist()
    return _with_whole_turns(last - first, _steps(quaternions[1:], _conjugate(quaternions[:-1]))[:, 2])


def headings(quaternions: Floats) -> Floats:
    """Direction (n,) rad of the trunk's x axis from above, from -pi to pi, for rows (n, 4) wxyz; left positive."""
    w, x, y, z = quaternions.T
    angles: Floats = np.arctan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)
    return angles


def _with_whole_turns(angle: float, steps: Floats) -> float:
    """The angle (rad) that is `angle` but for whole turns, nearest to the sum of the steps (n,) rad."""
    total = float(steps.sum())
    return total + math.remainder(angle - total, math.tau)


def _steps(first: Floats, second: Floats) -> Floats:
    """Rotation vectors (n, 3) rad of the products of quaternions (n, 4) wxyz, each the shorter way round."""
    a, b = first[:, :1], second[:, :1]
    scalar = a * b - np.sum(first[:, 1:] * second[:, 1:], axis=1, keepdims=True)
    vector = a * second[:, 1:] + b * first[:, 1:] + np.cross(first[:, 1:], second[:, 1:])
    vector = np.where(scalar < 0.0, -vector, vector)
    sine = np.linalg.norm(vector, axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, np.abs(scalar))
    steps: Floats = vector * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 0.0)
    return steps


def _conjugate(quaternions: Floats) -> Floats:
    conjugates: Floats = quaternions * np.array([1.0, -1.0, -1.0, -1.0])
    return conjugates
