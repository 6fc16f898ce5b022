"""The centre of mass and the momentum about it: by the laws that define them, and by bodies in world axes."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference import (
    centroidal_inertia,
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    com_bias_acceleration,
    com_jacobian,
    com_position,
    com_velocity,
    forward_dynamics,
)
from tests.reference.generic_states import Case, derivative, rate, relative
from tests.reference.world_bodies import momentum as bodies_momentum

pytestmark = pytest.mark.quick

ROUNDING = 3e-13  # of the largest entry; measured worst 2.5e-14


def test_com_velocity_is_the_rate_of_the_com(case: Case) -> None:
    comdot = derivative(lambda q: com_position(case.tree, q), (case.q, rate(case.spec, case.q, case.v)))
    assert relative(com_velocity(case.tree, case.q, case.v), comdot) <= ROUNDING
    assert relative(com_jacobian(case.tree, case.q) @ case.v, comdot) <= ROUNDING


def test_momentum_is_the_bodies(case: Case) -> None:
    momentum = centroidal_momentum(case.tree, case.q, case.v)
    assert relative(momentum, bodies_momentum(case.spec, case.q, case.v)) <= ROUNDING
    assert relative(centroidal_momentum_matrix(case.tree, case.q) @ case.v, momentum) <= ROUNDING
    assert relative(momentum[3:], case.spec.total_mass * com_velocity(case.tree, case.q, case.v)) <= ROUNDING


def test_bias_terms_are_rates_at_constant_v(case: Case) -> None:
    qdot = rate(case.spec, case.q, case.v)
    Adot_v = derivative(lambda q: centroidal_momentum(case.tree, q, case.v), (case.q, qdot))
    assert relative(centroidal_momentum_rate(case.tree, case.q, case.v), Adot_v) <= ROUNDING
    Jdot_v = derivative(lambda q: com_velocity(case.tree, q, case.v), (case.q, qdot))
    assert relative(com_bias_acceleration(case.tree, case.q, case.v), Jdot_v) <= ROUNDING


def test_a_free_robot_falls_with_gravity_whatever_its_joints_do(case: Case) -> None:
    """A vdot + Adot v is the sum of the outer forces: the weight, without a moment about the com."""
    if case.spec.bodies[0].joint.type != "free" or sum(body.parent == "world" for body in case.spec.bodies) > 1:
        pytest.skip("held by the world")
    tau = np.concatenate([np.zeros(6), case.tau[6:]])
    vdot = forward_dynamics(case.tree, case.q, case.v, tau)
    force = centroidal_momentum_matrix(case.tree, case.q) @ vdot + centroidal_momentum_rate(case.tree, case.q, case.v)
    weight = case.spec.total_mass * np.array(case.spec.gravity)
    scale = np.abs(centroidal_momentum_rate(case.tree, case.q, case.v)).max() + np.abs(weight).max()
    assert np.abs(force - [0.0, 0.0, 0.0, *weight]).max() <= 1e3 * ROUNDING * scale


def test_inertia_is_what_a_locked_robot_turns_with(case: Case) -> None:
    """A of a base that turns about the com, joints at rest, is the inertia: [[R, 0], [(p - c)~ R, R]] takes [w; v_C]."""
    I = centroidal_inertia(case.tree, case.q)
    assert relative(I, I.T) == 0.0
    assert np.linalg.eigvalsh(I)[0] > 0.0
    if case.spec.bodies[0].joint.type == "free" and not any(body.rotor for body in case.spec.bodies):
        A = centroidal_momentum_matrix(case.tree, case.q)[:, :6]
        turning = com_jacobian(case.tree, case.q)[:, :6]
        R = turning[:, 3:] if sum(body.parent == "world" for body in case.spec.bodies) == 1 else None
        if R is not None:
            motion = np.block([[R, np.zeros((3, 3))], [turning]])
            assert relative(I @ motion, A) <= ROUNDING
