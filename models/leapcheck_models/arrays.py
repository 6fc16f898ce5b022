"""Types of arrays, named once, and what NumPy does slowly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Double-precision numbers."""

Array = NDArray[Any]
"""Numbers of any scalar: floats, symbols, double-doubles or balls."""


def cross_products(a: Floats, b: Floats) -> Floats:
    """a x b of vectors (..., 3), the same bits as np.cross in a fifth of its time."""
    (x, y, z), (u, v, w) = ([vectors[..., i] for i in range(3)] for vectors in (a, b))
    answer = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, (p, q) in enumerate(((y * w, z * v), (z * u, x * w), (x * v, y * u))):
        np.subtract(p, q, out=answer[..., i])
    return answer
