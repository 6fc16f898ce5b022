"""The jump by constant acceleration: plan, joint motion and torque, against kinematics and against Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from leapcheck_reference.classical import planar_leg
from leapcheck_reference.classical.leg_jump import (
    KGF_CM,
    com_rise,
    full_extension_plan,
    push_motion,
    push_plan,
    push_torque,
    remaining_stroke,
    stroke_margin,
    torque_by_formula,
)
from leapcheck_reference.classical.serial_chain import SerialLink
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from leapcheck_reference.spatial import Transform
from tests.reference.classical.classical_engines import R, pinocchio_model

LEG = TwoLink(PlanarLink(0.07, 0.065, 0.03, 1.5e-5), PlanarLink(0.05, 0.06, 0.025, 1.1e-5), gravity=9.8)
CARRIED = 0.5
POSE = np.radians([75.0, -140.0])
PLAN = push_plan(0.015, 2.0, LEG.gravity)
TIMES = np.linspace(0.0, PLAN.duration, 40)

FINITE_DIFFERENCE = 3e-8
"""Relative, central differences over 1e-5 s; measured 7e-9."""

TORQUE = 1e-14
"""N m, of a peak of 0.4; measured 3e-16."""


def test_plan_reaches_the_height_with_its_stroke() -> None:
    assert PLAN.take_off_speed**2 / (2 * LEG.gravity) == pytest.approx(0.015, rel=1e-15)
    assert PLAN.acceleration * PLAN.duration == pytest.approx(PLAN.take_off_speed, rel=1e-15)
    assert PLAN.acceleration * PLAN.duration**2 / 2 == pytest.approx(PLAN.stroke, rel=1e-15)


def test_full_extension_uses_up_the_stroke() -> None:
    left = remaining_stroke(LEG, POSE)
    plan = full_extension_plan(0.015, left, LEG.gravity)
    assert plan.stroke == pytest.approx(left, rel=1e-15)
    assert plan.acceleration == pytest.approx(plan.take_off_speed**2 / (2 * left), rel=1e-15)
    assert abs(stroke_margin(LEG, POSE, plan)) < 1e-15
    # the body still moves when the knee is straight: joint speeds grow like one over the root of the time left
    near = push_motion(LEG, POSE, plan, plan.duration * (1 - np.array([1e-4, 1e-6])))
    assert near.qd[1, 1] / near.qd[0, 1] == pytest.approx(10.0, rel=0.02)


def test_stroke_left_is_where_the_leg_is_straight() -> None:
    x, z = planar_leg.foot_position(LEG, POSE)
    raised = np.array([x, z - remaining_stroke(LEG, POSE)])
    assert np.hypot(*raised) == pytest.approx(LEG.first.length + LEG.second.length, rel=1e-15)


def test_foot_stays_pinned_while_the_body_rises_by_the_plan() -> None:
    motion = push_motion(LEG, POSE, PLAN, TIMES)
    feet = np.array([planar_leg.foot_position(LEG, q) for q in motion.q])
    risen = np.column_stack([np.zeros_like(TIMES), PLAN.acceleration * TIMES**2 / 2])
    np.testing.assert_allclose(feet + risen, np.tile(feet[0], (len(TIMES), 1)), rtol=0, atol=1e-16)
    np.testing.assert_allclose(motion.q[0], POSE, rtol=0, atol=1e-15)


def test_joint_speeds_and_accelerations_are_the_rates_of_the_angles() -> None:
    step, times = 1e-5, TIMES[1:30]  # later on the leg is nearly straight, and differences lose digits
    before, at, after = (push_motion(LEG, POSE, PLAN, times + s) for s in (-step, 0.0, step))
    for rate, low, high in ((at.qd, before.q, after.q), (at.qdd, before.qd, after.qd)):
        error = np.abs((high - low) / (2 * step) - rate).max()
        assert error < FINITE_DIFFERENCE * np.abs(rate).max()


def foot_up_chain() -> tuple[SerialLink, ...]:
    """Shank, thigh and body as a chain from the pinned foot; joint 0 is the foot on the ground, 1 the knee, 2 the hip."""
    axis, up, none = np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.zeros(3)
    shank, thigh = LEG.second, LEG.first

    def link(height: float, mass: float, com: float, inertia: float) -> SerialLink:
        return SerialLink(R, axis, Transform(np.eye(3), height * up), mass, com * up, inertia * np.eye(3))

    body = SerialLink(R, axis, Transform(np.eye(3), thigh.length * up), CARRIED, none, 1e-6 * np.eye(3))
    return (
        link(0.0, shank.mass, shank.length - shank.com, shank.inertia),
        link(shank.length, thigh.mass, thigh.length - thigh.com, thigh.inertia),
        body,
    )


def test_push_torque_is_pinocchios_seen_from_the_foot() -> None:
    """The same push as a chain that stands on the foot: no torque at the ground, our torques at knee and hip.

    What holds the body upright is an outer moment as large as the hip's torque, which the body hands on.
    """
    motion = push_motion(LEG, POSE, PLAN, TIMES)
    ours = push_torque(LEG, motion, CARRIED, PLAN)
    model = pinocchio_model(foot_up_chain(), [0.0, 0.0, -LEG.gravity])
    data = model.createData()
    from_foot = np.array([[1.0, 1.0], [0.0, -1.0], [-1.0, 0.0]])
    for q, qd, qdd, (hip, knee) in zip(motion.q, motion.qd, motion.qdd, ours, strict=True):
        held = pin.Force(np.zeros(3), np.array([0.0, -hip, 0.0]))
        external = [pin.Force.Zero()] * 3 + [held]
        tau = pin.rnea(model, data, from_foot @ q, from_foot @ qd, from_foot @ qdd, external)
        np.testing.assert_allclose(tau, [0.0, -knee, -hip], rtol=0, atol=TORQUE)


def test_com_rise_is_the_momentum_at_take_off() -> None:
    """Of a massless leg the rise is the plan's; otherwise v_com = d(sum of m z)/d(hip height) v0, by differences."""
    motion = push_motion(LEG, POSE, PLAN, TIMES)
    massless = TwoLink(PlanarLink(0.0, 0.065, 0.03, 0.0), PlanarLink(0.0, 0.06, 0.025, 0.0), LEG.gravity)
    assert com_rise(massless, motion.q[-1], motion.qd[-1], CARRIED, PLAN) == pytest.approx(0.015, rel=1e-14)

    x, z = planar_leg.foot_position(LEG, motion.q[-1])

    def com_height(hip: float) -> float:
        q = planar_leg.joint_angles(LEG, np.array([x, -hip]))
        thigh = hip - LEG.first.com * np.cos(q[0])
        shank = hip - LEG.first.length * np.cos(q[0]) - LEG.second.com * np.cos(q[0] + q[1])
        total_mass = CARRIED + LEG.first.mass + LEG.second.mass
        return float(CARRIED * hip + LEG.first.mass * thigh + LEG.second.mass * shank) / total_mass

    step = 1e-6
    speed = (com_height(-z + step) - com_height(-z - step)) / (2 * step) * PLAN.take_off_speed
    rise = com_rise(LEG, motion.q[-1], motion.qd[-1], CARRIED, PLAN)
    assert rise == pytest.approx(speed**2 / (2 * LEG.gravity), rel=1e-7)
    assert rise < 0.013


