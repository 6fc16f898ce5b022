"""The push of a jump: com from rest to take-off velocity at constant acceleration, trunk still or turning evenly faster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.planning.legged import Legged
from leapcheck.jump.planning.path import push_path
from leapcheck.jump.planning.stance import Stance, stance

Floats = NDArray[np.float64]


def push(robot: Legged, start: Floats, take_off_velocity: Any, duration: float, pitch_rate: float = 0.0) -> Stance:
    """The push from rest at the pose `start` (nq,): com = com0 + a t^2 / 2 with a = take-off velocity (3,) m/s / duration s.

    `pitch_rate` rad/s is the trunk's at take-off. Raises Infeasible where the legs are too short for the stroke.
    """
    com = robot.geometry(start[None])["com_position"]
    velocity = np.asarray(take_off_velocity, dtype=float)[None]
    return stance(robot, start, push_path(com, velocity, np.array([duration]), np.array([pitch_rate]), start[3:7]))
