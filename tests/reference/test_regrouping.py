"""Inertia moved rootwards leaves the robot's energies as they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leapcheck_models.spec import JointType
from leapcheck_reference import Tree, kinetic_energy, mass_matrix, potential_energy, total_mass
from leapcheck_reference.kinematics import frames
from leapcheck_reference.regrouping import regroup
from leapcheck_reference.spatial import RigidInertia, compose
from tests.reference.generic_states import Array, Case, case, relative

ROUNDING = 2e-14  # relative; measured worst 8.7e-16
POTENTIAL = 2e-14  # of the potential energy; measured worst 6.3e-16
LEFT = 1e-15  # of the link's own numbers; measured worst 2.3e-16


def with_what_is_left(tree: Tree) -> Tree:
    """The tree with the regrouped inertias in place of the bodies'."""
    links = []
    for link, inertia, of_rotor in zip(tree.links, tree.regrouped.links, tree.regrouped.rotors, strict=True):
        rotor = dataclasses.replace(link.rotor, inertia=of_rotor) if link.rotor and of_rotor else None
        links.append(dataclasses.replace(link, inertia=inertia, rotor=rotor))
    return dataclasses.replace(tree, links=tuple(links))


def numbers(inertia: RigidInertia) -> Array:
    return np.array([inertia.mass, *inertia.mc, *inertia.I.ravel()])


def gravity_potential(at: Case, q: Array) -> float:
    """-sum g . (m p + R mc), which needs no centre of mass: what is left to a link may have a moment and no mass."""
    frame = frames(at.tree, q)
    energy = 0.0
    for i, link in enumerate(at.tree.links):
        bodies = [(at.tree.regrouped.links[i], frame.X_W[i])]
        inertia, X_rotor = at.tree.regrouped.rotors[i], frame.X_rotor[i]
        if inertia and X_rotor:
            bodies.append((inertia, compose(frame.X_W[link.parent], X_rotor) if link.parent >= 0 else X_rotor))
        for left, X in bodies:
            energy -= at.tree.gravity @ (left.mass * (frame.root_position[i] + X.p) + X.R @ left.mc)
    return energy


def test_kinetic_energy_is_the_bodies(case: Case) -> None:
    left = kinetic_energy(with_what_is_left(case.tree), case.q, case.v)
    assert relative(left, kinetic_energy(case.tree, case.q, case.v)) <= ROUNDING


def test_differences_of_potential_energy_are_the_bodies(case: Case) -> None:
    """What went to the world has a potential energy that never changes."""
    other = case.q + 0.0
    for link in case.tree.links:
        if link.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            other[link.q] += 0.7
    expected = potential_energy(case.tree, other) - potential_energy(case.tree, case.q)
    actual = gravity_potential(case, other) - gravity_potential(case, case.q)
    assert relative(actual, expected, abs(float(potential_energy(case.tree, case.q)))) <= POTENTIAL


def test_nothing_is_left_that_the_joint_does_not_move(case: Case) -> None:
    for link, left in zip(case.tree.links, case.tree.regrouped.links, strict=True):
        scale = np.abs(numbers(link.inertia)).max()
        if link.type in (JointType.REVOLUTE, JointType.FIXED, JointType.BALL):
            assert left.mass == 0.0
        if link.type is JointType.REVOLUTE:
            assert abs(left.mc @ link.axis) <= LEFT * scale
        if link.type in (JointType.PRISMATIC, JointType.FIXED):
            assert not left.I.any()
        if link.type is JointType.FIXED:
            assert not left.mc.any()


def test_what_is_left_is_left_again(case: Case) -> None:
    again = regroup(with_what_is_left(case.tree).links)
    for left, twice in zip(case.tree.regrouped.links, again.links, strict=True):
        assert relative(numbers(twice), numbers(left)) <= ROUNDING


def test_a_free_robot_carries_all_mass_in_its_root_and_few_numbers_elsewhere() -> None:
    tree = case("mini_cheetah").tree
    assert tree.regrouped.links[0].mass == pytest.approx(float(total_mass(tree)), rel=ROUNDING)
    for link, left, rotor in zip(tree.links[1:], tree.regrouped.links[1:], tree.regrouped.rotors[1:], strict=True):
        axial = np.outer(link.axis, link.axis) != 0.0
        assert rotor is not None
        assert not rotor.mc.any()
        assert (rotor.I != 0.0).tolist() == axial.tolist()
        assert np.count_nonzero(numbers(left)) <= 9


def test_a_copy_with_another_inertia_is_regrouped_anew() -> None:
    at = case("mini_cheetah")
    heavier = RigidInertia(9.0, at.tree.links[3].inertia.mc, at.tree.links[3].inertia.I)
    links = (*at.tree.links[:3], dataclasses.replace(at.tree.links[3], inertia=heavier), *at.tree.links[4:])
    changed = mass_matrix(dataclasses.replace(at.tree, links=links), at.q)
    added = (9.0 - at.tree.links[3].inertia.mass) * np.ones(3)
    assert relative(np.diag(changed - mass_matrix(at.tree, at.q))[3:6], added) <= ROUNDING
