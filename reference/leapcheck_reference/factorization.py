"""M = L^T D L without fill-in, along the branches of the tree (Featherstone, section 6.5), and solves with it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Array


@dataclass(frozen=True, slots=True)
class Factors:
    """L (nv, nv) unit lower triangular with L_ij != 0 only for ancestors j of i, and the diagonal D (nv,)."""

    L: Array
    D: Array
    parent: tuple[int, ...]


def factorization(M: Array, parent: Sequence[int]) -> Factors:
    """L and D with M = L^T D L; `parent` is the tree's dof_parent. Never touches an entry off the ancestors' pattern.

    Divides once a dof: a division costs as much as many products.
    """
    H = 1.0 * np.asarray(M)
    n = len(H)
    L = np.eye(n).astype(H.dtype)
    for k in reversed(range(n)):
        i, inverse = parent[k], 1.0 / H[k, k]
        while i >= 0:
            # a = H_ki / H_kk;  H_ij -= a H_kj for i and its ancestors j;  L_ki = a
            a = H[k, i] * inverse
            j = i
            while j >= 0:
                H[i, j] = H[i, j] - a * H[k, j]
                j = parent[j]
            L[k, i] = a
            i = parent[i]
    return Factors(L, np.array([H[i, i] for i in range(n)], dtype=H.dtype), tuple(parent))


def solution(factors: Factors, b: Array) -> Array:
    """x with M x = b, for b (nv,) or columns (nv, k): x = L^-1 D^-1 L^-T b."""
    return outwards(factors, inwards(factors, b))


def outwards(factors: Factors, y: Array) -> Array:
    """L^-1 D^-1 y."""
    x = y.copy()
    for i in range(len(x)):  # x_i = y_i / D_i - sum over ancestors j of L_ij x_j
        x[i] = x[i] * (1.0 / factors.D[i])
        j = factors.parent[i]
        while j >= 0:
            x[i] = x[i] - factors.L[i, j] * x[j]
            j = factors.parent[j]
    return x


def inverse_product(factors: Factors, b: Array) -> Array:
    """b^T M^-1 b (k, k) for columns b (nv, k): (L^-T b)^T D^-1 (L^-T b), exactly symmetric."""
    y = inwards(factors, b)
    divided = y * (1.0 / factors.D)[:, None]
    product = np.empty((y.shape[1],) * 2, dtype=divided.dtype)
    for i in range(len(product)):
        product[i, : i + 1] = product[: i + 1, i] = y[:, i] @ divided[:, : i + 1]
    return product


def inwards(factors: Factors, b: Array) -> Array:
    """L^-T b."""
    x = np.array(b, dtype=np.result_type(np.asarray(b), factors.D))
    for i in reversed(range(len(x))):  # x_j -= L_ij x_i for the ancestors j of i
        j = factors.parent[i]
        while j >= 0:
            x[j] = x[j] - factors.L[i, j] * x[i]
            j = factors.parent[j]
    return x


def dense_parent(n: int) -> tuple[int, ...]:
    """The dof_parent of one chain: with it the factorization is that of a dense symmetric matrix."""
    return tuple(range(-1, n - 1))
