"""The text's own case, with its unit error shown, and its torque three ways."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.leg_jump.course import TORQUE_TOLERANCE, leg_robot, push_course, push_torque_by_tree, subsample
from leapcheck.jumping.leg_jump.peaks import peaks
from leapcheck.jumping.leg_jump.study import leg_jump_study
from leapcheck_reference.classical.leg_jump import (
    KGF_CM,
    ground_force,
    hip_on_rails,
    push_motion,
    push_plan,
    push_torque,
    push_torque_by_recursion,
)
from leapcheck_reference.classical.newton_euler import newton_euler_in_common_frame
from leapcheck_reference.classical.serial_chain import TipWrench
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from tests.harness.jumping.leg_jump.leg_cases import LEG, SHALLOW, TEXT, text_case

pytestmark = pytest.mark.quick

CENTRE_OF_MASS = 1e-7
"""m/s^2, second differences over 1e-4 s, of 11.8; measured 4.8e-8, where the leg is nearest to straight."""


def test_the_push_takes_a_quarter_of_a_second_and_a_thousand_degrees_per_second() -> None:
    run = leg_jump_study(TEXT)
    hip, knee = peaks(run)
    assert run.plan.duration == pytest.approx(0.2711, abs=5e-5)
    assert run.plan.stroke == pytest.approx(0.0735, abs=1e-12)
    assert knee.speed_degrees == pytest.approx(1055, abs=0.5)
    assert knee.seconds_per_60_degrees == pytest.approx(0.057, abs=5e-4)
    assert knee.formula_kgf_cm == pytest.approx(3.37, abs=5e-3)
    assert knee.torque_kgf_cm == pytest.approx(3.98, abs=5e-3)
    assert hip.torque_kgf_cm < 0.5
    assert run.course is not None
    assert run.course.rise == pytest.approx(0.0126, abs=5e-5)


def test_the_texts_own_units_make_it_thirty_times_too_slow() -> None:
    """Computed in kg, mm and N, as the author's program does, time is counted in sqrt(1e-3) s: 8.57 is not seconds."""
    printed = push_plan(height=15.0, acceleration=2.0, gravity=9.8)
    assert printed.duration == pytest.approx(8.57, abs=5e-3)
    assert printed.duration * math.sqrt(1e-3) == pytest.approx(TEXT.plan.duration, rel=1e-14)
    link = PlanarLink(0.05, 60.0, 30.0, 15.0)
    motion = push_motion(TwoLink(link, link, 9.8), np.array(TEXT.pose), printed, np.array([printed.duration]))
    assert np.degrees(motion.qd[0, 1]) == pytest.approx(33.4, abs=0.1)
    assert np.degrees(motion.qd[0, 1]) / math.sqrt(1e-3) == pytest.approx(peaks(leg_jump_study(TEXT))[1].speed_degrees, rel=1e-12)


def test_from_the_shallow_pose_the_stroke_alone_says_no() -> None:
    run = leg_jump_study(text_case(pose=SHALLOW))
    assert run.verdict is JumpVerdict.NO_GO
    assert run.course is None
    assert run.stroke_left == pytest.approx(0.0351, abs=5e-5)
    assert "needs 73.5 mm of stroke" in run.reason
    assert "straight after 35.1 mm" in run.reason
    assert run.highest_here.by_stroke
    assert run.highest_here.height == pytest.approx(2.0 * run.stroke_left / 9.8, rel=1e-5)


def test_the_three_ways_to_the_torque_agree() -> None:
    """Also with unequal links, whose coms lie off the middle."""
    unequal = TwoLink(PlanarLink(0.07, 0.065, 0.02, 3e-5), PlanarLink(0.04, 0.055, 0.035, 1.1e-5), gravity=9.81)
    for case in (TEXT, text_case(leg=unequal), text_case(acceleration=None), text_case(carried_mass=5.0, height=0.01)):
        course = push_course(case, case.plan)
        assert course.difference < TORQUE_TOLERANCE
        few = subsample(course.motion, 40)
        for way in (push_torque_by_recursion, push_torque_by_tree):
            torque = way(case.leg, few, case.carried_mass, case.plan)
            np.testing.assert_allclose(torque, course.torque[::40], rtol=0, atol=TORQUE_TOLERANCE)


def test_the_rails_carry_nothing_once_the_ground_pushes() -> None:
    course = push_course(TEXT, TEXT.plan)
    motion, chain, ground = course.motion, hip_on_rails(LEG, 0.5), course.ground
    k, a = 300, TEXT.plan.acceleration
    t = motion.times[k]
    tip = TipWrench(np.array([0.0, 0.0, -0.06]), -np.array([ground[k, 0], 0.0, ground[k, 1]]), np.zeros(3))
    state = (
        np.array([0.0, a * t * t / 2, *motion.q[k]]),
        np.array([0.0, a * t, *motion.qd[k]]),
        np.array([0.0, a, *motion.qdd[k]]),
    )
    tau = newton_euler_in_common_frame(chain, *state, np.array([0.0, 0.0, -9.8]), tip).tau
    np.testing.assert_allclose(tau[:2], 0.0, atol=1e-14)
    np.testing.assert_allclose(tau[2:], push_torque(LEG, motion, 0.5, TEXT.plan)[k], atol=1e-15)


def test_the_ground_force_is_what_moves_the_centre_of_mass() -> None:
    """By second differences of the com, from the angles alone."""
    plan, step = TEXT.plan, 1e-4
    times = np.linspace(0.02, 0.2, 19)
    coms = []
    for shift in (-step, 0.0, step):
        motion = push_motion(LEG, np.array(TEXT.pose), plan, times + shift)
        hip = np.stack([np.zeros_like(times), plan.acceleration * (times + shift) ** 2 / 2], axis=1)
        directions = [np.stack([np.sin(a), -np.cos(a)], axis=1) for a in (motion.q[:, 0], motion.q.sum(axis=1))]
        thigh, shank = hip + 0.03 * directions[0], hip + 0.06 * directions[0] + 0.03 * directions[1]
        coms.append((0.5 * hip + 0.05 * thigh + 0.05 * shank) / 0.6)
    acceleration = (coms[0] - 2 * coms[1] + coms[2]) / step**2
    at_times = push_motion(LEG, np.array(TEXT.pose), plan, times)
    force = ground_force(LEG, at_times, 0.5, plan)
    assert np.abs(acceleration + np.array([0.0, 9.8]) - force / 0.6).max() < CENTRE_OF_MASS


def test_the_robot_of_the_tree_dynamics_weighs_and_reaches_the_same() -> None:
    spec = leg_robot(LEG, 0.5)
    assert spec.total_mass == pytest.approx(0.6, rel=1e-15)
    assert [body.joint.name for body in spec.bodies] == ["base", "hip", "knee"]
    assert spec.contact_points[0].position == (0.0, 0.0, -0.06)


def test_torque_in_kgf_cm_is_force_at_a_centimetre() -> None:
    assert pytest.approx(9.80665 * 0.01, rel=1e-15) == KGF_CM
