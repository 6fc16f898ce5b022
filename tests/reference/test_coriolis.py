from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leapcheck_models.spec import ONE_DOF
from leapcheck_reference import christoffel_matrix, coriolis_force, coriolis_matrix, coriolis_normal_form, mass_matrix
from tests.reference.generic_states import Case, derivative, moved, rate, relative

pytestmark = pytest.mark.quick

ROUNDING = 1e-14  # of the largest entry; measured worst 1.0e-15
DIFFERENCES = 2e-8  # of the largest entry, central differences of step 1e-5; measured worst 1.6e-9
BOTH = pytest.mark.parametrize("matrix", [coriolis_matrix, christoffel_matrix])


def scale(case: Case) -> float:
    """Size of Mdot: that of M times the largest speed."""
    return float(abs(mass_matrix(case.tree, case.q)).max() * abs(case.v).max())


@BOTH
def test_c_v_is_the_coriolis_force(case: Case, matrix: Any) -> None:
    C = matrix(case.tree, case.q, case.v)
    assert relative(C @ case.v, coriolis_force(case.tree, case.q, case.v), scale(case)) <= ROUNDING


@BOTH
def test_mdot_minus_2c_is_skew_symmetric(case: Case, matrix: Any) -> None:
    C = matrix(case.tree, case.q, case.v)
    Mdot = derivative(lambda q: mass_matrix(case.tree, q), (case.q, rate(case.spec, case.q, case.v)))
    assert relative(C + C.T, Mdot, scale(case)) <= ROUNDING


def test_mdot_by_differences_on_the_manifold(case: Case) -> None:
    dt = 1e-5 if max(abs(b.rotor.gear_ratio) if b.rotor else 1.0 for b in case.spec.bodies) < 30.0 else 1e-7
    C = coriolis_matrix(case.tree, case.q, case.v)
    after, before = (mass_matrix(case.tree, moved(case.spec, case.q, case.v, sign * dt)) for sign in (1.0, -1.0))
    assert relative(C + C.T, (after - before) / (2 * dt), scale(case)) <= DIFFERENCES


@BOTH
def test_c_is_linear_in_v(case: Case, matrix: Any) -> None:
    one, two = (matrix(case.tree, case.q, factor * case.v) for factor in (1.0, -2.0))
    assert relative(two, -2.0 * one) <= ROUNDING


def test_christoffel_s_symbols(case: Case) -> None:
    if not all(body.joint.type in ONE_DOF for body in case.spec.bodies):
        pytest.skip("the symbols of a base's velocity are not derivatives of M alone")
    gradients = [derivative(lambda q: mass_matrix(case.tree, q), (case.q, unit)) for unit in np.eye(case.spec.nv)]
    dM = np.stack(gradients, axis=-1)  # of M_ij by q_k
    C = 0.5 * np.einsum("ijk,k->ij", dM + np.swapaxes(dM, 1, 2) - np.swapaxes(dM, 0, 2), case.v)
    assert relative(christoffel_matrix(case.tree, case.q, case.v), C, scale(case)) <= ROUNDING


def test_all_coriolis_matrices_have_one_normal_form(case: Case) -> None:
    C, v = christoffel_matrix(case.tree, case.q, case.v), case.v
    others = np.random.default_rng(0).normal(size=(2, len(v)))
    a, b = (x - (x @ v) / (v @ v) * v for x in others)  # of no effect on v
    another = C + scale(case) * (np.outer(a, b) - np.outer(b, a))
    assert relative(coriolis_normal_form(another, v), coriolis_matrix(case.tree, case.q, v), scale(case)) <= ROUNDING
    assert not coriolis_matrix(case.tree, case.q, 0.0 * v).any()
