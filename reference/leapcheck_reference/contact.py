"""Contact points: positions, velocities, Jacobians, Jdot v, contact-space inertia; all in world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from leapcheck_reference.factorization import Factors, factorization, solution
from leapcheck_reference.kinematics import Frames, frames, propagated_accelerations, velocities
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.rotation import cross, skew
from leapcheck_reference.scalar import Array
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Point, Tree


def contact_positions(tree: Tree, q: Any) -> Array:
    """p_WP (points, 3) of each computed contact point, m."""
    at = frames(tree, q)
    return _rows([at.root_position[p.link] + _from_root(at, p) for p in tree.points], 3)


def contact_velocities(tree: Tree, q: Any, v: Any) -> Array:
    """World velocities (points, 3) of the contact points, m/s: J v, from the links' spatial velocities."""
    at = frames(tree, q)
    V, _ = velocities(tree, at, vector(f"v of '{tree.name}'", v, tree.nv))
    rows = [at.X_W[p.link].R @ (V.links[p.link][3:] + cross(V.links[p.link][:3], p.position)) for p in tree.points]
    return _rows(rows, 3)


def contact_jacobians(tree: Tree, q: Any) -> Array:
    """J (points, 3, nv): world velocity of each point is J v, canonical v.

    The columns of a joint are the point's velocity when that joint alone moves at unit rate.
    """
    at = frames(tree, q)
    J = at.zeros(len(tree.points), 3, tree.nv)
    for k, point in enumerate(tree.points):
        p = _from_root(at, point)
        j = point.link
        while j >= 0:
            link, X_W = tree.links[j], at.X_W[j]
            J[k][:, link.v] = X_W.R @ link.S[3:] - skew(p - X_W.p) @ (X_W.R @ link.S[:3])
            j = link.parent
    return J


def contact_bias_accelerations(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot v (points, 3), m/s^2: the points' classical world accelerations at vdot = 0, without gravity.

    From the spatial acceleration [alpha; a] of the link: R (a + alpha x r + w x (v + w x r)).
    """
    at = frames(tree, q)
    V, c = velocities(tree, at, vector(f"v of '{tree.name}'", v, tree.nv))
    A = propagated_accelerations(tree, at, c, np.zeros(tree.nv), np.zeros(6))
    rows = []
    for point in tree.points:
        (w, u), (alpha, a) = np.split(V.links[point.link], 2), np.split(A.links[point.link], 2)
        r = point.position
        rows.append(at.X_W[point.link].R @ (a + cross(alpha, r) + cross(w, u + cross(w, r))))
    return _rows(rows, 3)


def contact_inertia(tree: Tree, q: Any) -> Array:
    """J M^-1 J^T (3 points, 3 points), 1/kg: the inverse inertia seen at the contact points, point by point x, y, z."""
    J, factors = _stacked_jacobian(tree, q)
    return J @ solution(factors, J.T)


def test_force_response(tree: Tree, q: Any, point: int, force: Any) -> tuple[Array, Array]:
    """(vdot, a): what a world force (3,) N at one contact point adds to vdot (nv,) and to the point's acceleration (3,).

    vdot = M^-1 J^T f and a = J vdot, the contact-space inertia's column times the force (Cheetah-Software's test force).
    """
    if not 0 <= point < len(tree.points):
        raise ValueError(f"'{tree.name}' has {len(tree.points)} contact points: point {point} is none of them, count from 0")
    J, factors = _stacked_jacobian(tree, q)
    J_point = J[3 * point : 3 * point + 3]
    vdot = solution(factors, J_point.T @ vector("the test force", force, 3))
    return vdot, J_point @ vdot


test_force_response.__test__ = False  # type: ignore[attr-defined]  # a noun of the field, not a test for pytest to collect


def _stacked_jacobian(tree: Tree, q: Any) -> tuple[Array, Factors]:
    J = contact_jacobians(tree, q).reshape(3 * len(tree.points), tree.nv)
    return J, factorization(mass_matrix(tree, q), tree.dof_parent)


def _from_root(at: Frames, point: Point) -> Array:
    """Position of a point relative to its root link's origin, world axes."""
    X_W = at.X_W[point.link]
    position: Array = X_W.p + X_W.R @ point.position
    return position


def _rows(rows: list[Array], width: int) -> Array:
    return np.stack(rows) if rows else np.zeros((0, width))
