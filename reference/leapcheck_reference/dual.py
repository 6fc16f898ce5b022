"""A scalar with its rates in several directions: the readable algorithms differentiate themselves on it, exactly.

Forward-mode differentiation (Griewank and Walther, Evaluating Derivatives, section 3.1). A rate that is zero is not kept, so that
a joint's coordinate costs nothing in the links before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.scalar import Scalar, sign, sin_cos, sqrt, stack

Rates = Mapping[int, Scalar]
"""The rate in each direction, by its number; none where it is zero."""


class Dual:
    """`value` and its `rates`, of any scalar; the arithmetic that the algorithms ask for."""

    __slots__ = ("rates", "value")

    def __init__(self, value: Scalar, rates: Rates) -> None:
        self.value, self.rates = value, rates

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, _sum(self.rates, other.rates))
        return NotImplemented if isinstance(other, np.ndarray) else Dual(self.value + other, self.rates)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return self._times(-self.value, -1.0)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Dual):
            rates = _sum(_scaled(self.rates, other.value), _scaled(other.rates, self.value))
            return Dual(self.value * other.value, rates)
        if isinstance(other, np.ndarray):
            return NotImplemented
        return 0.0 if isinstance(other, float) and other == 0.0 else self._times(self.value * other, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Dual):
            quotient = self.value / other.value
            rates = _sum(self.rates, _scaled(other.rates, -quotient))
            return Dual(quotient, _scaled(rates, 1.0 / other.value))
        return self._times(self.value / other, 1.0 / other)

    def __rtruediv__(self, other: Any) -> Any:
        quotient = other / self.value
        return self._times(quotient, -quotient / self.value)

    def sin(self) -> Dual:
        """Sine."""
        sine, cosine = sin_cos(self.value)
        return self._times(sine, cosine)

    def cos(self) -> Dual:
        """Cosine."""
        sine, cosine = sin_cos(self.value)
        return self._times(cosine, -sine)

    def sign(self) -> Scalar:
        """Sign, which does not move."""
        return sign(self.value)

    def sqrt(self) -> Dual:
        """Square root."""
        root = sqrt(self.value)
        return self._times(root, 0.5 / root)

    def _times(self, value: Scalar, slope: Scalar) -> Dual:
        """A function of this number: its value and its slope."""
        return Dual(value, _scaled(self.rates, slope))


OUTER = (np.ndarray, Dual)
"""What takes an operation with one number upon itself."""


def dual(x: Array, rates: Array) -> Array:
    """Numbers (...) that move at rates (..., k) in k directions; a rate of float zero is none."""
    moving = np.empty(x.shape, dtype=object)
    for place, value in np.ndenumerate(x):
        moving[place] = Dual(value, {k: rate for k, rate in enumerate(rates[place]) if not _is_zero(rate)})
    return moving


def rates_of(x: Array, directions: int) -> Array:
    """The rates (*shape, directions) of numbers, some of which may not move."""
    entries = [entry.rates.get(k, 0.0) if isinstance(entry, Dual) else 0.0 for entry in x.ravel() for k in range(directions)]
    return stack(entries, *x.shape, directions)


def _is_zero(rate: Scalar) -> bool:
    return isinstance(rate, float | int) and rate == 0.0


def _scaled(rates: Rates, factor: Scalar) -> Rates:
    return {k: rate * factor for k, rate in rates.items()}


def _sum(a: Rates, b: Rates) -> Rates:
    if not (a and b):
        return a or b
    total = dict(a)
    for k, rate in b.items():
        total[k] = total[k] + rate if k in total else rate
    return total
