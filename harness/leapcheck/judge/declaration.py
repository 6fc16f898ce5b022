"""Conventions that a user's engine could have declared: tried one by one where no single fault explains its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from time import monotonic
from typing import Protocol, runtime_checkable

import numpy as np

import leapcheck_reference as reference
from leapcheck.coordinates.conventions import moving_joints
from leapcheck.engines.answers import answers_of, shapes_of
from leapcheck.engines.outside.words import CHOICES, Words
from leapcheck.engines.protocol import Engine
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.judge.pattern import pattern
from leapcheck.judge.robot_rows import value
from leapcheck.records import CauseClass, CauseRow, Diagnosis, Falls
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States
from leapcheck_models.spec import JointType, RobotSpec

SCREENED = 6
"""States at which each convention is tried first."""

NEAR = 1e-4
"""Scale-free error below which a convention is looked at closely: single precision errs less, a wrong convention more."""

MOST_LEGS = 4
SECONDS = 20.0


@runtime_checkable
class Declaring(Protocol):
    """An engine that can be read in another convention."""

    def declaring(self, words: Words) -> Engine:
        """The same engine with this declaration; ValueError where its answers cannot be converted."""


def declaration(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> Diagnosis | None:
    """The diagnosis that all of the engine's answers are right in another convention; None where there is no such convention."""
    if not isinstance(engine, Declaring):
        return None
    before = evidence(spec, engine, states, quantities)
    if not before.deviating:
        return None
    end = monotonic() + SECONDS
    for words in _candidates(spec):
        if monotonic() > end:
            return None
        if _is_near(spec, engine, words, states[:SCREENED], before.deviating[0]):
            after = evidence(spec, engine.declaring(words), states, quantities)
            if not after.deviating:
                return _diagnosis(before, after, words)
    return None


def _is_near(spec: RobotSpec, engine: Declaring, words: Words, states: States, quantity: str) -> bool:
    try:
        answer = answers_of(engine.declaring(words), states, shapes_of(spec, (quantity,)))[quantity]
    except (ValueError, RuntimeError):  # cannot be converted, or the engine fails on it
        return False
    right = value(quantity, reference.build(spec), states)
    return bool(np.max(scale_free(answer - right, scales(quantity, right)), initial=0.0) < NEAR)


def _diagnosis(before: Evidence, after: Evidence, words: Words) -> Diagnosis:
    """The words as one cause."""
    said = {key: getattr(words, key) for key, choices in CHOICES.items() if getattr(words, key) != choices[0]}
    lines = [f'{key} = "{word}"' for key, word in said.items()]
    if words.joints:
        lines.append(f"joints = {json.dumps(words.joints)}")
    cause = CauseRow(
        "convention/declared",
        CauseClass.CONVENTION,
        "the engine answers in another convention, in which all its numbers are right",
        f"declare it in a .toml: [conventions] {', '.join(lines)}",
    )
    falls = tuple(Falls(q, before.worst_error(q), after.worst_error(q)) for q in before.deviating)
    return Diagnosis(before.engine.name, (cause,), (), falls, (), pattern(before, before.deviating))


def _candidates(spec: RobotSpec) -> Iterator[Words]:
    """Conventions, those in the robot's order of joints first."""
    for joints in dict.fromkeys(_orders(spec)):
        for quaternion, base_velocity, order in product(*CHOICES.values()):
            yield Words(quaternion, base_velocity, order, joints)


def _orders(spec: RobotSpec) -> Iterator[tuple[str, ...]]:
    """Usual orders of joints: the robot's (), alphabetical, legs in any order, and the legs' joints level by level."""
    yield ()
    bases = [joint.name for joint in moving_joints(spec) if joint.type is JointType.FREE]
    legs = _legs(spec)
    for order in (sorted(legs), *(permutations(legs) if len(legs) <= MOST_LEGS else ())):
        yield (*bases, *(name for leg in order for name in leg))
        if len({len(leg) for leg in legs}) == 1:
            yield (*bases, *(name for level in zip(*order, strict=True) for name in level))


def _legs(spec: RobotSpec) -> list[tuple[str, ...]]:
    """Names of the moving joints of each subtree that hangs on the first body."""
    moving = {joint.name for joint in moving_joints(spec) if joint.type is not JointType.FREE}
    root_of: dict[str, str] = {}
    legs: dict[str, list[str]] = {}
    for body in spec.bodies[1:]:
        root_of[body.name] = root_of.get(body.parent, body.name)
        if body.joint.name in moving:
            legs.setdefault(root_of[body.name], []).append(body.joint.name)
    return [tuple(leg) for leg in legs.values()]
