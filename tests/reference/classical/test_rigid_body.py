"""Momenta, Newton and Euler of one rigid body against a cloud of mass points that moves as one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leapcheck_reference.classical.rigid_body import (
    angular_momentum,
    angular_momentum_about,
    euler_moment,
    kinetic_energy,
    linear_momentum,
    newton_force,
)
from leapcheck_reference.rotation import cross
from leapcheck_reference.spatial_inertia import about_point

pytestmark = pytest.mark.quick

ROUNDING = 5e-15
"""Relative to the largest entry; measured 1.3e-15."""


def assert_close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


class Cloud:
    """Seven mass points in rigid motion: what Newton's law for points says about the whole."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.masses, self.x = rng.uniform(0.2, 2, 7), rng.normal(size=(7, 3))
        self.w, self.wdot, v, a = rng.normal(size=(4, 3))
        self.mass = self.masses.sum()
        self.com = self.masses @ self.x / self.mass
        r = self.x - self.com
        self.v = v + np.cross(self.w, r)
        self.a = a + np.cross(self.wdot, r) + np.cross(self.w, np.cross(self.w, r))
        self.v_C, self.a_C = v, a
        self.rotational = self.inertia_about(self.com)

    def inertia_about(self, point: Any) -> Any:
        r = self.x - point
        return np.einsum("n,nij->ij", self.masses, [d @ d * np.eye(3) - np.outer(d, d) for d in r])

    def moment_of(self, vectors: Any, point: Any) -> Any:
        """Sum over the points of m r x vector."""
        return self.masses @ np.cross(self.x - point, vectors)


def test_momenta_are_the_sums_over_the_points() -> None:
    c, point = Cloud(1), np.array([0.4, -2.0, 1.0])
    assert_close(linear_momentum(c.mass, c.v_C), c.masses @ c.v)
    assert_close(angular_momentum(c.rotational, c.w), c.moment_of(c.v, c.com))
    assert_close(angular_momentum_about(c.com - point, c.mass, c.v_C, c.rotational, c.w), c.moment_of(c.v, point))


def test_newton_and_euler_are_the_sums_over_the_points() -> None:
    c = Cloud(2)
    assert_close(newton_force(c.mass, c.a_C), c.masses @ c.a)
    assert_close(euler_moment(c.rotational, c.w, c.wdot), c.moment_of(c.a, c.com))


def test_kinetic_energy_is_the_sum_over_the_points() -> None:
    c = Cloud(3)
    assert_close(kinetic_energy(c.mass, c.v_C, c.rotational, c.w), 0.5 * c.masses @ np.sum(c.v**2, axis=1))


def test_parallel_axis_theorem() -> None:
    c, point = Cloud(4), np.array([0.4, -2.0, 1.0])
    shifted = about_point(c.mass, c.rotational, c.com - point)
    d = c.com - point
    assert_close(shifted, c.inertia_about(point))
    assert_close(shifted, c.rotational + c.mass * (d @ d * np.eye(3) - np.outer(d, d)))  # Craig's way of writing it
    assert_close(shifted, about_point(c.mass, c.rotational, point - c.com))


def test_power_of_force_and_moment_is_the_rate_of_energy() -> None:
    c = Cloud(5)
    power = newton_force(c.mass, c.a_C) @ c.v_C + euler_moment(c.rotational, c.w, c.wdot) @ c.w
    assert_close(power, np.einsum("n,ni,ni->", c.masses, c.a, c.v))
    assert_close(cross(c.w, c.rotational @ c.w) @ c.w + 1.0, 1.0)  # the gyroscopic moment does no work
