"""The drives' law: its published corner figures, its energy balance, its envelope, and the servo that stands for a motor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_models.spec import Actuator
from leapcheck_reference.simulate.actuator import (
    SLIP_SPEED,
    DriveTorque,
    drive_response,
    drives,
    largest_torque,
    losses,
    torque_before_losses,
    utilisations,
)

CHEETAH = load("mini_cheetah")
DRIVES = drives(CHEETAH)
HIP, KNEE = 1, 2
PEAK = DRIVES.gear_ratio * DRIVES.torque_limit

POWER = 2e-12
"""W, of up to 2 kW; measured 7e-13."""

TORQUE = 2e-14
"""N m, of up to 28; measured 7e-15."""


def random_loads(count: int, reach: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Torques and speeds (count, 12) up to `reach` times peak and no-load, both signs, seeded."""
    rng = np.random.default_rng(4)
    no_load = DRIVES.voltage / (2 * DRIVES.torque_constant * DRIVES.gear_ratio)
    return (rng.uniform(-reach, reach, (count, 12)) * x for x in (PEAK, no_load))


@pytest.mark.parametrize(("joint", "peak", "corner", "no_load"), [(HIP, 18.0, 28.467, 40.0), (KNEE, 27.99, 18.307, 25.72)])
def test_peak_corner_and_no_load_are_the_published_ones(joint: int, peak: float, corner: float, no_load: float) -> None:
    speeds = np.linspace(0.0, 45.0, 450_001)
    qd = np.repeat(speeds[:, None], 12, axis=1)
    high = (largest_torque(DRIVES, qd)[1] + losses(DRIVES, qd))[:, joint]
    assert high.max() == pytest.approx(peak, abs=5e-3)
    assert speeds[np.flatnonzero(high >= peak * (1 - 1e-12))[-1]] == pytest.approx(corner, abs=1e-3)
    assert speeds[np.flatnonzero(high > 0.0)[-1]] == pytest.approx(no_load, abs=6e-3)


def test_power_is_shaft_power_and_heat() -> None:
    desired, qd = random_loads(4000)
    drive = drive_response(DRIVES, desired, qd)
    shaft, heat = drive.motor_torque * DRIVES.gear_ratio * qd, 0.75 * DRIVES.resistance * drive.current**2
    assert np.abs(drive.power - (shaft + heat)).max() < POWER
    assert ((drive.power < 0.0) & (shaft < 0.0)).any()  # braking feeds back
    assert ((drive.power > 0.0) & (shaft < 0.0)).any()  # or not, where the winding burns more


@pytest.mark.parametrize("supply", [None, 20.0])
@pytest.mark.parametrize("lossless", [False, True])
def test_the_torque_of_an_inner_loop_is_the_same_to_the_bit(supply: float | None, lossless: bool) -> None:
    laws = replace(DRIVES, damping=0.0 * DRIVES.damping, friction=0.0 * DRIVES.friction) if lossless else DRIVES
    desired, qd = random_loads(200)
    torque = DriveTorque(laws, supply)
    for row, speeds in zip(desired, qd, strict=True):
        np.testing.assert_array_equal(torque(row, speeds), drive_response(laws, row, speeds, supply).torque)


def test_inside_the_envelope_the_torque_asked_for_arrives() -> None:
    desired, qd = random_loads(4000, reach=0.5)
    drive = drive_response(DRIVES, torque_before_losses(DRIVES, desired, qd), qd)
    within = np.maximum(*utilisations(DRIVES, torque_before_losses(DRIVES, desired, qd), qd)) <= 1.0
    assert within.mean() > 0.9
    assert np.abs(drive.torque - desired)[within].max() < TORQUE


def test_losses_take_from_the_torque_whichever_way_it_turns() -> None:
    speeds = np.array([-20.0, -SLIP_SPEED, 0.0, SLIP_SPEED, 20.0])[:, None] * np.ones(12)
    lost = losses(DRIVES, speeds)
    assert (lost * speeds >= 0.0).all()
    assert lost[2] == pytest.approx(0.0, abs=0.0)
    np.testing.assert_allclose(lost[4], 0.01 * 20.0 + 0.2, rtol=1e-15)
    np.testing.assert_allclose(lost[3], 0.01 * SLIP_SPEED + 0.2 * np.tanh(1.0), rtol=1e-14)


