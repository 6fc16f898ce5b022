from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_models.robots.draws import direction, generator, orientation, rotate_moments
from leapcheck_models.robots.random_tree import random_tree
from leapcheck_models.rotors import axial_inertia, rotation_matrix, with_rotor_bodies
from leapcheck_models.spec import WORLD, JointType, RobotSpec, Rotor, as_json, spec_hash
from leapcheck_models.validation import rotational_matrix
from tests.models.pin_model import configuration, mass_matrix, pin_model

SEEDS = range(50)
CONDITION = 1e8  # of M scaled to a unit diagonal; measured 1.7e6 over seeds 0..49
TURNED = 1e-15  # relative; measured 5e-16


@pytest.fixture(scope="module")
def trees() -> list[RobotSpec]:
    return [random_tree(seed) for seed in SEEDS]


def depth(spec: RobotSpec) -> int:
    depths = {WORLD: 0}
    for body in spec.bodies:
        depths[body.name] = depths[body.parent] + 1
    return max(depths.values())


def asymmetry(rotor: Rotor) -> tuple[float, float]:
    """Distance of the com from the axis (m), and how far the axis is from a principal one (relative)."""
    axis = np.array(rotor.axis)
    off_axis = np.linalg.norm(np.cross(axis, rotor.inertia.com))
    turned_axis = rotational_matrix(rotor.inertia.rotational) @ axis
    return float(off_axis), float(np.linalg.norm(np.cross(axis, turned_axis)) / np.linalg.norm(turned_axis))


def test_sizes(trees: list[RobotSpec]) -> None:
    dof = [tree.nv for tree in trees]
    assert min(dof) >= 1
    assert 38 <= max(dof) <= 40
    assert max(map(depth, trees)) >= 16
    assert sum(depth(tree) >= 12 for tree in trees) >= 5


def test_every_joint_type_occurs_and_free_ones_at_roots_only(trees: list[RobotSpec]) -> None:
    counts = Counter(body.joint.type for tree in trees for body in tree.bodies)
    assert min(counts[kind] for kind in JointType) >= 30
    for tree in trees:
        assert all(body.parent == WORLD for body in tree.bodies if body.joint.type is JointType.FREE)


def test_masses_and_radii_of_gyration_are_in_their_ranges(trees: list[RobotSpec]) -> None:
    for body in (body for tree in trees for body in tree.bodies):
        assert 0.1 <= body.inertia.mass <= 10.0
        moments = np.linalg.eigvalsh(rotational_matrix(body.inertia.rotational))
        radii = np.sqrt(moments / body.inertia.mass)
        assert radii.min() >= 0.03
        assert radii.max() <= 0.3
        assert moments[0] + moments[1] > 1.01 * moments[2]  # realisable, with room
        assert np.linalg.norm(body.placement.p) <= 0.4
        assert np.linalg.norm(body.inertia.com) > 0.0


def test_rotors_of_every_kind(trees: list[RobotSpec]) -> None:
    geared = [body for tree in trees for body in tree.bodies if body.rotor]
    rotors = [body.rotor for body in geared if body.rotor]
    symmetric = [max(asymmetry(rotor)) < 1e-14 for rotor in rotors]
    skew = [asymmetry(rotor)[0] > 1e-4 and asymmetry(rotor)[1] > 1e-2 for rotor in rotors]
    assert sum(symmetric) >= 30
    assert sum(skew) >= 30
    assert sum(rotor.gear_ratio < 0.0 for rotor in rotors) >= 30
    assert sum(rotor.gear_ratio > 0.0 for rotor in rotors) >= 30
    assert {body.joint.type for body in geared} == {JointType.REVOLUTE, JointType.PRISMATIC}
    assert any(body.parent == WORLD and odd for body, odd in zip(geared, skew, strict=True))
    assert all(0.02 <= rotor.inertia.mass <= 0.3 for rotor in rotors)
    assert all(0.0 < axial_inertia(rotor) <= 0.3 * (0.03**2 + 0.01**2) for rotor in rotors)


def test_armature_roots_points_and_gravity(trees: list[RobotSpec]) -> None:
    assert sum(any(b.joint.armature for b in tree.bodies) for tree in trees) >= 10
    assert sum(any(b.joint.armature and b.rotor for b in tree.bodies) for tree in trees) >= 3
    roots = [[b.joint.type for b in tree.bodies if b.parent == WORLD] for tree in trees]
    assert sum(len(r) > 1 for r in roots) >= 5
    assert sum(JointType.FREE not in r for r in roots) >= 10
    assert sum(r.count(JointType.FREE) > 1 for r in roots) >= 2
    assert 10 <= sum(tree.gravity != (0.0, 0.0, -9.81) for tree in trees) <= 30
    assert all(np.linalg.norm(tree.gravity) == pytest.approx(9.81, rel=1e-15) for tree in trees)


def test_contact_points_of_every_kind(trees: list[RobotSpec]) -> None:
    kinds = {tree.name: {b.name: b.joint.type for b in tree.bodies} for tree in trees}
    all_points = [(tree, point) for tree in trees for point in tree.contact_points]
    assert sum(kinds[tree.name][point.body] is JointType.FIXED for tree, point in all_points) >= 20
    assert sum(not point.computed for _, point in all_points) >= 50
    assert sum(point.is_foot for _, point in all_points) >= 50
    assert sum(len({p.body for p in tree.contact_points}) > 2 for tree in trees) >= 30


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_far_from_singular(seed: int) -> None:
    model, _ = pin_model(random_tree(seed))
    M = mass_matrix(model, configuration(model, np.random.default_rng(seed)))
    scale = np.sqrt(np.diag(M))
    assert np.linalg.cond(M / np.outer(scale, scale)) <= CONDITION


def test_every_tree_takes_its_rotors_as_bodies(trees: list[RobotSpec]) -> None:
    for tree in trees:
        full, G = with_rotor_bodies(tree)
        assert G.shape == (tree.nv + sum(b.rotor is not None for b in tree.bodies), tree.nv)
        assert full.nv == G.shape[0]


def test_seed_gives_the_same_robot_bit_by_bit() -> None:
    assert as_json(load("random:7")) == as_json(random_tree(7))
    assert load("random:7").name == "random_7"
    last = (0.00470903916546634, 0.0006226950663108478, -0.00029384902651206576)  # all draws before it decide it
    assert load("random:7").bodies[-1].inertia.rotational[:3] == last
    assert spec_hash(random_tree(8)) != spec_hash(random_tree(7))


def test_turned_inertia_against_matrices() -> None:
    rng = generator(1)
    for _ in range(20):
        quaternion = orientation(rng)
        R = rotation_matrix(quaternion)
        expected = R @ np.diag([1.0, 2.0, 2.5]) @ R.T
        assert rotational_matrix(rotate_moments([1.0, 2.0, 2.5], quaternion)) == pytest.approx(expected, abs=4 * TURNED)


def test_directions_fill_the_sphere() -> None:
    """Second moments of a uniform direction are 1/3 each: 4000 draws, standard deviation of each mean 0.0047."""
    rng = generator(2)
    directions = np.array([direction(rng) for _ in range(4000)])
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(4000), rel=1e-15)
    assert directions.T @ directions / 4000 == pytest.approx(np.eye(3) / 3, abs=0.02)
