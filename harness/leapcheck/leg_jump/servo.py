"""How much of a servo's rating a course of torque and speed uses: torque, speed, and the straight line between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leapcheck.leg_jump.case import Servo

Floats = NDArray[np.float64]

LIMITS = ("torque", "speed", "torque-speed line")


def servo_uses(servo: Servo, torque: Floats, speed: Floats) -> Floats:
    """Uses (3, ...) in the order of `LIMITS`; 1 is the rating, 0 where it is not known.

    |tau| / stall, |qd| / no-load, and |tau / stall + qd / no-load|: the line binds where the servo drives; where it brakes,
    torque and speed of opposite signs, the line leaves more than stall torque, which the first bounds.
    """
    of_torque = np.zeros_like(torque) if servo.torque is None else torque / servo.torque
    of_speed = np.zeros_like(speed) if servo.speed is None else speed / servo.speed
    line = np.abs(of_torque + of_speed) if servo.rated else np.zeros_like(torque)
    return np.stack([np.abs(of_torque), np.abs(of_speed), line])


def servo_use(servo: Servo, torque: Floats, speed: Floats) -> Floats:
    """The largest of the three uses (...)."""
    largest: Floats = servo_uses(servo, torque, speed).max(axis=0)
    return largest


def torque_left(servo: Servo, speeds: Floats) -> Floats:
    """The largest torque (n,) N m the servo gives while it drives at `speeds` rad/s: the line, for a fully rated servo."""
    if servo.torque is None or servo.speed is None:
        raise ValueError("the servo has no line: give its torque and its speed rating")
    left: Floats = servo.torque * np.maximum(1.0 - np.abs(speeds) / servo.speed, 0.0)
    return left
