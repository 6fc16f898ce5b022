"""What the source texts print wrongly: each printed form is shown to fail where ours holds (facts: S0, S1 and S3).

The judge is never our own formula alone: volume integrals, derivatives by complex step, or Pinocchio.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from leapcheck_models.spec import JointType
from leapcheck_reference.classical import two_link
from leapcheck_reference.classical.leg_jump import (
    KGF_CM,
    LegMotion,
    PushPlan,
    com_rise,
    push_motion,
    push_plan,
    push_torque,
    remaining_stroke,
    stroke_margin,
    torque_by_formula,
)
from leapcheck_reference.classical.moving_frames import FrameMotion, PointMotion, acceleration, position, velocity
from leapcheck_reference.classical.newton_euler import newton_euler_in_common_frame
from leapcheck_reference.classical.serial_chain import SerialLink, pose_in_parent
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from leapcheck_reference.rotation import axis_rotation, cross, skew
from leapcheck_reference.spatial import Transform
from leapcheck_reference.spatial_inertia import spatial_inertia
from leapcheck_reference.volume_integrals import (
    box_body,
    integrated_inertia,
    integrated_kinetic_energy,
    integrated_spatial_inertia,
    point_velocity_map,
    uniform,
)

RIGHT = 1e-13
"""Relative error of our forms; measured 1.1e-15."""

WRONG = 1e-2
"""Relative error that each printed form exceeds; the smallest seen is 0.022."""


def error(actual: Any, expected: Any) -> float:
    """Largest difference, relative to the largest entry expected."""
    return float(np.abs(np.asarray(actual) - expected).max() / np.abs(expected).max())


# --- S0: spatial inertia -------------------------------------------------------------------------------------------------

BOX, POINT = box_body((0.3, 0.2, 0.1)), np.array([0.4, -0.3, 0.2])
V = np.array([0.3, -1.1, 0.7, 0.2, 0.5, -0.4])
ENERGY = integrated_kinetic_energy(uniform(800.0), BOX, POINT, V)


def printed_inertia(off_diagonal: Callable[[Any], Any]) -> Any:
    """[[J, B], [-B, m 1]] with some reading B of the printed 'm p'."""
    body = integrated_inertia(uniform(800.0), BOX)
    p = body.com - POINT
    B = body.mass * off_diagonal(p)
    J = spatial_inertia(body.mass, p, body.rotational)[:3, :3]
    return np.block([[J, B], [-B, body.mass * np.eye(3)]])


def test_s0_off_diagonal_blocks_are_m_p_tilde_not_m_p() -> None:
    """As a vector m p does not even fit; spread over the block in any way it misses the energy of the moving points."""
    with pytest.raises(ValueError, match="array dimensions"):
        printed_inertia(lambda p: p)
    for reading in (np.diag, lambda p: np.tile(p, (3, 1)), lambda p: np.tile(p[:, None], (1, 3))):
        M = printed_inertia(reading)
        assert error(0.5 * V @ M @ V, ENERGY) > WRONG
    assert error(0.5 * V @ printed_inertia(skew) @ V, ENERGY) < RIGHT


def test_s0_integral_needs_the_transpose() -> None:
    """R rho R is a (3, 6) by a (3, 6); R^T rho R is the spatial inertia."""
    R = point_velocity_map(np.array([0.1, 0.0, 0.05]), POINT)
    with pytest.raises(ValueError, match="matmul"):
        R @ R
    assert error(0.5 * V @ integrated_spatial_inertia(uniform(800.0), BOX, POINT) @ V, ENERGY) < RIGHT


def test_s0_velocity_map_stays_inside_the_integral() -> None:
    """R depends on x: taken out, at whichever x, even the com, it leaves a matrix of rank 3 that lacks the body's extent."""
    mass = integrated_inertia(uniform(800.0), BOX).mass
    for x in (np.zeros(3), np.array([0.15, 0.1, 0.05]), POINT):
        R = point_velocity_map(x, POINT)
        taken_out = mass * R.T @ R
        assert np.linalg.matrix_rank(taken_out) == 3
        assert error(0.5 * V @ taken_out @ V, ENERGY) > WRONG


