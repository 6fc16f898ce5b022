"""Equations of motion from a mass matrix and a potential alone: Christoffel symbols, Coriolis matrix, Lagrange's form.

With dM[i, j, k] = dM_ij/dq_k, either given or by complex step, in coordinates whose rates are the velocities (no
quaternions). After Craig, *Introduction to Robotics*, sections 6.8 and 6.9, and Siciliano et al., *Robotics*, section 7.1.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.scalar import Scalar, stack

STEP = 1e-30
"""Complex step: the derivative's error is its square, so it is exact to rounding."""


def mass_matrix_derivatives(mass_matrix: Callable[[Array], Array], q: Array) -> Array:
    """dM (n, n, n) with dM[i, j, k] = dM_ij/dq_k at real q (n,), by complex step; `mass_matrix` must take complex q."""
    return np.stack([mass_matrix(q + step).imag / STEP for step in _steps(q)], axis=-1)


def potential_force(potential: Callable[[Array], Scalar], q: Array) -> Array:
    """dU/dq (n,) at real q (n,), by complex step: the gravity force G when U is the potential energy of weight."""
    return np.array([potential(q + step).imag / STEP for step in _steps(q)])


def christoffel_symbols(dM: Array) -> Array:
    """c (n, n, n) with c[k, i, j] = (dM_ki/dq_j + dM_kj/dq_i - dM_ij/dq_k) / 2, so that V_k = sum_ij c_kij qi' qj'."""
    return 0.5 * (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1))


def coriolis_matrix(dM: Array, qd: Array) -> Array:
    """C(q, q') (n, n) with C_kj = sum_i c_kij qi': then V = C q' and Mdot - 2 C is skew."""
    return np.asarray(christoffel_symbols(dM).transpose(0, 2, 1) @ qd)


def velocity_force(dM: Array, qd: Array) -> Array:
    """V = Mdot q' - 1/2 q'^T dM/dq q' (n,): the force that the motion itself asks for, from Lagrange's equations."""
    return np.asarray((dM @ qd) @ qd - 0.5 * (dM.transpose(2, 0, 1) @ qd) @ qd)


def configuration_space_form(dM: Array) -> tuple[Array, Array]:
    """B (n, n(n-1)/2) and C (n, n) with V = B [q'q'] + C [q'^2]: both depend on the configuration alone (Craig, eq. 6.63).

    B[k, (i, j)] = 2 c_kij in the order of `velocity_products`, C[k, i] = c_kii.
    """
    c = christoffel_symbols(dM)
    n = len(c)
    pairs = list(combinations(range(n), 2))
    B = stack([2 * c[k, i, j] for k in range(n) for i, j in pairs], n, len(pairs))
    return B, stack([c[k, i, i] for k in range(n) for i in range(n)], n, n)


def velocity_products(qd: Array) -> tuple[Array, Array]:
    """[q'q'] (n(n-1)/2,) = q1'q2', q1'q3', ..., q2'q3', ... and [q'^2] (n,)."""
    return stack([qd[i] * qd[j] for i, j in combinations(range(len(qd)), 2)], len(qd) * (len(qd) - 1) // 2), qd * qd


def _steps(q: Array) -> Array:
    return 1j * STEP * np.eye(len(q))
