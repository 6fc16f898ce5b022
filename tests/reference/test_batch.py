from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from leapcheck_models.robots import load
from leapcheck_reference import (
    bias_force,
    build,
    cdof,
    centroidal_momentum,
    cinert,
    com_velocity,
    contact_bias_accelerations,
    contact_inertia,
    contact_jacobians,
    contact_positions,
    contact_velocities,
    coriolis_force,
    coriolis_matrix,
    crb,
    forward_dynamics,
    gravity_force,
    kinetic_energy,
    mass_matrix,
    mujoco_mass_matrix,
    potential_energy,
)
from leapcheck_reference.batch import Batch, evaluate_batch
from leapcheck_reference.scalar import array_of
from tests.reference.generic_states import case, relative, robot

ROUNDING = 1e-13  # of the largest entry of the state; measured worst 9.5e-15
BALLS = 1e-29  # upper bound, absolute, with 128 bits; measured worst 4e-31
STATES = 3
TREES = ("mini_cheetah", "pupper_leg", "tree4_5", "box", *(f"random:{s}" for s in (2, 24, 29, 57)))
FUNCTIONS: tuple[tuple[Callable[..., Any], tuple[str, ...]], ...] = (
    (mass_matrix, ("q",)),
    (mujoco_mass_matrix, ("q",)),
    (bias_force, ("q", "v")),
    (gravity_force, ("q",)),
    (coriolis_force, ("q", "v")),
    (coriolis_matrix, ("q", "v")),
    (forward_dynamics, ("q", "v", "tau")),
    (contact_positions, ("q",)),
    (contact_velocities, ("q", "v")),
    (contact_jacobians, ("q",)),
    (contact_bias_accelerations, ("q", "v")),
    (contact_inertia, ("q",)),
    (kinetic_energy, ("q", "v")),
    (potential_energy, ("q",)),
    (com_velocity, ("q", "v")),
    (centroidal_momentum, ("q", "v")),
)


@pytest.mark.parametrize("name", TREES)
def test_rows_of_a_block_are_the_single_states(name: str) -> None:
    states = [case(name, seed) for seed in range(STATES)]
    for function, arguments in FUNCTIONS:
        blocks = [np.stack([getattr(state, argument) for state in states]) for argument in arguments]
        rows = evaluate_batch(function, states[0].tree, *blocks)
        for row, state in zip(rows, states, strict=True):
            single = np.asarray(function(state.tree, *(getattr(state, argument) for argument in arguments)))
            assert relative(row, single, 1e-3) <= ROUNDING, function.__name__


@pytest.mark.parametrize("name", ["mini_cheetah_armature", "box", "random:26"])
def test_rows_of_mujocos_fields_are_the_single_states(name: str) -> None:
    states = [case(name, seed) for seed in range(STATES)]
    for function in (cdof, cinert, crb):
        rows = evaluate_batch(function, states[0].tree, np.stack([state.q for state in states]))
        for row, state in zip(rows, states, strict=True):
            assert relative(row, function(state.tree, state.q)) <= ROUNDING


def test_at_rest_in_a_coordinate_pose() -> None:
    """Zeros and ones in the states themselves take the same paths as everywhere."""
    spec, tree = robot("mini_cheetah")
    q, v = np.array([spec.pose("zero"), spec.pose("home")]), np.zeros((2, spec.nv))
    v[1, 0] = 1.0
    for row in range(2):
        assert relative(evaluate_batch(bias_force, tree, q, v)[row], bias_force(tree, q[row], v[row])) <= ROUNDING
        assert relative(evaluate_batch(mass_matrix, tree, q)[row], mass_matrix(tree, q[row])) <= ROUNDING


def test_a_block_of_balls_is_the_single_states() -> None:
    states = [case("random:2", seed) for seed in range(STATES)]
    with ctx.workprec(128):
        tree = build(load("random:2"), scalar=arb)
        for function, arguments in FUNCTIONS:
            blocks = [array_of(np.stack([getattr(state, argument) for state in states]), arb) for argument in arguments]
            for row, *state in zip(evaluate_batch(function, tree, *blocks), *blocks, strict=True):
                off = np.ravel(row) - np.ravel(function(tree, *state))
                assert max(abs(arb(x)) for x in off) < BALLS


def test_no_states_give_no_rows() -> None:
    _, tree = robot("mini_cheetah")
    assert evaluate_batch(mass_matrix, tree, np.zeros((0, tree.nq))).shape == (0, 18, 18)


A, B = np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.25, -1.0])


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (Batch(A) + Batch(B), A + B),
        (Batch(A) - Batch(B), A - B),
        (Batch(A) * Batch(B), A * B),
        (Batch(A) / Batch(B), A / B),
        (Batch(A) + 2.0, A + 2.0),
        (2.0 + Batch(A), A + 2.0),
        (Batch(A) - 2.0, A - 2.0),
        (2.0 - Batch(A), 2.0 - A),
        (0.0 - Batch(A), -A),
        (Batch(A) - 0.0, A),
        (Batch(A) * 3.0, A * 3.0),
        (3.0 * Batch(A), A * 3.0),
        (Batch(A) / 4.0, A / 4.0),
        (4.0 / Batch(A), 4.0 / A),
        (1.0 / Batch(A), 1.0 / A),
        (-Batch(A), -A),
        (Batch(A).sin(), np.sin(A)),
        (Batch(A).cos(), np.cos(A)),
        (Batch(B * B).sqrt(), np.abs(B)),
    ],
)
def test_arithmetic_is_numpys(actual: Batch, expected: Any) -> None:
    np.testing.assert_array_equal(actual.values, expected)


def test_zeros_and_ones_are_not_formed() -> None:
    batch = Batch(A)
    assert batch + 0.0 is batch
    assert 0.0 + batch is batch
    assert batch * 1.0 is batch
    assert 1.0 * batch is batch
    assert batch * 0.0 == 0.0
    assert 0.0 / batch == 0.0


def test_an_array_takes_a_batch_entry_by_entry() -> None:
    for result in (np.array([2.0, 3.0]) * Batch(A), Batch(A) * np.array([2.0, 3.0])):
        np.testing.assert_array_equal([entry.values for entry in result], [2.0 * A, 3.0 * A])
    for total in (np.array([2.0, 3.0]) + Batch(A), Batch(A) + np.array([2.0, 3.0])):
        np.testing.assert_array_equal([entry.values for entry in total], [2.0 + A, 3.0 + A])
    np.testing.assert_array_equal([entry.values for entry in Batch(A) - np.array([2.0, 3.0])], [A - 2.0, A - 3.0])
    np.testing.assert_array_equal([entry.values for entry in Batch(A) / np.array([2.0, 4.0])], [A / 2.0, A / 4.0])
