from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leapcheck_models.spec import JointType, Placement
from leapcheck_reference import (
    build,
    composite_inertias,
    gravity_force,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
)
from tests.reference.generic_states import Array, Case, case, joint_slices, relative, scale_free
from tests.reference.lumping import composed, in_parent, without_fixed_joints
from tests.reference.world_bodies import mass_matrix as bodies_mass_matrix
from tests.reference.world_bodies import velocities, world_bodies

pytestmark = pytest.mark.quick

SCALE_FREE = 1e-13  # |dM_ij| / sqrt(M_ii M_jj); measured worst 9.6e-15
ENERGY = 3e-14  # relative; measured worst 2.8e-15
COLUMNS = 5e-13  # of the largest entry, the gravity force included; measured worst 3.1e-14
FIXED_BASE = ["two_link_arm", "tree4_5", "random:24", "random:29"]
FLOATING = ["mini_cheetah", "box", "random:2", "random:20", "random:40", "random:57"]


def test_symmetric_and_positive_definite(case: Case) -> None:
    M = mass_matrix(case.tree, case.q)
    assert scale_free(M, M.T) <= SCALE_FREE
    scale = np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M / np.outer(scale, scale))[0] > 0.0


def test_sum_of_the_bodies_own(case: Case) -> None:
    assert scale_free(mass_matrix(case.tree, case.q), bodies_mass_matrix(case.spec, case.q)) <= SCALE_FREE


def test_kinetic_energy_is_the_bodies_and_the_quadratic_form(case: Case) -> None:
    velocity, w = velocities(case.spec, case.q, case.v)
    energy = sum(
        b.mass * u @ u + w_b @ b.R @ b.inertia @ b.R.T @ w_b
        for b, u, w_b in zip(world_bodies(case.spec, case.q), velocity, w, strict=True)
    )
    for body, (_, _, along) in zip(case.spec.bodies, joint_slices(case.spec), strict=True):
        energy += body.joint.armature * case.v[along] @ case.v[along]
    M = mass_matrix(case.tree, case.q)
    assert relative(kinetic_energy(case.tree, case.q, case.v), energy / 2) <= ENERGY
    assert relative(case.v @ M @ case.v / 2, energy / 2) <= ENERGY


def test_columns_are_inverse_dynamics_of_unit_accelerations(case: Case) -> None:
    M, g = mass_matrix(case.tree, case.q), gravity_force(case.tree, case.q)
    zero = np.zeros(case.tree.nv)
    columns = [inverse_dynamics(case.tree, case.q, zero, unit) - g for unit in np.eye(case.tree.nv)]
    assert relative(np.array(columns).T, M) <= COLUMNS


@pytest.mark.parametrize("name", FLOATING)
def test_a_floating_robots_matrix_is_independent_of_the_bases_pose(name: str) -> None:
    """In base axes nothing of M depends on where the base is or how it is turned (one root; several: each for itself)."""
    floating = case(name)
    q = floating.q.copy()
    rng = np.random.default_rng(5)
    for kind, at, _ in joint_slices(floating.spec):
        if kind is JointType.FREE:
            turned = rng.normal(size=4)
            q[at] = [*100.0 * rng.normal(size=3), *turned / np.linalg.norm(turned)]
    np.testing.assert_array_equal(mass_matrix(floating.tree, q), mass_matrix(floating.tree, floating.q))


@pytest.mark.parametrize("name", FIXED_BASE)
def test_a_turned_world_changes_gravity_alone(name: str) -> None:
    """Turning all roots and gravity together leaves M and the gravity force as they were."""
    fixed = case(name)
    w, x, y, z = map(float, np.array([0.5, -0.1, 0.7, 0.3]) / np.linalg.norm([0.5, -0.1, 0.7, 0.3]))
    turn = Placement((0.0, 0.0, 0.0), (w, x, y, z))
    bodies = []
    for body in fixed.spec.bodies:
        if body.parent == "world":
            body = dataclasses.replace(body, placement=composed(turn, body.placement))
            if body.rotor:
                rotor = dataclasses.replace(body.rotor, placement=composed(turn, body.rotor.placement))
                body = dataclasses.replace(body, rotor=rotor)
        bodies.append(body)
    gravity = in_parent(turn, fixed.spec.gravity)
    turned = build(dataclasses.replace(fixed.spec, bodies=tuple(bodies), gravity=gravity))
    assert scale_free(mass_matrix(turned, fixed.q), mass_matrix(fixed.tree, fixed.q)) <= SCALE_FREE
    assert relative(gravity_force(turned, fixed.q), gravity_force(fixed.tree, fixed.q)) <= SCALE_FREE


def test_root_composite_holds_the_mass_of_its_tree(case: Case) -> None:
    Ic = composite_inertias(case.tree, case.q)
    roots = [i for i, link in enumerate(case.tree.links) if link.parent < 0]
    on_world = sum(b.rotor.inertia.mass for b in case.spec.bodies if b.rotor and b.parent == "world")
    assert sum(Ic[i].mass for i in roots) + on_world == pytest.approx(case.spec.total_mass, rel=ENERGY)


def test_leaf_composite_is_the_link_itself(case: Case) -> None:
    Ic, parents = composite_inertias(case.tree, case.q), {link.parent for link in case.tree.links}
    for i, link in enumerate(case.tree.links):
        if i not in parents:
            assert Ic[i] is link.inertia


@pytest.mark.parametrize("name", ["random:19", "random:20", "random:24", "random:40", "random:57"])
def test_fixed_joints_equal_lumped_bodies(name: str) -> None:
    jointed = case(name)
    lumped = without_fixed_joints(jointed.spec)
    assert len(lumped.bodies) < len(jointed.spec.bodies)
    tree = build(lumped)
    assert scale_free(mass_matrix(tree, jointed.q), mass_matrix(jointed.tree, jointed.q)) <= SCALE_FREE
    args = (jointed.q, jointed.v, jointed.vdot)
    assert relative(inverse_dynamics(tree, *args), inverse_dynamics(jointed.tree, *args)) <= COLUMNS


def test_armature_stands_on_the_diagonal_alone() -> None:
    plain = case("two_link_arm")
    bodies = tuple(
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, armature=float(i + 1))) for i, b in enumerate(plain.spec.bodies)
    )
    geared = build(dataclasses.replace(plain.spec, bodies=bodies))
    added: Array = mass_matrix(geared, plain.q) - mass_matrix(plain.tree, plain.q)
    np.testing.assert_allclose(added, np.diag([1.0, 2.0]), rtol=0, atol=SCALE_FREE)
