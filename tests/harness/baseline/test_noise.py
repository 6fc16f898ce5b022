"""The growth that chance explains: against drawn maxima, and against real runs at other seeds."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.baseline.noise import FALSE_ALARMS, SMALLEST, allowed_error, growth
from leapcheck.comparison.plan import Plan
from leapcheck.robots.load import NamedRobot
from leapcheck.rounding import DRAWS
from leapcheck.study import run_comparison
from leapcheck_models.robots import load
from tests.harness.baseline.baseline_cases import baseline_of, finding_keys, with_baseline


@pytest.mark.parametrize(("before", "now"), [(200, 200), (200, 2000), (2000, 200)])
def test_the_tail_that_it_is_derived_for_gives_its_rate(before: int, now: int) -> None:
    """Maxima of n draws with P(X > x) = x^-DRAWS: U^(-1/DRAWS) of the least of n uniform ones, which is 1 - V^(1/n)."""
    rng, pairs = np.random.default_rng(1), 400_000
    first, second = (-np.expm1(np.log(rng.uniform(size=pairs)) / n) for n in (before, now))
    larger = (second ** (-1.0 / DRAWS)) / (first ** (-1.0 / DRAWS))
    rate = float(np.mean(larger > growth(before, now, rows=1)))
    assert rate == pytest.approx(FALSE_ALARMS, rel=0.1)  # 4000 alarms: 1.6 % of scatter


def test_a_unit_that_is_the_largest_of_some_perturbations_has_that_tail() -> None:
    """A rounding error over the largest of `DRAWS` others of its size: ten times as large an error is 10^DRAWS as rare."""
    rng = np.random.default_rng(2)
    errors = np.abs(rng.normal(size=2_000_000))
    units = np.abs(rng.normal(size=(DRAWS, len(errors)))).max(axis=0)
    above = [np.mean(errors / units > x) for x in (3.0, 9.0)]
    assert above[0] / above[1] == pytest.approx(3.0**DRAWS, rel=0.2)


def test_it_grows_with_the_states_and_the_rows() -> None:
    assert growth(200, 200, 12) == pytest.approx((12 / FALSE_ALARMS - 1) ** (1 / 3))
    assert growth(200, 1600, 12) == pytest.approx(2.0 * growth(200, 200, 12))
    assert growth(200, 200, 85) > growth(200, 200, 12) > growth(200, 200, 1)
    assert growth(10**9, 1, 1) == 1.0  # fewer states never ask for a smaller error
    assert allowed_error(0.0, 200, 200, 1) == SMALLEST * growth(200, 200, 1)


def test_other_seeds_are_no_growth() -> None:
    """Five engines, seventeen quantities: none of 6 runs at other seeds is an alarm; 0.06 would be, were the bound exact."""
    spec = load("two_link_arm")
    runs = [run_comparison(Plan(NamedRobot(spec), count=64, seed=seed)) for seed in range(7)]
    baseline = baseline_of(runs[0])
    assert [finding_keys(with_baseline(run, baseline)) for run in runs[1:]] == [[]] * 6
