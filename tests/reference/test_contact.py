from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leapcheck_models.spec import RobotSpec
from leapcheck_reference import (
    build,
    contact_angular_jacobians,
    contact_angular_velocities,
    contact_bias_accelerations,
    contact_inertia,
    contact_jacobians,
    contact_positions,
    contact_velocities,
    forward_dynamics,
    inverse_dynamics,
    inverse_dynamics_with_contacts,
    mass_matrix,
    test_force_response,
)
from tests.reference.generic_states import Array, Case, case, derivative, gradient, moved, rate, relative
from tests.reference.world_bodies import world_bodies

ROUNDING = 5e-14  # of the largest entry; measured worst 4.1e-15
DIFFERENCES = 3e-8  # central differences of step 1e-5; measured worst 3.2e-9
SOLVED = 3e-13  # of the largest entry, through M^-1; measured worst 1.8e-14
POINTED = ["mini_cheetah", "mini_cheetah_armature", "pupper_leg", "tree4_5", "random:2", "random:20", "random:24", "random:40"]


def points(spec: RobotSpec, q: Array) -> Array:
    """World positions (n, 3) of the computed contact points by the tests' own kinematics."""
    bodies = iter(world_bodies(spec, q))
    poses = {}
    for body in spec.bodies:
        poses[body.name] = next(bodies)
        if body.rotor:
            next(bodies)
    rows = [poses[p.body].p + poses[p.body].R @ np.array(p.position) for p in spec.contact_points if p.computed]
    return np.array(rows).reshape(-1, 3)


def test_positions(case: Case) -> None:
    assert relative(contact_positions(case.tree, case.q), points(case.spec, case.q)) <= ROUNDING


def test_jacobians_are_the_gradient_of_the_positions(case: Case) -> None:
    expected = gradient(case.spec, lambda q: points(case.spec, q), case.q)
    assert relative(contact_jacobians(case.tree, case.q), expected) <= ROUNDING


def test_jacobians_against_finite_differences_on_the_manifold(case: Case) -> None:
    dt = 1e-5
    forward, backward = (points(case.spec, moved(case.spec, case.q, case.v, sign * dt)) for sign in (1.0, -1.0))
    assert relative(contact_jacobians(case.tree, case.q) @ case.v, (forward - backward) / (2 * dt)) <= DIFFERENCES


def test_velocities_are_j_v(case: Case) -> None:
    expected = contact_jacobians(case.tree, case.q) @ case.v
    assert relative(contact_velocities(case.tree, case.q, case.v), expected) <= ROUNDING


def test_the_links_turn_at_j_w_v(case: Case) -> None:
    expected = contact_angular_jacobians(case.tree, case.q) @ case.v
    assert relative(contact_angular_velocities(case.tree, case.q, case.v), expected) <= ROUNDING


def test_bias_accelerations_are_jdot_v(case: Case) -> None:
    qdot = rate(case.spec, case.q, case.v)
    expected = derivative(lambda q: contact_jacobians(case.tree, q) @ case.v, (case.q, qdot))
    assert relative(contact_bias_accelerations(case.tree, case.q, case.v), expected) <= ROUNDING


def test_contact_inertia_is_j_minv_jt_symmetric_and_psd(case: Case) -> None:
    J = contact_jacobians(case.tree, case.q).reshape(-1, case.tree.nv)
    inertia = contact_inertia(case.tree, case.q)
    assert inertia.shape == (len(J), len(J))
    assert relative(inertia, J @ np.linalg.solve(mass_matrix(case.tree, case.q), J.T)) <= SOLVED
    assert relative(inertia, inertia.T) <= SOLVED
    if len(J):
        assert np.linalg.eigvalsh(inertia)[0] >= -SOLVED * np.abs(inertia).max()


@pytest.mark.parametrize("name", POINTED)
def test_force_response_is_what_dynamics_with_the_force_adds(name: str) -> None:
    """The response to a world force equals forward dynamics with the force as f_ext minus that without it."""
    at = case(name)
    force = np.array([3.0, -2.0, 5.0])
    point = len(at.tree.points) // 2
    contact = at.tree.points[point]
    vdot, acceleration = test_force_response(at.tree, at.q, point, force)
    R = _link_rotation(at, contact.link)
    f_ext = np.zeros_like(at.f_ext)
    f_ext[contact.link] = [*np.cross(contact.position, R.T @ force), *(R.T @ force)]
    pushed, alone = (forward_dynamics(at.tree, at.q, at.v, at.tau, f) for f in (f_ext, None))
    assert relative(pushed - alone, vdot, float(np.abs(alone).max())) <= SOLVED
    assert relative(acceleration, contact_jacobians(at.tree, at.q)[point] @ vdot) <= ROUNDING
    block = contact_inertia(at.tree, at.q)[3 * point : 3 * point + 3, 3 * point : 3 * point + 3]
    assert relative(acceleration, block @ force) <= SOLVED


