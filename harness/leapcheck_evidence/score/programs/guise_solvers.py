"""Ways to solve M x = b, of one state."""

from __future__ import annotations

import numpy as np

from leapcheck_models.arrays import Floats


def by_cholesky(M: Floats, b: Floats) -> Floats:
    """M = L L^T."""
    L = np.linalg.cholesky(M)
    return np.asarray(np.linalg.solve(L.T, np.linalg.solve(L, b)))


def by_ldl(M: Floats, b: Floats) -> Floats:
    """M = L D L^T without square roots, row by row."""
    n = len(b)
    L, d = np.eye(n), np.zeros(n)
    for j in range(n):
        d[j] = M[j, j] - (L[j, :j] ** 2) @ d[:j]
        for i in range(j + 1, n):
            L[i, j] = (M[i, j] - (L[i, :j] * L[j, :j]) @ d[:j]) / d[j]
    return np.asarray(np.linalg.solve(L.T, np.linalg.solve(L, b) / d))


def by_elimination(M: Floats, b: Floats) -> Floats:
    """Gauss and Jordan, the largest pivot first."""
    A = np.concatenate([M, b[:, None]], axis=1)
    for j in range(len(b)):
        pivot = j + int(np.argmax(np.abs(A[j:, j])))
        A[[j, pivot]] = A[[pivot, j]]
        A[j] /= A[j, j]
        for i in range(len(b)):
            if i != j:
                A[i] -= A[i, j] * A[j]
    return A[:, -1].copy()


def by_svd(M: Floats, b: Floats) -> Floats:
    """Least squares."""
    return np.asarray(np.linalg.lstsq(M, b, rcond=None)[0])


def by_inverse(M: Floats, b: Floats) -> Floats:
    """M^-1 b."""
    return np.asarray(np.linalg.inv(M) @ b)


def by_qr(M: Floats, b: Floats) -> Floats:
    """M = Q R."""
    Q, R = np.linalg.qr(M)
    return np.asarray(np.linalg.solve(R, Q.T @ b))
