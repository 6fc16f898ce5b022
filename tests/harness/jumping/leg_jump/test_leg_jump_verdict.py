"""GO, MARGINAL and NO-GO, each with a reason and with remedies that work."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from leapcheck.jumping.judging.thresholds import JumpVerdict, Thresholds
from leapcheck.jumping.leg_jump.case import Servo
from leapcheck.jumping.leg_jump.study import LegJumpStudy, leg_jump_study
from tests.harness.jumping.leg_jump.leg_cases import SHALLOW, SLOW, STRONG, TIGHT, WEAK, text_case

ROUNDED = 0.02
"""A remedy's figures have two to four digits; what follows it may miss by so much."""


def numbers(text: str, pattern: str) -> float:
    """The number that a remedy names."""
    found = re.search(pattern, text)
    assert found, text
    return float(found[1])


def remedy(run: LegJumpStudy, words: str) -> str:
    """The remedy that holds these words."""
    (found,) = [line for line in run.remedies if words in line]
    return found


@pytest.mark.parametrize(
    ("servo", "verdict", "status", "said"),
    [
        (STRONG, JumpVerdict.GO, 0, "stroke, torque and speed suffice: the knee uses 58 % of the servo's torque-speed line"),
        (TIGHT, JumpVerdict.MARGINAL, 0, "little margin is left: the knee uses 97 % of the servo's torque-speed line"),
        (SLOW, JumpVerdict.NO_GO, 1, "it follows until 0.260 s of 0.271 s, worth 13.8 mm"),
        (
            WEAK,
            JumpVerdict.NO_GO,
            1,
            "uses 115 % of the servo's torque-speed line",
        ),
        (Servo(), JumpVerdict.MARGINAL, 0, "torque and speed rating is not given, and was not judged"),
        (
            Servo(torque=WEAK.torque),
            JumpVerdict.NO_GO,
            1,
            "114 % of the servo's torque (0.390 N m (3.98 kgf cm), 0.000 s); it fails at the very start",
        ),
        (Servo(torque=STRONG.torque), JumpVerdict.MARGINAL, 0, "the servo's speed rating is not given"),
        (Servo(speed=math.radians(900)), JumpVerdict.NO_GO, 1, "the knee uses 117 % of the servo's speed"),
    ],
)
def test_each_verdict_says_why(servo: Servo, verdict: JumpVerdict, status: int, said: str) -> None:
    run = leg_jump_study(text_case(servo=servo))
    assert (run.verdict, run.exit_status) == (verdict, status)
    assert said in run.reason
    assert bool(run.remedies) == (verdict is not JumpVerdict.GO)


def test_a_lower_jump_works() -> None:
    run = leg_jump_study(text_case(servo=SLOW))
    height = numbers(remedy(run, "at this acceleration"), r"no higher than ([\d.]+) mm") * 1e-3
    assert leg_jump_study(text_case(servo=SLOW, height=height * (1 - ROUNDED))).verdict is JumpVerdict.MARGINAL


def test_another_push_works() -> None:
    run = leg_jump_study(text_case(servo=SLOW))
    line = remedy(run, "push at")
    acceleration, height = numbers(line, r"push at ([\d.]+)"), numbers(line, r"is ([\d.]+) mm") * 1e-3
    assert height > run.highest_here.height
    assert (
        leg_jump_study(text_case(servo=SLOW, acceleration=acceleration, height=height * (1 - ROUNDED))).verdict
        is JumpVerdict.MARGINAL
    )


def test_the_stronger_servo_works() -> None:
    line = remedy(leg_jump_study(text_case(servo=SLOW)), "take a servo")
    servo = Servo(numbers(line, r"of ([\d.]+) N m"), math.radians(numbers(line, r"and ([\d.]+) deg/s")))
    use = leg_jump_study(text_case(servo=servo)).course
    assert use is not None
    assert use.use.max() == pytest.approx(0.8, abs=1e-3)


def test_the_servo_proposed_where_none_is_given_works() -> None:
    (line,) = leg_jump_study(text_case()).remedies
    servo = Servo(numbers(line, r"about ([\d.]+) N m"), math.radians(numbers(line, r"and ([\d.]+) deg/s")))
    course = leg_jump_study(text_case(servo=servo)).course
    assert course is not None
    assert course.use.max() == pytest.approx(0.8, abs=2e-3)


