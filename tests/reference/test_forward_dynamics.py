from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from leapcheck_models.spec import JointType
from leapcheck_reference import bias_force, factored_forward_dynamics, forward_dynamics, inverse_dynamics, mass_matrix
from tests.reference import generic_states
from tests.reference.generic_states import Array, Case, relative
from tests.reference.mujoco_model import mujoco_model

pytestmark = pytest.mark.quick

ROUND_TRIP = 1e-10  # of the largest entry, times conditioning; measured worst 1.1e-11
TWO_WAYS = 1e-12  # of the largest entry; measured worst 3.9e-14
FREE_FALL = 1e-14  # of g; measured worst 4.3e-15
MUJOCO = 1e-13  # of the largest entry; measured worst 2.5e-15
UNGEARED = ("mini_cheetah_armature", "two_link_arm", "tree4_5", "box", "falling_rod", "random:26")

both = pytest.mark.parametrize("dynamics", [forward_dynamics, factored_forward_dynamics])
Dynamics = Callable[..., Array]


@both
def test_inverts_inverse_dynamics_with_external_forces(case: Case, dynamics: Dynamics) -> None:
    tau = inverse_dynamics(case.tree, case.q, case.v, case.vdot, case.f_ext)
    assert relative(dynamics(case.tree, case.q, case.v, tau, case.f_ext), case.vdot) <= ROUND_TRIP


@both
def test_inverts_inverse_dynamics_without_external_forces(case: Case, dynamics: Dynamics) -> None:
    tau = inverse_dynamics(case.tree, case.q, case.v, case.vdot)
    assert relative(dynamics(case.tree, case.q, case.v, tau), case.vdot) <= ROUND_TRIP


@both
def test_solves_the_equations_of_motion(case: Case, dynamics: Dynamics) -> None:
    vdot = dynamics(case.tree, case.q, case.v, case.tau)
    rest = case.tau - bias_force(case.tree, case.q, case.v)
    assert relative(vdot, np.linalg.solve(mass_matrix(case.tree, case.q), rest)) <= ROUND_TRIP


def test_both_are_one(case: Case) -> None:
    """Articulated bodies work on the bodies' own inertias, M and h on the regrouped ones: two ways that share little."""
    args = (case.q, case.v, case.tau, case.f_ext)
    assert relative(factored_forward_dynamics(case.tree, *args), forward_dynamics(case.tree, *args)) <= TWO_WAYS


@both
def test_a_free_robot_at_rest_falls_with_g_and_keeps_its_shape(dynamics: Dynamics) -> None:
    falling = generic_states.case("mini_cheetah")
    vdot = dynamics(falling.tree, falling.q, 0 * falling.v, 0 * falling.tau)
    g = generic_states.rotation(falling.q[3:7]).inv().apply(falling.spec.gravity)
    assert relative(vdot, np.concatenate([np.zeros(3), g, np.zeros(12)])) <= FREE_FALL


@both
@pytest.mark.parametrize("name", UNGEARED)
def test_accelerations_are_mujocos(name: str, dynamics: Dynamics) -> None:
    """A free base's velocity is [v_world; w] there, and its rate classical: R^T a - w x v is ours."""
    at = generic_states.case(name)
    m = mujoco_model(at.spec)
    d = mujoco.MjData(m)
    d.qpos, d.qvel, d.qfrc_applied = at.q, at.v, at.tau
    base = at.spec.bodies[0].joint.type is JointType.FREE
    R = generic_states.rotation(at.q[3:7]).as_matrix() if base else np.eye(3)
    if base:
        d.qvel[:6] = [*(R @ at.v[3:6]), *at.v[:3]]
        d.qfrc_applied[:6] = [*(R @ at.tau[3:6]), *at.tau[:3]]
    mujoco.mj_forward(m, d)
    expected = d.qacc.copy()
    if base:
        expected[:6] = [*d.qacc[3:6], *(R.T @ d.qacc[:3] - np.cross(at.v[:3], at.v[3:6]))]
    assert relative(dynamics(at.tree, at.q, at.v, at.tau), expected) <= MUJOCO