@pytest.mark.parametrize("name", POINTED)
def test_a_force_at_a_point_is_its_jacobian_transposed(name: str) -> None:
    at = case(name)
    force = np.array([3.0, -2.0, 5.0])
    for k, contact in list(enumerate(at.tree.points))[::3]:
        R = _link_rotation(at, contact.link)
        f_ext = np.zeros_like(at.f_ext)
        f_ext[contact.link] = [*np.cross(contact.position, R.T @ force), *(R.T @ force)]
        args = (at.q, 0 * at.v, 0 * at.v)
        change = inverse_dynamics(at.tree, *args) - inverse_dynamics(at.tree, *args, f_ext)
        scale = float(np.abs(inverse_dynamics(at.tree, *args)).max())
        assert relative(change, contact_jacobians(at.tree, at.q)[k].T @ force, scale) <= ROUNDING


@pytest.mark.parametrize("name", POINTED)
def test_inverse_dynamics_with_contacts_is_less_their_jacobians_transposed(name: str) -> None:
    at = case(name)
    forces = np.random.default_rng(1).normal(scale=100.0, size=(len(at.tree.points), 3))
    found = inverse_dynamics_with_contacts(at.tree, at.q, at.v, at.vdot, forces)
    without = inverse_dynamics(at.tree, at.q, at.v, at.vdot)
    expected = np.einsum("pxi,px->i", contact_jacobians(at.tree, at.q), forces)
    assert np.abs(expected).max() > 1.0
    assert relative(without - found, expected, float(np.abs(without).max())) <= ROUNDING
    assert np.array_equal(inverse_dynamics_with_contacts(at.tree, at.q, at.v, at.vdot, forces.ravel()), found)
    if len(forces) not in (1, 3):
        with pytest.raises(ValueError, match="contact_forces"):
            inverse_dynamics_with_contacts(at.tree, at.q, at.v, at.vdot, forces.T)


def test_points_that_are_not_computed_are_left_out_and_feet_are_numbered() -> None:
    spec = case("mini_cheetah").spec
    assert case("mini_cheetah").tree.foot_indices == (9, 11, 13, 15)
    off = tuple(dataclasses.replace(p, computed=not p.name.startswith("trunk")) for p in spec.contact_points)
    tree = build(dataclasses.replace(spec, contact_points=off))
    assert [p.name for p in tree.points] == [p.name for p in spec.contact_points[8:]]
    assert tree.foot_indices == (1, 3, 5, 7)


def test_mini_cheetahs_feet_stand_where_they_are_published() -> None:
    """(+-0.19, +-0.115, -0.404) m at q = 0: hips at 0.049 + 0.062, the foot 0.004 further out, legs of 0.209 + 0.195."""
    tree = case("mini_cheetah").tree
    feet = contact_positions(tree, [0.0, 0.0, 0.0, 1.0, *[0.0] * 15])[list(tree.foot_indices)]
    expected = [[0.19, -0.115, -0.404], [0.19, 0.115, -0.404], [-0.19, -0.115, -0.404], [-0.19, 0.115, -0.404]]
    np.testing.assert_allclose(feet, expected, rtol=0, atol=1e-15)


def test_no_points_give_empty_arrays() -> None:
    at = case("falling_rod")
    tree = build(dataclasses.replace(at.spec, contact_points=()))
    assert contact_positions(tree, at.q).shape == (0, 3)
    assert contact_velocities(tree, at.q, at.v).shape == (0, 3)
    assert contact_jacobians(tree, at.q).shape == (0, 3, 6)
    assert contact_bias_accelerations(tree, at.q, at.v).shape == (0, 3)
    assert contact_inertia(tree, at.q).shape == (0, 0)


@pytest.mark.parametrize("point", [-1, 1])
def test_force_at_a_point_that_is_not_there(point: int) -> None:
    at = case("two_link_arm")
    with pytest.raises(ValueError, match=f"'two_link_arm' has 1 contact points: point {point} is none of them"):
        test_force_response(at.tree, at.q, point, [1.0, 0.0, 0.0])


def test_test_force_of_a_wrong_shape() -> None:
    at = case("two_link_arm")
    with pytest.raises(ValueError, match=r"test force has shape \(2,\): give \(3,\)"):
        test_force_response(at.tree, at.q, 0, [1.0, 0.0])


def _link_rotation(at: Case, link: int) -> Array:
    bodies = world_bodies(at.spec, at.q)
    before = sum(1 + (b.rotor is not None) for b in at.spec.bodies[:link])
    return bodies[before].R
