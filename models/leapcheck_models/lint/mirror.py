"""Left and right of a robot compared.

Pairs are found by their names. Everything is compared in the world frame with all joints at zero (a floating robot's root
link at the origin), reflected across the x-z plane (REP-103: y is left). So it does not matter how the link frames of
either side are turned, only where the mass really is.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.lint.finding import Finding
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, RobotSpec
from leapcheck_models.validation import rotational_matrix

SLACK = 1e-6
"""Largest difference that counts as equal: m for places, relative for masses, inertias, gear ratios and limits."""

REFLECTION = np.diag([1.0, -1.0, 1.0])
SWAPS = (
    ("FL", "FR"),
    ("HL", "HR"),
    ("RL", "RR"),
    ("LR", "RR"),
    ("BL", "BR"),
    ("ML", "MR"),
    ("LF", "RF"),
    ("LH", "RH"),
    ("left", "right"),
    ("L", "R"),
)
RIGHT_OF = {spelt(left): spelt(right) for left, right in SWAPS for spelt in (str, str.lower, str.upper, str.capitalize)}

Pose = tuple[NDArray[Any], NDArray[Any]]  # R_WB, p_WB


def right_name(name: str) -> str | None:
    """Name of the right counterpart of a left element: FL_hip -> FR_hip, arm-left -> arm-right; None if it is not left."""
    parts = re.split(r"([\W_]+)", name)
    swapped = [RIGHT_OF.get(part, part) for part in parts]
    return None if swapped == parts else "".join(swapped)


def mirror_symmetry(spec: RobotSpec) -> Iterator[Finding]:
    """Left and right elements (FL_hip and FR_hip, arm_left and arm_right) that are not mirror images across the x-z plane.

    Where such pairs exist, a left body without a right one is a finding too.
    """
    for place, message in mirror_differences(spec):
        remedy = "mirror one side across the x-z plane: y of a com, xy and yz of an inertia change sign"
        yield Finding("mirror symmetry", "warning", place, message, remedy)


def mirror_differences(spec: RobotSpec) -> Iterator[tuple[str, str]]:
    """Place and message of every difference between a left element and the mirror image of its right counterpart."""
    poses = _zero_poses(spec)
    frames = _frames(spec)
    bodies = {body.name: body for body in spec.bodies if body.name not in frames}
    counterparts = {name: right for name in bodies if (right := right_name(name))}
    has_pairs = any(name in bodies for name in counterparts.values())
    for left, right in counterparts.items():
        if right in bodies:
            for message in _body_differences(bodies[left], bodies[right], poses):
                yield f"body '{left}' and body '{right}'", message
        elif has_pairs:
            yield f"body '{left}'", f"it has no counterpart '{right}'"
    points = {point.name: point for point in spec.contact_points}
    for point in spec.contact_points:
        other = points.get(right_name(point.name) or "")
        if other is None:
            continue
        here, there = (_point(poses[p.body], p.position) for p in (point, other))
        if not _same_place(here, there):
            yield f"contact point '{point.name}' and contact point '{other.name}'", _places("their positions", here, there)


def _frames(spec: RobotSpec) -> set[str]:
    """Links that only mark a place, as that of a camera: fixed, without mass or shape, and with nothing else behind them."""
    carrying: set[str] = set()
    for body in reversed(spec.bodies):  # children first
        if body.name in carrying or body.joint.type is not JointType.FIXED or body.inertia.mass or body.shapes or body.rotor:
            carrying |= {body.name, body.parent}
    return {body.name for body in spec.bodies} - carrying


def _body_differences(left: Body, right: Body, poses: dict[str, Pose]) -> Iterator[str]:
    yield from _joint_differences(left, right, poses)
    yield from _inertia_differences("", left.inertia, right.inertia, poses[left.name], poses[right.name])
    if (left.rotor is None) != (right.rotor is None):
        yield "only one of them has a rotor"
    elif left.rotor and right.rotor:
        if not _equal(abs(left.rotor.gear_ratio), abs(right.rotor.gear_ratio)):
            yield f"the gear ratios {left.rotor.gear_ratio:g} and {right.rotor.gear_ratio:g} differ"
        turned = [_compose(poses[b.parent], b.rotor.placement) for b in (left, right) if b.rotor]
        yield from _inertia_differences("rotor ", left.rotor.inertia, right.rotor.inertia, *turned)


def _joint_differences(left: Body, right: Body, poses: dict[str, Pose]) -> Iterator[str]:
    here, there = poses[left.name][1], poses[right.name][1]
    if not _same_place(here, there):
        yield _places("the joints", here, there)
    if left.joint.type is not right.joint.type:
        yield f"the joints are {left.joint.type} and {right.joint.type}"
    elif left.joint.axis is not None and right.joint.axis is not None:
        image, axis = REFLECTION @ poses[left.name][0] @ left.joint.axis, poses[right.name][0] @ right.joint.axis
        along = float(image @ axis)
        if abs(abs(along) - 1.0) > SLACK:
            yield "the joint axes are not mirror images"
            return
        # A reflected turn about a goes the other way about the image of a; a reflected displacement does not.
        same_way = (along > 0.0) == (left.joint.type is JointType.PRISMATIC)
        yield from _limit_differences(left.joint.limits, right.joint.limits, same_way)


def _limit_differences(left: tuple[float, float] | None, right: tuple[float, float] | None, same_way: bool) -> Iterator[str]:
    if (left is None) != (right is None):
        yield "only one of their joints has limits"
    elif left is not None and right is not None:
        image = left if same_way else (-left[1], -left[0])
        if not (_equal(image[0], right[0]) and _equal(image[1], right[1])):
            yield f"the joint limits {left} and {right} are not mirror images"


def _inertia_differences(what: str, left: Inertia, right: Inertia, here: Pose, there: Pose) -> Iterator[str]:
    if not _equal(left.mass, right.mass):
        yield f"the {what}masses {left.mass:g} and {right.mass:g} kg differ"
    com, other = _point(here, left.com), _point(there, right.com)
    if left.mass and right.mass and not _same_place(com, other):
        yield _places(f"the {what}coms", com, other)
    image = REFLECTION @ here[0] @ rotational_matrix(left.rotational) @ here[0].T @ REFLECTION
    actual = there[0] @ rotational_matrix(right.rotational) @ there[0].T
    if (worst := float(np.abs(image - actual).max())) > SLACK * max(float(np.trace(image)), float(np.trace(actual))):
        yield f"the {what}inertias are not mirror images: an entry differs by {worst:.3g} kg m^2"


def _zero_poses(spec: RobotSpec) -> dict[str, Pose]:
    """Pose of every link in the world with all joints at zero; for a floating robot that is the frame of its root link."""
    poses: dict[str, Pose] = {WORLD: (np.eye(3), np.zeros(3))}
    for body in spec.bodies:
        poses[body.name] = _compose(poses[body.parent], body.placement)
    return poses


def _compose(parent: Pose, placement: Placement) -> Pose:
    R, p = parent
    return R @ rotation_matrix(placement.quaternion), p + R @ placement.p


def _point(pose: Pose, position: tuple[float, float, float]) -> NDArray[Any]:
    return pose[1] + pose[0] @ position


def _same_place(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return bool(np.abs(REFLECTION @ left - right).max() <= SLACK)


def _places(what: str, left: NDArray[Any], right: NDArray[Any]) -> str:
    here, there = (", ".join(f"{x:.6g}" for x in place + 0.0) for place in (left, right))
    return f"{what} ({here}) and ({there}) m, at zero angles, are not mirror images"


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= SLACK * max(abs(a), abs(b), 1e-9)
