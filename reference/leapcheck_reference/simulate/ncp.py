"""Impulses of contacts with Coulomb friction, and of bounded rows, to rounding.

Given G (symmetric, positive semi-definite) and g, find p with v = G p + g such that

    a contact, rows 3k..3k+2, z the normal:  0 <= p_n  _|_  v_n >= 0,   |p_t| <= mu p_n,   v_t = -lambda p_t, lambda >= 0,
                                             and v_t = 0 where |p_t| < mu p_n                    (Signorini and Coulomb)
    a bounded row after them:                p = lower where v > 0, p = upper where v < 0, lower <= p <= upper where v = 0

which is p = P(p - r v) for any r > 0, P the projection of p_n on [0, inf), of p_t on the disc of radius mu p_n, and of a
bounded row on its bounds (Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92, 1991). That equation is
solved by a semi-smooth Newton method: one or two steps from a good start. Where it does not settle, it is led there: through
softer contacts (G plus a share of its diagonal, less and less), then from sweeps of Gauss-Seidel with an exact solution of each
contact (Jourdan, Alart and Jean, same journal 155, 1998). The impulses are not unique where contacts are redundant: then
Newton's steps are of least norm.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.optimize import brentq

Floats = NDArray[np.float64]

TOLERANCE = 1e-14
"""Largest residual of a solution, in the problem's own scale |G| |p| + |g|: some 50 roundings."""

NEWTON_STEPS, HALVINGS = 12, 5
"""Newton steps before Gauss-Seidel is asked; halvings of a step that does no good, but for the first attempt."""

SOFTENINGS = (1e-1, 1e-2, 1e-4, 1e-6)
"""Shares of its diagonal added to G one after the other: softer contacts, whose impulses are easier to find."""

SWEEPS = 20
"""Gauss-Seidel's sweeps in the first round, doubled in each."""

SCALINGS = (1.0, 10.0, 0.3, 100.0, 3.0, 1000.0)
"""Multiples of r = 1 / diag G tried in the rounds."""

SINGULAR = 1e-10
"""A matrix whose reciprocal condition number is smaller counts as singular, and so do its singular values below that."""