def test_the_envelope_is_what_no_request_leaves_and_some_request_reaches() -> None:
    desired, qd = random_loads(4000, reach=3.0)
    given = drive_response(DRIVES, desired, qd).torque
    low, high = largest_torque(DRIVES, qd)
    assert (given >= low).all()
    assert (given <= high).all()
    assert (given == high).mean() > 0.1
    assert (given == low).mean() > 0.1


def test_a_lower_supply_gives_less_speed_but_not_less_torque_at_rest() -> None:
    still = np.zeros((1, 12))
    fast = np.full((1, 12), 15.0)
    for low in (24.0, 18.0, 12.0):
        np.testing.assert_allclose(largest_torque(DRIVES, still, low)[1][0], PEAK, rtol=1e-15)
    highs = [largest_torque(DRIVES, fast, low)[1][0, KNEE] for low in (30.0, 24.0, 18.0, 12.0)]
    assert highs[0] == highs[1]  # a drive uses no more than its rated voltage
    assert highs[1] > highs[2] > 0.0 > highs[3]  # turned faster than 12 V allow, it brakes


def test_utilisations_are_the_asked_over_the_available() -> None:
    desired, qd = random_loads(4000)
    u_tau, u_V = utilisations(DRIVES, desired, qd)
    drive = drive_response(DRIVES, desired, qd)
    untouched = (u_tau <= 1.0) & (u_V <= 1.0)
    np.testing.assert_allclose((DRIVES.gear_ratio * drive.motor_torque)[untouched], desired[untouched], rtol=0, atol=TORQUE)
    cut = (u_tau > 1.0) | (u_V > 1.0)
    assert (np.abs(DRIVES.gear_ratio * drive.motor_torque - desired)[cut] > 0.0).all()
    flowing = utilisations(DRIVES, DRIVES.gear_ratio * drive.motor_torque, qd)[0]
    assert flowing.max() <= 1.0 + 1e-15
    np.testing.assert_allclose(u_V, np.abs(desired / (DRIVES.gear_ratio * 0.075) * 0.173 + 0.1 * DRIVES.gear_ratio * qd) / 24.0)


def test_a_servo_is_the_straight_line_between_its_two_ratings() -> None:
    servo = Actuator("servo", CHEETAH.actuators[0].joint, torque_limit=2.0, speed_limit=10.0)
    laws = drives(replace(CHEETAH, actuators=(servo,)))
    laws = replace(laws, damping=np.zeros(1), friction=np.zeros(1))
    speeds = np.array([[0.0], [2.5], [5.0], [10.0], [12.0]])
    np.testing.assert_allclose(largest_torque(laws, speeds)[1][:, 0], [2.0, 1.5, 1.0, 0.0, -0.4], atol=1e-15)
    assert largest_torque(laws, -speeds)[1][:, 0] == pytest.approx(2.0)  # it brakes with all its torque
    np.testing.assert_allclose(utilisations(laws, np.array([[1.0]]), np.array([[5.0]])), [[[0.5]], [[1.0]]], rtol=1e-15)
    assert drive_response(laws, np.array([1.0]), np.array([3.0])).power == pytest.approx(0.0, abs=0.0)


def test_a_servo_without_a_speed_rating_has_no_line() -> None:
    servo = Actuator("servo", CHEETAH.actuators[0].joint, torque_limit=2.0)
    laws = replace(drives(replace(CHEETAH, actuators=(servo,))), damping=np.zeros(1), friction=np.zeros(1))
    speeds = np.array([[0.0], [1e3]])
    np.testing.assert_array_equal(largest_torque(laws, speeds)[1][:, 0], [2.0, 2.0])
    assert utilisations(laws, np.array([[1.0]]), np.array([[1e3]]))[1] == pytest.approx(0.0, abs=0.0)


def test_an_actuators_own_limit_holds_where_it_is_below_its_motors() -> None:
    spec = load("mini_cheetah")
    weaker = tuple(replace(a, torque_limit=5.0) if a.name == "FR_knee" else a for a in spec.actuators)
    found = drives(replace(spec, actuators=weaker))
    assert drive_response(found, np.full(12, 100.0), np.zeros(12)).torque == pytest.approx([18, 18, 5, *[18, 18, 27.99] * 3])
    assert np.array_equal(drives(spec).torque_limit, np.full(12, 3.0))  # to the bit: 3 gear / gear is not always 3
    none = tuple(replace(a, torque_limit=0.0) for a in spec.actuators)
    with pytest.raises(ValueError, match="actuator 'FR_abad' has the torque limit 0"):
        drives(replace(spec, actuators=none))
