"""How uses go with height and gear, and numbers rounded to the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable

BISECTIONS = 60
"""Halvings that find a height to rounding."""


def lower_height(ohmic: float, back_emf: float, target: float, height: float, stroke: float) -> float | None:
    """Height (m) at which a use of ohmic + back_emf at `height` falls to `target`, over the same stroke; None where it does not.

    Forces go as g + a with a = g height / stroke, speeds as the root of the height.
    """

    def use(h: float) -> float:
        return ohmic * (stroke + h) / (stroke + height) + back_emf * math.sqrt(h / height)

    low, high = 0.0, height
    if use(low) > target:
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if use(middle) <= target else (low, middle)
    return low


def gear_factor(ohmic: float, back_emf: float, target: float) -> float | None:
    """Factor x nearest to 1 on the gear ratio with ohmic / x + back_emf x = target; None where no gear does it."""
    square = target * target - 4.0 * ohmic * back_emf
    if square < 0.0 or back_emf <= 0.0 or ohmic <= 0.0:
        return None
    roots = [(target + sign * math.sqrt(square)) / (2.0 * back_emf) for sign in (-1.0, 1.0)]
    return min(roots, key=lambda x: abs(math.log(x)))


def up(x: float) -> str:
    """x in three digits, rounded up."""
    return _three(x, math.ceil)


def down(x: float) -> str:
    """x in three digits, rounded down."""
    return _three(x, math.floor)


def _three(x: float, rounded: Callable[[float], int]) -> str:
    if x <= 0.0 or not math.isfinite(x):
        return f"{x:.3g}"
    unit = 10.0 ** (math.floor(math.log10(x)) - 2)
    return f"{rounded(x / unit - 1e-9 if rounded is math.ceil else x / unit + 1e-9) * unit:.3g}"
