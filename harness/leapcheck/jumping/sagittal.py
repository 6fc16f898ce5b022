"""Which joints of a quadruped a sagittal plan means: front and rear, abad, hip and knee, left and right alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import leapcheck_reference as reference
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.coordinates import zero_configuration
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.tree import build

ROLES = ("abad", "hip", "knee")
"""The driven joints of a leg, from the trunk to the foot."""


@dataclass(frozen=True, slots=True)
class Places:
    """The drives that a name moves, each with the sign of its joint."""

    actuators: tuple[int, ...]
    signs: tuple[float, ...]


def sagittal_places(spec: RobotSpec) -> dict[str, Places]:
    """front_abad, front_hip, ... rear_knee; an abad counts outwards, hip and knee as the joint does.

    Raises ValueError where the robot has not two legs of three driven joints in front and two behind.
    """
    home = np.array(spec.poses[0].q, dtype=float) if spec.poses else zero_configuration(build(spec))
    feet = foot_positions(spec, home)
    legs = [(position, driven_chain(spec, body)) for body, position in feet]
    middle = float(np.mean([position[0] for position, _ in legs])) if legs else 0.0
    front, rear = ([leg for leg in legs if bool(leg[0][0] > middle) is ahead] for ahead in (True, False))
    if len(front) != 2 or len(rear) != 2 or any(len(chain) != len(ROLES) for _, chain in legs):
        raise ValueError(
            f"'{spec.name}' is no quadruped with three driven joints a leg, as a sagittal plan needs: give a plan with q_JOINT "
            "of each joint"
        )
    places = {}
    for end, pair in (("front", front), ("rear", rear)):
        for k, role in enumerate(ROLES):
            signs = [_outward(spec, position, chain[0], home) if role == "abad" else 1.0 for position, chain in pair]
            places[f"{end}_{role}"] = Places(tuple(chain[k] for _, chain in pair), tuple(signs))
    return places


def foot_positions(spec: RobotSpec, q: Floats) -> list[tuple[str, Floats]]:
    """(body, position (3,) m of the lowest point in world axes) of each foot at q (nq,)."""
    points = [point for point in spec.contact_points if point.computed]
    positions = reference.contact_positions(build(spec), q)
    return [
        (point.body, np.asarray(position, dtype=float) - np.array([0.0, 0.0, max(point.radius, SMALLEST_RADIUS)]))
        for point, position in zip(points, positions, strict=True)
        if point.is_foot
    ]


def driven_chain(spec: RobotSpec, body: str) -> tuple[int, ...]:
    """The drives (their numbers) from the trunk to a link."""
    parents = {link.name: link for link in spec.bodies}
    drives = {actuator.joint: i for i, actuator in enumerate(spec.actuators)}
    chain: list[int] = []
    while body in parents:
        if (joint := parents[body].joint.name) in drives:
            chain.insert(0, drives[joint])
        body = parents[body].parent
    return tuple(chain)


def _outward(spec: RobotSpec, foot: Floats, drive: int, home: Floats) -> float:
    """The sign of an abad's angle that moves the foot away from the trunk's middle plane."""
    joint = next(body.joint for body in spec.bodies if body.joint.name == spec.actuators[drive].joint)
    to_left = joint.axis[0] if joint.axis is not None else 1.0  # a foot below the joint goes to +y for a turn about +x
    return float(np.sign(foot[1] - home[1]) * np.sign(to_left))
