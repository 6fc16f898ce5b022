"""Functions on [0, 1] by their values at Chebyshev points: between them, and integrated (Trefethen, Approximation Theory
and Approximation Practice, chapters 2, 5 and 19).
"""

from __future__ import annotations

import numpy as np

from leapcheck_models.arrays import Floats


def points(count: int) -> Floats:
    """Chebyshev points of the second kind (count,), from 0 to 1."""
    nodes: Floats = 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1))
    return nodes


def interpolation(count: int, s: Floats) -> Floats:
    """Weights (n, count): values at s (n,) are these times the values at the points (the barycentric formula)."""
    w = (-1.0) ** np.arange(count)
    w[[0, -1]] /= 2
    distance = s[:, None] - points(count)
    at_point = distance == 0.0
    weights = w / np.where(at_point, 1.0, distance)
    weights = np.where(at_point.any(axis=1)[:, None], at_point, weights)
    answer: Floats = weights / weights.sum(axis=1, keepdims=True)
    return answer


def integration(count: int) -> Floats:
    """S (count, count): integrals from 0 to each point of the polynomial with given values at the points."""
    basis = np.polynomial.chebyshev
    x = 2 * points(count) - 1
    coefficients = np.linalg.inv(basis.chebvander(x, count - 1))
    integrals = basis.chebval(x, basis.chebint(coefficients, lbnd=-1, axis=0) / 2).T
    return np.asarray(integrals, dtype=float)
