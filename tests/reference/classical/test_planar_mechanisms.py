"""Two-link arm and leg in closed form: every form of the equations, both conventions, both engines, and simulation."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from flint import arb

from leapcheck_reference.classical import lagrange, planar_arm, planar_leg, two_link
from leapcheck_reference.classical.newton_euler import newton_euler_in_common_frame, newton_euler_in_link_frames
from leapcheck_reference.classical.serial_chain import TipWrench
from leapcheck_reference.classical.simulation import simulated_motion
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from leapcheck_reference.scalar import array_of
from tests.reference.classical.classical_engines import mujoco_model, pinocchio_model, planar_chain, random_state

ROUNDING = 1e-14
"""Relative to the largest entry, or 1; measured 2.2e-15 over 500 states, both engines included."""

FORWARD = 2e-13
"""The same for M^-1, whose entries reach 30; measured 5e-14."""

PLAYBACK = 2e-11
"""rad and rad/s after 1 s; measured 6e-12: the open loop amplifies rounding, about tenfold every 0.4 s."""

ENERGY_DRIFT = 1e-11
"""Relative to the largest kinetic energy over 5 s of free swinging; measured 4e-12."""

LINKS = TwoLink(PlanarLink(1.3, 0.4, 0.17, 0.021), PlanarLink(0.7, 0.3, 0.11, 0.008), gravity=9.81)
INVERSE_KINEMATICS = 1e-13
"""The same; measured 1.3e-14 at 0.05 rad from the straight leg, where J's condition number is about 50."""

SEEDS = range(20)


def state(seed: int) -> tuple[Any, Any, Any]:
    return random_state(np.random.default_rng(seed), 2)


def assert_close(actual: Any, expected: Any, tolerance: float = ROUNDING) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


def mass_matrix(q: Any) -> Any:
    return two_link.mass_matrix(LINKS, q)


def test_kinetic_energy_is_that_of_the_moving_links() -> None:
    """E_k of the text: 1/2 m1 vg1^2 + 1/2 m2 vg2^2 + 1/2 I1 q1'^2 + 1/2 I2 (q1' + q2')^2, velocities by complex step."""
    a, b = LINKS.first, LINKS.second
    step = 1e-30
    for seed in SEEDS:
        q, qd, _ = state(seed)
        moved = q + 1j * step * qd
        v1 = a.com * np.array([np.cos(moved[0]), np.sin(moved[0])]).imag / step
        to_second = TwoLink(a, PlanarLink(0.0, b.com, 0.0, 0.0))
        v2 = planar_arm.tip_position(to_second, moved).imag / step
        energy = 0.5 * (a.mass * v1 @ v1 + b.mass * v2 @ v2 + a.inertia * qd[0] ** 2 + b.inertia * (qd[0] + qd[1]) ** 2)
        assert_close(two_link.kinetic_energy(LINKS, q, qd), energy)


def test_all_forms_of_the_velocity_force_agree() -> None:
    straight = (np.array([0.3, 0.0]), np.array([1.0, 2.0]), None)
    for q, qd, _ in [straight, *map(state, SEEDS)]:
        V = two_link.velocity_force(LINKS, q, qd)
        dM = lagrange.mass_matrix_derivatives(mass_matrix, q)
        assert_close(two_link.mass_matrix_derivatives(LINKS, q), dM)
        assert_close(lagrange.velocity_force(dM, qd), V)
        assert_close(lagrange.coriolis_matrix(dM, qd) @ qd, V)
        assert_close(lagrange.coriolis_matrix(dM, qd), two_link.coriolis_matrix(LINKS, q, qd))
        assert_close(two_link.coriolis_matrix(LINKS, q, qd) @ qd, V)
        B, C = two_link.configuration_space_form(LINKS, q)
        products, squares = lagrange.velocity_products(qd)
        assert_close(B @ products + C @ squares, V)
        assert_close(np.einsum("kij,i,j->k", lagrange.christoffel_symbols(dM), qd, qd), V)


def test_mdot_minus_2c_is_skew() -> None:
    for seed in SEEDS:
        q, qd, _ = state(seed)
        Mdot = mass_matrix(q + 1j * 1e-30 * qd).imag / 1e-30
        N = Mdot - 2 * two_link.coriolis_matrix(LINKS, q, qd)
        assert_close(N + N.T, np.zeros((2, 2)))
        assert np.abs(Mdot).max() > 1e-4  # else the law would say nothing


@pytest.mark.parametrize("planar", [planar_arm, planar_leg])
def test_gravity_is_the_gradient_of_the_potential(planar: Any) -> None:
    for seed in SEEDS:
        q, _, _ = state(seed)
        expected = lagrange.potential_force(lambda x: planar.potential_energy(LINKS, x), q)
        assert_close(planar.gravity_force(LINKS, q), expected)


