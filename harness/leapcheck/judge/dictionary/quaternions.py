"""Quaternions read in another order of entries, or conjugated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, StateEdit, convention
from leapcheck.judge.edits import edit_state
from leapcheck.judge.layout import places
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

AS_IS, CONJUGATE = np.ones(4), np.array([1.0, -1.0, -1.0, -1.0])

READINGS = {
    "read-xyzw": ("the quaternion (w, x, y, z) is read in the order x, y, z, w", AS_IS, [3, 0, 1, 2]),
    "turned-xyzw": ("the quaternion (w, x, y, z) is turned to x, y, z, w for a reader of w, x, y, z", AS_IS, [1, 2, 3, 0]),
    "conjugated": ("the quaternion is conjugated: R_BW is used for R_WB", CONJUGATE, [0, 1, 2, 3]),
    "conjugated-read-xyzw": ("the quaternion is conjugated and read in the order x, y, z, w", CONJUGATE, [3, 0, 1, 2]),
    "conjugated-turned-xyzw": ("the quaternion is conjugated and turned to x, y, z, w", CONJUGATE, [1, 2, 3, 0]),
}
"""Words, factors of w, x, y, z, and the order of the products."""

JOINTS = {"": (JointType.FREE, JointType.BALL), ":free": (JointType.FREE,), ":ball": (JointType.BALL,)}


def quaternion_order(belief: Belief) -> Iterator[Hypothesis]:
    """Quaternions in another order (w, x, y, z or x, y, z, w) or conjugated, in free joints, ball joints or both."""
    kinds = {body.joint.type for body in belief.evidence.spec.bodies}
    if not kinds & set(JOINTS[""]):
        return
    for (name, (words, signs, order)), (which, joints) in combinations(READINGS.items(), JOINTS.items()):
        if not which or set(JOINTS[""]) <= kinds:
            cause = f"{words} ({which[1:]} joints only)" if which else words
            prior = (2.0 if which else 1.0) + name.startswith("conjugated-")
            yield convention(f"quaternion/{name}{which}", cause, state_edit=_reading(signs, order, joints), prior=prior)


def _reading(signs: Floats, order: list[int], joints: tuple[JointType, ...]) -> StateEdit:
    def read(spec: RobotSpec, q: Floats, _v: Floats, _tau: Floats) -> None:
        for place in places(spec):
            if place.joint.type in joints:
                four = slice(place.q.stop - 4, place.q.stop)
                q[:, four] = (q[:, four] * signs)[:, order]

    return edit_state(read)
