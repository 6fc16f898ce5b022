"""Conventions of several joints, two faults at once, and faults in some quantities only."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.judge import dictionary
from leapcheck.judge.belief import Belief
from leapcheck_models.rotors import with_lumped_rotors
from tests.harness.judge import planted_conventions as c
from tests.harness.judge import planted_faults as p
from tests.harness.judge.dictionary_case import (
    BALL,
    CHEETAH,
    DEGREE,
    FIXED,
    FLOATING,
    FREE,
    READ,
    REVOLUTE,
    RIGID,
    TWO_BASES,
    hypotheses,
    is_meant,
    is_right,
    on,
    wrong,
)

KNEES_FIRST = [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9]

SEVERAL: dict[str, p.Fault] = {
    "sign/FL_hip_joint,FR_hip_joint,HR_knee_joint": c.signs("", c.joints_named("FR_hip", "FL_hip", "HR_knee")),
    "sign/FL_abad_joint,HL_abad_joint:q": c.signs("q", c.joints_named("FL_abad", "HL_abad")),
    "offset/FR_hip_joint,HR_knee_joint": c.offset(np.pi / 2.0, c.joints_named("FR_hip", "HR_knee")),
    "order/read:(.*,){7}.*": p.reading_legs(False, KNEES_FIRST),
    "order/state-and-answers:(.*,){7}.*": p.reading_legs(True, KNEES_FIRST),
}
"""Faults of several joints of the Mini Cheetah at once."""


@pytest.mark.parametrize("name", SEVERAL)
def test_a_fault_of_several_joints_is_put_together(name: str) -> None:
    belief = Belief(on(CHEETAH, SEVERAL[name]))
    meant = [belief.plus(h) for h in hypotheses(belief, name) if re.fullmatch(name, h.name)]
    assert any(is_right(held) for held in meant), [wrong(held) for held in meant]


TOGETHER: list[tuple[str, str, p.Fault, str, p.Fault]] = [
    # robot, the name that is believed and its fault, the name that is then to be found and its fault
    (FLOATING, "armature/left-out", p.with_armature(0.0), "offset/*", c.offset(0.3)),
    ("FL mini_cheetah", "rotor/coupling-missing", lambda s: p.Planted(with_lumped_rotors(s)), "offset/*", c.offset(-1.2)),
    (FIXED, "unit/degrees-read", c.joint_factors(REVOLUTE, DEGREE, 1.0), "gravity/direction", p.with_gravity(1.0, -9.7, 0.5)),
    (TWO_BASES, "quaternion/read-xyzw", c.quaternions(READ, 1.0, FREE, BALL), "gravity/size", p.with_gravity(0.0, 0.0, -9.8)),
    (FLOATING, "gravity/sign", p.with_gravity(0.0, 0.0, 9.81), "damping/other:without-acceleration", c.damped_forces),
    (RIGID, "quaternion/conjugated", c.quaternions((0, 1, 2, 3), -1.0, FREE, BALL), "factor/masses", p.in_units(1.1, 1.0)),
    (FLOATING, "rotor/left-out", p.with_bodies(lambda b: replace(b, rotor=None)), "order/read:*", c.exchange(answers_too=False)),
    (FLOATING, "sign/all", c.signs(""), "order/rows", c.exchange(answers_too=True, answers_only=True)),
    (FIXED, "gravity/left-out", p.with_gravity(0.0, 0.0, 0.0), "factor/kinetic_energy", c.only(("kinetic_energy",), c.doubled)),
    (
        TWO_BASES,
        "unit/length-mm",
        p.in_units(1.0, 1e3),
        "energy/zero",
        c.only(("potential_energy",), lambda _s, _n, x, _: x + 3.0),
    ),
    (FLOATING, "armature/doubled", p.with_armature(2.0), "sign/*:v", c.signs("v", c.last_joint)),
]


WHOLE_ROBOT = pytest.param(CHEETAH, *TOGETHER[1][1:], marks=pytest.mark.slow, id="whole robot")


@pytest.mark.parametrize(
    ("robot", "name", "fault", "found", "other"),
    [*(pytest.param(*t, id=f"{t[1]}+{t[3]}") for t in TOGETHER), WHOLE_ROBOT],
)
def test_what_is_fitted_counts_on_what_is_believed(robot: str, name: str, fault: p.Fault, found: str, other: p.Fault) -> None:
    belief = Belief(on(robot, c.both(fault, other)))
    held = belief.plus(next(hypothesis for hypothesis in hypotheses(belief) if hypothesis.name == name))
    assert not is_right(held)
    fitted = [held.plus(h) for proposal in dictionary.FITTED for h in proposal(held) if is_meant(h.name, found)]
    assert any(is_right(both) for both in fitted), [wrong(both) for both in fitted]


@pytest.mark.parametrize(
    ("robot", "name", "fault", "found", "other"),
    [*(pytest.param(*t, id=f"{t[1]}+{t[3]}") for t in TOGETHER[:5]), WHOLE_ROBOT],
)
def test_one_of_two_faults_comes_first(robot: str, name: str, fault: p.Fault, found: str, other: p.Fault) -> None:
    """And the other then explains the rest."""
    belief = Belief(on(robot, c.both(fault, other)))
    first = dictionary.best_hypotheses(belief, most=2)
    assert any(is_meant(hypothesis.name, name) or is_meant(hypothesis.name, found) for hypothesis in first), first
    both = [belief.plus(one).plus(two) for one in first for two in dictionary.best_hypotheses(belief.plus(one), most=4)]
    assert any(is_right(held) for held in both), [wrong(held) for held in both]
