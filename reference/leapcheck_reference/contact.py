"""Contact points: positions, velocities, Jacobians, Jdot v, those of their links' turning, contact-space inertia; world axes."""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.factorization import Factors, factorization, inverse_product, solution
from leapcheck_reference.kinematics import Frames, frames, link_motions, velocities
from leapcheck_reference.links import Point
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.rotation import cross, skew
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def contact_positions(tree: Tree, q: Any) -> Array:
    """p_WP (points, 3) of each computed contact point, m."""
    poses = frames(tree, q)
    return _rows([_positions(tree, poses, point)[-1] for point in tree.points], 3)


def contact_velocities(tree: Tree, q: Any, v: Any) -> Array:
    """World velocities (points, 3) of the contact points, m/s: J v, from the links' spatial velocities."""
    poses = frames(tree, q)
    V, _ = velocities(tree, poses, vector(f"v of '{tree.name}'", v, tree.nv))
    rows = [poses.X_W[p.link].R @ (V.links[p.link][3:] + cross(V.links[p.link][:3], p.position)) for p in tree.points]
    return _rows(rows, 3)


def contact_angular_velocities(tree: Tree, q: Any, v: Any) -> Array:
    """World angular velocity (points, 3), rad/s, of the link that carries each contact point."""
    poses = frames(tree, q)
    V, _ = velocities(tree, poses, vector(f"v of '{tree.name}'", v, tree.nv))
    turned = {i: poses.X_W[i].R @ V.links[i][:3] for i in {point.link for point in tree.points}}
    return _rows([turned[point.link] for point in tree.points], 3)


def contact_jacobians(tree: Tree, q: Any) -> Array:
    """J (points, 3, nv): world velocity of each point is J v, canonical v.

    The columns of a joint are the point's velocity when that joint alone moves at unit rate: S_v + S_w x r in link axes.
    """
    poses = frames(tree, q)
    J = poses.zeros(len(tree.points), 3, tree.nv)
    for k, point in enumerate(tree.points):
        j = point.link
        for r in _positions(tree, poses, point)[:-1]:
            # column of joint j: R_WB (S_v + S_w x r)
            S = tree.links[j].S
            J[k][:, tree.links[j].v] = _in_world(tree, poses, j, S[3:] - skew(r) @ S[:3])
            j = tree.links[j].parent
    return J


def contact_bias_accelerations(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot v (points, 3), m/s^2: the points' classical world accelerations R (a + A r) at vdot = 0, without gravity."""
    poses = frames(tree, q)
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    motions = link_motions(tree, poses, v, np.zeros(tree.nv), np.zeros(3))
    accelerations: dict[str, Array] = {}
    for i in dict.fromkeys(point.link for point in tree.points):
        points = [point for point in tree.points if point.link == i]
        # a_P = R (a + A r)
        a_and_A = np.column_stack([motions[i].a, motions[i].A])
        columns = _in_world(tree, poses, i, a_and_A, np.array([[1.0, *point.position] for point in points]).T)
        accelerations |= {point.name: column for point, column in zip(points, columns.T, strict=True)}
    return _rows([accelerations[point.name] for point in tree.points], 3)


def contact_angular_jacobians(tree: Tree, q: Any) -> Array:
    """J_w (points, 3, nv): world angular velocity of the link that carries each point is J_w v, canonical v."""
    poses = frames(tree, q)
    J = poses.zeros(len(tree.points), 3, tree.nv)
    for k, point in enumerate(tree.points):
        j = point.link
        while j >= 0:
            J[k][:, tree.links[j].v] = _in_world(tree, poses, j, tree.links[j].S[:3])
            j = tree.links[j].parent
    return J


def contact_angular_bias_accelerations(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot_w v (points, 3), rad/s^2: world angular acceleration of the link that carries each point, at vdot = 0."""
    poses = frames(tree, q)
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    motions = link_motions(tree, poses, v, np.zeros(tree.nv), np.zeros(3))
    turned = {i: _in_world(tree, poses, i, motions[i].alpha[:, None])[:, 0] for i in {point.link for point in tree.points}}
    return _rows([turned[point.link] for point in tree.points], 3)


def contact_inertia(tree: Tree, q: Any) -> Array:
    """J M^-1 J^T (3 points, 3 points), 1/kg: the inverse inertia seen at the contact points, point by point x, y, z."""
    J, factors = _stacked_jacobian(tree, q)
    return inverse_product(factors, J.T)


def operational_inertia_inverse(tree: Tree, q: Any) -> Array:
    """J M^-1 J^T (points, 6, 6) of each contact point's six rows [angular; linear], world axes: 1/kg m^2, 1/kg m, 1/kg."""
    J = np.concatenate([contact_angular_jacobians(tree, q), contact_jacobians(tree, q)], axis=1)
    factors = factorization(mass_matrix(tree, q), tree.dof_parent)
    blocks = [inverse_product(factors, rows.T) for rows in J]
    return np.stack(blocks) if blocks else np.zeros((0, 6, 6))


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


def _positions(tree: Tree, poses: Frames, point: Point) -> list[Array]:
    """Position of a point in the axes of each link from its own to the root, from the link's origin, then in the world."""
    positions, j = [point.position], point.link
    while j >= 0:
        positions.append(poses.X[j].p + poses.X[j].R @ positions[-1])
        j = tree.links[j].parent
    return positions


def _in_world(tree: Tree, poses: Frames, link: int, *product: Array) -> Array:
    """A product of matrices whose columns are in a link's axes, in world axes: R_WB times it, in the cheapest order."""
    parent = tree.links[link].parent
    turns = [poses.X_W[parent].R, poses.X[link].R] if parent >= 0 else [poses.X[link].R]
    columns: Array = np.linalg.multi_dot([*turns, *product])
    return columns


def _rows(rows: list[Array], width: int) -> Array:
    return np.stack(rows) if rows else np.zeros((0, width))
