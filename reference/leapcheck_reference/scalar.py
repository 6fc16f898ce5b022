"""The few functions that an algorithm asks of a scalar beyond + - * /: sine, cosine, square root, conversion.

Algorithms run on NumPy arrays of any scalar. Floats and complex numbers use the standard library; any other scalar (an
arb ball, a traced symbol, a batch of states) brings the methods `sin()`, `cos()` and `sqrt()` itself.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Scalar = Any
ScalarType = Callable[[float], Any]


def sin_cos(x: Scalar) -> tuple[Scalar, Scalar]:
    """(sin x, cos x) in the scalar's own arithmetic; x in rad."""
    if isinstance(x, float | int):
        return math.sin(x), math.cos(x)
    if isinstance(x, complex):
        return cmath.sin(x), cmath.cos(x)
    if isinstance(x, np.generic):
        return np.sin(x), np.cos(x)
    return x.sin(), x.cos()


def sqrt(x: Scalar) -> Scalar:
    """Square root in the scalar's own arithmetic."""
    if isinstance(x, float | int | complex | np.generic):
        return np.sqrt(x)
    return x.sqrt()


def array_of(values: Any, scalar: ScalarType = float) -> Array:
    """Array of `values` (floats, nested) with every entry converted: float64 for `float`, object otherwise."""
    numbers = np.asarray(values, dtype=float)
    if scalar is float:
        return numbers
    converted = np.empty(numbers.shape, dtype=object)
    for place, value in np.ndenumerate(numbers):
        converted[place] = scalar(float(value))
    return converted


def stacked(entries: Sequence[Scalar], *shape: int) -> Array:
    """Array of the given shape from a flat list of scalars; scalars that NumPy does not know are kept as objects."""
    for entry in entries:
        if not isinstance(entry, float | complex | np.number):
            break
    else:
        return np.array(entries).reshape(shape)
    array = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        array[i] = entry
    return array.reshape(shape)