@dataclass(frozen=True, slots=True, eq=False)
class ConeProblem:
    """G (n, n), g (n,), friction (contacts,) of the rows 3k..3k+2, bounds lower, upper (n - 3 contacts,) of the others.

    Units are free as long as G p is one with g: here m/s or rad/s, N s or N m s.
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


def impulses(problem: ConeProblem, start: Floats, inconsistency: float = 0.0) -> Floats:
    """Solution p (n,), sought from `start` (n,). Raises ArithmeticError when none is found.

    `inconsistency` is what g may lack of being G times something where contacts are redundant (two sticking points of one body
    cannot both have any velocity): there, and only there, a residual as small is taken for a solution, in the least-squares
    sense. All other solutions are good to `TOLERANCE`.
    """
    for p, scaling, halvings in _attempts(problem, start):
        found, size, redundant = _newton(problem, scaling * _steps(problem), p, halvings)
        if size <= TOLERANCE or (redundant and residual(problem, found) <= inconsistency):
            return projected(problem, found)  # moves nothing but roundings outside the cones
    raise ArithmeticError(
        f"the impulses of {len(problem.friction)} contacts and {len(problem.lower)} other rows were not found: "
        "take a smaller time step, or a friction below 1"
    )


def _attempts(problem: ConeProblem, start: Floats) -> Iterator[tuple[Floats, float, int]]:
    """Where to start Newton's method, with what multiple of the usual r, and how often to halve its steps.

    Which r is taken changes the way, not the goal: where it goes round in circles with one, it arrives with another.
    """
    yield start, 1.0, 0
    p = start
    for softening in SOFTENINGS:
        softened = dataclasses.replace(problem, G=problem.G + softening * np.diag(problem.G.diagonal()))
        p = _newton(softened, _steps(softened), p, HALVINGS)[0]
        yield p, 1.0, HALVINGS
    p = start
    for k, scaling in enumerate(SCALINGS):
        p = _swept(problem, p, SWEEPS * 2**k)
        yield p, scaling, HALVINGS
        yield start, scaling, HALVINGS


def residual(problem: ConeProblem, p: Floats) -> float:
    """Largest violation of v = G p + g and the laws above, as a velocity: max |p - P(p - r v)| / r, r = 1 / diag G."""
    r = _steps(problem)
    tau = p - r * (problem.G @ p + problem.g)
    return float(np.abs((p - projected(problem, tau)) / r).max(initial=0.0))


def projected(problem: ConeProblem, tau: Floats) -> Floats:
    """P(tau) (n,): each normal on [0, inf), the tangent on the disc of that radius times mu, bounded rows on their bounds."""
    answer = tau.copy()
    end = problem.contact_rows
    contacts = answer[:end].reshape(-1, 3)
    np.maximum(contacts[:, 2], 0.0, out=contacts[:, 2])
    length = np.hypot(contacts[:, 0], contacts[:, 1])
    radius = problem.friction * contacts[:, 2]
    outside = length > radius
    contacts[outside, :2] *= (radius[outside] / length[outside])[:, None]
    np.clip(answer[end:], problem.lower, problem.upper, out=answer[end:])
    return answer


def _steps(problem: ConeProblem) -> Floats:
    """r (n,) = 1 / diag G, one for both tangents of a contact; rows that nothing moves get 1."""
    diagonal = problem.G.diagonal().copy()
    tangents = diagonal[: problem.contact_rows].reshape(-1, 3)[:, :2]
    tangents[:] = tangents.mean(axis=1, keepdims=True)
    diagonal[diagonal <= 0.0] = 1.0
    answer: Floats = 1.0 / diagonal
    return answer


def _newton(problem: ConeProblem, r: Floats, p: Floats, halvings: int) -> tuple[Floats, float, bool]:
    """(p, its error relative to the problem's scale, whether steps were not unique): the best found from p by Newton's method.

    A step that does not make the error smaller is halved so many times; then it is taken all the same.
    """
    rG = r[:, None] * problem.G
    tau, error, size = _error(problem, r, rG, p)
    best, redundant = (p, size), False
    for _ in range(NEWTON_STEPS):
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


def _swept(problem: ConeProblem, start: Floats, sweeps: int) -> Floats:
    """p after sweeps of Gauss-Seidel: each contact and each row solved exactly in turn, the others held."""
    G, g, end = problem.G, problem.g, problem.contact_rows
    p = start.copy()
    for _ in range(sweeps):
        for k, mu in enumerate(problem.friction.tolist()):
            rows = slice(3 * k, 3 * k + 3)
            block = G[rows, rows]
            p[rows] = one_contact(block, G[rows] @ p + g[rows] - block @ p[rows], mu)
        for i in range(end, len(p)):
            p[i] -= (G[i] @ p + g[i]) / G[i, i] if G[i, i] > 0.0 else 0.0
            p[i] = min(max(p[i], problem.lower[i - end]), problem.upper[i - end])
    return p


def one_contact(G: Floats, g: Floats, mu: float) -> tuple[float, float, float]:
    """Impulse (x, y, z) of a single contact: G (3, 3) positive definite, g (3,) its velocity without impulse.

    It opens, sticks, or slides: then v_t = -alpha p_t, and alpha > 0 is where |p_t| = mu p_n, a root of a quartic
    (Bonnefon and Daviet, Quartic formulation of Coulomb 3D frictional contact, INRIA RT-0400, 2011), bracketed.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = G.tolist()
    gx, gy, gz = g.tolist()
    if gz >= 0.0:
        return 0.0, 0.0, 0.0
    # v_n = 0 gives p_n by p_t; what is left is a problem in the plane
    sxx, sxy, syy = xx - xz * xz / zz, xy - xz * yz / zz, yy - yz * yz / zz
    sx, sy = gx - xz * gz / zz, gy - yz * gz / zz
    floor = 1e-14 * (xx + yy)

    def at(alpha: float) -> tuple[float, float, float]:
        a, b = sxx + alpha + floor, syy + alpha + floor
        det = a * b - sxy * sxy
        px, py = (sxy * sy - b * sx) / det, (sxy * sx - a * sy) / det
        return px, py, -(gz + xz * px + yz * py) / zz

    def outside(alpha: float) -> float:
        px, py, pz = at(alpha)
        return math.hypot(px, py) - mu * pz

    if outside(0.0) <= 0.0:
        return at(0.0)
    if mu == 0.0:
        return 0.0, 0.0, -gz / zz
    high = xx + yy
    while outside(high) > 0.0:
        high *= 4.0
    return at(float(brentq(outside, 0.0, high, xtol=1e-300, rtol=1e-15)))
