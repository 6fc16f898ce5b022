"""The limit of a figure as the step goes to zero, with an error bar, from runs at a few step sizes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leapcheck_models.arrays import Floats

ORDER_SLACK = 0.2
"""An observed order this close to the expected one confirms it."""

UNCONFIRMED_FACTOR = 3.0
"""Error bar over last difference where no order is confirmed (Roache 1998: 3 for two grids)."""

CONFIRMED_FACTOR = 3.0
"""Error bar over the last column's last difference where its order is confirmed: events in a step make sequences uneven."""

SMALLEST_BAR = 0.05
"""No error bar is smaller than this part of the last correction: one difference may be small by chance."""

ROUNDING = 8 * float(np.finfo(float).eps)
"""Differences below this part of the figure are rounding, and no error bar is smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Extrapolation:
    """What a sequence of figures tends to: arrays of the shape of one figure, () for a single number.

    `limit`; `error`: half-width of its error bar; `order`: the observed order of convergence of the figures themselves, NaN
    where it cannot be told (fewer than three levels, or differences that are rounding or change their sign); `columns`: how
    many orders were confirmed and taken out, 0: the limit is the last figure as it stands.
    """

    limit: Floats
    error: Floats
    order: Floats
    columns: NDArray[np.intp]


def extrapolate(values: ArrayLike, ratio: float = 2.0, order: int = 1) -> Extrapolation:
    """The limit of `values` (levels, ...), figures at steps dt, dt/ratio, dt/ratio^2, ..., the coarsest first.

    Richardson's extrapolation for errors c1 dt^order + c2 dt^(order + 1) + ... (Romberg's table: Hairer, Norsett and Wanner,
    Solving ODEs I, II.9). A power is taken out only where the last three entries of its column confirm it: their differences
    shrink by ratio^power, to `ORDER_SLACK` in the power. The error bar is `CONFIRMED_FACTOR` times the difference of the last
    two entries of the last column, at least `SMALLEST_BAR` of the last correction; without a confirmed order it is
    `UNCONFIRMED_FACTOR` times the difference of the last two figures. A NaN at the end gives NaN.
    Raises ValueError for fewer than two levels, or a ratio or an order that cannot be.
    """
    figures = np.asarray(values, dtype=float)
    if figures.ndim == 0 or len(figures) < 2:
        raise ValueError(f"figures of shape {figures.shape} have no limit: give those of two or more step sizes, coarsest first")
    if not (ratio > 1.0 and order >= 1):
        raise ValueError(f"ratio {ratio} and order {order}: the steps shrink by a ratio above 1, and orders begin at 1")
    rows = [_limit(column, ratio, order) for column in figures.reshape(len(figures), -1).T]
    shape = figures.shape[1:]
    limit, error, observed, columns = (np.array(part).reshape(shape) for part in zip(*rows, strict=True))
    return Extrapolation(limit, error, observed, columns.astype(np.intp))


def observed_order(values: Floats, ratio: float = 2.0) -> float:
    """log(d1 / d2) / log(ratio) of the last two differences of three or more figures; NaN where they tell none."""
    if len(values) < 3:
        return float("nan")
    earlier, later = np.diff(values[-3:])
    rounding = ROUNDING * np.abs(values[-3:]).max()
    if not (min(abs(earlier), abs(later)) > rounding and earlier * later > 0.0):
        return float("nan")
    return float(np.log(earlier / later) / np.log(ratio))


def _limit(values: Floats, ratio: float, order: int) -> tuple[float, float, float, int]:
    """(limit, error bar, observed order, orders taken out) of one figure's sequence."""
    rounding = ROUNDING * float(np.nanmax(np.abs(values), initial=0.0))
    column, error = values, UNCONFIRMED_FACTOR * abs(values[-1] - values[-2])
    columns = 0
    while abs(observed_order(column, ratio) - (order + columns)) <= ORDER_SLACK:
        gain = ratio ** (order + columns) - 1.0
        refined = column[1:] + np.diff(column) / gain
        bar = max(CONFIRMED_FACTOR * abs(refined[-1] - refined[-2]), SMALLEST_BAR * abs(refined[-1] - column[-1]))
        if not bar < error:
            break
        column, error, columns = refined, bar, columns + 1
    return float(column[-1]), max(float(error), rounding), observed_order(values, ratio), columns
