"""The Coriolis matrix C(q, v) for which Mdot - 2 C is skew-symmetric."""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.energy import body_jacobian_rates, body_jacobians
from leapcheck_reference.kinematics import frames, velocities
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import RigidInertia, inertia_matrix, motion_cross
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
    jacobians, rates = body_jacobians(tree, poses), body_jacobian_rates(tree, poses, v)
    C = np.zeros((tree.nv, tree.nv))
    for i, (link, (J, J_rotor), (Jdot, Jdot_rotor)) in enumerate(zip(tree.links, jacobians, rates, strict=True)):
        # C += J^T (I Jdot + B J)
        C = C + J.T @ (link.inertia @ Jdot + _skew_factor(link.inertia, V.links[i]) @ J)
        rotor, V_rotor = link.rotor, V.rotors[i]
        if rotor and V_rotor is not None and J_rotor is not None and Jdot_rotor is not None:
            C = C + J_rotor.T @ (rotor.inertia @ Jdot_rotor + _skew_factor(rotor.inertia, V_rotor) @ J_rotor)
    return C


def _skew_factor(inertia: RigidInertia, V: Array) -> Array:
    """B (6, 6) = (v x* I + I v x + (I v) xbar*) / 2, skew-symmetric; f xbar* v = v x* f."""
    I, crossed = inertia_matrix(inertia), motion_cross(V, np.eye(6))
    n, f = np.split(inertia @ V, 2)
    swapped = np.block([[-skew(n), -skew(f)], [-skew(f), 0.0 * skew(f)]])
    B: Array = 0.5 * (I @ crossed - crossed.T @ I + swapped)
    return B
