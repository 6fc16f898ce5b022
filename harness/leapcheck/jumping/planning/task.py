"""What a jump is planned for and with: the robot on its feet, its drives, the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.pose import inverse_kinematics
from leapcheck.jumping.planning.records import Infeasible, JumpRequest
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery

LEAST_HEIGHT = 1 / 250
"""Height of the lowest jump, in parts of the trunk's height over the feet as the robot stands: 1.1 mm for Mini Cheetah."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A request to a robot. `stand` (nq,): the pose it begins and ends in; `com` (3,) m there; `centre` (2,) m of its feet."""

    robot: Legged
    request: JumpRequest
    drives: Drives
    battery: Battery
    stand: Floats
    com: Floats
    centre: Floats

    @property
    def quaternion(self) -> Floats:
        """The trunk's orientation (4,) in the stand."""
        return self.stand[3:7]

    @property
    def pitch(self) -> float:
        """The pitch (rad) that a landing is looked for with."""
        return self.request.pitch or 0.0


def task(robot: Legged, request: JumpRequest, drives: Drives, battery: Battery) -> Task:
    """The task of a request; ValueError where the stand pose cannot stand, Infeasible for a height that is no jump."""
    least = LEAST_HEIGHT * robot.size
    if request.height < least:
        raise Infeasible(
            f"{request.height:g} m is no jump of '{robot.spec.name}', whose feet would hardly leave the ground: "
            f"jump {least:.2g} m high or more"
        )
    stand = standing_pose(robot)
    terms = robot.geometry(stand[None])
    centre = terms["contact_positions"][0, :, :2].mean(axis=0)
    return Task(robot, request, drives, battery, stand, terms["com_position"][0], centre)


def standing_pose(robot: Legged) -> Floats:
    """The stand pose (nq,): the described one, moved so that every foot's sphere touches the ground z = 0 exactly."""
    q = robot.home[None].copy()
    terms = robot.geometry(q)
    high = float(np.mean(terms["contact_positions"][0, :, 2] - robot.radii))
    q[0, 2] -= high
    feet, com = terms["contact_positions"].copy(), terms["com_position"].copy()
    feet[0, :, 2], com[0, 2] = robot.radii, com[0, 2] - high
    q, in_reach = inverse_kinematics(robot, q, com, q[:, 3:7], feet)
    if not in_reach[0]:
        raise ValueError(f"'{robot.spec.name}' cannot stand with all feet on the ground: give it a pose 'home' with bent legs")
    stand: Floats = q[0]
    return stand
