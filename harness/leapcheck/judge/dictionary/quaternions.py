"""Quaternions read otherwise than they are meant: in another order of entries, or conjugated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product as combinations

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.coordinates import places
from leapcheck.states import Floats, States
from leapcheck_models.spec import JointType, RobotSpec

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])

Reading = Callable[[Floats], Floats]

READINGS: dict[str, tuple[str, Reading]] = {
    "read-xyzw": ("the quaternion (w, x, y, z) is read in the order x, y, z, w", lambda wxyz: wxyz[:, [3, 0, 1, 2]]),
    "turned-xyzw": (
        "the quaternion (w, x, y, z) is turned to x, y, z, w for a reader of w, x, y, z",
        lambda wxyz: wxyz[:, [1, 2, 3, 0]],
    ),
    "conjugated": ("the quaternion is conjugated: R_BW stands for R_WB", lambda wxyz: wxyz * CONJUGATE),
    "conjugated-read-xyzw": (
        "the quaternion is conjugated and read in the order x, y, z, w",
        lambda wxyz: (wxyz * CONJUGATE)[:, [3, 0, 1, 2]],
    ),
    "conjugated-turned-xyzw": (
        "the quaternion is conjugated and turned to x, y, z, w",
        lambda wxyz: (wxyz * CONJUGATE)[:, [1, 2, 3, 0]],
    ),
}

JOINTS = {
    "": (JointType.FREE, JointType.BALL),
    ":free": (JointType.FREE,),
    ":ball": (JointType.BALL,),
}


def quaternion_order(belief: Belief) -> Iterator[Hypothesis]:
    """Quaternions shuffled (w, x, y, z against x, y, z, w) or conjugated, in free joints, ball joints or both."""
    kinds = {body.joint.type for body in belief.evidence.spec.bodies}
    if not kinds & set(JOINTS[""]):
        return
    for (name, (words, reading)), (which, of) in combinations(READINGS.items(), JOINTS.items()):
        if not which or set(JOINTS[""]) <= kinds:
            cause = f"{words} ({which[1:]} joints only)" if which else words
            prior = (2.0 if which else 1.0) + name.startswith("conjugated-")
            yield Hypothesis(f"quaternion/{name}{which}", "convention", cause, reading=_in_joints(reading, of), prior=prior)


def _in_joints(reading: Reading, kinds: tuple[JointType, ...]) -> Callable[[RobotSpec, States], States]:
    def read(spec: RobotSpec, states: States) -> States:
        q = states.q.copy()
        for at in places(spec):
            if at.joint.type in kinds:
                four = slice(at.q.stop - 4, at.q.stop)
                q[:, four] = reading(q[:, four])
        return replace(states, q=q)

    return read
