"""Exact rotors against the same robot with its rotors as bodies: M = G^T M_full G, h = G^T h_full."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from leapcheck_models.rotors import with_rotor_coordinates
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, Rotor, add_body
from leapcheck_reference import (
    Tree,
    bias_accelerations,
    bias_force,
    build,
    centroidal_momentum,
    christoffel_matrix,
    com_position,
    com_velocity,
    contact_bias_accelerations,
    contact_inertia,
    contact_jacobians,
    coriolis_force,
    forward_accelerations,
    forward_dynamics,
    forward_kinematics,
    gravity_force,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    with_rotor_bodies,
)
from tests.reference.generic_states import Case, case, relative, scale_free

GEARED = ("mini_cheetah", *(f"random:{seed}" for seed in (2, 19, 20, 24, 29, 40, 53, 57)))
SCALE_FREE = 1e-14  # |dM_ij| / sqrt(M_ii M_jj); measured worst 6.8e-16
FORCES = 2e-14  # of the largest entry of h_full; measured worst 2.0e-15
ENERGIES = 1e-14  # of the largest entry; measured worst 8.5e-16
SOLVED = 1e-12  # of the largest entry, through M^-1; measured worst 4.5e-14


@dataclasses.dataclass(frozen=True)
class Projected:
    """The robot with its rotors as bodies, at the same state."""

    tree: Tree
    G: np.ndarray
    q: np.ndarray
    v: np.ndarray


def projected(geared: Case) -> Projected:
    full, G = with_rotor_bodies(geared.spec)
    return Projected(build(full), G, with_rotor_coordinates(geared.spec, geared.q), G @ geared.v)


@pytest.fixture(params=GEARED)
def geared(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


def test_mass_matrix_is_the_projected_one(geared: Case) -> None:
    full = projected(geared)
    expected = full.G.T @ mass_matrix(full.tree, full.q) @ full.G
    assert scale_free(mass_matrix(geared.tree, geared.q), expected) <= SCALE_FREE


def test_forces_are_the_projected_ones(geared: Case) -> None:
    full = projected(geared)
    functions: list[tuple[Callable[..., Any], tuple[str, ...]]]
    functions = [(bias_force, ("q", "v")), (coriolis_force, ("q", "v")), (gravity_force, ("q",))]
    for function, args in functions:
        actual = function(geared.tree, *(getattr(geared, a) for a in args))
        unprojected = function(full.tree, *(getattr(full, a) for a in args))
        scale = float(max(np.abs(unprojected).max(), 1.0))  # N m, N: one slide has no Coriolis force but rounding
        assert relative(actual, full.G.T @ unprojected, scale) <= FORCES


def test_coriolis_matrix_is_the_projected_one(geared: Case) -> None:
    full = projected(geared)
    expected = full.G.T @ christoffel_matrix(full.tree, full.q, full.v) @ full.G
    scale = float(np.abs(mass_matrix(geared.tree, geared.q)).max() * np.abs(geared.v).max())
    assert relative(christoffel_matrix(geared.tree, geared.q, geared.v), expected, scale) <= FORCES


def test_inverse_dynamics_is_the_projected_one(geared: Case) -> None:
    full = projected(geared)
    unprojected = inverse_dynamics(full.tree, full.q, full.v, full.G @ geared.vdot)
    actual = inverse_dynamics(geared.tree, geared.q, geared.v, geared.vdot)
    assert relative(actual, full.G.T @ unprojected, float(np.abs(unprojected).max())) <= FORCES


def test_forward_dynamics_is_the_projected_one(geared: Case) -> None:
    full = projected(geared)
    M = full.G.T @ mass_matrix(full.tree, full.q) @ full.G
    expected = np.linalg.solve(M, geared.tau - full.G.T @ bias_force(full.tree, full.q, full.v))
    assert relative(forward_dynamics(geared.tree, geared.q, geared.v, geared.tau), expected) <= SOLVED


def test_energies_com_and_momentum_are_the_same(geared: Case) -> None:
    full = projected(geared)
    assert relative(kinetic_energy(geared.tree, geared.q, geared.v), kinetic_energy(full.tree, full.q, full.v)) <= ENERGIES
    assert relative(potential_energy(geared.tree, geared.q), potential_energy(full.tree, full.q)) <= ENERGIES
    assert relative(com_position(geared.tree, geared.q), com_position(full.tree, full.q)) <= ENERGIES
    for function in (com_velocity, centroidal_momentum):
        assert relative(function(geared.tree, geared.q, geared.v), function(full.tree, full.q, full.v)) <= ENERGIES


def test_contact_quantities_are_the_same(geared: Case) -> None:
    full = projected(geared)
    J_full = contact_jacobians(full.tree, full.q)
    assert relative(contact_jacobians(geared.tree, geared.q), J_full @ full.G) <= ENERGIES
    expected = contact_bias_accelerations(full.tree, full.q, full.v)
    assert relative(contact_bias_accelerations(geared.tree, geared.q, geared.v), expected) <= ENERGIES
    J = J_full.reshape(-1, full.tree.nv) @ full.G
    M = full.G.T @ mass_matrix(full.tree, full.q) @ full.G
    assert relative(contact_inertia(geared.tree, geared.q), J @ np.linalg.solve(M, J.T)) <= SOLVED


def test_motions_of_spinning_rotors_are_those_of_bodies(geared: Case) -> None:
    full = projected(geared)
    place = {link.name: i for i, link in enumerate(full.tree.links)}
    actual = [
        forward_kinematics(geared.tree, geared.q, geared.v).V,
        forward_kinematics(geared.tree, geared.q, geared.v).c,
        bias_accelerations(geared.tree, geared.q, geared.v),
        forward_accelerations(geared.tree, geared.q, geared.v, geared.vdot),
    ]
    expected = [
        forward_kinematics(full.tree, full.q, full.v).V,
        forward_kinematics(full.tree, full.q, full.v).c,
        bias_accelerations(full.tree, full.q, full.v),
        forward_accelerations(full.tree, full.q, full.v, full.G @ geared.vdot),
    ]
    for motion, motion_full in zip(actual, expected, strict=True):
        for i, link in enumerate(geared.tree.links):
            assert relative(motion.links[i], motion_full.links[place[link.name]]) <= ENERGIES
            rotor = motion.rotors[i]
            if link.rotor and link.rotor.spins and rotor is not None:
                assert relative(rotor, motion_full.links[place[link.rotor.name]], 1.0) <= ENERGIES


def forced_to_spin(tree: Tree) -> Tree:
    rotors = [link.rotor and dataclasses.replace(link.rotor, spins=True) for link in tree.links]
    links = tuple(dataclasses.replace(link, rotor=rotor) for link, rotor in zip(tree.links, rotors, strict=True))
    return dataclasses.replace(tree, links=links)


def test_a_symmetric_rotor_may_be_left_unturned(geared: Case) -> None:
    spun = forced_to_spin(geared.tree)
    q, v = geared.q, geared.v
    assert scale_free(mass_matrix(geared.tree, q), mass_matrix(spun, q)) <= SCALE_FREE
    assert relative(bias_force(geared.tree, q, v), bias_force(spun, q, v)) <= FORCES
    assert relative(christoffel_matrix(geared.tree, q, v), christoffel_matrix(spun, q, v), 1.0) <= FORCES
    args = (q, v, geared.tau, geared.f_ext)
    assert relative(forward_dynamics(geared.tree, *args), forward_dynamics(spun, *args)) <= SOLVED
    assert relative(centroidal_momentum(geared.tree, q, v), centroidal_momentum(spun, q, v)) <= ENERGIES


def wheel_on_arm(rotor: Inertia) -> RobotSpec:
    """An arm, and on it a wheel that looks the same at every angle, driven by the rotor: M changes with the rotor alone."""
    arm = Inertia(1.0, (0.2, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    wheel = Inertia(0.5, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.02))
    z = (0.0, 0.0, 1.0)
    spec = add_body(RobotSpec("wheel"), "arm", joint=Joint("shoulder", JointType.REVOLUTE, z), inertia=arm)
    place = Placement((0.4, 0.0, 0.0), (0.8, 0.6, 0.0, 0.0))  # tilted, so that the axes differ
    return add_body(
        spec,
        "wheel",
        parent="arm",
        placement=place,
        joint=Joint("axle", JointType.REVOLUTE, z),
        inertia=wheel,
        rotor=Rotor("motor", 5.0, rotor, Placement((0.3, 0.1, 0.0), (0.8, 0.6, 0.0, 0.0))),
    )


@pytest.mark.parametrize(
    ("inertia", "spins"),
    [
        (Inertia(0.3, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.015)), False),
        (Inertia(0.3, (0.0, 0.0, 0.05), (0.01, 0.0, 0.0, 0.01, 0.0, 0.015)), False),  # com on the axis
        (Inertia(0.3, (0.05, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.015)), True),  # com off it
        (Inertia(0.3, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.012, 0.0, 0.015)), True),  # unequal across
        (Inertia(0.3, (0.0, 0.0, 0.0), (0.01, 0.0, 0.001, 0.01, 0.0, 0.015)), True),  # axis not principal
    ],
)
def test_the_mass_matrix_depends_on_the_rotors_angle_unless_it_is_symmetric(inertia: Inertia, spins: bool) -> None:
    spec = wheel_on_arm(inertia)
    tree = build(spec)
    rotor = tree.links[1].rotor
    assert rotor is not None
    assert rotor.spins is spins
    change = scale_free(mass_matrix(tree, [0.0, 0.3]), mass_matrix(tree, [0.0, 0.0]))
    assert change > 1e-3 if spins else change <= SCALE_FREE
    full, G = with_rotor_bodies(spec)
    q = with_rotor_coordinates(spec, [0.0, 0.3])
    assert scale_free(mass_matrix(tree, [0.0, 0.3]), G.T @ mass_matrix(build(full), q) @ G) <= SCALE_FREE
