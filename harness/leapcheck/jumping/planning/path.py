"""Paths of com and trunk over standing feet, as polynomials of time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Floats

QUINTIC = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
"""From rest at 0 to rest at 1, without acceleration at the ends."""
CATCH = np.array([0.0, 1.0, 0.0, -1.0, 0.5])
"""From rate 1 at 0 to rest at 1/2: the acceleration is a parabola, zero at both ends, and brakes all the way."""
QUINTIC_PEAK = 10.0 / math.sqrt(3.0)
"""Largest acceleration of QUINTIC."""
SIDEWAYS, UPWARDS, EARTH = 1.0, 5.0, 9.81
"""Largest accelerations (m/s^2) of the com in slow motions where gravity is the earth's; elsewhere in proportion to it."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """How com and trunk move in `duration` (n,) s: coefficients of powers of s = t / duration.

    `com` (n, 3, powers) m; `pitch` (n, powers) rad about the world's y axis, from the orientation `quaternion` (4,).
    """

    duration: Floats
    com: Floats
    pitch: Floats
    quaternion: Floats

    def com_at(self, s: Floats, order: int = 0) -> Floats:
        """Com, its velocity or acceleration (n, 3) of each row at its own s (n,)."""
        return polynomial(self.com, s, order) / self.duration[:, None] ** order

    def pitch_at(self, s: Floats, order: int = 0) -> Floats:
        """Pitch (n,) rad, or its rates."""
        return polynomial(self.pitch, s, order) / self.duration**order

    def repeat(self, times: int) -> Path:
        """Each row `times` times, one after the other."""
        duration, com, pitch = (np.repeat(rows, times, axis=0) for rows in (self.duration, self.com, self.pitch))
        return Path(duration, com, pitch, self.quaternion)


def slow_path(start: Floats, end: Floats, duration: float, quaternion: Floats, turn: float = 0.0) -> Path:
    """From rest at com start (n, 3) to rest at end (n, 3), quintic; the trunk turns by `turn` rad."""
    com = (end - start)[..., None] * QUINTIC
    com[..., 0] += start
    return Path(np.full(len(com), duration), com, np.tile(turn * QUINTIC, (len(com), 1)), quaternion)


def slow_time(start: Floats, end: Floats, gravity: float) -> float:
    """Seconds that a slow path from com start (3,) to end (3,) m should take, so that the feet stay loaded."""
    x, y, z = np.abs(end - start).tolist()
    return math.sqrt(QUINTIC_PEAK * max(math.hypot(x, y) / SIDEWAYS, z / UPWARDS) * (EARTH / gravity))


def push_path(com: Floats, velocity: Floats, duration: Floats, pitch_rate: Floats, quaternion: Floats) -> Path:
    """At constant acceleration from rest at com (n, 3) to `velocity` (n, 3) m/s, the trunk to `pitch_rate` (n,) rad/s."""
    square = np.array([0.0, 0.0, 0.5])
    way = (velocity * duration[:, None])[..., None] * square
    way[..., 0] += com
    return Path(duration, way, (pitch_rate * duration)[:, None] * square, quaternion)


def catch_path(com: Floats, velocity: Floats, duration: Floats, pitch_rate: float, quaternion: Floats) -> Path:
    """From com (n, 3) at `velocity` (n, 3) m/s to rest, the trunk from `pitch_rate` rad/s to rest: CATCH."""
    way = (velocity * duration[:, None])[..., None] * CATCH
    way[..., 0] += com
    return Path(duration, way, (pitch_rate * duration)[:, None] * CATCH, quaternion)


def polynomial(coefficients: Floats, s: Floats, order: int = 0) -> Floats:
    """Values (n, ...) of n polynomials (n, ..., powers), or of a derivative, each at its own s (n,)."""
    value = np.zeros(coefficients.shape[:-1])
    x = s.reshape(-1, *[1] * (value.ndim - 1))
    for k in reversed(range(order, coefficients.shape[-1])):
        value = value * x + math.perm(k, order) * coefficients[..., k]
    return value