def test_formula_is_exact_for_a_massless_leg() -> None:
    """Then only J^T F is left, and nothing of the leg can be left out."""
    massless = TwoLink(PlanarLink(0.0, 0.065, 0.03, 0.0), PlanarLink(0.0, 0.06, 0.025, 0.0), LEG.gravity)
    motion = push_motion(massless, POSE, PLAN, TIMES)
    formula, exact = (f(massless, motion, CARRIED, PLAN) for f in (torque_by_formula, push_torque))
    np.testing.assert_allclose(formula, exact, rtol=0, atol=TORQUE)
    assert formula.max() / KGF_CM > 2.0


def test_errors_say_what_to_change() -> None:
    with pytest.raises(ValueError, match="short of the stroke"):
        push_motion(LEG, np.radians([45.0, -90.0]), PLAN, TIMES)
    with pytest.raises(ValueError, match="q2 <= 0"):
        push_motion(LEG, -POSE, PLAN, TIMES)
    for outside in (-1e-3, PLAN.duration + 1e-3):
        with pytest.raises(ValueError, match="the push lasts from 0"):
            push_motion(LEG, POSE, PLAN, np.array([outside]))
    to_the_end = full_extension_plan(0.015, remaining_stroke(LEG, POSE), LEG.gravity)
    with pytest.raises(ValueError, match="joint speeds have no bound"):
        push_motion(LEG, POSE, to_the_end, np.array([to_the_end.duration]))
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="height is"):
            push_plan(bad, 2.0)
        with pytest.raises(ValueError, match="acceleration is"):
            push_plan(0.1, bad)
        with pytest.raises(ValueError, match="stroke is"):
            full_extension_plan(0.1, bad)
