"""Robots, evidence and questions that the tests of the dictionary share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge import dictionary
from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.quantities import CORE
from leapcheck.sampling import generated_states
from leapcheck_models.spec import JointType
from tests.harness.judge import planted_faults as p
from tests.harness.judge.few_legs import robot_of

CHEETAH = "mini_cheetah"
FLOATING = "random:30"  # one base, 10 dof, a rotor, armature
FIXED = "random:29"  # two roots without a base, 3 dof, a rotor, armature, tilted gravity
TWO_BASES = "random:27"  # 28 dof, ball joints
RIGID = "random:20"  # a base, a ball joint, a link rigid with another, tilted gravity
ALL = (FLOATING, FIXED, RIGID, TWO_BASES, CHEETAH)
BASES = (FLOATING, RIGID, TWO_BASES, CHEETAH)
BALLS = (RIGID, TWO_BASES)
JOINTS = (FLOATING, FIXED, TWO_BASES, CHEETAH)
GEARED = (FLOATING, FIXED, CHEETAH)
DOWN = (FLOATING, TWO_BASES, CHEETAH)
ARMATURES = (FLOATING, FIXED, TWO_BASES)
"""Robots on which a convention shows; on the first of them it is tried always, on the others where slow tests are run."""

MOST = 550
"""Hypotheses that are few enough to be tried one by one; the Mini Cheetah has 495, 300 of them inertias that are read wrongly."""

COUNT = 16
"""States of a block: each kind is among them."""

FREE, BALL = JointType.FREE, JointType.BALL
READ, TURNED = (3, 0, 1, 2), (1, 2, 3, 0)
KINDS = ("v_W-w_B", "w_B-v_W", "v_B-w_B", "w_W-v_W", "v_W-w_W", "w_W-v_B", "w_B-v_H", "v_H-w_H")

REVOLUTE = JointType.REVOLUTE
DEGREE = np.pi / 180.0


@cache
def clean(robot: str) -> Evidence:
    """The evidence on an engine that is right, on all canonical quantities."""
    spec = robot_of(robot)
    engine = ReferenceEngine(spec)
    names = [name for name in CORE if name in engine.quantities]
    return evidence(spec, engine, generated_states(spec, COUNT, 3, 0), names)


def on(robot: str, fault: p.Fault) -> Evidence:
    """The evidence on a faulty engine."""
    at = clean(robot)
    engine = fault(at.spec)
    answers = engine.evaluate(at.states, at.quantities)
    return replace(at, engine=engine, answers=answers)


def hypotheses(belief: Belief, name: str = "") -> Iterator[Hypothesis]:
    """All of them, or those of the proposals up to the first that has such a name."""
    for proposal in (*dictionary.FIXED, *dictionary.FITTED):
        of_proposal = list(proposal(belief))
        yield from of_proposal
        if name and any(is_meant(hypothesis.name, name) for hypothesis in of_proposal):
            return


def is_meant(name: str, pattern: str) -> bool:
    """Whether a name is the one of a case, in which "*" stands for joints."""
    return re.fullmatch(pattern.replace("*", "[^:]*_[^:]*"), name) is not None


def is_right(belief: Belief) -> bool:
    return all(belief.explains(name) for name in belief.evidence.quantities)


def wrong(belief: Belief) -> dict[str, float]:
    """The misfit of the quantities that a belief leaves wrong."""
    return {name: belief.misfit(name) for name in belief.evidence.quantities if not belief.explains(name)}
