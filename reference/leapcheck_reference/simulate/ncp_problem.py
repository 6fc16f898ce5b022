"""The problem of contact with Coulomb friction on the Delassus matrix: its laws, the residual of an answer, and Newton's method.

Given G (symmetric, positive semi-definite) and g, find p with v = G p + g such that

    a contact, rows 3k..3k+2, z the normal:  0 <= p_n  _|_  v_n >= 0,   |p_t| <= mu p_n,   v_t = -lambda p_t, lambda >= 0,
                                             and v_t = 0 where |p_t| < mu p_n                    (Signorini and Coulomb)
    a bounded row after them:                p = lower where v > 0, p = upper where v < 0, lower <= p <= upper where v = 0

which is p = P(p - r v) for any r > 0, P the projection of p_n on [0, inf), of p_t on the disc of radius mu p_n, and of a
bounded row on its bounds (Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92, 1991).
"""

import math
from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Floats

PUSH_OUT = 0.5
"""Largest speed (m/s, rad/s) at which a penetration is undone: what curved paths leave in a step of 1 ms is far below."""


@dataclass(frozen=True, slots=True, eq=False)
class ConeProblem:
    """G (n, n), g (n,), friction (contacts,) of the rows 3k..3k+2, bounds lower, upper (n - 3 contacts,) of the others.

    Impulses are in N s or N m s, velocities in m/s or rad/s.
    """

    G: Floats
    g: Floats
    friction: Floats
    lower: Floats
    upper: Floats

    @property
    def contact_rows(self) -> int:
        """Number of rows that belong to contacts."""
        return 3 * len(self.friction)


def residual(problem: ConeProblem, p: Floats) -> float:
    """Largest violation of v = G p + g and the laws above, as a velocity: max |p - P(p - r v)| / r, r = 1 / diag G."""
    r = steps(problem)
    tau = p - r * (problem.G @ p + problem.g)
    return float(np.maximum.reduce(np.abs((p - project(problem, tau)) / r), initial=0.0))


def project(problem: ConeProblem, tau: Floats) -> Floats:
    """P(tau) (n,): each normal on [0, inf), the tangent on the disc of that radius times mu, bounded rows on their bounds."""
    answer = tau.copy()
    end = problem.contact_rows
    contacts = answer[:end].reshape(-1, 3)
    np.maximum(contacts[:, 2], 0.0, out=contacts[:, 2])
    length = np.hypot(contacts[:, 0], contacts[:, 1])
    radius = problem.friction * contacts[:, 2]
    outside = length > radius
    if np.count_nonzero(outside):
        contacts[outside, :2] *= (radius[outside] / length[outside])[:, None]
    if len(problem.lower):
        np.clip(answer[end:], problem.lower, problem.upper, out=answer[end:])
    return answer


def steps(problem: ConeProblem) -> Floats:
    """r (n,) = 1 / diag G, one for both tangents of a contact; rows that nothing moves get 1."""
    diagonal, end = problem.G.diagonal().copy(), problem.contact_rows
    x, y = diagonal[0:end:3], diagonal[1:end:3]
    x[:] = y[:] = 0.5 * (x + y)
    unmoved = diagonal <= 0.0
    if np.count_nonzero(unmoved):
        diagonal[unmoved] = 1.0
    answer: Floats = 1.0 / diagonal
    return answer


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
        step, singular = _solve(_derivative(problem, tau, rG), error)
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
    error = p - project(problem, tau)
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


def _solve(A: Floats, b: Floats) -> tuple[Floats, bool]:
    """(x with A x = b, whether A is singular: then x is of least norm, in the least-squares sense)."""
    try:
        inverse = np.linalg.inv(A)
    except np.linalg.LinAlgError:
        inverse = np.full_like(A, np.inf)
    with np.errstate(over="ignore", invalid="ignore"):  # where it is singular
        condition = np.abs(A).sum(axis=0).max() * np.abs(inverse).sum(axis=0).max()
    if condition * SINGULAR < 1.0:
        return inverse @ b, False
    return np.linalg.lstsq(A, b, rcond=SINGULAR)[0].astype(float, copy=False), True
