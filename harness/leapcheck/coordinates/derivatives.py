"""Derivatives of dynamics in other coordinates: T moves with q where an engine has velocities in the axes of a joint's parent.

With u = T v, udot = T vdot + Tdot v and tau = T^T tau_u, along the unit velocity of the k-th canonical dof, T_k = dT / dq_k,

    dtau/dq_k  = T^T (D_q tau_u T e_k + D_u tau_u T_k v + M_u (T_k vdot + (Tdot v)_k)) + T_k^T tau_u
    dtau/dv    = T^T (D_u tau_u T + M_u d(Tdot v)/dv)
    dvdot/dq_k = T^T (D_q udot T e_k + D_u udot T_k v + M_u^-1 T_k tau - (Tdot v)_k) + T_k^T (udot - Tdot v)
    dvdot/dv   = T^T (D_u udot T - d(Tdot v)/dv)

the last two where T is square, hence orthogonal. D_q is along the engine's own unit velocities. Where T has R, T_k has R e_k~.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import (
    Convention,
    product,
    rotation_matrices,
    transpose,
    velocity_map,
    velocity_map_rate,
)
from leapcheck.coordinates.frame_maps import skew_matrices
from leapcheck_models.arrays import Floats


class OwnDerivatives(NamedTuple):
    """An engine's derivatives of `value` by q and by u (n, nv_u, nv_u), and that by what it is driven with: M_u or M_u^-1.

    `value` (n, nv_u) is tau_u of inverse, udot of forward dynamics.
    """

    by_q: Floats
    by_v: Floats
    by_driven: Floats
    value: Floats


def inverse_dynamics_derivatives(
    convention: Convention, q: Floats, v: Floats, vdot: Floats, own: OwnDerivatives
) -> tuple[Floats, Floats]:
    """dtau/dq and dtau/dv (n, nv, nv) at canonical states."""
    T = velocity_map(convention, q)
    rate_by_q, rate_by_v = _rate_changes(convention, q, v)
    driven = own.by_driven @ (_map_changes(convention, q, vdot) + rate_by_q)
    by_q = own.by_q @ T + own.by_v @ _map_changes(convention, q, v) + driven
    by_v = own.by_v @ T + own.by_driven @ rate_by_v
    return transpose(T) @ by_q + _force_changes(convention, q, own.value), transpose(T) @ by_v


def forward_dynamics_derivatives(
    convention: Convention, q: Floats, v: Floats, tau: Floats, own: OwnDerivatives
) -> tuple[Floats, Floats]:
    """dvdot/dq and dvdot/dv (n, nv, nv) at canonical states; T is square."""
    T = velocity_map(convention, q)
    rate_by_q, rate_by_v = _rate_changes(convention, q, v)
    driven = own.by_driven @ _map_changes(convention, q, tau) - rate_by_q
    by_q = own.by_q @ T + own.by_v @ _map_changes(convention, q, v) + driven
    turned = _force_changes(convention, q, own.value - velocity_map_rate(convention, q, v))
    return transpose(T) @ by_q + turned, transpose(T) @ (own.by_v @ T - rate_by_v)


def _map_changes(convention: Convention, q: Floats, x: Floats) -> Floats:
    """T_k x, column by column (n, nv_u, nv), of canonical x (n, nv): R e_k x x."""
    changes = np.zeros((len(q), *convention.shuffle.shape))
    for r in convention.rotations:
        R_PB = rotation_matrices(q[:, r.quaternion : r.quaternion + 4])
        changes[:, r.u : r.u + 3, r.w : r.w + 3] -= R_PB @ skew_matrices(x[:, r.v : r.v + 3])
    return changes


def _force_changes(convention: Convention, q: Floats, force: Floats) -> Floats:
    """T_k^T f, column by column (n, nv, nv), of the engine's f (n, nv_u): R^T f x e_k."""
    nv = convention.shuffle.shape[1]
    changes = np.zeros((len(q), nv, nv))
    for r in convention.rotations:
        R_PB = rotation_matrices(q[:, r.quaternion : r.quaternion + 4])
        changes[:, r.v : r.v + 3, r.w : r.w + 3] += skew_matrices(product(transpose(R_PB), force[:, r.u : r.u + 3]))
    return changes


def _rate_changes(convention: Convention, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """(Tdot v)_k and d(Tdot v)/dv (n, nv_u, nv), of Tdot v = R (w x v_B)."""
    by_q, by_v = np.zeros((2, len(q), *convention.shuffle.shape))
    for r in convention.rotations:
        R_PB = rotation_matrices(q[:, r.quaternion : r.quaternion + 4])
        w, v_B = v[:, r.w : r.w + 3], v[:, r.v : r.v + 3]
        by_q[:, r.u : r.u + 3, r.w : r.w + 3] -= R_PB @ skew_matrices(np.cross(w, v_B))
        by_v[:, r.u : r.u + 3, r.w : r.w + 3] -= R_PB @ skew_matrices(v_B)
        by_v[:, r.u : r.u + 3, r.v : r.v + 3] += R_PB @ skew_matrices(w)
    return by_q, by_v
