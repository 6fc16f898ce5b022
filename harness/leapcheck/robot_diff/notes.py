"""What differs and is no physics: where link frames stand, what things are called, in which order joints come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from leapcheck.robot_diff.frames import Frames
from leapcheck.robot_diff.matching import Pairs
from leapcheck.robot_diff.records import Aspect, MatchedJoint, RobotDifference
from leapcheck.robot_diff.rigid import reach, rotation_angle
from leapcheck.robot_diff.wording import degrees, distance
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import JointType, RobotSpec

SAME_FRAME = 1e-6
"""Turn (rad), or shift as a share of the robot's reach, below which two frames are the same."""

MOST_NAMES = 4


def frame_notes(spec: RobotSpec, pairs: Pairs, frames: Frames) -> Iterator[RobotDifference]:
    """Link frames that stand elsewhere or in other axes in the second robot; a base's is told by itself, for q and v mean it."""
    others = []
    for body in spec.bodies:
        frame = frames[pairs[body.name]]
        turned, moved = rotation_angle(rotation_matrix(frame.quaternion)), float(np.linalg.norm(frame.p))
        if turned <= SAME_FRAME and moved <= SAME_FRAME * reach(spec):
            continue
        if body.joint.type is JointType.FREE:
            message = (
                f"A's frame stands {distance(moved)} from B's, turned by {degrees(turned)}: q and v of the base mean other things"
            )
            yield RobotDifference(Aspect.FRAMES, "base frame", body.name, pairs[body.name], message, max(turned, moved), "rad, m")
        else:
            others.append((turned, moved, body.name))
    if others:
        turned, moved, name = max(others)
        message = (
            f"{len(others)} stand in other axes, or elsewhere on the joint's axis, by choice: the physics is the same "
            f"(most: {name}, turned by {degrees(turned)}, {distance(moved)} along)"
        )
        yield RobotDifference(Aspect.FRAMES, "link frames", "", "", message, turned, "rad")


def name_notes(joints: Sequence[MatchedJoint]) -> Iterator[RobotDifference]:
    """Joints that have other names in the second robot."""
    renamed = [joint for joint in joints if joint.first != joint.second]
    if renamed:
        guessed = sum(joint.by == "shape" for joint in renamed)
        message = f"{len(renamed)} of {len(joints)} joints have other names"
        message += f", {guessed} of them matched by their place in the tree" if guessed else ""
        message += f": {_list([f'{joint.first} is {joint.second}' for joint in renamed])}"
        yield RobotDifference(Aspect.NAMES, "names", "", "", message, float(len(renamed)), "1")


def order_notes(first: RobotSpec, second: RobotSpec, pairs: Pairs) -> Iterator[RobotDifference]:
    """Joints in another order: arrays of joint angles cannot be handed from one to the other."""
    ours = [pairs[body.name] for body in first.bodies]
    theirs = [body.name for body in second.bodies]
    if ours != theirs:
        places = [theirs.index(name) for name in ours]
        message = f"joints come in another order: A's are number {', '.join(map(str, places))} of B. Map q, v and tau by name"
        yield RobotDifference(Aspect.NAMES, "order", "", "", message, float(sum(i != j for i, j in enumerate(places))), "1")


def _list(words: Sequence[str]) -> str:
    return ", ".join(words[:MOST_NAMES]) + (", ..." if len(words) > MOST_NAMES else "")
