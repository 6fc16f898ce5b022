"""What varies: uniform, of the width asked for, and each simulation's own whatever the others are."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.stats import kstest

from leapcheck.jumping.robustness.variation import (
    FACTORS,
    NOTHING,
    PARAMETERS,
    SIGNED,
    Variation,
    draw,
    measurement_noise,
    variation_from,
)

LEAST_P = 1e-3
"""Of Kolmogorov and Smirnov's test against the uniform law; smallest seen of the 15 parameters 0.0088."""


def test_a_simulation_draws_the_same_whatever_is_drawn_with_it() -> None:
    together, alone = draw(Variation(), 5, range(40)), draw(Variation(), 5, [31])
    for name in PARAMETERS:
        assert getattr(together, name)[31] == getattr(alone, name)[0]
    noise = measurement_noise(together, 5, 30, 12)
    assert noise is not None
    np.testing.assert_array_equal(noise[:, :, 31], measurement_noise(alone, 5, 30, 12)[:, :, 0])


@pytest.mark.parametrize("name", PARAMETERS)
def test_draws_are_uniform_over_the_width(name: str) -> None:
    variation = Variation()
    column = getattr(draw(variation, 0, range(2000)), name)
    width = variation.com_offset if name.startswith("com_") else getattr(variation, name)
    centre = 1.0 if name in FACTORS else 0.0
    low, span = (centre - width, 2 * width) if name in SIGNED else (0.0, width)
    assert column.min() >= low
    assert column.max() <= low + span
    assert kstest(column, "uniform", (low, span)).pvalue > LEAST_P


def test_simulations_seeds_and_noise_are_independent() -> None:
    table = np.array([getattr(draw(Variation(), 0, range(500)), name) for name in PARAMETERS])
    correlations = np.corrcoef(table) - np.eye(len(PARAMETERS))
    assert np.abs(correlations).max() < 4.5 / np.sqrt(500)  # 4.5 standard errors for 105 pairs
    assert (draw(Variation(), 0, [0]).friction != draw(Variation(), 1, [0]).friction).all()


def test_a_width_of_zero_leaves_the_other_draws_alone() -> None:
    whole, without = draw(Variation(), 0, range(20)), draw(replace(Variation(), payload=0.0), 0, range(20))
    assert not without.payload.any()
    for name in PARAMETERS:
        if name != "payload":
            np.testing.assert_array_equal(getattr(whole, name), getattr(without, name))


def test_nothing_is_nothing() -> None:
    draws = draw(NOTHING, 0, range(5))
    for name in PARAMETERS:
        assert (getattr(draws, name) == (1.0 if name in FACTORS else 0.0)).all()
    assert measurement_noise(draws, 0, 10, 12) is None


def test_noise_has_the_drawn_standard_deviations() -> None:
    draws = draw(Variation(joint_noise=0.01, speed_noise=0.5), 0, range(3))
    noise = measurement_noise(draws, 0, 5000, 12)
    assert noise is not None
    for kind, level in enumerate((draws.joint_noise, draws.speed_noise)):
        # the sample's standard deviation scatters by 1 / sqrt(2 * 60000) = 0.29 %
        np.testing.assert_allclose(noise[:, kind].std(axis=(0, 2)), level, rtol=0.012)


@pytest.mark.parametrize("name", [field.name for field in fields(Variation)])
@pytest.mark.parametrize("width", [-0.1, float("nan"), float("inf")])
def test_a_width_that_is_none_is_refused(name: str, width: float) -> None:
    with pytest.raises(ValueError, match=f"variation {name} is"):
        Variation(**{name: width})


def test_a_relative_width_stays_below_one() -> None:
    with pytest.raises(ValueError, match=r"variation gains is 1\.0: it is relative"):
        Variation(gains=1.0)


def test_widths_are_read_from_text() -> None:
    assert variation_from({}) == Variation()
    assert variation_from({"friction": "0.3", "payload": "0"}) == Variation(friction=0.3, payload=0.0)
    for given, says in ({"wind": "1"}, "unknown variation 'wind': use one of friction"), ({"roll": "far"}, "roll is 'far'"):
        with pytest.raises(ValueError, match=says):
            variation_from(given)
