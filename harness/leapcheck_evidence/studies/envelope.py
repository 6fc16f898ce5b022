"""How close the drive model is to MuJoCo's dcmotor, over commanded torque and speed, including braking and back-driving."""

from __future__ import annotations

import numpy as np

from leapcheck_evidence.studies.dcmotor import DcMotors, Input
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import Drives, drive_response, drives

GOAL = 1e-12
"""N m; measured 3.2e-14 at torques up to 28 N m."""

POINTS = 81
BEYOND = 1.6
"""The grid reaches so many times the peak torque and the no-load speed, in both directions: overspeed is part of it."""


def rows(robot: str = "mini_cheetah") -> list[StudyRow]:
    """The row of the table: the largest difference over the grid, for both ways to ask a dcmotor."""
    laws = drives(load(robot))
    desired, qd = grid(laws)
    ours = drive_response(laws, desired, qd).motor_torque * laws.gear_ratio
    errors = {way: float(np.abs(DcMotors(laws, way).torque(desired, qd) - ours).max()) for way in Input}
    quadrants = int((desired * qd < 0.0).sum())
    worst = max(errors.values())
    return [
        StudyRow(
            what="drive envelope against MuJoCo's dcmotor",
            goal=f"{GOAL:g} N m",
            figure=f"{worst:.1e} N m",
            met=worst <= GOAL,
            detail=f"{robot}: {desired.size} points, {quadrants} of them braking, to {BEYOND:g} times peak torque and no-load "
            f"speed; control as voltage {errors[Input.VOLTAGE]:.1e}, as torque {errors[Input.TORQUE]:.1e}",
        )
    ]


def grid(laws: Drives, points: int = POINTS, beyond: float = BEYOND) -> tuple[Floats, Floats]:
    """(commanded torques, speeds) (points^2, actuators) in N m and rad/s over all four quadrants, zeros included."""
    peak = laws.gear_ratio * laws.torque_limit
    no_load = laws.no_load_speed(laws.voltage)
    share = np.linspace(-beyond, beyond, points)
    torque, speed = (axis.reshape(-1, 1) for axis in np.meshgrid(share, share, indexing="ij"))
    return torque * peak, speed * no_load
