"""Where margins cross zero: found to rounding, the earliest first, and those that begin at zero told apart by where they go."""

import math

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.adaptive_events import first_crossing

ROUNDING = 2e-15  # s; largest seen 4.4e-16


def falling(t: float) -> Floats:
    return np.array([math.cos(t), 1.0 - t * t, 2.0])


def test_the_earliest_of_two_in_the_same_part_of_a_step() -> None:
    crossing = first_crossing(falling, 0.0, 1.7)
    assert crossing is not None
    assert crossing[1] == 1
    assert crossing[0] == pytest.approx(1.0, abs=ROUNDING)


def test_a_crossing_found_in_its_own_quarter() -> None:
    crossing = first_crossing(lambda t: falling(t)[:1], 0.0, 6.0)
    assert crossing is not None
    assert crossing[0] == pytest.approx(math.pi / 2, abs=ROUNDING)


def test_margins_that_stay_positive_cross_nowhere() -> None:
    assert first_crossing(falling, 0.0, 0.9) is None


@pytest.mark.parametrize("at_begin", [0.0, -1e-17])
def test_a_margin_that_begins_at_zero_and_falls_has_crossed_there(at_begin: float) -> None:
    assert first_crossing(lambda t: np.array([1.0, at_begin - (t - 0.3)]), 0.3, 0.5) == (0.3, 1)


@pytest.mark.parametrize("at_begin", [0.0, -1e-17])
def test_a_margin_that_begins_at_zero_and_rises_crosses_when_it_comes_back(at_begin: float) -> None:
    crossing = first_crossing(lambda t: np.array([at_begin + t * (0.2 - t)]), 0.0, 0.9)
    assert crossing is not None
    assert crossing[0] == pytest.approx(0.2, abs=ROUNDING)
    assert first_crossing(lambda t: np.array([at_begin + t * (1.0 - t)]), 0.0, 0.9) is None


@pytest.mark.parametrize("negative_calls", [5, 6, 7])
def test_an_end_that_rounds_either_way_is_the_crossing(negative_calls: int) -> None:
    calls = [0]

    def noisy(t: float) -> Floats:
        calls[0] += 1
        return np.array([1.0 - t + (1e-17 if calls[0] > negative_calls else -1e-17) * (t == 1.0)])

    crossing = first_crossing(noisy, 0.0, 1.0)
    assert crossing is not None
    assert crossing[0] == pytest.approx(1.0, abs=ROUNDING)
