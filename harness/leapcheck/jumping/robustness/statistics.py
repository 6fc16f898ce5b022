"""Statistics of many runs: the interval of the success rate, and which parameters drive success."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failure, in how many runs it was among the causes, and in how many it was the first."""

    name: str
    count: int
    first: int


@dataclass(frozen=True, slots=True)
class Driver:
    """A varied parameter and how it ranks with what came out: Spearman's coefficients, NaN where one side does not vary.

    `name` stands between bars where the size of the deviation ranks higher than its signed value. `p_value` is of the larger
    coefficient, against no relation at all.
    """

    name: str
    with_success: float
    with_rise: float
    p_value: float

    @property
    def strength(self) -> float:
        """The larger coefficient's size; 0 where neither is known."""
        return max((abs(x) for x in (self.with_success, self.with_rise) if not math.isnan(x)), default=0.0)


def success_interval(successes: int, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """(low, high) of the success probability after k successes in n runs: Clopper and Pearson's exact interval.

    C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404. ValueError unless 0 <= k <= n, n >= 1.
    """
    if not 0 <= successes <= count or count < 1:
        raise ValueError(f"{successes} successes in {count} runs: give 0 <= successes <= runs, and a run at least")
    from scipy.stats import binomtest  # here, as below: it takes long to import

    interval = binomtest(successes, count).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)


def ranked_causes(causes: Sequence[tuple[str, ...]]) -> tuple[Cause, ...]:
    """The causes of all failed runs, the most frequent first; equal ones by name."""
    every = Counter(name for of_run in causes for name in of_run)
    first = Counter(of_run[0] for of_run in causes if of_run)
    return tuple(Cause(name, every[name], first[name]) for name in sorted(every, key=lambda name: (-every[name], name)))


def ranked_drivers(
    names: Sequence[str], values: Floats, nominal: Floats, success: NDArray[np.bool_], rise: Floats
) -> tuple[Driver, ...]:
    """Drivers among the parameters `values` (n, names), the strongest first; those that do not vary are left out.

    A run without a rise (NaN) ranks below all others.
    """
    reached = np.where(np.isnan(rise), -np.inf, rise)
    drivers = []
    for name, column, centre in zip(names, values.T, nominal, strict=True):
        if np.ptp(column) > 0.0:
            signed, size = (
                _driver(label, x, success, reached) for label, x in ((name, column), (f"|{name}|", abs(column - centre)))
            )
            drivers.append(size if size.strength > 1.5 * signed.strength else signed)
    return tuple(sorted(drivers, key=lambda driver: (-driver.strength, driver.name)))


def _driver(name: str, column: Floats, success: NDArray[np.bool_], rise: Floats) -> Driver:
    with_success, p_success = _spearman(column, success.astype(float))
    with_rise, p_rise = _spearman(column, rise)
    of_rise = math.isnan(with_success) or abs(with_rise) > abs(with_success)
    return Driver(name, with_success, with_rise, p_rise if of_rise else p_success)


def _spearman(x: Floats, y: Floats) -> tuple[float, float]:
    """(coefficient, p-value); NaN where one of them is constant or there are fewer than three pairs."""
    if len(x) < 3 or (x == x[0]).all() or (y == y[0]).all():
        return math.nan, math.nan
    from scipy.stats import spearmanr

    result = spearmanr(x, y)
    return float(result.statistic), float(result.pvalue)
