"""The few functions that an algorithm asks of a scalar beyond + - * /: sine, cosine, square root, conversion.

Algorithms run on NumPy arrays of any scalar. Floats and complex numbers use the standard library; any other scalar (an
arb ball, a traced symbol, a batch of states) brings the methods `sin()`, `cos()` and `sqrt()` itself.
"""

import cmath
import copy
import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from leapcheck_models.arrays import Array

KNOWN = frozenset({float, np.float64, np.longdouble})

Scalar = Any
ScalarType = Callable[[float], Any]
Value = TypeVar("Value")


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


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1 in the scalar's own arithmetic; a complex number has the sign of its real part."""
    if isinstance(x, float | int | complex | np.generic):
        return float(np.sign(x.real))
    return x.sign() if hasattr(x, "sign") else x.sgn()


def clip(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x, at least `low` and at most `high`, in the scalar's own arithmetic.

    A scalar that cannot be compared brings a method `clip`, or is clipped by square roots, |x| = sqrt(x x), to rounding.
    """
    if isinstance(x, float | int | np.generic):
        return min(max(x, low), high)
    if hasattr(x, "clip"):
        return x.clip(low, high)
    if hasattr(x, "max"):  # an arb ball
        return x.max(low).min(high)
    if -low <= 0.0:
        return low + _at_most(_positive(x - low), high - low)
    if high <= 0.0:
        return high - _at_most(_positive(high - x), high - low)
    return _at_most(_positive(x), high) - _at_most(_positive(-x), -low)


def _positive(x: Scalar) -> Scalar:
    return 0.5 * (x + sqrt(x * x))


def _at_most(x: Scalar, high: Scalar) -> Scalar:
    """The smaller of two numbers that are not negative: their product over the larger one."""
    return x * (high / (high + _positive(x - high))) if high != 0.0 else 0.0


def array_of(values: Any, scalar: ScalarType = float) -> Array:
    """Array of `values` (floats, nested) with every entry converted: float64 for `float`, object otherwise."""
    numbers = np.asarray(values, dtype=float)
    if scalar is float:
        return numbers
    converted = np.empty(numbers.shape, dtype=object)
    for place, value in np.ndenumerate(numbers):
        converted[place] = scalar(float(value))
    return converted


def stack(entries: Sequence[Scalar], *shape: int, like: Array | None = None) -> Array:
    """Array of the given shape from a flat list of scalars; scalars that NumPy does not know are kept as objects.

    So is any scalar where `like`, of which the entries were made, is an object array: Python floats in object arrays stay
    there, and no library multiplies their matrices in an order or with a rounding of its own.
    """
    if (like is None or not like.dtype.hasobject) and _are_known(entries):
        array = np.array(entries)
        return array if len(shape) == 1 else array.reshape(shape)
    array = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        array[i] = entry
    return array.reshape(shape)


def _are_known(entries: Sequence[Scalar]) -> bool:
    """Whether all entries are scalars of NumPy's; the usual ones are seen first."""
    return KNOWN.issuperset(map(type, entries)) or all(isinstance(entry, float | complex | np.number) for entry in entries)


def blocks(rows: Sequence[Sequence[Array]]) -> Array:
    """The matrix of rows of blocks; `np.block` looks at their depth and takes three times as long."""
    return np.concatenate([np.concatenate(row, axis=1) for row in rows])


def as_objects(value: Value) -> Value:
    """The same numbers with every array, also in tuples and dataclasses, an object array of Python scalars.

    On these the algorithms do operation by operation what their text says; NumPy's own products of matrices of doubles do not.
    """
    converted: Any = value
    if isinstance(value, np.ndarray):
        converted = value.astype(object)
    elif isinstance(value, np.generic):
        converted = value.item()
    elif isinstance(value, tuple):
        converted = tuple(as_objects(part) for part in value)
    elif dataclasses.is_dataclass(value):
        converted = copy.copy(value)
        for field in dataclasses.fields(value):
            object.__setattr__(converted, field.name, as_objects(getattr(value, field.name)))
    return converted  # type: ignore[no-any-return]
