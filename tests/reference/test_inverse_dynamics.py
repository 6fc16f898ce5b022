from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference import (
    bias_force,
    coriolis_force,
    forward_kinematics,
    gravity_force,
    inverse_dynamics,
    mass_matrix,
)
from tests.reference.generic_states import Case, gradient, relative
from tests.reference.world_bodies import potential_energy

pytestmark = pytest.mark.quick

ROUNDING = 3e-14  # of the largest entry; measured worst 2.3e-15


def test_gravity_force_is_the_gradient_of_the_bodies_potential_energy(case: Case) -> None:
    expected = gradient(case.spec, lambda q: potential_energy(case.spec, q), case.q)
    assert relative(gravity_force(case.tree, case.q), expected) <= ROUNDING


def test_bias_is_gravity_and_coriolis(case: Case) -> None:
    parts = gravity_force(case.tree, case.q) + coriolis_force(case.tree, case.q, case.v)
    assert relative(bias_force(case.tree, case.q, case.v), parts) <= ROUNDING
    np.testing.assert_array_equal(bias_force(case.tree, case.q, 0 * case.v), gravity_force(case.tree, case.q))


def test_coriolis_force_is_quadratic_in_v(case: Case) -> None:
    one, two = (coriolis_force(case.tree, case.q, factor * case.v) for factor in (1.0, -2.0))
    assert relative(two, 4.0 * one) <= ROUNDING


def test_inverse_dynamics_is_mass_matrix_bias_and_external_forces(case: Case) -> None:
    """tau = M vdot + h - sum J^T f, with J of each link from its velocity at unit rates."""
    tau = inverse_dynamics(case.tree, case.q, case.v, case.vdot, case.f_ext)
    J = [np.array(forward_kinematics(case.tree, case.q, unit).V.links) for unit in np.eye(case.tree.nv)]
    applied = np.array([np.sum(J_j * case.f_ext) for J_j in J])
    expected = mass_matrix(case.tree, case.q) @ case.vdot + bias_force(case.tree, case.q, case.v) - applied
    assert relative(tau, expected) <= ROUNDING


def test_external_forces_of_zero_change_nothing(case: Case) -> None:
    args = (case.q, case.v, case.vdot)
    np.testing.assert_array_equal(
        inverse_dynamics(case.tree, *args, np.zeros_like(case.f_ext)), inverse_dynamics(case.tree, *args)
    )
