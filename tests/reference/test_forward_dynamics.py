from __future__ import annotations

import generic_states
import numpy as np
from generic_states import Case, relative

from leapcheck_reference import bias_force, forward_dynamics, inverse_dynamics, mass_matrix

ROUND_TRIP = 1e-10  # of the largest entry, times conditioning; measured worst 5.1e-12
FREE_FALL = 1e-14  # of g; measured worst 8.7e-16


def test_inverts_inverse_dynamics_with_external_forces(case: Case) -> None:
    tau = inverse_dynamics(case.tree, case.q, case.v, case.vdot, case.f_ext)
    assert relative(forward_dynamics(case.tree, case.q, case.v, tau, case.f_ext), case.vdot) <= ROUND_TRIP


def test_inverts_inverse_dynamics_without_external_forces(case: Case) -> None:
    tau = inverse_dynamics(case.tree, case.q, case.v, case.vdot)
    assert relative(forward_dynamics(case.tree, case.q, case.v, tau), case.vdot) <= ROUND_TRIP


def test_solves_the_equations_of_motion(case: Case) -> None:
    vdot = forward_dynamics(case.tree, case.q, case.v, case.tau)
    rest = case.tau - bias_force(case.tree, case.q, case.v)
    assert relative(vdot, np.linalg.solve(mass_matrix(case.tree, case.q), rest)) <= ROUND_TRIP


def test_a_free_robot_at_rest_falls_with_g_and_keeps_its_shape() -> None:
    falling = generic_states.case("mini_cheetah")
    vdot = forward_dynamics(falling.tree, falling.q, 0 * falling.v, 0 * falling.tau)
    g = generic_states.rotation(falling.q[3:7]).inv().apply(falling.spec.gravity)
    assert relative(vdot, np.concatenate([np.zeros(3), g, np.zeros(12)])) <= FREE_FALL
