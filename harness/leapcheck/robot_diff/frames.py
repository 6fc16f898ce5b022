"""The second robot in the link frames of the first, so that what is left differs in fact and not by choice of frame.

Where a link's frame stands is a choice: anywhere along the joint's axis, in any axes. Parents first, each link of the second
robot gets the frame in which most of what can be compared (joint, com, inertia, the joints that it carries) is as in the first:
the same frame relative to the parent, that turned or shifted to where a child or the com says, or the file's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.robot_diff.matching import Pairs
from leapcheck.robot_diff.rigid import in_frame, inverse, moved_inertia, quaternion_of, reach, rotation_angle
from leapcheck.robot_diff.turns import best_turn, least_turn, principal_turns
from leapcheck_models.arrays import Floats
from leapcheck_models.importing.poses import product, turn, unit_quaternion, vector3
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import WORLD, Body, Inertia, Joint, JointType, Placement, RobotSpec, Vector3
from leapcheck_models.validation import rotational_matrix

NEAR = 1e-3
"""What a comparison that counts as half missed misses by: share of the robot's reach, rad, share of an inertia's trace."""

BETTER = 0.5
"""By how many comparisons another frame must fit better than a simpler one."""

HINT = 0.75
"""What it counts that a child's frame stands elsewhere on its axis: its choice, but often the place that both files mean."""

Frames = dict[str, Placement]
"""Where the new frame of each body of the second robot stands in the file's."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Both robots as found by matching, and the lengths by which they are compared."""

    first: RobotSpec
    second: RobotSpec
    pairs: Pairs
    length: float

    def children(self, name: str) -> list[tuple[Body, Body]]:
        """Pairs of bodies that hang on a body of the first robot."""
        return [(body, self.partner(body.name)) for body in self.first.bodies if body.parent == name and body.name in self.pairs]

    def partner(self, name: str) -> Body:
        """The body of the second robot that is matched with one of the first."""
        return self.second.bodies[self.second.body_index(self.pairs[name])]


def second_in_frames_of_first(first: RobotSpec, second: RobotSpec, pairs: Pairs) -> tuple[RobotSpec, Frames]:
    """The second robot with names, order and link frames of the first, and where those frames stand in its own.

    Both are robots without fixed joints whose bodies are all matched.
    """
    alignment = Alignment(first, second, pairs, reach(first))
    frames: Frames = {WORLD: Placement()}
    bodies = []
    for body in first.bodies:
        other = alignment.partner(body.name)
        frames[other.name] = _best(alignment, body, frames)
        bodies.append(_in_frame(other, body, frames))
    joints = {other.joint.name: body.joint.name for body in first.bodies for other in [alignment.partner(body.name)]}
    names = {other: one for one, other in pairs.items()}
    points = tuple(
        replace(p, body=names[p.body], position=in_frame(inverse(frames[p.body]), p.position)) for p in second.contact_points
    )
    actuators = tuple(replace(actuator, joint=joints[actuator.joint]) for actuator in second.actuators)
    return replace(second, bodies=tuple(bodies), contact_points=points, actuators=actuators, poses=()), frames


def _in_frame(body: Body, named_as: Body, frames: Frames) -> Body:
    """A body of the second robot in its new frame, called as its partner."""
    frame, parent = frames[body.name], inverse(frames[body.parent])
    free = body.joint.type is JointType.FREE
    placement = Placement() if free else product(product(parent, body.placement), frame)
    back = inverse(frame)
    axis = _turn_axis(body.joint, frame)
    return replace(
        named_as,
        joint=replace(body.joint, name=named_as.joint.name, axis=axis),
        inertia=moved_inertia(body.inertia, back),
        placement=placement,
        rotor=body.rotor and replace(body.rotor, name=_rotor_name(named_as), placement=product(parent, body.rotor.placement)),
        shapes=tuple(replace(shape, placement=product(back, shape.placement)) for shape in body.shapes),
        source=body.source,
    )