# --- S1: can the robot jump? ---------------------------------------------------------------------------------------------

AUTHORS_LINK = PlanarLink(mass=0.05, length=0.06, com=0.03, inertia=0.05 * 0.06**2 / 12)
AUTHORS_LEG = TwoLink(AUTHORS_LINK, AUTHORS_LINK, gravity=9.8)
CARRIED, HEIGHT, ACCELERATION = 0.5, 0.015, 2.0
FIRST_POSE = np.radians([75.0, -150.0])  # the roll joint's 0 left out


def authors_push(leg: TwoLink, height: float) -> tuple[PushPlan, LegMotion]:
    plan = push_plan(height, ACCELERATION, leg.gravity)
    return plan, push_motion(leg, FIRST_POSE, plan, np.linspace(0.0, plan.duration, 501))


def test_s1a_second_rotational_energy_has_i2() -> None:
    """E_k = ... + 1/2 I1 q1'^2 + 1/2 I2 (q1' + q2')^2, printed with I1 twice; the author's equal links hide it."""
    a, b = PlanarLink(1.3, 0.4, 0.17, 0.02), PlanarLink(0.7, 0.3, 0.11, 0.005)
    q = np.array([0.4, -0.9])
    truth = pinocchio_mass_matrix(a, b, q)
    assert error(two_link.mass_matrix(TwoLink(a, b), q), truth) < RIGHT
    assert error(two_link.mass_matrix(TwoLink(a, dataclasses.replace(b, inertia=a.inertia)), q), truth) > WRONG


def test_s1b_time_in_kg_mm_newton_is_not_in_seconds() -> None:
    """The program's 8.57 'seconds' are 0.2711 s and its 33 deg/s are 1055 deg/s: its time unit is sqrt(1e-3) s."""
    millimetres = PlanarLink(mass=0.05, length=60.0, com=30.0, inertia=0.05 * 60.0**2 / 12)
    printed_plan, printed = authors_push(TwoLink(millimetres, millimetres, gravity=9.8), height=15.0)
    plan, motion = authors_push(AUTHORS_LEG, HEIGHT)
    unit = np.sqrt(1e-3)
    printed_peak, peak = (np.degrees(m.qd[:, 1].max()) for m in (printed, motion))
    assert f"{printed_plan.duration:.2f} {plan.duration:.4f}" == "8.57 0.2711"
    assert f"{printed_peak:.0f} {peak:.0f}" == "33 1055"
    assert f"{60.0 / peak:.3f}" == "0.057"  # s per 60 deg, as servos are rated
    assert printed_plan.duration * unit == pytest.approx(plan.duration, rel=1e-14)
    assert printed_peak / unit == pytest.approx(peak, rel=1e-12)
    # only time is off: the torque in N mm is right
    printed_torque = torque_by_formula(TwoLink(millimetres, millimetres, gravity=9.8), printed, CARRIED, printed_plan)
    assert error(printed_torque * 1e-3, torque_by_formula(AUTHORS_LEG, motion, CARRIED, plan)) < 100 * RIGHT


def test_s1c_the_leg_has_mass_too() -> None:
    """Peak knee torque 3.37 kgf cm by the formula, 3.98 exactly; the whole robot's com rises 12.6 mm, not 15."""
    plan, motion = authors_push(AUTHORS_LEG, HEIGHT)
    formula, exact = (f(AUTHORS_LEG, motion, CARRIED, plan)[:, 1] / KGF_CM for f in (torque_by_formula, push_torque))
    assert f"{np.abs(formula).max():.2f} {np.abs(exact).max():.2f}" == "3.37 3.98"
    rise = com_rise(AUTHORS_LEG, motion.q[-1], motion.qd[-1], CARRIED, plan)
    assert f"{1000 * rise:.1f}" == "12.6"


