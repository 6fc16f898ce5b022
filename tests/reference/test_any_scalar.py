"""The same algorithms on other scalars: complex numbers, Python floats as objects, long double, arb balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import flint
import numpy as np
import pytest

from leapcheck_reference import (
    bias_force,
    build,
    centroidal_momentum,
    com_position,
    contact_bias_accelerations,
    contact_inertia,
    contact_jacobians,
    contact_positions,
    contact_velocities,
    coriolis_matrix,
    forward_dynamics,
    gravity_force,
    kinetic_energy,
    mass_matrix,
    mujoco_mass_matrix,
    potential_energy,
)
from tests.reference.generic_states import Array, Case, case, derivative, moved, rate, relative
from tests.reference.running_error import UNIT_ROUNDOFF, Bounded

FUNCTIONS: dict[str, Callable[[Any, Case], Any]] = {
    "M": lambda tree, at: mass_matrix(tree, at.q),
    "M in MuJoCo's coordinates": lambda tree, at: mujoco_mass_matrix(tree, at.q),
    "bias": lambda tree, at: bias_force(tree, at.q, at.v),
    "gravity": lambda tree, at: gravity_force(tree, at.q),
    "C": lambda tree, at: coriolis_matrix(tree, at.q, at.v),
    "forward dynamics": lambda tree, at: forward_dynamics(tree, at.q, at.v, at.tau, at.f_ext),
    "contact positions": lambda tree, at: contact_positions(tree, at.q),
    "contact velocities": lambda tree, at: contact_velocities(tree, at.q, at.v),
    "J": lambda tree, at: contact_jacobians(tree, at.q),
    "Jdot v": lambda tree, at: contact_bias_accelerations(tree, at.q, at.v),
    "contact inertia": lambda tree, at: contact_inertia(tree, at.q),
    "kinetic energy": lambda tree, at: kinetic_energy(tree, at.q, at.v),
    "potential energy": lambda tree, at: potential_energy(tree, at.q),
    "com": lambda tree, at: com_position(tree, at.q),
    "momentum": lambda tree, at: centroidal_momentum(tree, at.q, at.v),
}
TREES = ("mini_cheetah", "two_link_arm", "random:2", "random:24", "random:29", "random:53")
LEAST = 0.1  # SI: least scale of a quantity, for those that are zero but for rounding (one slide has no C)
BOUND_SLACK = 2.0  # the float path adds in another order (BLAS), which has the same kind of bound; measured worst 0.35
BOUND_WIDTH = 1e-6  # the bounds say something: of the largest entry; measured worst 2.3e-8
BALL_RADIUS = 1e-45  # of the largest entry; measured worst 1e-53
OBJECTS = 1e-12  # of the largest entry; measured worst 7.3e-14
LONG_DOUBLE = 1000.0  # its epsilon, of the largest entry, against arb; measured worst 30
DIFFERENCES = 2e-8  # of the largest entry of M, central differences; measured worst 2.2e-9


@pytest.fixture
def precise() -> Iterator[None]:
    """200 bits for arb."""
    before, flint.ctx.prec = flint.ctx.prec, 200
    yield
    flint.ctx.prec = before


def converted(at: Case, scalar: Callable[[float], Any]) -> Case:
    """The state with every number as an object of another scalar."""

    def objects(values: Array) -> Array:
        array = np.empty(values.shape, dtype=object)
        for place, value in np.ndenumerate(values):
            array[place] = scalar(float(value))
        return array

    return Case(at.spec, at.tree, *(objects(x) for x in (at.q, at.v, at.vdot, at.tau, at.f_ext)))


def floats(values: Any, part: Callable[[Any], Any]) -> Array:
    array = np.asarray(values, dtype=object)
    return np.array([float(part(x)) if hasattr(x, "mid") else float(x) for x in array.ravel()]).reshape(array.shape)


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("name", TREES)
def test_floats_are_within_their_running_error_bound_of_the_arb_value(name: str) -> None:
    at = case(name)
    tree_arb, tree_bounded = build(at.spec, flint.arb), build(at.spec, Bounded)
    at_arb, at_bounded = converted(at, flint.arb), converted(at, Bounded)
    for quantity, function in FUNCTIONS.items():
        actual = np.asarray(function(at.tree, at))
        balls = np.asarray(function(tree_arb, at_arb), dtype=object)
        truth = floats(balls, lambda x: x.mid())
        radius = floats(balls, lambda x: x.rad())
        error = np.array([abs(float(flint.arb(float(x)) - b)) for x, b in zip(actual.ravel(), balls.ravel(), strict=True)])
        bounds = np.array([x.error if isinstance(x, Bounded) else 0.0 for x in _flat(function(tree_bounded, at_bounded))])
        bounds = UNIT_ROUNDOFF * bounds
        scale = np.abs(truth).max(initial=LEAST)
        assert (error <= BOUND_SLACK * bounds).all(), quantity
        assert bounds.max(initial=0.0) <= BOUND_WIDTH * scale, quantity
        assert radius.max(initial=0.0) <= BALL_RADIUS * scale, quantity


@pytest.mark.parametrize("name", TREES)
def test_objects_that_are_floats_give_what_floats_give(name: str) -> None:
    at = case(name)
    for quantity, function in FUNCTIONS.items():
        actual = np.asarray(function(at.tree, converted(at, float)), dtype=float)
        expected = np.asarray(function(at.tree, at))
        assert relative(actual, expected, LEAST) <= OBJECTS, quantity


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("name", TREES)
def test_long_double_is_kept_and_is_at_least_as_good(name: str) -> None:
    """Long-double states on a long-double tree; where long double is double (macOS on arm64) it is no better."""
    at = case(name)
    states = Case(at.spec, at.tree, *(np.array(x, dtype=np.longdouble) for x in (at.q, at.v, at.vdot, at.tau, at.f_ext)))
    tree, tree_arb, at_arb = build(at.spec, np.longdouble), build(at.spec, flint.arb), converted(at, flint.arb)
    for quantity, function in FUNCTIONS.items():
        kept = np.asarray(function(at.tree, states))
        assert kept.dtype == np.longdouble, quantity
        long, truth = np.asarray(function(tree, states)), np.asarray(function(tree_arb, at_arb), dtype=object)
        error = [abs(float(exact(x) - t)) for x, t in zip(_flat(long), _flat(truth), strict=True)]
        scale = max([LEAST, *(abs(float(x)) for x in _flat(truth))])
        assert max(error, default=0.0) <= LONG_DOUBLE * float(np.finfo(np.longdouble).eps) * scale, quantity


def test_complex_step_is_the_derivative_of_m(case: Case) -> None:
    dt = 1e-5 if max(abs(b.rotor.gear_ratio) if b.rotor else 1.0 for b in case.spec.bodies) < 30.0 else 1e-7
    Mdot = derivative(lambda q: mass_matrix(case.tree, q), (case.q, rate(case.spec, case.q, case.v)))
    after, before = (mass_matrix(case.tree, moved(case.spec, case.q, case.v, sign * dt)) for sign in (1.0, -1.0))
    assert relative((after - before) / (2 * dt), Mdot, float(np.abs(after).max())) <= DIFFERENCES


def exact(x: Any) -> Any:
    """A long double as a ball without radius: the sum of two doubles."""
    return flint.arb(float(x)) + flint.arb(float(x - float(x)))


def _flat(values: Any) -> list[Any]:
    return list(np.asarray(values, dtype=object).ravel())
