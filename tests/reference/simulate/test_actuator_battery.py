"""The shared battery: its voltage and what the drives draw satisfy each other; what happens when it cannot deliver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from leapcheck_models.robots import load
from leapcheck_models.spec import Actuator
from leapcheck_reference.simulate.actuator import drive_response, drives
from leapcheck_reference.simulate.battery import Battery, battery_response

CHEETAH = load("mini_cheetah")
DRIVES = drives(CHEETAH)
PEAK = DRIVES.gear_ratio * DRIVES.torque_limit
NO_LOAD = DRIVES.voltage / (2 * DRIVES.torque_constant * DRIVES.gear_ratio)

SAG = 2e-13
"""V, left in V = V_oc - R_int P / V, of up to 47 V; measured 1.2e-13."""

AGAINST_SEARCH = 2e-12
"""V, against a bracketing search in SciPy that stops at 1e-12; measured 3e-13."""

RESISTANCES = (1e-3, 0.01, 0.03, 0.1, 0.5)


def random_loads(count: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Torques and speeds (count, 12) beyond the envelope, from light to heavy."""
    rng = np.random.default_rng(seed)
    desired = rng.uniform(-2.0, 2.0, (count, 12)) * PEAK * rng.uniform(0.0, 1.0, (count, 1))
    return desired, rng.uniform(-1.2, 1.2, (count, 12)) * NO_LOAD


@pytest.mark.parametrize("resistance", RESISTANCES)
def test_voltage_and_current_satisfy_each_other(resistance: float) -> None:
    desired, qd = random_loads(5000)
    drive, V = battery_response(DRIVES, Battery(24.0, resistance), desired, qd)
    left = V - (24.0 - resistance * drive.power.sum(axis=-1) / V)
    assert np.abs(left).max() < SAG
    assert (V >= 12.0).all()
    assert (V < 24.0).any()
    assert (V > 24.0).any()  # braking drives feed back


@pytest.mark.parametrize("resistance", RESISTANCES)
def test_the_root_is_the_one_a_search_finds(resistance: float) -> None:
    desired, qd = random_loads(60, seed=6)
    qd = qd / 1.3  # below no-load speed: the root is unique
    found = battery_response(DRIVES, Battery(24.0, resistance), desired, qd)[1]
    for torque, speed, terminal in zip(desired, qd, found, strict=True):

        def left(volts: float, torque: np.ndarray = torque, speed: np.ndarray = speed) -> float:
            return volts * volts - 24.0 * volts + resistance * float(drive_response(DRIVES, torque, speed, volts).power.sum())

        expected = brentq(left, 12.0, 60.0, xtol=1e-12, rtol=1e-14) if left(12.0) <= 0.0 else 12.0
        assert terminal == pytest.approx(expected, abs=AGAINST_SEARCH)


def test_constant_power_has_the_closed_form() -> None:
    desired, qd = np.full(12, 5.0), np.full(12, 4.0)
    drive, terminal = battery_response(DRIVES, Battery(24.0, 0.05), desired, qd)
    power = float(drive_response(DRIVES, desired, qd).power.sum())  # far from its limit: the same at any voltage
    assert terminal == pytest.approx((24.0 + np.sqrt(24.0**2 - 4 * 0.05 * power)) / 2, rel=1e-15)
    np.testing.assert_array_equal(drive.torque, drive_response(DRIVES, desired, qd).torque)


def test_sag_takes_torque_from_a_drive_at_its_voltage_limit() -> None:
    desired, qd = PEAK.copy(), 0.8 * NO_LOAD
    stiff, soft = (battery_response(DRIVES, Battery(24.0, r), desired, qd) for r in (0.0, 0.05))
    assert soft[1] < stiff[1] == 24.0
    assert (soft[0].torque < stiff[0].torque).all()


def test_a_battery_that_cannot_deliver_gives_all_it_can_in_equal_shares() -> None:
    desired, qd = PEAK.copy(), np.zeros(12)
    desired[5], qd[5] = -0.2 * PEAK[5], 0.5 * NO_LOAD[5]  # one brakes meanwhile
    resistance = 0.3
    drive, V = battery_response(DRIVES, Battery(24.0, resistance), desired, qd)
    full = drive_response(DRIVES, desired, qd, 12.0)
    assert full.power.sum() > 24.0**2 / (4 * resistance)
    assert V == 12.0
    assert drive.power.sum() == pytest.approx(24.0**2 / (4 * resistance), rel=1e-14)
    share = drive.current / full.current
    assert share[5] == 1.0
    others = np.delete(share, 5)
    np.testing.assert_allclose(others, others[0], rtol=1e-15)
    assert 0.0 < others[0] < 1.0


def test_nothing_jumps_where_the_battery_begins_to_fail() -> None:
    """Along rising demand the torque given is continuous through the maximum-power point."""
    share = np.linspace(0.0, 1.0, 20_001)
    drive, V = battery_response(DRIVES, Battery(24.0, 0.3), share[:, None] * PEAK, np.zeros((len(share), 12)))
    assert V[0] == 24.0
    assert V[-1] == 12.0
    assert np.abs(np.diff(drive.torque, axis=0)).max() < 2e-4 * PEAK.max()


def test_a_batch_is_its_rows() -> None:
    desired, qd = random_loads(200)
    battery = Battery(24.0, 0.1)
    drive, V = battery_response(DRIVES, battery, desired, qd)
    for k in range(0, 200, 7):
        one, volts = battery_response(DRIVES, battery, desired[k], qd[k])
        assert volts == pytest.approx(float(V[k]), abs=SAG)
        np.testing.assert_allclose(one.torque, drive.torque[k], rtol=0, atol=1e-12)
    cube = battery_response(DRIVES, battery, desired.reshape(4, 50, 12), qd.reshape(4, 50, 12))
    np.testing.assert_array_equal(cube[1].ravel(), V)


def test_the_default_battery_is_the_rated_voltage_and_stiff() -> None:
    desired, qd = random_loads(100)
    drive, V = battery_response(DRIVES, Battery(), desired, qd)
    np.testing.assert_array_equal(V, np.full(100, 24.0))
    np.testing.assert_array_equal(drive.torque, drive_response(DRIVES, desired, qd).torque)


def test_a_servo_takes_no_part_in_the_sag() -> None:
    servo = Actuator("servo", CHEETAH.actuators[1].joint, torque_limit=2.0, speed_limit=100.0)
    mixed = drives(replace(CHEETAH, actuators=(CHEETAH.actuators[0], servo)))
    desired, qd = np.array([18.0, 1.5]), np.array([20.0, 10.0])
    alone = drives(replace(CHEETAH, actuators=CHEETAH.actuators[:1]))
    drive, terminal = battery_response(mixed, Battery(24.0, 0.2), desired, qd)
    assert terminal == battery_response(alone, Battery(24.0, 0.2), desired[:1], qd[:1])[1]
    assert terminal < 24.0
    assert drive.torque[1] == drive_response(mixed, desired, qd).torque[1]
    only = drives(replace(CHEETAH, actuators=(servo,)))
    given, _ = battery_response(only, Battery(24.0, 0.2), desired[1:], qd[1:])
    assert given.torque[0] == drive.torque[1]


@pytest.mark.parametrize(
    ("voltage", "resistance", "said"),
    [(0.0, 0.1, "voltage 0.0 V"), (float("nan"), 0.1, "voltage nan V"), (24.0, -0.1, "resistance -0.1 ohm")],
)
def test_what_no_battery_has_is_refused(voltage: float, resistance: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Battery(voltage, resistance)
