from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference import factorization, mass_matrix, solution, sparsity_pattern
from leapcheck_reference.factorization import dense_parent, inverse_product
from tests.reference.generic_states import Array, Case, relative, scale_free

pytestmark = pytest.mark.quick

RECONSTRUCTION = 1e-14  # scale-free; measured worst 5.2e-16
RESIDUAL = 5e-12  # of the largest entry of the right side; measured worst 2.1e-13
PRODUCT = 1e-14  # of the largest entry; measured worst 3.7e-16


def spoiled(M: Array, pattern: Array) -> Array:
    """M with NaN wherever no entry may be looked at: off the pattern, and above the diagonal."""
    return np.where(np.tril(pattern) == 1, M, np.nan)


def test_reconstructs_the_mass_matrix(case: Case) -> None:
    M = mass_matrix(case.tree, case.q)
    factors = factorization(M, case.tree.dof_parent)
    assert scale_free(factors.L.T @ np.diag(factors.D) @ factors.L, M) <= RECONSTRUCTION
    assert (factors.D > 0.0).all()


def test_has_no_fill_in_and_a_unit_diagonal(case: Case) -> None:
    L = factorization(mass_matrix(case.tree, case.q), case.tree.dof_parent).L
    np.testing.assert_array_equal(np.diag(L), 1.0)
    np.testing.assert_array_equal(L[np.tril(sparsity_pattern(case.tree)) == 0], 0.0)


def test_looks_at_no_entry_off_the_ancestors_pattern(case: Case) -> None:
    M = mass_matrix(case.tree, case.q)
    b = case.tau
    clean = factorization(M, case.tree.dof_parent)
    factors = factorization(spoiled(M, sparsity_pattern(case.tree)), case.tree.dof_parent)
    np.testing.assert_array_equal(factors.D, clean.D)
    np.testing.assert_array_equal(factors.L, clean.L)
    np.testing.assert_array_equal(solution(factors, b), solution(clean, b))


def test_solution_solves(case: Case) -> None:
    M = mass_matrix(case.tree, case.q)
    factors = factorization(M, case.tree.dof_parent)
    columns = np.random.default_rng(3).normal(size=(case.tree.nv, 3))
    assert relative(M @ solution(factors, case.tau), case.tau) <= RESIDUAL
    assert relative(M @ solution(factors, columns), columns) <= RESIDUAL


def test_inverse_product_is_exactly_symmetric(case: Case) -> None:
    factors = factorization(mass_matrix(case.tree, case.q), case.tree.dof_parent)
    columns = np.random.default_rng(3).normal(size=(case.tree.nv, 5))
    product = inverse_product(factors, columns)
    assert relative(product, columns.T @ solution(factors, columns)) <= PRODUCT
    np.testing.assert_array_equal(product, product.T)


def test_leaves_its_arguments_alone() -> None:
    M, b = np.array([[4.0, 2.0], [2.0, 3.0]]), np.array([1.0, 2.0])
    solution(factorization(M, dense_parent(2)), b)
    np.testing.assert_array_equal(M, [[4.0, 2.0], [2.0, 3.0]])
    np.testing.assert_array_equal(b, [1.0, 2.0])


def test_dense_matrix_of_integers() -> None:
    """One chain: the figures by hand, M = L^T D L with L = [[1, 0], [2/3, 1]] and D = (8/3, 3)."""
    factors = factorization(np.array([[4, 2], [2, 3]]), dense_parent(2))
    np.testing.assert_allclose(factors.L, [[1.0, 0.0], [2 / 3, 1.0]], rtol=1e-15)
    np.testing.assert_allclose(factors.D, [8 / 3, 3.0], rtol=1e-15)
    np.testing.assert_allclose(solution(factors, np.array([8, 7])), np.array([1.25, 1.5]), rtol=1e-15)
    assert factors.parent == (-1, 0)


def test_no_dof_at_all() -> None:
    factors = factorization(np.zeros((0, 0)), ())
    assert solution(factors, np.zeros((0, 2))).shape == (0, 2)