def test_s1d_the_other_first_pose_has_too_little_stroke() -> None:
    plan, pose = push_plan(HEIGHT, ACCELERATION), np.radians([45.0, -90.0])
    assert f"{1000 * remaining_stroke(AUTHORS_LEG, pose):.1f} of {1000 * plan.stroke:.1f}" == "35.1 of 73.5"
    assert stroke_margin(AUTHORS_LEG, pose, plan) < 0.0 < stroke_margin(AUTHORS_LEG, FIRST_POSE, plan)


# --- S3: dynamics lesson -------------------------------------------------------------------------------------------------

ARM = TwoLink(PlanarLink(1.3, 0.4, 0.17, 0.021), PlanarLink(0.7, 0.3, 0.11, 0.008))


def pinocchio_mass_matrix(a: PlanarLink, b: PlanarLink, q: Any) -> Any:
    """M of the planar arm in Pinocchio, about z, links along x."""
    model, X = pin.Model(), pin.SE3.Identity()
    for i, link in enumerate((a, b)):
        joint = model.addJoint(i, pin.JointModelRZ(), X, f"joint{i}")
        com = np.array([link.com, 0.0, 0.0])
        model.appendBodyToJoint(joint, pin.Inertia(link.mass, com, link.inertia * np.eye(3)), pin.SE3.Identity())
        X = pin.SE3(np.eye(3), np.array([link.length, 0.0, 0.0]))
    return pin.crba(model, model.createData(), q)


def test_s3_printed_m11_has_a_surplus() -> None:
    """The print adds 2 m2 l1 lg2 without its cosine to an M11 that holds the cosine term already."""
    q = np.array([0.3, 0.8])
    truth, ours = pinocchio_mass_matrix(ARM.first, ARM.second, q), two_link.mass_matrix(ARM, q)
    surplus = 2 * ARM.second.mass * ARM.first.length * ARM.second.com
    assert error(ours, truth) < RIGHT
    assert error(ours[0, 0] + surplus, truth[0, 0]) > WRONG


def test_s3_l12_and_l92_are_the_distance_of_the_second_com() -> None:
    """Read as a length of a link (l1 or l2), as the misprints suggest, M is wrong; read as lg2 it is right."""
    q = np.array([0.3, 0.8])
    truth = pinocchio_mass_matrix(ARM.first, ARM.second, q)
    assert error(two_link.mass_matrix(ARM, q), truth) < RIGHT
    for misread in (ARM.first.length, ARM.second.length):
        links = dataclasses.replace(ARM, second=dataclasses.replace(ARM.second, com=misread))
        assert error(two_link.mass_matrix(links, q), truth) > WRONG


def moving_frame(t: Any) -> FrameMotion:
    """A frame that turns faster and faster about a tilted axis while its origin flies along a cubic."""
    axis, a, b, c = np.array([0.48, 0.6, 0.64]), np.array([0.3, 1.0, -0.5]), np.array([0.7, -0.2, 0.9]), np.array([0.4, 0.5, 0.6])
    turn = 0.7 * t + 0.9 * t * t
    return FrameMotion(
        axis_rotation(axis, turn), t * a + t * t * b + t**3 * c, a + 2 * t * b + 3 * t * t * c, 2 * b + 6 * t * c,
        axis * (0.7 + 1.8 * t), axis * 1.8 + 0 * t,
    )  # fmt: skip


def sliding_point(t: Any) -> PointMotion:
    """A point that a prismatic joint drives along its axis in the moving frame, from an offset."""
    axis = np.array([0.0, 0.6, 0.8])
    return PointMotion(np.array([0.2, 0.0, 0.1]) + axis * (0.3 + t * t), axis * 2 * t, axis * 2.0 + 0 * t)


def true_acceleration(t: float) -> Any:
    """d/dt of d/dt of the position, both by complex step (the second on our velocity, itself checked here)."""
    h = 1e-30
    by_position = position(moving_frame(t + 1j * h), sliding_point(t + 1j * h)).imag / h
    assert error(velocity(moving_frame(t), sliding_point(t)), by_position) < RIGHT
    return velocity(moving_frame(t + 1j * h), sliding_point(t + 1j * h)).imag / h