def _rotor_name(body: Body) -> str:
    return body.rotor.name if body.rotor else f"{body.name}/rotor"


def _turn_axis(joint: Joint, frame: Placement) -> Vector3 | None:
    if joint.axis is None or frame.quaternion == (1.0, 0.0, 0.0, 0.0):
        return joint.axis
    axis = rotation_matrix(frame.quaternion).T @ np.array(joint.axis)
    return vector3(axis / np.sqrt(axis @ axis))


def _best(alignment: Alignment, body: Body, frames: Frames) -> Placement:
    """The frame in which most agrees; of those that are about as good the first, which is the simplest."""
    other = alignment.partner(body.name)
    best, least = Placement(), np.inf
    for candidate in _candidates(alignment, body, other, frames[other.parent]):
        cost = sum(_misses(alignment, body, _in_frame(other, body, {**frames, other.name: candidate}), candidate))
        if cost < least - BETTER:
            best, least = candidate, cost
    return best


def _misses(alignment: Alignment, body: Body, moved: Body, frame: Placement) -> Iterator[float]:
    """How far each comparison misses, between 0 and 1: joint, com, inertia, the joints that the body carries."""
    if body.joint.axis is not None and moved.joint.axis is not None:
        yield _miss(np.subtract(moved.joint.axis, body.joint.axis), 1.0)
    if body.joint.type is not JointType.FREE:
        R = rotation_matrix(body.placement.quaternion).T @ rotation_matrix(moved.placement.quaternion)
        yield _miss(np.subtract(moved.placement.p, body.placement.p), alignment.length)
        yield _miss(np.array([rotation_angle(R)]), 1.0)
    yield from _inertia_misses(body.inertia, moved.inertia, alignment.length)
    back = inverse(frame)
    for ours, theirs in alignment.children(body.name):
        yield from _joint_misses(ours, theirs, product(back, theirs.placement), alignment)


def _joint_misses(ours: Body, theirs: Body, there: Placement, alignment: Alignment) -> Iterator[float]:
    """Of the line (or direction, or point) of a joint that a body carries; `there` is the second robot's placement."""
    here = ours.placement
    difference = np.subtract(there.p, here.p)
    a, b = ours.joint.axis, theirs.joint.axis
    if a is None or b is None:
        if ours.joint.type is not JointType.FREE:
            yield _miss(difference, alignment.length)
        return
    along, other = rotation_matrix(here.quaternion) @ a, rotation_matrix(there.quaternion) @ b
    yield min(_miss(along - other, 1.0), 0.5 + 0.5 * _miss(along + other, 1.0))
    if ours.joint.type is JointType.REVOLUTE:
        shift = (difference @ along) * along
        yield _miss(difference - shift, alignment.length)
        yield HINT * _miss(shift, alignment.length)


def _inertia_misses(ours: Inertia, theirs: Inertia, length: float) -> Iterator[float]:
    if ours.mass and theirs.mass:
        yield _miss(np.subtract(theirs.com, ours.com), length)
        matrices = rotational_matrix(ours.rotational), rotational_matrix(theirs.rotational)
        yield _miss(matrices[1] - matrices[0], max(float(np.trace(matrices[0])), 1e-30))


def _miss(difference: Floats, scale: float) -> float:
    """0 for none, 1/2 at `NEAR` of the scale, nearly 1 far beyond."""
    share = float(np.sqrt((difference * difference).sum())) / scale / NEAR
    return share / (1.0 + share)


def _candidates(alignment: Alignment, body: Body, other: Body, parent: Placement) -> Iterator[Placement]:
    """Frames to try for one body: in the file's axes and in its parent's, and turned and shifted along its axis."""
    if body.joint.type is JointType.FREE:
        yield from _free_frames(alignment, body, other)
        return
    pose = product(inverse(parent), other.placement)  # of the file's frame in the parent's new one
    if body.joint.axis is None or other.joint.axis is None:
        turned = rotation_matrix(pose.quaternion).T @ rotation_matrix(body.placement.quaternion)
        yield Placement((0.0, 0.0, 0.0), quaternion_of(turned))
        yield Placement()
        return
    simple = [_along(body, other, pose, sign) for sign in (1.0, -1.0)]
    yield simple[0]
    yield Placement()
    for frame in simple[:1]:
        for angle, shift in _screws(alignment, body, other, frame):
            step = Placement(vector3(shift * np.array(body.joint.axis)), turn(body.joint.axis, angle))
            yield product(frame, step)
    yield simple[1]


