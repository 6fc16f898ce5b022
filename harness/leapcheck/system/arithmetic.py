"""How this machine rounds: libraries choose their code by the CPU, and other code has other last bits."""

from __future__ import annotations

import hashlib
import math
from functools import cache
from typing import Any

import numpy as np

FUNCTIONS = (np.sin, np.cos, np.tan, np.arccos, np.exp, np.log, np.sqrt, np.cbrt)
"""NumPy has code of its own for several kinds of CPU for some of them."""

C_FUNCTIONS = (math.sin, math.cos, math.atan, math.exp, math.log, math.sqrt)
"""The C library has, too."""

SIZES = (3, 6, 8, 18, 37, 64)
"""Rows of matrices: BLAS has other code for small ones and for what is left over of large ones."""

VALUES = 4096


@cache
def arithmetic_digest() -> str:
    """A short name of the last bits of NumPy, BLAS, LAPACK and the C library here: equal on machines that round alike.

    States, engines and tallies go through these libraries; leapcheck's own compiled code gives the same bits on every CPU.
    """
    rng = np.random.Generator(np.random.PCG64(1))
    values = rng.random(VALUES) * 10.0
    results: list[Any] = [function(values / 10.0 if function is np.arccos else values) for function in FUNCTIONS]
    results += [np.array([function(value) for value in values[:512].tolist()]) for function in C_FUNCTIONS]
    results += [np.add.reduce(values), np.cumsum(values), np.linalg.norm(values)]
    for size in SIZES:
        A, b = rng.random((4, size, size)) - 0.5, rng.random((4, size, 5))
        M = A @ A.swapaxes(1, 2) + np.eye(size)
        results += [M, A @ b, A[0] @ b[0], A[0] @ b[0, :, 0], b[0, :, 0] @ b[0, :, 1]]
        results += [np.linalg.solve(M, b), np.linalg.cholesky(M), np.linalg.eigvalsh(M[0])]
    return hashlib.sha256(b"".join(np.asarray(result).tobytes() for result in results)).hexdigest()[:16]
