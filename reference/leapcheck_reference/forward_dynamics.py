"""Forward dynamics two ways, with geared rotors and external forces: articulated bodies, and M = L^T D L."""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.factorization import dense_parent, factorization, inverse_product, solution
from leapcheck_reference.inverse_dynamics import external_forces, inverse_dynamics, own_acceleration
from leapcheck_reference.kinematics import base_acceleration, frames, velocities
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.spatial import force_cross, inertia_matrix, motion_matrix, motion_to_child
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def factored_forward_dynamics(tree: Tree, q: Any, v: Any, tau: Any, f_ext: Any = None) -> Array:
    """vdot (nv,) = M^-1 (tau - h + sum J^T f_ext) as `forward_dynamics` gives it, by M = L^T D L (Featherstone, section 6.5).

    For trees of short branches it takes fewer operations than articulated bodies, and where M and h are wanted too, few more.
    """
    tau = vector(f"tau of '{tree.name}'", tau, tree.nv)
    rest = tau - inverse_dynamics(tree, q, v, np.zeros(tree.nv), f_ext)
    return solution(factorization(mass_matrix(tree, q), tree.dof_parent), rest)


def forward_dynamics(tree: Tree, q: Any, v: Any, tau: Any, f_ext: Any = None) -> Array:
    """vdot (nv,) = M^-1 (tau - h + sum J^T f_ext), component-wise rate of v, canonical; `tau` (nv,) in N m and N.

    By articulated bodies (Featherstone, table 7.1).
    `f_ext` (bodies, 6): [moment; force] on each link, in link axes, at its origin. A geared rotor r of joint i lives on
    the parent p but moves with the joint: a_r = Xr a_p + Sr vdot_i + c_r. Eliminating vdot_i from both bodies at once,
    with U = X^T IA S + Xr^T Ir Sr and D = S^T IA S + Sr^T Ir Sr + armature, leaves on the parent
    IA_p += X^T IA X + Xr^T Ir Xr - U D^-1 U^T (for a joint without rotor this is Featherstone 7.43).
    """
    poses = frames(tree, q)
    v, tau = vector(f"v of '{tree.name}'", v, tree.nv), vector(f"tau of '{tree.name}'", tau, tree.nv)
    V, c = velocities(tree, poses, v)
    n = len(tree.links)
    # IA_i = I_i;  pA_i = v_i x* I_i v_i - f_ext
    IA = [inertia_matrix(link.inertia) for link in tree.links]
    pA = [force_cross(V_i, link.inertia @ V_i) for link, V_i in zip(tree.links, V.links, strict=True)]
    if f_ext is not None:
        pA = [p - f for p, f in zip(pA, external_forces(tree, f_ext), strict=True)]
    gain: list[Array] = [np.zeros(0)] * n  # D^-1 U^T: vdot_i = offset - gain a_parent
    offset: list[Array] = [np.zeros(0)] * n
    for i in reversed(range(n)):
        link = tree.links[i]
        X = motion_matrix(poses.X[i])
        # D = S^T IA S + armature;  u = tau - S^T (pA + IA c) - armature's own;  the parent feels X^T IA X, X^T (pA + IA c)
        F_S, F_0 = IA[i] @ link.S, pA[i] + IA[i] @ c.links[i]
        D = link.S.T @ F_S + link.armature * np.eye(link.S.shape[1])
        u = tau[link.v] - link.S.T @ F_0 - link.armature * own_acceleration(link, v, np.zeros(tree.nv))
        U, I_p, p_p = X.T @ F_S, X.T @ IA[i] @ X, X.T @ F_0
        rotor, X_r, V_r, c_r = link.rotor, poses.X_rotor[i], V.rotors[i], c.rotors[i]
        if rotor and X_r and V_r is not None and c_r is not None:
            Xr = motion_matrix(X_r)
            # D += Sr^T Ir Sr;  u -= Sr^T (v_r x* Ir v_r + Ir c_r);  U += Xr^T Ir Sr
            F_0 = force_cross(V_r, rotor.inertia @ V_r) + rotor.inertia @ c_r
            F_S = rotor.inertia @ rotor.S
            D = D + rotor.S.T @ F_S
            u = u - rotor.S.T @ F_0
            U, I_p, p_p = U + Xr.T @ F_S, I_p + Xr.T @ inertia_matrix(rotor.inertia) @ Xr, p_p + Xr.T @ F_0
        # vdot_i = D^-1 (u - U^T a_p)
        factors = factorization(D, dense_parent(len(D)))
        solved = solution(factors, np.concatenate([U.T, u[:, None]], axis=1))
        gain[i], offset[i] = solved[:, :-1], solved[:, -1]
        if link.parent >= 0:
            # IA_p += X^T IA X - U D^-1 U^T;  pA_p += X^T (pA + IA c) + U D^-1 u
            IA[link.parent] = IA[link.parent] + I_p - U @ gain[i]
            pA[link.parent] = pA[link.parent] + p_p + U @ offset[i]
    A: list[Array] = []
    vdot: list[Array] = []
    for i, link in enumerate(tree.links):
        parent = A[link.parent] if link.parent >= 0 else base_acceleration(tree)
        # a_i = X a_p + S vdot_i + c_i, a_world = -g
        vdot.append(offset[i] - gain[i] @ parent)
        A.append(motion_to_child(poses.X[i], parent) + link.S @ vdot[i] + c.links[i])
    return np.concatenate(vdot)


def minverse(tree: Tree, q: Any) -> Array:
    """M^-1 (nv, nv) by M = L^T D L, exactly symmetric: what a unit force on each dof adds to vdot."""
    return inverse_product(factorization(mass_matrix(tree, q), tree.dof_parent), np.eye(tree.nv))