def _along(body: Body, other: Body, pose: Placement, sign: float) -> Placement:
    """The frame whose axis is the partner's, or its opposite, with the least turn from the partner's frame."""
    assert body.joint.axis is not None
    assert other.joint.axis is not None
    R_A, R_B = rotation_matrix(body.placement.quaternion), rotation_matrix(pose.quaternion)
    ours, theirs = R_A @ body.joint.axis, R_B @ other.joint.axis
    wanted = least_turn(ours, sign * theirs) @ R_A
    shift = float(np.subtract(body.placement.p, pose.p) @ theirs) * np.array(other.joint.axis)
    if other.joint.type is JointType.PRISMATIC:  # a slide has no line: its frame may stand anywhere
        shift = R_B.T @ np.subtract(body.placement.p, pose.p)
    return Placement(vector3(shift), quaternion_of(R_B.T @ wanted))


def _screws(alignment: Alignment, body: Body, other: Body, frame: Placement) -> Iterator[tuple[float, float]]:
    """Turns about the axis and shifts along it that bring a child's joint, or the com, to where the first robot has it."""
    axis = np.array(body.joint.axis)
    back = inverse(frame)
    anchors = [(np.array(a.placement.p), np.array(in_frame(back, b.placement.p))) for a, b in alignment.children(body.name)]
    anchors.append((np.array(body.inertia.com), np.array(in_frame(back, other.inertia.com))))
    arrows = [
        (rotation_matrix(a.placement.quaternion) @ a.joint.axis,
         rotation_matrix(product(back, b.placement).quaternion) @ b.joint.axis)
        for a, b in alignment.children(body.name) if a.joint.axis is not None and b.joint.axis is not None
    ]  # fmt: skip
    shifts = [0.0, *(float((theirs - ours) @ axis) for ours, theirs in anchors)]
    for ours, theirs in anchors:
        yield 0.0, float((theirs - ours) @ axis)
    for ours, theirs in (*anchors, *arrows):
        flat = [vector - (vector @ axis) * axis for vector in (ours, theirs)]
        if min(float(np.sqrt(vector @ vector)) for vector in flat) > NEAR * alignment.length:
            angle = float(np.arctan2(np.cross(flat[0], flat[1]) @ axis, flat[0] @ flat[1]))
            yield from ((angle, shift) for shift in dict.fromkeys(shifts))


def _free_frames(alignment: Alignment, body: Body, other: Body) -> Iterator[Placement]:
    """The file's own frame, and where joints, com and principal axes of inertia say that the first robot's frame stands."""
    yield Placement()
    children = alignment.children(body.name)
    points = [(np.array(a.placement.p), np.array(b.placement.p)) for a, b in children]
    arrows = [
        (rotation_matrix(a.placement.quaternion) @ a.joint.axis, rotation_matrix(b.placement.quaternion) @ b.joint.axis)
        for a, b in children if a.joint.axis is not None and b.joint.axis is not None
    ]  # fmt: skip
    com = (np.array(body.inertia.com), np.array(other.inertia.com))
    turns = [np.eye(3), *principal_turns(body.inertia, other.inertia)]
    for anchors in (points, [*points, com], []):
        for directions in ([], arrows):
            if len(anchors) > 1 or len(directions) > 1:
                turns.append(best_turn(anchors, directions, alignment.length))
    for R in turns:
        for ours, theirs in (com, *points):
            yield Placement(vector3(theirs - R @ ours), unit_quaternion(quaternion_of(R)))
