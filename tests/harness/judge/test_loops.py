"""Faults of closed loops, planted in answers that are right else: each is named, and no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import mujoco
import numpy as np
import pytest

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.quantities import QuantityGroup, names_of_group
from leapcheck.robots.load import load
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from tests.harness.robots.loop_files import EVERY_KIND
from tests.harness.robots.near import near_states

CONSTRAINED = names_of_group(QuantityGroup.CONSTRAINTS)
WELD, SITES = slice(0, 6), slice(6, 9)

Spoil = Callable[[str, Floats], Floats]


@lru_cache(maxsize=1)
def robot() -> RobotSpec:
    awake = "".join(line for line in EVERY_KIND.splitlines() if "asleep" not in line)  # what is left out would warn
    return load(mujoco.MjModel.from_xml_string(awake))


class Spoilt:
    """The reference with its answers spoilt."""

    name, version, route, quantities = "spoilt", "1", "planted", frozenset(CONSTRAINED)

    def __init__(self, spoil: Mapping[str, Callable[[Floats], Floats]]) -> None:
        self._spoil, self._right = spoil, ReferenceEngine(robot())

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """The answers, some of them spoilt."""
        right = self._right.evaluate(states, quantities)
        return {name: self._spoil.get(name, lambda values: values)(right[name].copy()) for name in quantities}


def negated(span: slice) -> Callable[[Floats], Floats]:
    def spoil(values: Floats) -> Floats:
        values[:, span] *= -1.0
        return values

    return spoil


def linear_first(values: Floats) -> Floats:
    values[:, WELD] = np.roll(values[:, WELD], 3, axis=1)
    return values


J, BIAS = "constraint_jacobian", "constraint_bias"

FAULTS = {
    "loops/sign": {J: negated(slice(None)), BIAS: negated(slice(None))},
    "loops/sign/sites": {J: negated(SITES), BIAS: negated(SITES)},
    "loops/order": {J: linear_first, BIAS: linear_first},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named(fault: str) -> None:
    (diagnosis,) = diagnose(robot(), Spoilt(FAULTS[fault]), near_states(robot(), 8), CONSTRAINED)
    assert [cause.name for cause in diagnosis.causes] == [fault]
    assert diagnosis.unexplained == ()
    assert {falls.quantity for falls in diagnosis.falls} == set(FAULTS[fault])


def test_loops_that_are_ignored_are_named() -> None:
    class Free(Spoilt):
        quantities = frozenset({"constrained_forward_dynamics"})

        def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
            """The free motion."""
            free = self._right.evaluate(states, ("forward_dynamics",))["forward_dynamics"]
            return dict.fromkeys(quantities, free)

    (diagnosis,) = diagnose(robot(), Free({}), near_states(robot(), 8), ("constrained_forward_dynamics",))
    assert [cause.name for cause in diagnosis.causes] == ["loops/ignored"]


def test_an_unknown_fault_is_described_by_its_rows() -> None:
    def spoil(values: Floats) -> Floats:
        values[:, 7] *= 1.5
        return values

    (diagnosis,) = diagnose(robot(), Spoilt({J: spoil}), near_states(robot(), 8), CONSTRAINED)
    assert (diagnosis.causes, diagnosis.unexplained) == ((), (J,))
    assert "right: loop Jdot v, loop dynamics" in diagnosis.pattern
    assert "only rows sites y" in diagnosis.pattern


def test_right_answers_have_no_diagnosis() -> None:
    assert diagnose(robot(), Spoilt({}), near_states(robot(), 8), CONSTRAINED) == ()
