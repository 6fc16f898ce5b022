"""Linear equations with a positive definite matrix, in NumPy alone: SciPy takes a third of a second to import."""

import math

import numpy as np

from leapcheck_models.arrays import Floats


def definite_solution(A: Floats, b: Floats) -> Floats | None:
    """x (n,) with A x = b; None where a number is not finite or A is not positive definite in the direction of x.

    x^T A x = b^T x > 0, in floating point too: x solves (A + E) x = b exactly with an E of A's rounding.
    """
    try:
        x = np.linalg.solve(A, b).astype(float, copy=False)
    except np.linalg.LinAlgError:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return x if 0.0 <= b.dot(x) < math.inf else None
