"""Defects of the catalogue that are hard to name, each for a reason of its own, are named."""

from __future__ import annotations

import pytest

from leapcheck_evidence.score.planting.kinds import WHOLE
from leapcheck_evidence.score.run import outcome_of

LIGHT = {
    143: "lumped rotors on the world still have their potential energy",
    169: "a robot in inches rounds more than the right one",
    322: "MuJoCo's own quantities have the rotors as bodies, whose placements are right",
    369: "beside a tilted axis a tiny fault is seen only once the tilt is fitted",
}
HEAVY = {
    167: "a robot in millimetres rounds more than the right one",
    368: "several pairs of numbers are the same robot",
    391: "rounding hides a tiny inertia at most states: there is no condition",
    427: "a link on another parent, told by where the points are, beside a wrong com",
    428: "one link's ten numbers and a com, not five numbers of several links",
}


def check(number: int) -> None:
    outcome = outcome_of(0, number, WHOLE)
    assert outcome.named, (outcome.label, outcome.said, outcome.unexplained, outcome.failure)


@pytest.mark.parametrize("number", LIGHT)
def test_a_hard_defect_is_named(number: int) -> None:
    check(number)


@pytest.mark.slow
@pytest.mark.parametrize("number", HEAVY)
def test_a_hard_and_costly_defect_is_named(number: int) -> None:
    check(number)
