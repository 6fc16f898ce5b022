"""Differences that M and h do not see: drives and the shapes that touch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from leapcheck.robot_diff.bodies import Pair
from leapcheck.robot_diff.records import Aspect, RobotDifference
from leapcheck.robot_diff.wording import change, distance, vector
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Actuator, JointType, Motor, Placement, RobotSpec, Shape
from leapcheck_models.words import plural

MOTOR_UNITS = {
    "gear_ratio": "rad/rad", "torque_constant": "N m/A", "resistance": "ohm", "voltage": "V", "torque_limit": "N m",
}  # fmt: skip


def drive_differences(pair: Pair, ours: list[Actuator], theirs: list[Actuator], both_drive: bool) -> Iterator[RobotDifference]:
    """Of the drives of one joint; `both_drive` says whether both robots have any drives."""
    turns = pair.ours.joint.type is not JointType.PRISMATIC
    unit, speed_unit = ("N m", "rad/s") if turns else ("N", "m/s")
    if bool(ours) != bool(theirs):
        who, drives = ("A", ours) if ours else ("B", theirs)
        message = f"only {who} has a drive, {sum(drive.torque_limit for drive in drives):.4g} {unit}"
        yield pair.joint(Aspect.DRIVES if both_drive else Aspect.SILENCE, "drive", message, 0.0, unit)
    if not ours or not theirs:
        return
    a, b = (sum(drive.torque_limit for drive in drives) for drives in (ours, theirs))
    if not pair.allows("drive", abs(a - b), max(a, b)):
        yield pair.joint(Aspect.DRIVES, "torque limit", change(a, b, unit), abs(a - b), unit, max(a, b))
    speeds = [min((d.speed_limit for d in drives if d.speed_limit is not None), default=None) for drives in (ours, theirs)]
    yield from _speed_difference(pair, speeds, speed_unit)
    if len(ours) == len(theirs) == 1 and ours[0].motor and theirs[0].motor:
        yield from _motor_differences(pair, ours[0].motor, theirs[0].motor)


def _speed_difference(pair: Pair, speeds: list[float | None], unit: str) -> Iterator[RobotDifference]:
    a, b = speeds
    if a is None or b is None:
        if a is not b:
            message = f"{a if b is None else b:.4g} {unit} in {'A' if b is None else 'B'}, none in {'B' if b is None else 'A'}"
            yield pair.joint(Aspect.SILENCE, "speed limit", message, 0.0, unit)
    elif not pair.allows("drive", abs(a - b), max(a, b)):
        yield pair.joint(Aspect.DRIVES, "speed limit", change(a, b, unit), abs(a - b), unit, max(a, b))


def _motor_differences(pair: Pair, ours: Motor, theirs: Motor) -> Iterator[RobotDifference]:
    for name, unit in MOTOR_UNITS.items():
        a, b = getattr(ours, name), getattr(theirs, name)
        if not pair.allows("drive", abs(a - b), max(a, b)):
            what = f"motor's {name.replace('_', ' ')}"
            yield pair.joint(Aspect.DRIVES, what, change(a, b, unit), abs(a - b), unit, max(a, b))


def touching_shapes(spec: RobotSpec) -> dict[str, list[Shape]]:
    """Shapes of each body, with the spheres of its contact points that are no shapes of their own."""
    shapes = {body.name: list(body.shapes) for body in spec.bodies}
    for point in spec.contact_points:
        sphere = Shape("sphere", (point.radius,), Placement(point.position), collides=True)
        if point.radius > 0.0 and not any(_apart(shape, sphere) < 1e-9 for shape in shapes[point.body] if shape.kind == "sphere"):
            shapes[point.body].append(sphere)
    return shapes


def shape_differences(pair: Pair, ours: list[Shape], theirs: list[Shape]) -> Iterator[RobotDifference]:
    """Of the simple shapes of one body, each with the nearest like it; meshes are not compared."""
    if bool(ours) != bool(theirs):
        message = f"only {'A' if ours else 'B'} has simple shapes here ({_count(ours or theirs)})"
        yield RobotDifference(Aspect.SILENCE, "shapes", *pair.names, message, 0.0, "m")
        return
    spheres = [[shape for shape in shapes if shape.kind == "sphere"] for shapes in (ours, theirs)]
    partners = _partners(ours, theirs)
    if len(partners) < max(len(ours), len(theirs)):
        message = f"{_count(ours)} in A, {_count(theirs)} in B"
        yield RobotDifference(Aspect.CONTACT, "shapes", *pair.names, message, abs(len(ours) - len(theirs)), "1")
        partners = _partners(*spheres) if len(spheres[0]) == len(spheres[1]) else []  # feet are told anyhow
    for shape, partner in partners:
        yield from _pair_differences(pair, shape, partner)


def _partners(ours: list[Shape], theirs: list[Shape]) -> list[tuple[Shape, Shape]]:
    """Each shape with the nearest like it that is left."""
    partners, left = [], list(theirs)
    for shape in ours:
        like = [other for other in left if _like(shape, other)]
        if like:
            partners.append((shape, min(like, key=partial(_apart, shape))))
            left.remove(partners[-1][1])
    return partners


def _pair_differences(pair: Pair, ours: Shape, theirs: Shape) -> Iterator[RobotDifference]:
    if ours.kind != theirs.kind:
        message = f"{ours.kind} in A, {theirs.kind} in B, of one radius and length (a URDF before version 1.2 has no capsules)"
        yield RobotDifference(Aspect.SILENCE, "shapes", *pair.names, message, 0.0, "m")
    resized = float(np.abs(np.subtract(theirs.size, ours.size)).max())
    if not pair.allows("place", resized, pair.length):
        message = f"{vector(ours.size)} m in A, {vector(theirs.size)} m in B"
        if len(ours.size) == 1:
            message = change(ours.size[0], theirs.size[0], "m")
        yield RobotDifference(
            Aspect.CONTACT, f"size of a {ours.kind}", *pair.names, message, resized, "m", resized / max(ours.size)
        )
    moved = float(np.linalg.norm(np.subtract(theirs.placement.p, ours.placement.p)))
    if not pair.allows("place", moved, pair.length, float(np.linalg.norm(ours.placement.p))):
        detail = f"A {vector(ours.placement.p)}, B {vector(theirs.placement.p)} m, in A's link axes"
        message = f"{distance(moved)} apart"
        yield RobotDifference(Aspect.CONTACT, f"place of a {ours.kind}", *pair.names, message, moved, "m", None, detail)
    if not pair.allows("angle", tilt := _tilt(ours, theirs), 1.0):
        yield RobotDifference(
            Aspect.CONTACT, f"axes of a {ours.kind}", *pair.names, f"turned by {np.degrees(tilt):.3g} deg", tilt, "rad"
        )


def _like(a: Shape, b: Shape) -> bool:
    return a.kind == b.kind or ({a.kind, b.kind} == {"capsule", "cylinder"} and np.allclose(a.size, b.size, rtol=1e-3))


def _apart(a: Shape, b: Shape) -> float:
    """How far two shapes are from each other in place and, where they are of one kind, in size (m)."""
    apart = float(np.linalg.norm(np.subtract(a.placement.p, b.placement.p)))
    return apart + (float(np.abs(np.subtract(a.size, b.size)).max()) if len(a.size) == len(b.size) else 0.0)


def _tilt(ours: Shape, theirs: Shape) -> float:
    """How far a shape is turned (rad), but for turns that leave it the same."""
    if ours.kind == "sphere":
        return 0.0
    R, Q = rotation_matrix(ours.placement.quaternion), rotation_matrix(theirs.placement.quaternion)
    if ours.kind != "box":
        return float(np.arcsin(min(1.0, float(np.linalg.norm(np.cross(R[:, 2], Q[:, 2]))))))
    squares = [R @ np.diag(np.square(ours.size)) @ R.T, Q @ np.diag(np.square(theirs.size)) @ Q.T]
    if np.abs(squares[0] - squares[1]).max() < 1e-9 * float(np.trace(squares[0])):
        return 0.0  # the same box, its axes in another order
    cosines: Floats = np.abs(R.T @ Q).max(axis=0)
    return float(np.arccos(min(1.0, float(cosines.min()))))


def _count(shapes: list[Shape]) -> str:
    kinds = [shape.kind for shape in shapes]
    return ", ".join(plural(kinds.count(kind), kind) for kind in dict.fromkeys(kinds)) or "none"


def point_differences(ours: RobotSpec, theirs: RobotSpec, length: float) -> Iterator[RobotDifference]:
    """Of contact points without radius, by name; both robots' in the first's link frames."""
    others = {point.name: point for point in theirs.contact_points}
    for point in ours.contact_points:
        other = others.pop(point.name, None)
        if other is None:
            yield RobotDifference(Aspect.CONTACT, "contact point", point.name, "", f"only A has it, on {point.body}", 0.0, "m")
        elif other.body != point.body:
            message = f"on {point.body} in A, on {other.body} in B"
            yield RobotDifference(Aspect.CONTACT, "contact point", point.name, other.name, message, 0.0, "m")
        elif (moved := float(np.linalg.norm(np.subtract(other.position, point.position)))) > 1e-9 * length:
            detail = f"A {vector(point.position)}, B {vector(other.position)} m, in A's link axes"
            message = f"{distance(moved)} apart"
            yield RobotDifference(Aspect.CONTACT, "contact point", point.name, other.name, message, moved, "m", None, detail)
    for point in others.values():
        yield RobotDifference(Aspect.CONTACT, "contact point", "", point.name, f"only B has it, on {point.body}", 0.0, "m")
