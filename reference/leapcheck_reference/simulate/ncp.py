"""Impulses of contacts with Coulomb friction, and of bounded rows, to rounding: the solver of `ncp_problem`.

A semi-smooth Newton method needs one or two steps from the impulses of the time step before. Where it does not settle, it is led
to a solution: first through softer contacts, G plus a share of its diagonal, less and less; then from sweeps of Gauss-Seidel
(Jourdan, Alart and Jean, Computer Methods in Applied Mechanics and Engineering 155, 1998). The impulses are not unique where
contacts are redundant: then Newton's steps are of least norm.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.ncp_gauss_seidel import swept
from leapcheck_reference.simulate.ncp_newton import TOLERANCE, newton
from leapcheck_reference.simulate.ncp_problem import ConeProblem, projected, residual, steps

Floats = NDArray[np.float64]

NEGLIGIBLE = 1e-9
"""Residual (m/s) of redundant contacts that is taken for rounding at once: it moves a point by 1e-12 m in a step."""

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
    for found, size, redundant in _attempts(problem, start):
        left = residual(problem, found)
        if size <= TOLERANCE or (redundant and left <= min(inconsistency, NEGLIGIBLE)):
            return projected(problem, found)  # moves nothing but roundings outside the cones
        if redundant and left < least:
            best, least = found, left
    if least <= inconsistency:
        return projected(problem, best)
    raise ArithmeticError(
        f"the impulses of {len(problem.friction)} contacts and {len(problem.lower)} other rows were not found: "
        "take a smaller time step, or less friction"
    )


def _attempts(problem: ConeProblem, start: Floats) -> Iterator[tuple[Floats, float, bool]]:
    """What Newton's method finds from better and better starts: see `newton`."""
    r = steps(problem)
    yield newton(problem, r, start, 0)
    p = start
    for softening in SOFTENINGS:
        p, settled = _softened(problem, softening, p)
        if settled:
            yield newton(problem, r, p, HALVINGS)
    p = start
    for k, scaling in enumerate(SCALINGS):
        p = swept(problem, p, SWEEPS * 2**k)
        yield newton(problem, scaling * r, p, HALVINGS)
        yield newton(problem, scaling * r, start, HALVINGS)


def _softened(problem: ConeProblem, softening: float, start: Floats) -> tuple[Floats, bool]:
    """(p of the softened problem, the best found from `start`; whether it is a solution)."""
    softer = dataclasses.replace(problem, G=problem.G + softening * np.diag(problem.G.diagonal()))
    best, least = start, np.inf
    for scaling in SCALINGS[:4]:
        found, size, _ = newton(softer, scaling * steps(softer), start, HALVINGS)
        if size < least:
            best, least = found, size
        if least <= TOLERANCE:
            break
    return best, least <= TOLERANCE
