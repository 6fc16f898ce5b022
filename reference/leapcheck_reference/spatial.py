"""Spatial algebra on six-vectors, angular part first (Featherstone, Rigid Body Dynamics Algorithms, ch. 2).

A motion vector is [w; v], a force vector [n; f]; both may also be blocks of columns (6, k). A rigid transform between
frame A and frame B is kept as the pose of B in A: `R_AB`, `p_AB`.

Products with matrices are written with `dot`: for so few numbers NumPy's @ takes twice its time, and the sums are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import cross, rotate_tensor, skew, symmetric
from leapcheck_reference.scalar import Scalar, blocks

IDENTITY = np.eye(3)


@dataclass(frozen=True, slots=True)
class Transform:
    """Pose of frame B in frame A: rotation `R` (3, 3) = R_AB and origin `p` (3,) = p_AB in A's axes."""

    R: Array
    p: Array


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Inertia of a rigid body in a frame: mass, first moment `mc` = m c (3,), rotational inertia `I` (3, 3) about the origin.

    The 6x6 matrix would be [[I, mc~], [-mc~, m 1]]; the triple holds the same ten numbers without its zeros.
    """

    mass: Scalar
    mc: Array
    I: Array

    def __add__(self, other: RigidInertia) -> RigidInertia:
        """Inertia of both bodies together, in their common frame."""
        return RigidInertia(self.mass + other.mass, self.mc + other.mc, self.I + other.I)

    def __sub__(self, other: RigidInertia) -> RigidInertia:
        """What is left of the inertia without a part of it, in their common frame."""
        return RigidInertia(self.mass - other.mass, self.mc - other.mc, self.I - other.I)

    def __matmul__(self, V: Array) -> Array:
        """Momentum of the body moving with V: [I w + mc x v; m v - mc x w], shape of V."""
        w, v = V[:3], V[3:]
        return np.concatenate([self.I.dot(w) + cross(self.mc, v), self.mass * v - cross(self.mc, w)])


def compose(X_AB: Transform, X_BC: Transform) -> Transform:
    """Pose of C in A."""
    return Transform(X_AB.R.dot(X_BC.R), X_AB.p + X_AB.R.dot(X_BC.p))


def motion_to_child(X: Transform, V: Array) -> Array:
    """Motion vector(s) given in A, expressed in B: X_BA V = [R^T w; R^T (v - p x w)]."""
    w, v = V[:3], V[3:]
    return np.concatenate([X.R.T.dot(w), X.R.T.dot(v - cross(X.p, w))])


def force_to_parent(X: Transform, F: Array) -> Array:
    """Force vector(s) given in B, expressed in A: X_BA^T F = [R n + p x R f; R f]."""
    f = X.R.dot(F[3:])
    return np.concatenate([X.R.dot(F[:3]) + cross(X.p, f), f])


def inertia_to_parent(X: Transform, inertia: RigidInertia) -> RigidInertia:
    """Inertia given in B, expressed in A: X_BA^T I X_BA (Featherstone 2.66), by the parallel-axis theorem on the triple.

    With h the first moment turned into A's axes and g = h + m p / 2 it is I_A = R I R^T + 2 (p . g) 1 - g p^T - p g^T.
    """
    h = X.R @ inertia.mc
    x, y, z = (h + (0.5 * inertia.mass) * X.p).tolist()
    px, py, pz = X.p.tolist()
    xx, yy, zz = 2.0 * px * x, 2.0 * py * y, 2.0 * pz * z
    shift = symmetric([yy + zz, -(px * y + py * x), xx + zz, -(px * z + pz * x), -(py * z + pz * y), xx + yy], like=h)
    return RigidInertia(inertia.mass, h + inertia.mass * X.p, rotate_tensor(X.R, inertia.I) + shift)


def motion_matrix(X: Transform) -> Array:
    """The 6x6 matrix X_BA that takes motion vectors from A to B; its transpose takes force vectors from B to A."""
    zero = 0.0 * X.R
    return blocks([[X.R.T, zero], [-X.R.T @ skew(X.p), X.R.T]])


def inertia_matrix(inertia: RigidInertia) -> Array:
    """The 6x6 matrix of a rigid-body inertia."""
    S = skew(inertia.mc)
    return blocks([[inertia.I, S], [-S, inertia.mass * IDENTITY]])


def motion_cross(V: Array, U: Array) -> Array:
    """V x U = [w x u_w; w x u_v + v x u_w] (Featherstone 2.31): rate of a motion vector U carried along by V."""
    w, v = V[:3], V[3:]
    return np.concatenate([cross(w, U[:3]), cross(w, U[3:]) + cross(v, U[:3])])


def force_cross(V: Array, F: Array) -> Array:
    """V x* F = [w x n + v x f; w x f] (Featherstone 2.32): rate of a force vector F carried along by V."""
    w, v = V[:3], V[3:]
    return np.concatenate([cross(w, F[:3]) + cross(v, F[3:]), cross(w, F[3:])])
