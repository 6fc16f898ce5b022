"""The Coriolis matrix C(q, v) for which Mdot - 2 C is skew-symmetric."""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.energy import body_jacobians
from leapcheck_reference.kinematics import frames, velocities
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import RigidInertia, Transform, inertia_matrix, motion_cross, motion_to_child
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def coriolis_matrix(tree: Tree, q: Any, v: Any) -> Array:
    """C (nv, nv) with C v the Coriolis force and Mdot - 2 C skew-symmetric, canonical.

    C = sum over bodies of J^T (I Jdot + B J), with J and its component-wise rate in body axes and the skew-symmetric
    B = (v x* I + I v x + (I v) xbar*) / 2, for which B v = v x* I v (Echeandia and Wensing 2021, who print the
    world-frame form). Exact rotors are bodies with a Jacobian of their own.
    """
    poses = frames(tree, q)
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    V, _ = velocities(tree, poses, v)
    jacobians = body_jacobians(tree, poses)
    Jdot: list[Array] = []
    C = np.zeros((tree.nv, tree.nv))
    for i, link in enumerate(tree.links):
        J, J_rotor = jacobians[i]
        J_parent, Jdot_parent = (jacobians[link.parent][0], Jdot[link.parent]) if link.parent >= 0 else (0.0 * J, 0.0 * J)
        Jdot.append(_rate(poses.X[i], J_parent, Jdot_parent, link.S @ v[link.v]))
        # C += J^T (I Jdot + B J)
        C = C + J.T @ (link.inertia @ Jdot[i] + _skew_factor(link.inertia, V.links[i]) @ J)
        rotor, X_rotor, V_rotor = link.rotor, poses.X_rotor[i], V.rotors[i]
        if rotor and X_rotor and V_rotor is not None and J_rotor is not None:
            rate = _rate(X_rotor, J_parent, Jdot_parent, rotor.S @ v[link.v])
            C = C + J_rotor.T @ (rotor.inertia @ rate + _skew_factor(rotor.inertia, V_rotor) @ J_rotor)
    return C


def _rate(X: Transform, J_parent: Array, Jdot_parent: Array, V_joint: Array) -> Array:
    """Rate of X J_parent + S: X Jdot_parent - V_joint x X J_parent, since S is constant and Xdot = -V_joint x X."""
    rate: Array = motion_to_child(X, Jdot_parent) - motion_cross(V_joint, motion_to_child(X, J_parent))
    return rate


def _skew_factor(inertia: RigidInertia, V: Array) -> Array:
    """B (6, 6) = (v x* I + I v x + (I v) xbar*) / 2, skew-symmetric; f xbar* v = v x* f."""
    I, crossed = inertia_matrix(inertia), motion_cross(V, np.eye(6))
    n, f = np.split(inertia @ V, 2)
    swapped = np.block([[-skew(n), -skew(f)], [-skew(f), 0.0 * skew(f)]])
    B: Array = 0.5 * (I @ crossed - crossed.T @ I + swapped)
    return B
