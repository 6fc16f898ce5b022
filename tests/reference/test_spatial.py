"""Spatial algebra against 3-vectors: velocities and moments of points, energies, powers, derivatives along a motion."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference.rotation import axis_rotation, skew
from leapcheck_reference.spatial import (
    RigidInertia,
    Transform,
    compose,
    force_cross,
    force_to_parent,
    inertia_matrix,
    inertia_to_parent,
    motion_cross,
    motion_matrix,
    motion_to_child,
)
from tests.reference.generic_states import Array, derivative

pytestmark = pytest.mark.quick

ROUNDING = 1e-14  # relative; measured worst 1.3e-15


@pytest.fixture(params=range(5))
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(request.param)


def pose(rng: np.random.Generator) -> Transform:
    axis = rng.normal(size=3)
    return Transform(axis_rotation(axis / np.linalg.norm(axis), rng.uniform(-3.0, 3.0)), rng.normal(size=3))


def body(rng: np.random.Generator) -> tuple[float, Array, Array]:
    """Mass, com and rotational inertia about the com."""
    root = rng.normal(size=(3, 3))
    return rng.uniform(0.5, 2.0), rng.normal(size=3), root @ root.T


def rigid_inertia(mass: float, com: Array, about_com: Array) -> RigidInertia:
    return RigidInertia(mass, mass * com, about_com + mass * (com @ com * np.eye(3) - np.outer(com, com)))


def close(actual: Array, expected: Array) -> bool:
    return bool(np.abs(actual - expected).max() <= ROUNDING * max(1.0, np.abs(expected).max()))


def test_composed_is_the_product_of_homogeneous_matrices(rng: np.random.Generator) -> None:
    def homogeneous(X: Transform) -> Array:
        return np.block([[X.R, X.p[:, None]], [np.zeros(3), 1.0]])

    X_AB, X_BC = pose(rng), pose(rng)
    assert close(homogeneous(compose(X_AB, X_BC)), homogeneous(X_AB) @ homogeneous(X_BC))


def test_motion_to_child_keeps_the_velocity_of_every_point(rng: np.random.Generator) -> None:
    X, V, r_B = pose(rng), rng.normal(size=6), rng.normal(size=3)
    V_B = motion_to_child(X, V)
    in_A = V[3:] + np.cross(V[:3], X.p + X.R @ r_B)
    assert close(X.R @ (V_B[3:] + np.cross(V_B[:3], r_B)), in_A)
    assert close(X.R @ V_B[:3], V[:3])


def test_force_to_parent_is_the_force_and_its_moment(rng: np.random.Generator) -> None:
    X, F = pose(rng), rng.normal(size=6)
    f = X.R @ F[3:]
    assert close(force_to_parent(X, F), np.concatenate([X.R @ F[:3] + np.cross(X.p, f), f]))


def test_power_does_not_depend_on_the_frame(rng: np.random.Generator) -> None:
    X, V, F = pose(rng), rng.normal(size=6), rng.normal(size=6)
    assert force_to_parent(X, F) @ V == pytest.approx(F @ motion_to_child(X, V), abs=10 * ROUNDING)


def test_blocks_of_columns_are_taken_column_by_column(rng: np.random.Generator) -> None:
    X, columns, V = pose(rng), rng.normal(size=(6, 4)), rng.normal(size=6)
    inertia = rigid_inertia(*body(rng))
    for function in (
        lambda U: motion_to_child(X, U),
        lambda U: force_to_parent(X, U),
        lambda U: motion_cross(V, U),
        lambda U: force_cross(V, U),
        lambda U: inertia @ U,
    ):
        assert close(function(columns), np.stack([function(column) for column in columns.T], axis=1))


def test_matrices_are_the_operations(rng: np.random.Generator) -> None:
    X, V, F = pose(rng), rng.normal(size=6), rng.normal(size=6)
    inertia = rigid_inertia(*body(rng))
    assert close(motion_matrix(X) @ V, motion_to_child(X, V))
    assert close(motion_matrix(X).T @ F, force_to_parent(X, F))
    assert close(inertia_matrix(inertia) @ V, inertia @ V)


def test_inertia_gives_momentum_and_energy_of_the_body(rng: np.random.Generator) -> None:
    mass, com, about_com = body(rng)
    V = rng.normal(size=6)
    w, v_com = V[:3], V[3:] + np.cross(V[:3], com)
    momentum = rigid_inertia(mass, com, about_com) @ V
    assert close(momentum[3:], mass * v_com)
    assert close(momentum[:3], about_com @ w + np.cross(com, mass * v_com))
    assert V @ momentum == pytest.approx(mass * v_com @ v_com + w @ about_com @ w, rel=ROUNDING)


def test_inertia_to_parent_is_the_same_bodys(rng: np.random.Generator) -> None:
    mass, com, about_com = body(rng)
    X, inertia = pose(rng), rigid_inertia(mass, com, about_com)
    moved = inertia_to_parent(X, inertia)
    assert close(inertia_matrix(moved), inertia_matrix(rigid_inertia(mass, X.p + X.R @ com, X.R @ about_com @ X.R.T)))
    assert close(inertia_matrix(moved), motion_matrix(X).T @ inertia_matrix(inertia) @ motion_matrix(X))
    assert moved.mass == mass


def test_inertias_of_two_bodies_add(rng: np.random.Generator) -> None:
    one, two = rigid_inertia(*body(rng)), rigid_inertia(*body(rng))
    assert close(inertia_matrix(one + two), inertia_matrix(one) + inertia_matrix(two))


def test_motion_cross_is_the_rate_of_a_carried_motion_vector(rng: np.random.Generator) -> None:
    """A vector constant in a body that moves with V (world axes, at the world's origin) changes at V x U."""
    X, V, U_B = pose(rng), rng.normal(size=6), rng.normal(size=6)

    def in_world(R: Array, p: Array) -> Array:  # motion vectors B to A: [R w; R v + p x R w]
        w, v = R @ U_B[:3], R @ U_B[3:]
        return np.concatenate([w, v + skew(p) @ w])

    Rdot, pdot = skew(V[:3]) @ X.R, V[3:] + np.cross(V[:3], X.p)
    assert close(derivative(in_world, (X.R, Rdot), (X.p, pdot)), motion_cross(V, in_world(X.R, X.p)))


def test_force_cross_is_the_dual_of_motion_cross(rng: np.random.Generator) -> None:
    """The power of a force on a motion, both carried along, stays: (V x* F) U + F (V x U) = 0."""
    V, U, F = rng.normal(size=6), rng.normal(size=6), rng.normal(size=6)
    assert force_cross(V, F) @ U + F @ motion_cross(V, U) == pytest.approx(0.0, abs=10 * ROUNDING)
    assert close(motion_cross(V, V), np.zeros(6))


def test_a_part_of_an_inertia_taken_away_leaves_the_rest(rng: np.random.Generator) -> None:
    one, two = rigid_inertia(*body(rng)), rigid_inertia(*body(rng))
    assert close(inertia_matrix((one + two) - two), inertia_matrix(one))
