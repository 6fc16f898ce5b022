"""A semi-smooth Newton method for p = P(p - r v): see `ncp_problem`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from leapcheck_reference.simulate.ncp_problem import ConeProblem, projected

Floats = NDArray[np.float64]

TOLERANCE = 1e-14
"""Largest error of a solution, in the problem's own scale |G| |p| + |g|: some 50 roundings."""

STEPS = 12
"""Newton's steps before it gives up."""

SINGULAR = 1e-10
"""A matrix whose reciprocal condition number is smaller counts as singular, and so do its singular values below that."""


def newton(problem: ConeProblem, r: Floats, p: Floats, halvings: int) -> tuple[Floats, float, bool]:
    """(p, its error relative to the problem's scale, whether steps were not unique): the best found from p by Newton's method.

    A step that does not make the error smaller is halved so many times; then it is taken all the same.
    """
    rG = r[:, None] * problem.G
    tau, error, size = _error(problem, r, rG, p)
    best, redundant = (p, size), False
    for _ in range(STEPS):
        if best[1] <= TOLERANCE:
            break
        step, singular = _solved(_derivative(problem, tau, rG), error)
        before, redundant = size, redundant or singular
        for _ in range(halvings + 1):
            trial = p - step
            tau, error, size = _error(problem, r, rG, trial)
            if size < before:
                break
            step = 0.5 * step
        p = trial
        if size < best[1]:
            best = p, size
    return *best, redundant


def _error(problem: ConeProblem, r: Floats, rG: Floats, p: Floats) -> tuple[Floats, Floats, float]:
    """(tau = p - r v, p - P(tau), the largest of these against the largest of |r G| |p| + r |g|)."""
    rg = r * problem.g
    tau = p - rG @ p - rg
    error = p - projected(problem, tau)
    scale = (np.abs(rG) @ np.abs(p) + np.abs(rg)).max()
    return tau, error, float(np.abs(error).max() / scale) if scale > 0.0 else 0.0


def _derivative(problem: ConeProblem, tau: Floats, rG: Floats) -> Floats:
    """1 - P'(tau) (1 - r G), shape (n, n): the derivative of p - P(p - r v)."""
    end, n = problem.contact_rows, len(tau)
    slopes = np.zeros((n, n))
    free = (tau[end:] > problem.lower) & (tau[end:] < problem.upper)
    slopes[range(end, n), range(end, n)] = free
    for k, (x, y, z) in enumerate(tau[:end].reshape(-1, 3).tolist()):
        if z <= 0.0:
            continue
        i, mu = 3 * k, problem.friction[k]
        length = math.hypot(x, y)
        if length <= mu * z:
            slopes[i, i] = slopes[i + 1, i + 1] = slopes[i + 2, i + 2] = 1.0
            continue
        x, y, c = x / length, y / length, mu * z / length
        slopes[i : i + 3, i : i + 3] = [[c * y * y, -c * x * y, mu * x], [-c * x * y, c * x * x, mu * y], [0.0, 0.0, 1.0]]
    A: Floats = slopes @ rG - slopes
    A.flat[:: n + 1] += 1.0
    return A


def _solved(A: Floats, b: Floats) -> tuple[Floats, bool]:
    """(x with A x = b, whether A is singular: then x is of least norm, in the least-squares sense)."""
    factors, pivots, _ = lapack.dgetrf(A)
    if lapack.dgecon(factors, np.abs(A).sum(axis=0).max())[0] > SINGULAR:
        return lapack.dgetrs(factors, pivots, b)[0], False
    return np.linalg.lstsq(A, b, rcond=SINGULAR)[0].astype(float, copy=False), True