def test_s3_origin_enters_the_acceleration_by_its_own_acceleration() -> None:
    """One V_BORG of the derivation is wrong. The origin's term is V'_BORG alone: each other V_BORG term one may print fails."""
    t = 0.6
    frame, point, truth = moving_frame(t), sliding_point(t), true_acceleration(0.6)
    assert error(acceleration(frame, point), truth) < RIGHT
    rest = acceleration(frame, point) - frame.vdot
    for origin in (frame.v, frame.R @ frame.v, frame.R @ frame.vdot, frame.vdot + cross(frame.w, frame.v), 0 * frame.v):
        assert error(rest + origin, truth) > WRONG


def test_s3_prismatic_joint_has_all_five_terms_and_twice_the_coriolis_one() -> None:
    """V'_BORG + R V' + 2 Omega x R V + Omega' x R Q + Omega x (Omega x R Q); none may miss, nor one of the two Coriolis."""
    t = 0.6
    frame, point, truth = moving_frame(t), sliding_point(t), true_acceleration(0.6)
    r, relative = frame.R @ point.p, frame.R @ point.v
    coriolis = cross(frame.w, relative)
    terms = (frame.vdot, frame.R @ point.vdot, coriolis, coriolis, cross(frame.wdot, r), cross(frame.w, cross(frame.w, r)))
    assert error(sum(terms), truth) < RIGHT
    assert error(acceleration(frame, point), truth) < RIGHT
    for left_out in range(len(terms)):
        assert error(sum(term for i, term in enumerate(terms) if i != left_out), truth) > WRONG
    swapped = sum(terms) - terms[4] + cross(frame.wdot, relative)  # V for Q in the Euler term
    assert error(swapped, truth) > WRONG


def test_s3_com_acceleration_takes_the_vector_from_joint_i_to_com_i() -> None:
    """a_Ci = a_i + w_i' x s_i + w_i x (w_i x s_i); printed with r_(i-1), a vector of the link before. Judge: Pinocchio."""
    rng = np.random.default_rng(4)
    axes = [np.array([0.0, 0.6, 0.8]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])]
    links = [
        SerialLink(
            JointType.REVOLUTE, axis, Transform(np.eye(3), rng.uniform(-0.4, 0.4, 3)), 1.0, rng.uniform(-0.3, 0.3, 3), np.eye(3)
        )
        for axis in axes
    ]
    q, qd, qdd = rng.normal(size=(3, 3))
    ours = newton_euler_in_common_frame(links, q, qd, qdd, np.zeros(3))

    model = pin.Model()
    for i, link in enumerate(links):
        model.addJoint(i, pin.JointModelRevoluteUnaligned(link.axis), pin.SE3(np.eye(3), link.placement.p), f"joint{i}")
        model.addFrame(pin.Frame(f"com{i}", i + 1, 0, pin.SE3(np.eye(3), link.com), pin.FrameType.OP_FRAME))
    data = model.createData()
    pin.forwardKinematics(model, data, q, qd, qdd)
    pin.updateFramePlacements(model, data)
    truth = np.array(
        [
            pin.getFrameClassicalAcceleration(model, data, model.getFrameId(f"com{i}"), pin.LOCAL_WORLD_ALIGNED).linear
            for i in range(3)
        ]
    )
    assert error(ours.vdot_C, truth) < RIGHT

    R_0, r_before = np.eye(3), np.zeros(3)
    for i, (link, q_i) in enumerate(zip(links, q, strict=True)):
        X = pose_in_parent(link, q_i)
        r_i, R_0 = R_0 @ X.p, R_0 @ X.R
        if i > 0:
            for vector in (r_before, r_i):  # from joint i-2 to i-1, or from joint i-1 to i: both are called r_(i-1)
                w, wdot = ours.w[i], ours.wdot[i]
                printed = ours.vdot[i] + cross(wdot, vector) + cross(w, cross(w, vector))
                assert error(printed, truth[i]) > WRONG
        r_before = r_i
