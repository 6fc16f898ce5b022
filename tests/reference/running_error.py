"""A float that carries a bound on its own rounding error: running error analysis (Higham 2002, section 3.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

UNIT_ROUNDOFF = 2.0**-53
LIBM = 2.0  # sine and cosine are within one ulp, that is two units of round-off


@dataclass(frozen=True, slots=True)
class Bounded:
    """`value`, and `error`: a first-order bound on its distance from the exact result, in units of round-off."""

    value: float
    error: float = 0.0

    def __add__(self, other: Any) -> Any:
        b = bounded(other)
        if b is None:
            return NotImplemented
        value = self.value + b.value
        return Bounded(value, self.error + b.error + abs(value))

    def __mul__(self, other: Any) -> Any:
        b = bounded(other)
        if b is None:
            return NotImplemented
        value = self.value * b.value
        return Bounded(value, abs(self.value) * b.error + abs(b.value) * self.error + abs(value))

    def __truediv__(self, other: Any) -> Any:
        b = bounded(other)
        if b is None:
            return NotImplemented
        value = self.value / b.value
        return Bounded(value, (self.error + abs(value) * b.error) / abs(b.value) + abs(value))

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __rtruediv__(self, other: Any) -> Any:
        return Bounded(float(other)) / self

    def __eq__(self, other: object) -> bool:
        b = bounded(other)
        return b is not None and self.value == b.value

    __hash__ = None
    __radd__, __rmul__ = __add__, __mul__

    def sin(self) -> Bounded:
        value = math.sin(self.value)
        return Bounded(value, self.error * abs(math.cos(self.value)) + LIBM * abs(value))

    def cos(self) -> Bounded:
        value = math.cos(self.value)
        return Bounded(value, self.error * abs(math.sin(self.value)) + LIBM * abs(value))

    def sqrt(self) -> Bounded:
        value = math.sqrt(self.value)
        return Bounded(value, self.error / (2.0 * value) + value)


def bounded(x: Any) -> Bounded | None:
    """A number as it is, exact; None for arrays and whatever else is no number."""
    if isinstance(x, Bounded):
        return x
    return Bounded(float(x)) if isinstance(x, float | int) else None
