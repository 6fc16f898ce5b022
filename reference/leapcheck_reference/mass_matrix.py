"""Composite rigid bodies: the joint-space mass matrix (Featherstone, section 6.2, table 6.2), with geared rotors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.kinematics import Frames, frames
from leapcheck_reference.sharing import share
from leapcheck_reference.spatial import RigidInertia, force_to_parent, inertia_to_parent
from leapcheck_reference.tree import Tree


def composite_inertias(tree: Tree, q: Any) -> tuple[RigidInertia, ...]:
    """Ic of each link: the link, the rotors that ride on it and its whole subtree as one rigid body, in link axes."""
    links = [link.inertia for link in tree.links]
    rotors = [link.rotor.inertia if link.rotor else None for link in tree.links]
    return _composite_inertias(tree, frames(tree, q), links, rotors)


@share
def mass_matrix(tree: Tree, q: Any) -> Array:
    """M (nv, nv), symmetric positive definite, in the canonical convention; armature and exact rotors included.

    M_ij = S_i^T Ic_i S_j is non-zero only where one joint is the other's ancestor (Featherstone 6.21 to 6.23). A rotor
    of joint i adds its own column Sr^T Ir Sr and rides, as a body, on the parent. The inertias are the regrouped ones.
    """
    poses = frames(tree, q)
    Ic = _composite_inertias(tree, poses, tree.regrouped.links, tree.regrouped.rotors)
    M = poses.zeros(tree.nv, tree.nv)
    for i, link in enumerate(tree.links):
        # M_ii = S_i^T Ic_i S_i + armature
        F = Ic[i] @ link.S
        M[link.v, link.v] = link.S.T @ F + link.armature * np.eye(link.S.shape[1])
        F = force_to_parent(poses.X[i], F)
        rotor, inertia, X_rotor = link.rotor, tree.regrouped.rotors[i], poses.X_rotor[i]
        if rotor and inertia and X_rotor:
            # M_ii += Sr^T Ir Sr; the parent feels Xr^T Ir Sr
            F_rotor = inertia @ rotor.S
            M[link.v, link.v] += rotor.S.T @ F_rotor
            F = F + force_to_parent(X_rotor, F_rotor)
        j = link.parent
        while j >= 0:
            ancestor = tree.links[j]
            # M_ji = S_j^T F, F carried from link to link: F = X_j^T F
            M[ancestor.v, link.v] = ancestor.S.T @ F
            M[link.v, ancestor.v] = M[ancestor.v, link.v].T
            F = force_to_parent(poses.X[j], F)
            j = ancestor.parent
    return M


def _composite_inertias(
    tree: Tree, poses: Frames, links: Sequence[RigidInertia], rotors: Sequence[RigidInertia | None]
) -> tuple[RigidInertia, ...]:
    Ic = list(links)
    for i in reversed(range(len(tree.links))):
        parent, rotor, X_rotor = tree.links[i].parent, rotors[i], poses.X_rotor[i]
        if parent >= 0:
            # Ic_p += X^T Ic_i X + Xr^T Ir Xr
            Ic[parent] += inertia_to_parent(poses.X[i], Ic[i])
            if rotor and X_rotor:
                Ic[parent] += inertia_to_parent(X_rotor, rotor)
    return tuple(Ic)