def test_jacobians_are_the_rates_of_the_positions() -> None:
    h = 1e-30
    for seed in SEEDS:
        q, qd, _ = state(seed)
        steps = [q + 1j * h * e for e in np.eye(2)]
        assert_close(planar_arm.tip_jacobian(LINKS, q).T, [planar_arm.tip_position(LINKS, s).imag / h for s in steps])
        assert_close(planar_leg.foot_jacobian(LINKS, q).T, [planar_leg.foot_position(LINKS, s).imag / h for s in steps])
        Jdot = planar_leg.foot_jacobian(LINKS, q + 1j * h * qd).imag / h
        assert_close(planar_leg.foot_bias_acceleration(LINKS, q, qd), Jdot @ qd)


def test_arm_and_leg_are_the_same_mechanism_a_quarter_turn_apart() -> None:
    quarter = np.array([np.pi / 2, 0.0])
    for seed in SEEDS:
        q, qd, qdd = state(seed)
        assert_close(planar_leg.inverse_dynamics(LINKS, q, qd, qdd), planar_arm.inverse_dynamics(LINKS, q - quarter, qd, qdd))
        assert_close(planar_leg.foot_position(LINKS, q), planar_arm.tip_position(LINKS, q - quarter))


@pytest.mark.parametrize("leg", [False, True])
def test_newton_euler_and_both_engines_give_the_same_torque(leg: bool) -> None:
    """With a force of the tip: by it on the surroundings (arm) and by the ground on the foot (leg)."""
    links = planar_chain(LINKS, leg=leg)
    up = np.array([0.0, 0.0, 1.0]) if leg else np.array([0.0, 1.0, 0.0])
    gravity = -LINKS.gravity * up
    at_tip = (LINKS.second.length * np.array([0.0, 0.0, -1.0])) if leg else np.array([LINKS.second.length, 0.0, 0.0])
    pin_model, mj_model = pinocchio_model(links, gravity), mujoco_model(links, gravity)
    pin_data, mj_data = pin_model.createData(), mujoco.MjData(mj_model)
    for seed in SEEDS:
        q, qd, qdd = state(seed)
        planar_force = np.random.default_rng(seed).normal(size=2) * 10
        by_tip = (-planar_force[0] * np.array([1.0, 0.0, 0.0]) - planar_force[1] * up) if leg else np.append(planar_force, 0.0)
        closed = (planar_leg if leg else planar_arm).inverse_dynamics(LINKS, q, qd, qdd, planar_force)
        tip = TipWrench(at_tip, by_tip, np.zeros(3))
        for form in (newton_euler_in_link_frames, newton_euler_in_common_frame):
            assert_close(form(links, q, qd, qdd, gravity, tip).tau, closed)

        pin.forwardKinematics(pin_model, pin_data, q)
        X = pin_data.oMi[2]
        on_tip = pin.Force(-X.rotation.T @ by_tip, np.cross(at_tip, -X.rotation.T @ by_tip))
        assert_close(closed, pin.rnea(pin_model, pin_data, q, qd, qdd, [pin.Force.Zero(), pin.Force.Zero(), on_tip]))

        mj_data.qpos, mj_data.qvel, mj_data.qacc = q, qd, qdd
        mujoco.mj_inverse(mj_model, mj_data)
        shared = np.zeros(2)
        mujoco.mj_applyFT(mj_model, mj_data, by_tip, np.zeros(3), X.act(at_tip), 2, shared)
        assert_close(closed, mj_data.qfrc_inverse + shared)
        assert_close(mass_matrix(q), pin.crba(pin_model, pin_data, q))


def test_term_by_term_version_is_the_arm() -> None:
    for seed in SEEDS:
        q, qd, qdd = state(seed)
        torque = planar_arm.torque_from_terms(planar_arm.arm_terms(LINKS, q), qd, qdd)
        assert_close(torque, planar_arm.inverse_dynamics(LINKS, q, qd, qdd))


@pytest.mark.parametrize("planar", [planar_arm, planar_leg])
def test_forward_dynamics_inverts_inverse_dynamics(planar: Any) -> None:
    for seed in SEEDS:
        q, qd, qdd = state(seed)
        force = np.array([3.0, -7.0])
        tau = planar.inverse_dynamics(LINKS, q, qd, qdd, force)
        assert_close(planar.forward_dynamics(LINKS, q, qd, tau, force), qdd, FORWARD)
        assert_close(planar.forward_dynamics(LINKS, q, qd, planar.inverse_dynamics(LINKS, q, qd, qdd)), qdd, FORWARD)


