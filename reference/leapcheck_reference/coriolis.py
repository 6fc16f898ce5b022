"""Coriolis matrices C(q, v) for which Mdot - 2 C is skew-symmetric: Christoffel's, and the normal form of any of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.energy import body_jacobian_rates, body_jacobians
from leapcheck_reference.kinematics import frames, velocities
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import RigidInertia, inertia_matrix, motion_cross
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree

TINY = 1e-300
"""Added to |v|^2, so that C is zero at rest."""


def coriolis_matrix(tree: Tree, q: Any, v: Any) -> Array:
    """C (nv, nv) with C v the Coriolis force and Mdot - 2 C skew-symmetric, canonical, in the normal form of these matrices."""
    return coriolis_normal_form(christoffel_matrix(tree, q, v), vector(f"v of '{tree.name}'", v, tree.nv))


def coriolis_normal_form(C: Array, v: Array) -> Array:
    """Of all matrices (..., nv, nv) with the same C v and C + C^T the one whose skew-symmetric part is least, in SI units.

    Two Coriolis matrices of one robot, with Mdot - 2 C skew-symmetric, are the same in this form. With A = (C - C^T) / 2 it
    is (C + C^T) / 2 + (A v v^T - v (A v)^T) / |v|^2.
    """
    transposed = np.swapaxes(C, -1, -2)
    force = (0.5 * (C - transposed) * v[..., None, :]).sum(axis=-1)
    turning = force[..., :, None] * (v / ((v * v).sum(axis=-1, keepdims=True) + TINY))[..., None, :]
    form: Array = 0.5 * (C + transposed) + (turning - np.swapaxes(turning, -1, -2))
    return form


def christoffel_matrix(tree: Tree, q: Any, v: Any) -> Array:
    """C (nv, nv) of Christoffel's symbols: C v is the Coriolis force and Mdot - 2 C skew-symmetric, canonical.

    C = sum over bodies of J^T (I Jdot + B J), with J and its component-wise rate in body axes and the skew-symmetric
    B = (v x* I + I v x + (I v) xbar*) / 2, for which B v = v x* I v (Echeandia and Wensing 2021, who print the
    world-frame form). Exact rotors are bodies with a Jacobian of their own.
    """
    return _factorisation(tree, q, v, lambda I, V: 0.5 * (_carried(I, V) - _carried(I, V).T + _momentum_cross(I, V)))


def newton_euler_matrix(tree: Tree, q: Any, v: Any) -> Array:
    """C (nv, nv) of Newton's and Euler's equations, B = v x* I: C v is the Coriolis force, but Mdot - 2 C not skew-symmetric."""
    return _factorisation(tree, q, v, _carried)


def momentum_cross_matrix(tree: Tree, q: Any, v: Any) -> Array:
    """C (nv, nv) with B = (I v) xbar*: C v is the Coriolis force and Mdot - 2 C skew-symmetric, but C is not Christoffel's."""
    return _factorisation(tree, q, v, _momentum_cross)


def newton_euler_at_coms(tree: Tree, q: Any, v: Any) -> Array:
    """C (nv, nv) of Newton's and Euler's equations at the coms: sum of m Jc^T Jcdot + Jw^T (I Jwdot + w~ I Jw), world axes.

    C v is the Coriolis force and Mdot - 2 C skew-symmetric, but C is not Christoffel's.
    """
    return _factorisation(tree, q, v, lambda I, V: _carried_at_com(I, V) + _turning(I, V))


def newton_euler_without_turning(tree: Tree, q: Any, v: Any) -> Array:
    """The same (nv, nv) without w~ I: C v lacks the sum of Jw^T (w x I w)."""
    return _factorisation(tree, q, v, _carried_at_com)


def _factorisation(tree: Tree, q: Any, v: Any, factor: Callable[[RigidInertia, Array], Array]) -> Array:
    """Sum over bodies of J^T (I Jdot + B J), with B (6, 6) a function of inertia and velocity."""
    poses = frames(tree, q)
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    V, _ = velocities(tree, poses, v)
    jacobians, rates = body_jacobians(tree, poses), body_jacobian_rates(tree, poses, v)
    C = np.zeros((tree.nv, tree.nv))
    for i, (link, (J, J_rotor), (Jdot, Jdot_rotor)) in enumerate(zip(tree.links, jacobians, rates, strict=True)):
        # C += J^T (I Jdot + B J)
        C = C + J.T @ (link.inertia @ Jdot + factor(link.inertia, V.links[i]) @ J)
        rotor, V_rotor = link.rotor, V.rotors[i]
        if rotor and V_rotor is not None and J_rotor is not None and Jdot_rotor is not None:
            C = C + J_rotor.T @ (rotor.inertia @ Jdot_rotor + factor(rotor.inertia, V_rotor) @ J_rotor)
    return C


def _carried(inertia: RigidInertia, V: Array) -> Array:
    """V x* I (6, 6), with V x* = -(V x)^T."""
    carried: Array = -motion_cross(V, np.eye(6)).T @ inertia_matrix(inertia)
    return carried


def _momentum_cross(inertia: RigidInertia, V: Array) -> Array:
    """f xbar* (6, 6) of f = I V, skew-symmetric: f xbar* v = v x* f."""
    n, f = np.split(inertia @ V, 2)
    return np.block([[-skew(n), -skew(f)], [-skew(f), 0.0 * skew(f)]])


def _carried_at_com(inertia: RigidInertia, V: Array) -> Array:
    """B (6, 6) with which J^T (I Jdot + B J) is m Jc^T Jcdot + Jw^T I Jwdot of the com's Jc and Jw in world axes.

    Their rates are Jdot + w~ J in body axes, and Jc = Jv - c~ Jw: B = I w~ - m [c~ (w x c)~, 0; (w x c)~, 0].
    """
    c, turn = _com(inertia), skew(V[:3])
    moved, nothing = inertia.mass * skew(turn @ c), np.zeros((3, 3))
    carried: Array = inertia_matrix(inertia) @ np.kron(np.eye(2), turn)
    away: Array = np.block([[skew(c) @ moved, nothing], [moved, nothing]])
    return carried - away


def _turning(inertia: RigidInertia, V: Array) -> Array:
    """w~ I (6, 6) of the rotational inertia about the com."""
    c, nothing = skew(_com(inertia)), np.zeros((3, 3))
    return np.block([[skew(V[:3]) @ (inertia.I + inertia.mass * c @ c), nothing], [nothing, nothing]])


def _com(inertia: RigidInertia) -> Array:
    """The com (3,); the origin of a body without mass."""
    com: Array = inertia.mc / inertia.mass if inertia.mass else np.zeros(3)
    return com
