"""Parameters of the soft contact: what is refused, and the impedance and reference formulas at their ends."""

from typing import Any

import pytest

from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.soft_rows import gains, impedance

ROUNDING = 1e-15  # largest seen 2e-16
SOLIMP = (0.8, 0.95, 0.002, 0.3, 3.0)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"friction": 0.0}, "friction"),
        ({"friction": float("nan")}, "friction"),
        ({"impratio": -1.0}, "impratio"),
        ({"cone": "round"}, "cone"),
        ({"solref": (0.0, 1.0)}, "solref"),
        ({"solref": (-100.0, 1.0)}, "solref"),
        ({"solreflimit": (0.02, float("inf"))}, "solreflimit"),
        ({"solref": (0.02,)}, "solref"),
        ({"solimp": (0.9, 0.95, 0.0, 0.5, 2.0)}, "solimp"),
        ({"solimplimit": (0.9, 1.5, 0.001, 0.5, 2.0)}, "solimplimit"),
        ({"solimpfriction": (0.9, 0.95, 0.001, 0.5, 0.5)}, "solimpfriction"),
        ({"solimp": (0.9, 0.95, 0.001)}, "solimp"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=f"contact {named} .*: (give|use)"):
        SoftContact(**wrong)


def test_impedance_rises_from_d0_to_d_width_without_a_jump() -> None:
    assert impedance(SOLIMP, 0.0) == 0.8
    assert impedance(SOLIMP, -0.002) == impedance(SOLIMP, 1.0) == 0.95
    middle = 0.3 * 0.002
    assert impedance(SOLIMP, middle * (1 - 1e-12)) == pytest.approx(impedance(SOLIMP, middle * (1 + 1e-12)), abs=1e-11)
    assert impedance(SOLIMP, middle) == pytest.approx(0.8 + 0.3 * 0.15, abs=ROUNDING)  # y(midpoint) = midpoint
    values = [impedance(SOLIMP, -2.2e-5 * i) for i in range(100)]
    assert values == sorted(values)
    assert impedance((0.8, 0.9, 0.01, 0.5, 1.0), 0.0025) == pytest.approx(0.825, abs=ROUNDING)


def test_impedance_is_kept_off_its_ends() -> None:
    assert impedance((1e-9, 0.99999999, 0.001, 0.5, 2.0), 0.0) == 1e-4
    assert impedance((1e-9, 0.99999999, 0.001, 0.5, 2.0), 1.0) == 0.9999


def test_a_reference_is_a_damped_spring_of_that_time_constant() -> None:
    # K d_width^2 = 1 / (tc zeta)^2 and B d_width = 2 / tc: critically damped for zeta = 1
    K, B = gains((0.02, 1.0), SOLIMP, 0.0)
    assert pytest.approx((50.0 / 0.95) ** 2, rel=ROUNDING) == K
    assert pytest.approx(2.0 * K**0.5, rel=ROUNDING) == B
    assert gains((-400.0, -30.0), SOLIMP, 0.0) == pytest.approx((400.0 / 0.95**2, 30.0 / 0.95), rel=ROUNDING)


def test_a_time_constant_is_at_least_two_steps() -> None:
    assert gains((0.003, 1.0), SOLIMP, 0.002) == gains((0.004, 1.0), SOLIMP, 0.0)
    assert gains((0.004, 1.0), SOLIMP, 0.001) == gains((0.004, 1.0), SOLIMP, 0.0)
    assert gains((-400.0, -30.0), SOLIMP, 1.0) == gains((-400.0, -30.0), SOLIMP, 0.0)
