"""The problem of contact with Coulomb friction on the Delassus matrix: what is asked, and how far an answer is from it.

Given G (symmetric, positive semi-definite) and g, find p with v = G p + g such that

    a contact, rows 3k..3k+2, z the normal:  0 <= p_n  _|_  v_n >= 0,   |p_t| <= mu p_n,   v_t = -lambda p_t, lambda >= 0,
                                             and v_t = 0 where |p_t| < mu p_n                    (Signorini and Coulomb)
    a bounded row after them:                p = lower where v > 0, p = upper where v < 0, lower <= p <= upper where v = 0

which is p = P(p - r v) for any r > 0, P the projection of p_n on [0, inf), of p_t on the disc of radius mu p_n, and of a
bounded row on its bounds (Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92, 1991).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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


def steps(problem: ConeProblem) -> Floats:
    """r (n,) = 1 / diag G, one for both tangents of a contact; rows that nothing moves get 1."""
    diagonal = problem.G.diagonal().copy()
    tangents = diagonal[: problem.contact_rows].reshape(-1, 3)[:, :2]
    tangents[:] = tangents.mean(axis=1, keepdims=True)
    diagonal[diagonal <= 0.0] = 1.0
    answer: Floats = 1.0 / diagonal
    return answer
