"""The Mini Cheetah with some of its legs: its faults, named in less time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

CHEETAH = "mini_cheetah"
LEGS = ("FR", "FL", "HR", "HL")


@cache
def cheetah(*legs: str, robot: str = CHEETAH) -> RobotSpec:
    """With these of LEGS, without actuators and poses; or another of the Mini Cheetah's robots so."""
    spec = load(robot)
    gone = {f"{leg}_{part}" for leg in LEGS if leg not in legs for part in ("abad", "hip", "knee")}
    return replace(
        spec,
        bodies=tuple(body for body in spec.bodies if body.name not in gone),
        contact_points=tuple(point for point in spec.contact_points if point.body not in gone),
        actuators=(),
        poses=(),
    )


def robot_of(name: str) -> RobotSpec:
    """A robot of the collection, or a Mini Cheetah with the legs that stand before its name, as in "FL+HL mini_cheetah"."""
    legs, _, robot = name.rpartition(" ")
    return cheetah(*legs.split("+"), robot=robot) if legs else load(robot)
