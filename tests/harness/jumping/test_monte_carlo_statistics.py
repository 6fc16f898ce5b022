"""The statistics of many runs against printed values and against what defines them."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from leapcheck.jumping.robustness.statistics import Cause, ranked_causes, ranked_drivers, success_interval

PRINTED = [
    # Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998) 857, table I
    (81, 263, 0.2527, 0.3676, 4),
    (15, 148, 0.0578, 0.1617, 4),
    (0, 20, 0.0, 0.1684, 4),
    (1, 29, 0.0009, 0.1776, 4),
    # Agresti, Categorical Data Analysis, section 1.4.3: 0 of 25 students
    (0, 25, 0.0, 0.137, 3),
]
TAIL = 1e-11  # of 0.025; largest seen 4.9e-13


@pytest.mark.parametrize(("successes", "count", "low", "high", "digits"), PRINTED)
def test_intervals_are_those_in_print(successes: int, count: int, low: float, high: float, digits: int) -> None:
    found = success_interval(successes, count)
    assert (round(found[0], digits), round(found[1], digits)) == (low, high)


@pytest.mark.parametrize(("successes", "count"), [(7, 10), (597, 1000), (999, 1000)])
def test_each_bound_leaves_its_tail(successes: int, count: int) -> None:
    low, high = success_interval(successes, count)
    assert abs(binom.sf(successes - 1, count, low) - 0.025) < TAIL
    assert abs(binom.cdf(successes, count, high) - 0.025) < TAIL


@pytest.mark.parametrize(("successes", "count"), [(-1, 10), (11, 10), (0, 0)])
def test_impossible_counts_are_refused(successes: int, count: int) -> None:
    with pytest.raises(ValueError, match="give 0 <= successes <= runs"):
        success_interval(successes, count)


def test_causes_are_ranked_by_how_many_runs_have_them() -> None:
    runs = [("slip", "fall"), (), ("fall",), ("low",), ("fall", "low")]
    assert ranked_causes(runs) == (Cause("fall", 3, 2), Cause("low", 2, 1), Cause("slip", 1, 1))


def test_a_planted_driver_is_found_and_noise_is_not() -> None:
    rng = np.random.default_rng(0)
    values = rng.uniform(-1.0, 1.0, (400, 4))
    values[:, 3] = 0.5
    success, rise = np.abs(values[:, 1]) < 0.7, 0.3 + 0.01 * values[:, 0]
    found = ranked_drivers(("a", "b", "noise", "constant"), values, np.zeros(4), success, rise)
    assert [driver.name for driver in found[:2]] == ["a", "|b|"]
    assert found[0].with_rise == pytest.approx(1.0)
    assert found[1].with_success < -0.6
    assert found[2].name in ("noise", "|noise|")
    assert found[2].strength < 0.2
    assert len(found) == 3


def test_where_all_succeed_only_the_rise_ranks() -> None:
    values = np.linspace(0.0, 1.0, 10)[:, None]
    (driver,) = ranked_drivers(("x",), values, np.array([0.0]), np.ones(10, dtype=bool), -values[:, 0])
    assert math.isnan(driver.with_success)
    assert driver.with_rise == pytest.approx(-1.0)
    assert driver.strength == -driver.with_rise
    assert driver.p_value < 1e-6


def test_a_run_without_a_rise_ranks_last() -> None:
    values = np.arange(5.0)[:, None]
    rise = np.array([math.nan, 0.1, 0.2, 0.3, 0.4])
    (driver,) = ranked_drivers(("x",), values, np.array([0.0]), rise > 0, rise)
    assert driver.with_rise == pytest.approx(1.0)
