"""Impulses of contacts with Coulomb friction, and of bounded rows, to rounding: the solver of `ncp_problem`.

A semi-smooth Newton method needs one or two steps from the impulses of the time step before. Where it does not settle, it is led
to a solution: first through softer contacts, G plus a share of its diagonal, less and less; then from sweeps of Gauss-Seidel
(Jourdan, Alart and Jean, Computer Methods in Applied Mechanics and Engineering 155, 1998). The impulses are not unique where
contacts are redundant: then Newton's steps are of least norm.
"""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.errors import ContactSolverError
from leapcheck_reference.simulate.ncp_problem import TOLERANCE, ConeProblem, newton, project, residual, steps

NEGLIGIBLE = 1e-9
"""Residual (m/s) of redundant contacts that counts as rounding: it moves a point by 1e-12 m in a step."""

ALIKE = 1e-3
"""Relative difference of residuals that are one and the same: in legs that move in planes two ways differ by 1e-6."""

HALVINGS = 5
"""How often a step of Newton's method that does no good is halved, but in the first attempt."""

SOFTENINGS = tuple(10.0**-k for k in range(1, 11))
"""Shares of its diagonal added to G, one after the other."""

SCALINGS = (1.0, 10.0, 0.3, 100.0, 3.0, 1000.0)
"""Multiples of r = 1 / diag G: which r is taken changes the way, not the goal. Where one goes in circles, another arrives."""

SWEEPS = 20
"""Gauss-Seidel's sweeps in the first round, doubled in each."""


def impulses(problem: ConeProblem, start: Floats, inconsistency: float = 0.0) -> Floats:
    """Solution p (n,), sought from `start` (n,). Raises ArithmeticError when none is found.

    `inconsistency` (m/s) is what g may lack of being G times something where contacts are redundant (points of one body that are
    to stick cannot have any velocities): where nothing better is found, a residual as small is taken for a solution, in the
    least-squares sense. All other solutions are good to `TOLERANCE`.
    """
    best, least = start, np.inf
    for trial, size, redundant in _attempts(problem, start):
        left = residual(problem, trial)
        if size <= TOLERANCE or (redundant and left <= min(inconsistency, NEGLIGIBLE)):
            return project(problem, trial)  # moves nothing but roundings outside the cones
        if redundant and least <= NEGLIGIBLE and abs(left - least) <= ALIKE * least:
            break  # least squares have one minimum, and two ways have come to it
        if redundant and left < least:
            best, least = trial, left
    if least <= max(inconsistency, NEGLIGIBLE):
        return project(problem, best)
    raise ContactSolverError(
        f"the impulses of {len(problem.friction)} contacts and {len(problem.lower)} other rows were not found: "
        "take a smaller time step, or less friction"
    )


def _attempts(problem: ConeProblem, start: Floats) -> Iterator[tuple[Floats, float, bool]]:
    """What Newton's method finds from better and better starts: see `newton`."""
    r = steps(problem)
    yield newton(problem, r, start, 0)
    p = start
    for softening in SOFTENINGS:
        p, settled = _solve_softer(problem, softening, p)
        if settled:
            yield newton(problem, r, p, HALVINGS)
    p = start
    for k, scaling in enumerate(SCALINGS):
        p = sweep(problem, p, SWEEPS * 2**k)
        yield newton(problem, scaling * r, p, HALVINGS)
        yield newton(problem, scaling * r, start, HALVINGS)


def _solve_softer(problem: ConeProblem, softening: float, start: Floats) -> tuple[Floats, bool]:
    """(p of the softened problem, the best found from `start`; whether it is a solution)."""
    softer = dataclasses.replace(problem, G=problem.G + softening * np.diag(problem.G.diagonal()))
    best, least = start, np.inf
    for scaling in SCALINGS[:4]:
        trial, size, _ = newton(softer, scaling * steps(softer), start, HALVINGS)
        if size < least:
            best, least = trial, size
        if least <= TOLERANCE:
            break
    return best, least <= TOLERANCE


def sweep(problem: ConeProblem, start: Floats, sweeps: int) -> Floats:
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
    """Impulse (x, y, z) of a single contact: G (3, 3) positive definite, g (3,) its velocity without impulse; 0 if G_zz = 0.

    It opens, sticks, or slides: then v_t = -alpha p_t, and alpha > 0 is where |p_t| = mu p_n, a root of a quartic
    (Bonnefon and Daviet, Quartic formulation of Coulomb 3D frictional contact, INRIA RT-0400, 2011), bracketed.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = G.tolist()
    gx, gy, gz = g.tolist()
    if gz >= 0.0 or zz <= 0.0:
        return 0.0, 0.0, 0.0
    # v_n = 0 gives p_n by p_t; what is left is a problem in the plane
    sxx, sxy, syy = xx - xz * xz / zz, xy - xz * yz / zz, yy - yz * yz / zz
    sx, sy = gx - xz * gz / zz, gy - yz * gz / zz
    floor = 1e-14 * (xx + yy)

    def impulse_for(alpha: float) -> tuple[float, float, float]:
        a, b = sxx + alpha + floor, syy + alpha + floor
        det = a * b - sxy * sxy
        px, py = (sxy * sy - b * sx) / det, (sxy * sx - a * sy) / det
        return px, py, -(gz + xz * px + yz * py) / zz

    def outside(alpha: float) -> float:
        px, py, pz = impulse_for(alpha)
        return math.hypot(px, py) - mu * pz

    if outside(0.0) <= 0.0:
        return impulse_for(0.0)
    if mu == 0.0:
        return 0.0, 0.0, -gz / zz
    from scipy.optimize import brentq  # here: few problems come this far, and it takes long to import

    high = xx + yy
    while outside(high) > 0.0:
        high *= 4.0
    return impulse_for(float(brentq(outside, 0.0, high, xtol=1e-300, rtol=1e-15)))
