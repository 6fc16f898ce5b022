"""Recursive Newton-Euler in spatial vectors (Featherstone, table 5.1), with geared rotors, and what follows from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from leapcheck_reference.kinematics import frames, lifted_gravity, propagated_accelerations, velocities
from leapcheck_reference.scalar import Array
from leapcheck_reference.spatial import RigidInertia, force_cross, force_to_parent
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def inverse_dynamics(tree: Tree, q: Any, v: Any, vdot: Any, f_ext: Any = None) -> Array:
    """tau (nv,) = M vdot + h - sum J^T f_ext, in N m and N, canonical; vdot is the component-wise rate of v.

    `f_ext` (bodies, 6): external [moment; force] on each link, in link axes, at its origin.
    """
    return _newton_euler(tree, q, v, vdot, lifted_gravity(tree), f_ext)


def bias_force(tree: Tree, q: Any, v: Any) -> Array:
    """h (nv,) = C(q, v) v + g(q): the force that keeps vdot = 0, without damping, springs or friction."""
    return _newton_euler(tree, q, v, np.zeros(tree.nv), lifted_gravity(tree))


def gravity_force(tree: Tree, q: Any) -> Array:
    """g(q) (nv,): the bias force at v = 0, the gradient of the potential energy."""
    zero = np.zeros(tree.nv)
    return _newton_euler(tree, q, zero, zero, lifted_gravity(tree))


def coriolis_force(tree: Tree, q: Any, v: Any) -> Array:
    """C(q, v) v (nv,): the bias force without gravity."""
    return _newton_euler(tree, q, v, np.zeros(tree.nv), np.zeros(6))


def _newton_euler(tree: Tree, q: Any, v: Any, vdot: Any, root: Array, f_ext: Any = None) -> Array:
    at = frames(tree, q)
    V, c = velocities(tree, at, vector(f"v of '{tree.name}'", v, tree.nv))
    vdot = vector(f"vdot of '{tree.name}'", vdot, tree.nv)
    A = propagated_accelerations(tree, at, c, vdot, root)
    F = [_net_force(link.inertia, A_i, V_i) for link, A_i, V_i in zip(tree.links, A.links, V.links, strict=True)]
    if f_ext is not None:
        F = [F_i - f for F_i, f in zip(F, external_forces(tree, f_ext), strict=True)]
    tau: list[Array] = [np.zeros(0)] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        tau[i] = link.S.T @ F[i] + link.armature * vdot[link.v]
        carried = force_to_parent(at.X[i], F[i])
        rotor, X_rotor, A_rotor, V_rotor = link.rotor, at.X_rotor[i], A.rotors[i], V.rotors[i]
        if rotor and X_rotor and A_rotor is not None and V_rotor is not None:
            F_rotor = _net_force(rotor.inertia, A_rotor, V_rotor)
            tau[i] = tau[i] + rotor.S.T @ F_rotor
            carried = carried + force_to_parent(X_rotor, F_rotor)
        if link.parent >= 0:
            F[link.parent] = F[link.parent] + carried
    return np.concatenate(tau)


def _net_force(inertia: RigidInertia, A: Array, V: Array) -> Array:
    """f = I a + v x* I v (Featherstone 2.68), Newton's and Euler's equations of one body."""
    return inertia @ A + force_cross(V, inertia @ V)


def external_forces(tree: Tree, f_ext: Any) -> Array:
    """f_ext as an array (bodies, 6); ValueError for another shape, NaN or infinity."""
    forces, name = np.asarray(f_ext), f"f_ext of '{tree.name}'"
    if forces.shape != (len(tree.links), 6):
        raise ValueError(f"{name} has shape {forces.shape}: give ({len(tree.links)}, 6)")
    return vector(name, forces.ravel(), forces.size).reshape(forces.shape)
