"""Linear equations with a positive definite matrix."""

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.definite import definite_solution

ROUNDING = 1e-15
"""Of a solution, relative, times the condition number; largest of 100 trials 8e-17."""


def matrix(seed: int) -> Floats:
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return A @ A.T + np.eye(6)


@pytest.mark.parametrize("seed", range(5))
def test_the_equations_are_solved(seed: int) -> None:
    A, x = matrix(seed), np.random.default_rng(100 + seed).normal(size=6)
    solution = definite_solution(A, A @ x)
    assert solution is not None
    np.testing.assert_allclose(solution, x, rtol=0.0, atol=ROUNDING * np.abs(x).max() * np.linalg.cond(A))


def test_a_matrix_that_is_not_positive_definite_along_the_solution_is_refused() -> None:
    assert definite_solution(-matrix(0), np.ones(6)) is None
    indefinite = np.diag([1.0, -1.0])
    assert definite_solution(indefinite, np.array([0.1, 1.0])) is None
    assert definite_solution(indefinite, np.array([1.0, 0.1])) is not None  # x^T A x > 0 there


@pytest.mark.parametrize("b", [np.array([np.nan, 0.0]), np.array([np.inf, 0.0]), np.array([1e300, 1e300])])
def test_numbers_that_are_not_finite_are_refused(b: Floats) -> None:
    assert definite_solution(np.eye(2), b) is None


def test_a_singular_matrix_is_refused_and_rest_is_a_solution() -> None:
    assert definite_solution(np.zeros((2, 2)), np.ones(2)) is None
    np.testing.assert_array_equal(definite_solution(np.eye(2), np.zeros(2)), np.zeros(2))