def test_the_missing_stroke_is_found_by_crouching_or_by_pushing_harder() -> None:
    run = leg_jump_study(text_case(pose=SHALLOW))
    crouch, harder, lower = run.remedies
    assert numbers(crouch, r"([\d.]+) mm of stroke") == pytest.approx((run.plan.stroke - run.stroke_left) * 1e3, abs=0.1)
    least = numbers(harder, r"than ([\d.]+) m/s")
    assert leg_jump_study(text_case(pose=SHALLOW, acceleration=least * 1.01)).course is not None
    assert leg_jump_study(text_case(pose=SHALLOW, acceleration=least * 0.99)).course is None
    height = numbers(lower, r"than ([\d.]+) mm") * 1e-3
    assert leg_jump_study(text_case(pose=SHALLOW, height=height * 0.99)).course is not None


def test_full_extension_is_told_as_it_is() -> None:
    """Its joint speeds grow without bound: however fast the servo, the end of the push is beyond it."""
    run = leg_jump_study(text_case(acceleration=None, servo=Servo(2.0, math.radians(6000.0))))
    assert run.plan.stroke == pytest.approx(run.stroke_left, rel=1e-15)
    assert run.plan.acceleration == pytest.approx(run.plan.take_off_speed**2 / (2 * run.stroke_left), rel=1e-15)
    assert run.verdict is JumpVerdict.MARGINAL
    assert "follows up to 99 % of the push" in run.reason
    assert "14.7 mm of the 15.0 mm" in run.reason
    assert "grow without bound" in run.reason
    speeds = []
    for until in (0.99, 0.9999, 0.999999):
        course = leg_jump_study(text_case(acceleration=None, until=until)).course
        assert course is not None
        speeds.append(abs(course.motion.qd[-1, 1]))
    assert speeds[1] / speeds[0] == pytest.approx(10.0, rel=0.05)  # like one over the root of the time left
    assert speeds[2] / speeds[1] == pytest.approx(10.0, rel=0.01)


def test_a_servo_that_loses_the_full_extension_says_where() -> None:
    run = leg_jump_study(text_case(acceleration=None, servo=STRONG))
    assert run.verdict is JumpVerdict.NO_GO
    assert "it follows until" in run.reason
    assert 0.9 * 0.015 < run.highest_here.height < 0.99**2 * 0.015


def test_an_acceleration_that_just_uses_the_stroke_is_a_full_extension() -> None:
    full = leg_jump_study(text_case(acceleration=None, servo=STRONG))
    same = leg_jump_study(text_case(acceleration=full.plan.acceleration, servo=STRONG))
    assert same.verdict is full.verdict
    assert same.reason == full.reason


def test_the_thresholds_are_the_users() -> None:
    strict = Thresholds(utilisation_marginal=0.5)
    assert leg_jump_study(text_case(servo=STRONG, thresholds=strict)).verdict is JumpVerdict.MARGINAL
    generous = Thresholds(utilisation_marginal=0.98)
    assert leg_jump_study(text_case(servo=TIGHT, thresholds=generous)).verdict is JumpVerdict.GO
    hard = Thresholds(utilisation_marginal=0.8, utilisation_no_go=0.9)
    assert leg_jump_study(text_case(servo=TIGHT, thresholds=hard)).verdict is JumpVerdict.NO_GO


def test_a_heavier_leg_takes_more_of_the_servo() -> None:
    """Leg mass counts: beyond the formula, and in how far the whole robot rises."""
    light, heavy = (leg_jump_study(text_case(leg=scaled(factor), servo=STRONG)).course for factor in (1e-3, 3.0))
    assert light is not None
    assert heavy is not None
    assert abs(light.torque - light.formula).max() < 1e-4
    assert abs(heavy.torque - heavy.formula).max() > 0.1
    assert light.rise == pytest.approx(0.015, rel=1e-3)
    assert heavy.rise < 0.011


def scaled(factor: float):
    """The text's leg with links so many times as heavy."""
    leg = text_case().leg
    return replace(
        leg,
        first=replace(leg.first, mass=leg.first.mass * factor, inertia=leg.first.inertia * factor),
        second=replace(leg.second, mass=leg.second.mass * factor, inertia=leg.second.inertia * factor),
    )


def test_a_foot_that_would_have_to_be_pulled_down_is_a_no_go() -> None:
    """A leg that gets straight at a slant swings its links up, and more than the body's weight with them."""
    slanting = (math.radians(62.0), math.radians(-29.0))
    run = leg_jump_study(text_case(acceleration=None, height=0.3, carried_mass=0.1, pose=slanting, servo=Servo(1e6, 1e6)))
    assert run.verdict is JumpVerdict.NO_GO
    assert "the foot leaves the ground in the push" in run.reason
    assert run.course is not None
    assert run.course.ground[:, 1].min() < 0.0
    assert run.course.friction == math.inf