def test_the_two_signs_of_a_tip_force_are_opposite_and_each_holds_still() -> None:
    """A weightless arm at rest pressing on a wall; a leg at rest that stands on the ground: the joints hold, nothing moves."""
    light = TwoLink(LINKS.first, LINKS.second, gravity=0.0)
    q, rest, force = np.array([0.4, 0.9]), np.zeros(2), np.array([5.0, 2.0])
    J = planar_arm.tip_jacobian(light, q)
    by_tip = two_link.torque_for_force_by_tip(J, force)
    np.testing.assert_array_equal(two_link.torque_for_force_on_tip(J, force), -by_tip)
    assert_close(planar_arm.inverse_dynamics(light, q, rest, rest, force), by_tip)
    # virtual work: the joints' power on a small motion is what the tip delivers to the wall
    qd = np.array([0.3, -0.2])
    assert_close(by_tip @ qd, force @ (J @ qd))
    # a straight leg that carries a load under the hip needs no torque; a bent knee must push it straight
    bent = planar_leg.inverse_dynamics(light, np.array([0.5, -1.0]), rest, rest, np.array([0.0, 10.0]))
    straight = planar_leg.inverse_dynamics(light, np.zeros(2), rest, rest, np.array([0.0, 10.0]))
    np.testing.assert_array_equal(straight, 0.0)
    assert bent[1] > 0.1


@pytest.mark.parametrize("planar", [planar_arm, planar_leg])
def test_free_swing_keeps_its_energy(planar: Any) -> None:
    no_torque = np.zeros(2)
    motion = simulated_motion(
        lambda _t, q, qd: planar.forward_dynamics(LINKS, q, qd, no_torque),
        np.array([0.3, -0.8]),
        np.array([1.0, 4.0]),
        np.linspace(0.0, 5.0, 101),
    )
    states = list(zip(motion.q, motion.qd, strict=True))
    kinetic = np.array([two_link.kinetic_energy(LINKS, q, qd) for q, qd in states])
    total = kinetic + [planar.potential_energy(LINKS, q) for q, _ in states]
    assert np.abs(total - total[0]).max() < ENERGY_DRIFT * kinetic.max()
    assert np.ptp(kinetic) > 0.5  # J


def test_torque_of_a_planned_motion_played_back_follows_it() -> None:
    """Torque of inverse dynamics for q(t) = q0 + a sin t, played back open loop, brings the arm along q(t)."""
    q0, a = np.array([0.2, 0.5]), np.array([0.4, -0.6])

    def torque(t: float) -> Any:
        return planar_arm.inverse_dynamics(LINKS, q0 + a * np.sin(t), a * np.cos(t), -a * np.sin(t))

    times = np.linspace(0.0, 1.0, 21)
    motion = simulated_motion(lambda t, q, qd: planar_arm.forward_dynamics(LINKS, q, qd, torque(t)), q0, a, times)
    np.testing.assert_allclose(motion.q, q0 + np.outer(np.sin(times), a), rtol=0, atol=PLAYBACK)
    np.testing.assert_allclose(motion.qd, np.outer(np.cos(times), a), rtol=0, atol=PLAYBACK)


def test_simulation_says_when_it_gives_up() -> None:
    with pytest.raises(RuntimeError, match="simulation stopped at t"):
        simulated_motion(lambda _t, _q, qd: qd * qd, np.zeros(1), np.ones(1), np.array([0.0, 2.0]))  # qd = 1/(1 - t)


def test_inverse_kinematics_of_the_leg() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        q = np.array([rng.uniform(-1.5, 1.5), rng.uniform(-3.0, -0.05)])
        foot = planar_leg.foot_position(LINKS, q)
        assert_close(planar_leg.joint_angles(LINKS, foot), q, INVERSE_KINEMATICS)
        qd, qdd = rng.normal(size=2), rng.normal(size=2)
        J = planar_leg.foot_jacobian(LINKS, q)
        assert_close(planar_leg.joint_speeds(LINKS, q, J @ qd), qd, INVERSE_KINEMATICS)
        foot_acceleration = J @ qdd + planar_leg.foot_bias_acceleration(LINKS, q, qd)
        assert_close(planar_leg.joint_accelerations(LINKS, q, qd, foot_acceleration), qdd, INVERSE_KINEMATICS)
    for out_of_reach in ([0.0, -0.71], [0.0, -0.09]):
        with pytest.raises(ValueError, match="out of reach"):
            planar_leg.joint_angles(LINKS, np.array(out_of_reach))
    np.testing.assert_array_equal(planar_leg.joint_angles(LINKS, np.array([0.0, -0.7])), [0.0, 0.0])


@pytest.mark.parametrize("planar", [planar_arm, planar_leg])
def test_any_scalar(planar: Any) -> None:
    q, qd, qdd = state(1)
    force = np.array([1.0, 2.0])
    floats = planar.inverse_dynamics(LINKS, q, qd, qdd, force)
    balls = planar.inverse_dynamics(LINKS, *(array_of(x, arb) for x in (q, qd, qdd, force)))
    assert all(abs(float((b - f).abs_upper())) < 1e-13 for b, f in zip(balls, floats, strict=True))
    back = planar.forward_dynamics(LINKS, array_of(q, arb), array_of(qd, arb), balls, array_of(force, arb))
    assert all(b.contains(arb(float(a))) for b, a in zip(back, qdd, strict=True))
