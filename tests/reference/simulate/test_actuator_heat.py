"""i^2 t: the thermal load against its own differential equation and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference.simulate.heat import ThermalRating, square_time, thermal_load

RATING = ThermalRating(current=10.0, time_constant=30.0)


def test_the_continuous_current_ends_at_one() -> None:
    load = thermal_load(RATING, np.full(1000, 10.0), dt=1.0)
    assert load[0] == 0.0
    assert load[-1] == pytest.approx(1.0, abs=1e-14)
    assert (np.diff(load) >= 0.0).all()


def test_the_load_does_not_depend_on_how_a_constant_current_is_cut_into_steps() -> None:
    coarse = thermal_load(RATING, np.full((4, 2), [5.0, 40.0]), dt=5.0)[-1]
    fine = thermal_load(RATING, np.full((4000, 2), [5.0, 40.0]), dt=5e-3)[-1]
    np.testing.assert_allclose(fine, coarse, rtol=1e-12)
    np.testing.assert_allclose(coarse, (1 - np.exp(-20 / 30)) * np.array([0.25, 16.0]), rtol=1e-15)


def test_a_short_pulse_is_its_i_squared_t() -> None:
    current = 60.0 * np.sin(np.linspace(0.0, np.pi, 200))
    load = thermal_load(RATING, current, dt=1e-3)[-1]
    assert load == pytest.approx(square_time(current, 1e-3) / (10.0**2 * 30.0), rel=5e-3)


def test_it_cools_from_where_it_starts() -> None:
    load = thermal_load(RATING, np.zeros(300), dt=0.1, start=0.9)
    np.testing.assert_allclose(load, 0.9 * np.exp(-np.arange(301) * 0.1 / 30.0), rtol=1e-13)


@pytest.mark.parametrize(
    ("current", "constant", "said"), [(0.0, 1.0, "current is 0.0"), (1.0, float("inf"), "time_constant is inf")]
)
def test_a_rating_that_is_none_is_refused(current: float, constant: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ThermalRating(current, constant)
