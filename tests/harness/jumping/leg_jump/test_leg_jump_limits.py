"""The highest jump within a servo's rating, and the use it is judged by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck.jumping.leg_jump.case import LIMITS, Servo, available_torque, servo_use, servo_uses
from leapcheck.jumping.leg_jump.course import push_course
from leapcheck.jumping.leg_jump.limits import HighestLegJump, highest, highest_at
from leapcheck_models.robots import load
from leapcheck_models.spec import Actuator
from leapcheck_reference.simulate.actuator import drives, utilisations
from tests.harness.jumping.leg_jump.leg_cases import SLOW, STRONG, TEXT, TIGHT, text_case

EDGE = 1e-9
"""Relative step in height around the highest one that changes the verdict of the course; the search ends at 1e-12."""


def peak_use(height: float, acceleration: float, servo: Servo) -> float:
    """The largest use of a whole course."""
    case = text_case(height=height, acceleration=acceleration, servo=servo)
    return float(push_course(case, case.plan).use.max())


@pytest.mark.parametrize("servo", [SLOW, TIGHT, STRONG])
def test_the_highest_jump_just_uses_the_whole_rating(servo: Servo) -> None:
    found = highest_at(text_case(servo=servo), 2.0, 1.0)
    assert not found.by_stroke
    assert peak_use(found.height * (1 - EDGE), 2.0, servo) <= 1.0 < peak_use(found.height * (1 + EDGE), 2.0, servo)


def test_no_other_acceleration_takes_the_leg_higher() -> None:
    best = highest(text_case(servo=SLOW), 1.0)
    others = [highest_at(text_case(servo=SLOW), float(a), 1.0).height for a in np.geomspace(0.3, 40.0, 60)]
    assert best.height >= max(others)
    assert best.height == pytest.approx(max(others), rel=0.01)
    assert peak_use(best.height * (1 - EDGE), best.acceleration, SLOW) <= 1.0


def test_without_ratings_the_stroke_ends_it() -> None:
    found = highest_at(TEXT, 2.0, 1.0)
    assert found.by_stroke
    assert found.height == pytest.approx(2.0 * TEXT.stroke_left / 9.8, rel=1e-5)


def test_a_servo_too_weak_to_stand_jumps_nowhere() -> None:
    feeble = text_case(servo=replace(STRONG, torque=0.1))
    assert highest_at(feeble, 2.0, 1.0) == HighestLegJump(0.0, 2.0, False)
    assert highest(feeble, 1.0).height == 0.0


def test_a_level_below_one_asks_for_less() -> None:
    case = text_case(servo=SLOW)
    assert 0.0 < highest_at(case, 2.0, 0.8).height < highest_at(case, 2.0, 1.0).height


def test_use_is_that_of_a_drive_with_the_servos_line() -> None:
    """The law of `simulate.actuator` for a servo, and the speed rating besides."""
    cheetah = load("mini_cheetah")
    law = drives(replace(cheetah, actuators=(Actuator("s", cheetah.actuators[0].joint, 2.0, 10.0),)))
    rng = np.random.default_rng(1)
    torque, speed = rng.uniform(-3.0, 3.0, (500, 1)), rng.uniform(-15.0, 15.0, (500, 1))
    uses = servo_uses(Servo(2.0, 10.0), torque, speed)
    u_tau, u_V = utilisations(law, torque, speed)
    np.testing.assert_allclose(uses[LIMITS.index("torque")], u_tau, rtol=1e-14)
    np.testing.assert_allclose(uses[LIMITS.index("torque-speed line")], u_V, rtol=0, atol=1e-15 * 4)
    np.testing.assert_array_equal(servo_use(Servo(2.0, 10.0), torque, speed), np.maximum(np.maximum(u_tau, uses[1]), uses[2]))


def test_a_point_on_the_line_uses_all_of_it() -> None:
    speeds = np.linspace(0.0, 10.0, 11)
    servo = Servo(2.0, 10.0)
    left = available_torque(servo, speeds)
    np.testing.assert_allclose(servo_use(servo, left, speeds), 1.0, rtol=1e-15)
    assert left[0] == 2.0
    assert left[-1] == 0.0
    with pytest.raises(ValueError, match="give its torque and its speed rating"):
        available_torque(Servo(2.0), speeds)


def test_a_rating_that_is_not_known_is_not_judged() -> None:
    assert servo_use(Servo(), np.array([9.0]), np.array([9.0])) == 0.0
    assert servo_use(Servo(torque=3.0), np.array([9.0]), np.array([9.0])) == 3.0
    assert servo_use(Servo(speed=3.0), np.array([9.0]), np.array([-9.0])) == 3.0
