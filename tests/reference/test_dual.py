"""Numbers that carry their rates: derivatives of dynamics and of frames' motion against the complex step and the record's."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

import leapcheck_reference as reference
from leapcheck_reference.dual import dual, rates_of
from leapcheck_reference.scalar import array_of
from tests.reference.generic_states import Case, derivative, gradient, relative
from tests.reference.generic_states import case as generic_case

pytestmark = pytest.mark.quick

LEAST = 0.1  # SI: least scale, for derivatives that are zero but for rounding
ROUNDING = 1e-13  # of the largest entry; measured worst 7e-15
SOLVED = 1e-11  # of the largest entry, through M^-1; measured worst 4e-13


def test_inverse_dynamics_against_the_complex_step(case: Case) -> None:
    q, v, vdot = case.q, case.v, case.vdot
    expected = gradient(case.spec, lambda q: reference.inverse_dynamics(case.tree, q, v, vdot), q)
    assert relative(reference.inverse_dynamics_derivative_q(case.tree, q, v, vdot), expected, LEAST) <= ROUNDING
    units = np.eye(case.spec.nv)
    expected = np.stack([derivative(lambda v: reference.bias_force(case.tree, q, v), (v, unit)) for unit in units], axis=-1)
    assert relative(reference.inverse_dynamics_derivative_v(case.tree, q, v), expected, LEAST) <= ROUNDING


def test_forward_dynamics_against_the_complex_step(case: Case) -> None:
    q, v, tau = case.q, case.v, case.tau
    expected = gradient(case.spec, lambda q: reference.forward_dynamics(case.tree, q, v, tau), q)
    assert relative(reference.forward_dynamics_derivative_q(case.tree, q, v, tau), expected, LEAST) <= SOLVED
    steps = [derivative(lambda v: reference.forward_dynamics(case.tree, q, v, tau), (v, unit)) for unit in np.eye(case.spec.nv)]
    assert relative(reference.forward_dynamics_derivative_v(case.tree, q, v), np.stack(steps, axis=-1), LEAST) <= SOLVED
    expected = np.linalg.inv(reference.mass_matrix(case.tree, q))
    assert relative(reference.forward_dynamics_derivative_tau(case.tree, q), expected, LEAST) <= SOLVED


def test_frames_against_the_complex_step(case: Case) -> None:
    tree, q, v, vdot = case.tree, case.q, case.v, case.vdot
    expected = gradient(case.spec, lambda q: reference.frame_velocities(tree, q, v), q)
    assert relative(reference.frame_velocity_derivative_q(tree, q, v), expected, LEAST) <= ROUNDING
    expected = gradient(case.spec, lambda q: reference.frame_accelerations(tree, q, v, vdot), q)
    assert relative(reference.frame_acceleration_derivative_q(tree, q, v, vdot), expected, LEAST) <= ROUNDING
    units = np.eye(case.spec.nv)
    steps = [derivative(lambda v: reference.frame_accelerations(tree, q, v, vdot), (v, unit)) for unit in units]
    assert relative(reference.frame_acceleration_derivative_v(tree, q, v), np.stack(steps, axis=-1), LEAST) <= ROUNDING


def test_balls_hold_the_doubles() -> None:
    at = generic_case("random:2")
    tree = reference.build(at.spec, scalar=arb)
    balls = reference.inverse_dynamics_derivative_q(tree, *(array_of(x, arb) for x in (at.q, at.v, at.vdot)))
    doubles = reference.inverse_dynamics_derivative_q(at.tree, at.q, at.v, at.vdot)
    assert relative(np.array([[float(arb(ball)) for ball in row] for row in balls]), doubles) <= ROUNDING


def test_rules_of_differentiation() -> None:
    x, y = dual(np.array([0.7, 2.0]), np.eye(2))
    values = np.array([x * y - 1.0 / y, x.sin() / y.sqrt(), 2.0 - x.cos() * 0.0, 3.0 / x / 2.0], dtype=object)
    expected = [
        [2.0, 0.7 + 0.25],
        [np.cos(0.7) / np.sqrt(2.0), -0.5 * np.sin(0.7) / 2.0**1.5],
        [0.0, 0.0],
        [-1.5 / 0.49, 0.0],
    ]
    np.testing.assert_allclose(rates_of(values, 2), expected, rtol=1e-15)
