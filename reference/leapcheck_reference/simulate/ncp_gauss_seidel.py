"""Sweeps of Gauss-Seidel over contacts, each solved exactly while the others are held: see `ncp_problem`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from leapcheck_reference.simulate.ncp_problem import ConeProblem

Floats = NDArray[np.float64]


def swept(problem: ConeProblem, start: Floats, sweeps: int) -> Floats:
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
