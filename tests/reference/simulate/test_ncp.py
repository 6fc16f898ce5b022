"""The solver of the contact problem, held against the laws it stands for and against SciPy's where these are a known problem."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear, nnls

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.ncp import impulses, one_contact
from leapcheck_reference.simulate.ncp_problem import ConeProblem, residual

LAWS = 3e-12
"""Largest violation of a law in a problem whose numbers are of order 1 to 30; measured 3e-13."""

AGAINST_SCIPY = 1e-13
"""Difference of v from SciPy's active-set solutions, sizes up to 30; measured 7e-16."""

ONE = 5e-13
"""The same for a single contact; measured 4.4e-14."""


def drawn(rng: np.random.Generator, contacts: int, rows: int, dofs: int, mu: float) -> ConeProblem:
    """A problem from a Jacobian (3 contacts + rows, dofs): singular where it has more rows than dofs."""
    J = rng.normal(size=(3 * contacts + rows, dofs))
    return ConeProblem(J @ J.T, J @ rng.normal(size=dofs), np.full(contacts, mu), np.zeros(rows), np.full(rows, np.inf))


def violation(problem: ConeProblem, p: Floats) -> float:
    """Largest violation of the laws as they stand in the book: signs, products, cone, direction of sliding."""
    v = problem.G @ p + problem.g
    end = problem.contact_rows
    worst = [0.0]
    for P, V, mu in zip(p[:end].reshape(-1, 3), v[:end].reshape(-1, 3), problem.friction, strict=True):
        push, slip = float(np.hypot(*P[:2])), float(np.hypot(*V[:2]))
        worst += [-P[2], -V[2], abs(P[2] * V[2]), push - mu * P[2]]
        worst.append(abs((mu * P[2] - push) * slip))  # what slides has the full friction
        worst.append(abs(P[:2] @ V[:2] + push * slip))  # against its velocity
    for i in range(end, len(p)):
        low, high = problem.lower[i - end], problem.upper[i - end]
        worst += [low - p[i], p[i] - high]
        worst.append(abs(min(p[i] - low, 1.0) * max(v[i], 0.0)) + abs(min(high - p[i], 1.0) * min(v[i], 0.0)))
    return max(worst)


@pytest.mark.parametrize("mu", [0.0, 0.05, 0.8, 1.5])
@pytest.mark.parametrize(("contacts", "rows", "dofs"), [(1, 0, 6), (4, 2, 18), (4, 0, 6), (8, 3, 18), (16, 4, 18)])
def test_the_laws_hold(contacts: int, rows: int, dofs: int, mu: float) -> None:
    rng = np.random.default_rng(contacts + 100 * dofs)
    for _ in range(15):
        problem = drawn(rng, contacts, rows, dofs, mu)
        p = impulses(problem, np.zeros(len(problem.g)))
        assert violation(problem, p) < LAWS
        assert residual(problem, p) < LAWS


def test_a_contact_there_twice_carries_the_load_in_equal_parts() -> None:
    rng = np.random.default_rng(3)
    J = np.tile(rng.normal(size=(3, 6)), (2, 1))
    J[2::3] += 3.0 * np.eye(6)[5]
    u = np.linalg.lstsq(J, np.tile([0.01, 0.02, -1.0], 2), rcond=None)[0]
    problem = ConeProblem(J @ J.T, J @ u, np.full(2, 5.0), np.zeros(0), np.zeros(0))
    p = impulses(problem, np.zeros(6))
    assert violation(problem, p) < LAWS
    assert np.abs(p[:3] - p[3:]).max() < LAWS
    assert p[2] > 0.0


def test_without_friction_it_is_nonnegative_least_squares() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        A, b = rng.normal(size=(18, 8)), rng.normal(size=18)
        normals = np.arange(8)
        J = np.zeros((24, 18))
        J[2::3] = A.T
        tangents = rng.normal(size=(8, 2, 18))
        J[0::3], J[1::3] = tangents[:, 0], tangents[:, 1]
        problem = ConeProblem(J @ J.T, -J @ b, np.zeros(8), np.zeros(0), np.zeros(0))
        p = impulses(problem, np.zeros(24))
        assert np.abs(p[3 * normals + 2] - nnls(A, b)[0]).max() < AGAINST_SCIPY


def test_bounded_rows_are_bounded_least_squares() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        A, b = rng.normal(size=(18, 6)), rng.normal(size=18)
        lower, upper = -rng.uniform(0.01, 0.2, 6), rng.uniform(0.01, 0.2, 6)
        problem = ConeProblem(A.T @ A, -A.T @ b, np.zeros(0), lower, upper)
        expected = lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-15).x
        assert np.abs(impulses(problem, np.zeros(6)) - expected).max() < AGAINST_SCIPY


def test_the_start_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    problem = drawn(rng, 4, 0, 18, 0.5)
    cold = impulses(problem, np.zeros(12))
    for _ in range(5):
        assert np.abs(impulses(problem, rng.normal(size=12)) - cold).max() < LAWS


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.7, 3.0])
def test_one_contact_alone(mu: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        A = rng.normal(size=(3, 5))
        G, g = A @ A.T, rng.normal(size=3)
        problem = ConeProblem(G, g, np.array([mu]), np.zeros(0), np.zeros(0))
        assert violation(problem, np.array(one_contact(G, g, mu))) < ONE * np.linalg.cond(G)


def test_a_problem_without_solution_is_an_error() -> None:
    """Two bodies that nothing can move are to part: no impulse does it."""
    problem = ConeProblem(np.zeros((1, 1)), np.array([-1.0]), np.zeros(0), np.zeros(1), np.full(1, np.inf))
    with pytest.raises(ArithmeticError, match="not found"):
        impulses(problem, np.zeros(1))
