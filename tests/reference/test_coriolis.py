from __future__ import annotations

import pytest

from leapcheck_reference import coriolis_force, coriolis_matrix, mass_matrix
from tests.reference.generic_states import Case, derivative, moved, rate, relative

pytestmark = pytest.mark.quick

ROUNDING = 1e-14  # of the largest entry; measured worst 1.0e-15
DIFFERENCES = 2e-8  # of the largest entry, central differences of step 1e-5; measured worst 1.6e-9


def scale(case: Case) -> float:
    """Size of Mdot: that of M times the largest speed."""
    return float(abs(mass_matrix(case.tree, case.q)).max() * abs(case.v).max())


def test_c_v_is_the_coriolis_force(case: Case) -> None:
    C = coriolis_matrix(case.tree, case.q, case.v)
    assert relative(C @ case.v, coriolis_force(case.tree, case.q, case.v), scale(case)) <= ROUNDING


def test_mdot_minus_2c_is_skew_symmetric(case: Case) -> None:
    C = coriolis_matrix(case.tree, case.q, case.v)
    Mdot = derivative(lambda q: mass_matrix(case.tree, q), (case.q, rate(case.spec, case.q, case.v)))
    assert relative(C + C.T, Mdot, scale(case)) <= ROUNDING


def test_mdot_by_differences_on_the_manifold(case: Case) -> None:
    dt = 1e-5 if max(abs(b.rotor.gear_ratio) if b.rotor else 1.0 for b in case.spec.bodies) < 30.0 else 1e-7
    C = coriolis_matrix(case.tree, case.q, case.v)
    after, before = (mass_matrix(case.tree, moved(case.spec, case.q, case.v, sign * dt)) for sign in (1.0, -1.0))
    assert relative(C + C.T, (after - before) / (2 * dt), scale(case)) <= DIFFERENCES


def test_c_is_linear_in_v(case: Case) -> None:
    one, two = (coriolis_matrix(case.tree, case.q, factor * case.v) for factor in (1.0, -2.0))
    assert relative(two, -2.0 * one) <= ROUNDING
