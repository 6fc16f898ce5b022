"""Limits from a few step sizes: held against integrals and differential equations whose answers are known."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.richardson import CONFIRMED_FACTOR, ROUNDING, UNCONFIRMED_FACTOR, extrapolate, observed_order

POLYNOMIAL = 1e-13
"""Relative error of the limit of c0 + c1 h + c2 h^2 from five levels; worst seen 2.3e-14, rounding times Romberg's weights."""

WIDENING = 1.1
"""Error bar of Euler's method over its theory, `CONFIRMED_FACTOR` (2^(columns + 1) - 1) true errors; worst seen .93."""


def euler(levels: int, coarsest: int = 8) -> Floats:
    """exp(1) by Euler's method for y' = y with 8, 16, ... steps."""
    return np.array([(1.0 + 0.5**k / coarsest) ** (coarsest * 2**k) for k in range(levels)])


def midpoint(levels: int, integrand: Callable[[Floats], Floats]) -> Floats:
    """The integral of a function over [0, 1] by the midpoint rule with 8, 16, ... cells."""
    counts = [8 * 2**k for k in range(levels)]
    return np.array([integrand((np.arange(n) + 0.5) / n).mean() for n in counts])


@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).filter(lambda c: abs(c[1]) > 0.1 and abs(c[2]) < 2 * abs(c[1])))
def test_two_powers_are_taken_out(coefficients):
    c0, c1, c2 = coefficients
    steps = 0.1 * 0.5 ** np.arange(5)
    answer = extrapolate(c0 + c1 * steps + c2 * steps**2)
    assert abs(answer.limit - c0) <= POLYNOMIAL * (abs(c0) + abs(c1))


@pytest.mark.parametrize("levels", [4, 5, 6, 8])
def test_eulers_method_tends_to_e_inside_its_error_bar(levels):
    answer = extrapolate(euler(levels))
    wrong = abs(answer.limit - np.e)
    assert wrong <= answer.error
    assert answer.error <= WIDENING * CONFIRMED_FACTOR * (2.0 ** (answer.columns + 1) - 1) * max(wrong, ROUNDING * np.e)
    assert answer.columns >= levels - 2
    assert 0.9 < answer.order < 1.1


def test_a_higher_order_is_used_only_when_it_is_given():
    values = midpoint(5, np.exp)
    assert abs(observed_order(values) - 2.0) < 0.01
    second, first = extrapolate(values, order=2), extrapolate(values, order=1)
    assert second.columns == 1
    assert abs(second.limit - (np.e - 1.0)) <= second.error < 1e-6
    assert first.columns == 0
    assert first.limit == values[-1]


def test_another_ratio():
    values = np.array([np.exp(1.0) + 0.1 * h + 0.2 * h**2 for h in 0.1 * 3.0 ** -np.arange(4)])
    assert abs(extrapolate(values, ratio=3.0).limit - np.e) < 1e-12


def test_an_order_that_is_not_confirmed_gives_the_last_figure_and_a_wide_bar():
    kinked = midpoint(4, lambda x: np.abs(x - 0.3137) ** 0.5)
    answer = extrapolate(kinked, order=2)
    truth = 2.0 / 3.0 * (0.3137**1.5 + 0.6863**1.5)
    assert answer.columns == 0
    assert answer.limit == kinked[-1]
    assert answer.error == UNCONFIRMED_FACTOR * abs(kinked[-1] - kinked[-2])
    assert abs(answer.limit - truth) <= answer.error


def test_two_levels_confirm_nothing():
    answer = extrapolate([1.5, 1.25])
    assert (answer.limit, answer.error, answer.columns) == (1.25, 0.75, 0)
    assert np.isnan(answer.order)


def test_error_bars_hold_for_most_of_many_noisy_sequences():
    """c1 h + c2 h^2 with noise, as contact events give: at least 88 of 100 bars cover the truth (92.4 seen)."""
    noise = np.random.default_rng(3)
    steps = 0.5 ** np.arange(4)[:, None]
    values = 1.0 + noise.normal(size=2000) * steps + noise.normal(size=2000) * steps**2 * 0.3
    values += 1e-2 * noise.uniform(-1, 1, size=(4, 2000)) * steps
    answer = extrapolate(values)
    assert np.mean(np.abs(answer.limit - 1.0) <= answer.error) >= 0.88


def test_figures_that_do_not_move_have_a_bar_of_rounding():
    answer = extrapolate(np.full((3, 2), 0.3))
    assert (answer.limit == 0.3).all()
    assert (answer.error == ROUNDING * 0.3).all()


def test_a_missing_figure_stays_missing_and_its_neighbours_do_not():
    values = np.stack([euler(4), [1.0, 1.0, 1.0, np.nan]], axis=1)
    answer = extrapolate(values)
    assert np.isnan(answer.limit).tolist() == [False, True]
    assert np.isnan(answer.error).tolist() == [False, True]


@pytest.mark.parametrize(
    ("values", "ratio", "order"), [([1.0], 2.0, 1), (3.0, 2.0, 1), ([1.0, 2.0], 1.0, 1), ([1.0, 2.0], 2.0, 0)]
)
def test_what_cannot_be_is_refused(values, ratio, order):
    with pytest.raises(ValueError, match=r"step sizes|steps shrink"):
        extrapolate(values, ratio, order)
