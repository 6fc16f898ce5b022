"""Lagrange's form for any mass matrix, on spatial chains: against Newton-Euler and Pinocchio's Coriolis matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from leapcheck_reference.classical.lagrange import (
    christoffel_symbols,
    configuration_space_form,
    coriolis_matrix,
    mass_matrix_derivatives,
    potential_force,
    velocity_force,
    velocity_products,
)
from leapcheck_reference.classical.newton_euler import newton_euler_in_common_frame
from leapcheck_reference.classical.serial_chain import pose_in_parent
from leapcheck_reference.spatial import Transform, compose
from tests.reference.classical.classical_engines import P, R, pinocchio_model, random_chain, random_state

pytestmark = pytest.mark.quick

ROUNDING = 1e-13
"""Relative to the largest entry, or 1; measured 6e-14 (Mdot - 2C) over 25 seeds of every chain."""

CHAINS = [(R, R, R), (R, P, R), (R, P, R, R, P)]
GRAVITY = np.array([1.1, -2.2, -9.81])


def assert_close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("types", CHAINS)
def test_every_form_is_newton_eulers_velocity_force(types: Any) -> None:
    rng = np.random.default_rng(len(types))
    links, (q, qd, _), n = random_chain(rng, types), random_state(rng, len(types)), len(types)
    zero = np.zeros(n)

    def mass_matrix(x: Any) -> Any:
        columns = [newton_euler_in_common_frame(links, x, zero, e, np.zeros(3)).tau for e in np.eye(n)]
        return np.stack(columns, axis=-1)

    dM = mass_matrix_derivatives(mass_matrix, q)
    V = newton_euler_in_common_frame(links, q, qd, zero, np.zeros(3)).tau
    assert_close(velocity_force(dM, qd), V)
    C = coriolis_matrix(dM, qd)
    assert_close(C @ qd, V)
    Mdot = dM @ qd
    assert_close((Mdot - 2 * C) + (Mdot - 2 * C).T, np.zeros((n, n)))
    B, C_squares = configuration_space_form(dM)
    products, squares = velocity_products(qd)
    assert B.shape == (n, n * (n - 1) // 2)
    assert_close(B @ products + C_squares @ squares, V)
    c = christoffel_symbols(dM)
    assert_close(c, c.transpose(0, 2, 1))

    model = pinocchio_model(links, np.zeros(3))
    data = model.createData()
    assert_close(mass_matrix(q), pin.crba(model, data, q))
    assert_close(V, pin.computeCoriolisMatrix(model, data, q, qd) @ qd)


@pytest.mark.parametrize("types", CHAINS)
def test_gravity_force_is_the_gradient_of_the_potential(types: Any) -> None:
    rng = np.random.default_rng(10 + len(types))
    links, (q, _, _) = random_chain(rng, types), random_state(rng, len(types))

    def potential(x: Any) -> Any:
        X, energy = Transform(np.eye(3), np.zeros(3)), 0.0
        for link, x_i in zip(links, x, strict=True):
            X = compose(X, pose_in_parent(link, x_i))
            energy = energy - link.mass * GRAVITY @ (X.R @ link.com + X.p)
        return energy

    zero = np.zeros(len(types))
    assert_close(potential_force(potential, q), newton_euler_in_common_frame(links, q, zero, zero, GRAVITY).tau)
