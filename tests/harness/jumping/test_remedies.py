"""Remedies do what they say: with the proposed number the use is at its threshold, in the formulas of drives and jumps."""

import math
import re

import pytest

from leapcheck.jumping.judging.remedies import (
    REMEDIES,
    attitude_remedies,
    clearance_remedies,
    distance_remedies,
    friction_remedies,
    height_remedies,
    limit_remedies,
    lower_height,
    run_up_remedies,
    runs_without_failure,
    thermal_remedies,
    torque_remedies,
    voltage_remedies,
)
from leapcheck.jumping.judging.thresholds import Thresholds
from leapcheck.jumping.measures.estimates import Estimate, Value
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import Drives, drives
from tests.harness.jumping.judged_cases import GOOD, estimate

pytestmark = pytest.mark.quick

DIGITS = 6e-3
"""Remedies are rounded to three digits."""

TARGET = Thresholds().utilisation_marginal


def keyed(time: float = 0.4, **changed: float) -> dict[str, Estimate]:
    values = {**GOOD, **{name.replace("__", "."): value for name, value in changed.items()}}
    return {key: estimate(key, {"a": (x, 0.0)}, time, key.partition(".")[2] or "FR_knee") for key, x in values.items()}


def number(remedies: list[str], pattern: str) -> float:
    """The number in the one remedy that matches a pattern."""
    found = [match for remedy in remedies if (match := re.search(pattern, remedy))]
    assert len(found) == 1, remedies
    return float(found[0].group(1))


@pytest.fixture(scope="module")
def motors() -> Drives:
    return drives(load("mini_cheetah"))


@pytest.mark.parametrize(
    ("planned", "off", "remedy"),
    [
        (-360.0, -72.0, "turn more slowly"),
        (-360.0, 72.0, "turn faster"),
        (360.0, 72.0, "turn more slowly"),
        (0.0, 72.0, "even out"),
    ],
)
def test_a_flip_that_lands_turned_too_far_is_to_turn_more_slowly(planned: float, off: float, remedy: str) -> None:
    remedies = list(attitude_remedies(keyed(turn=planned + 1.0, turn_off=1.0, pitch_off=off), Thresholds(), None))
    assert [text.startswith(remedy) for text in remedies] == [True]


def test_a_lower_jump_uses_the_target() -> None:
    height, stroke = GOOD["height"], GOOD["rise"] - GOOD["height"]
    remedies = list(torque_remedies(keyed(torque_use=1.2), Thresholds(), None))
    lower = number(remedies, r"about ([\d.]+) m$")
    assert 1.2 * (9.81 + 9.81 * lower / stroke) / (9.81 + 9.81 * height / stroke) == pytest.approx(TARGET, rel=DIGITS)
    longer = number(remedies, r"about ([\d.]+) m, if")
    assert 1.2 * (1 + height / longer) / (1 + height / stroke) == pytest.approx(TARGET, rel=DIGITS)
    assert lower < height
    assert longer > stroke


def test_no_lower_jump_helps_where_standing_is_too_much() -> None:
    assert lower_height(3.0, 0.0, 0.8, 0.2, 0.13) is None
    lower = lower_height(0.5, 0.5, 0.8, 0.2, 0.13)
    assert lower is not None
    assert 0.5 * (0.13 + lower) / 0.33 + 0.5 * math.sqrt(lower / 0.2) == pytest.approx(0.8)
    remedies = list(torque_remedies(keyed(torque_use=4.0), Thresholds(), None))
    assert not any("lower" in remedy or "longer" in remedy for remedy in remedies)


def test_stronger_drives_are_named_with_their_torque(motors: Drives) -> None:
    found = keyed(
        torque_use=1.2, torque_use__FR_knee=1.2, torque_use__HL_knee=1.0, torque_use__FL_hip=0.9, torque_use__FR_hip=0.7
    )
    remedies = list(torque_remedies(found, Thresholds(), motors))
    assert number(remedies, r"peak torque of FR_knee, HL_knee: 28 -> ([\d.]+) N m") == pytest.approx(
        27.99 * 1.2 / 0.8, rel=DIGITS
    )
    assert number(remedies, r"peak torque of FL_hip: 18 -> ([\d.]+) N m") == pytest.approx(18 * 0.9 / 0.8, rel=DIGITS)


@pytest.mark.parametrize(("time", "words"), [(0.3, "lower the jump"), (0.6, "retract the legs"), (0.95, "softer landing")])
def test_torque_is_helped_in_the_phase_that_asks_it(time: float, words: str) -> None:
    remedies = list(torque_remedies(keyed(time, torque_use=1.1, take_off_time=0.5), Thresholds(), None))
    assert any(words in remedy for remedy in remedies)


def test_the_gear_and_the_battery_bring_the_voltage_down(motors: Drives) -> None:
    found = keyed(voltage_use=0.9, voltage_use__FR_knee=0.9, voltage_ohmic__FR_knee=0.1, voltage_back_emf__FR_knee=0.8)
    remedies = list(voltage_remedies(found, Thresholds(), motors))
    gear = number(remedies, r"gear ratio of FR_knee: 9.33 -> ([\d.]+)") / 9.33
    assert 0.1 / gear + 0.8 * gear == pytest.approx(TARGET, rel=DIGITS)
    assert gear > 0.5  # the other root turns the motor seven times slower
    assert number(remedies, r"24 -> ([\d.]+) V") == pytest.approx(24 * 0.9 / 0.8, rel=DIGITS)
    height = number(remedies, r"about ([\d.]+) m$")
    stroke = GOOD["rise"] - GOOD["height"]
    use = 0.1 * (stroke + height) / (stroke + GOOD["height"]) + 0.8 * math.sqrt(height / GOOD["height"])
    assert use == pytest.approx(TARGET, rel=DIGITS)


def test_no_gear_is_named_where_none_helps(motors: Drives) -> None:
    found = keyed(voltage_use=1.2, voltage_use__FR_knee=1.2, voltage_ohmic__FR_knee=0.6, voltage_back_emf__FR_knee=0.6)
    assert not any("gear" in remedy for remedy in voltage_remedies(found, Thresholds(), motors))


def test_ground_and_posture_remedies_carry_their_numbers() -> None:
    limits = Thresholds()
    friction = list(friction_remedies(keyed(friction_use=0.9, friction_needed=0.45), limits, None))
    assert number(friction, r"at least ([\d.]+)") == pytest.approx(0.45 / 0.8, rel=DIGITS)
    slipping = list(friction_remedies(keyed(friction_use=1.0, friction_needed=0.8), limits, None))
    assert "perhaps more: the feet slip" in slipping[0]
    assert number(list(clearance_remedies(keyed(clearance=-0.02), limits, None)), r": ([\d.]+) m") == pytest.approx(0.03)
    assert number(list(limit_remedies(keyed(limit_margin=0.01), limits, None)), r"([\d.]+) rad") == pytest.approx(0.04)
    assert number(list(height_remedies(keyed(height_share=0.9), limits, None)), r"ask for ([\d.]+)") >= 1 / 0.9
    assert "85% of the speed is reached" in next(iter(run_up_remedies(keyed(run_up_share=0.85), limits, None)))
    assert not list(run_up_remedies(keyed(run_up_share=0.95), limits, None))


def test_a_stronger_winding_is_at_the_target() -> None:
    factor = number(list(thermal_remedies(keyed(thermal_load=1.3), Thresholds(), None)), r"bear ([\d.]+) times")
    assert 1.3 / factor**2 == pytest.approx(TARGET, rel=2 * DIGITS)


def test_a_robot_that_does_not_jump_is_not_told_how_to_land() -> None:
    bad = {"clearance": -0.02, "final_tilt": 40.0, "friction_use": 1.0, "torque_use": 1.2, "limit_margin": -0.1}
    for keys, lands in (
        (set(GOOD), True),
        (set(GOOD) - {"take_off_time", "take_off_speed", "flight_time", "height", "rise"}, False),
    ):
        found = {key: value for key, value in keyed(0.95, **bad).items() if key in keys}
        said = " ".join(
            remedy
            for remedies in (clearance_remedies, attitude_remedies, friction_remedies, torque_remedies, limit_remedies)
            for remedy in remedies(found, Thresholds(), None)
        )
        assert ("land" in said, "push" in said, "jump" in said) == (lands, lands, False), said
        assert lands or "hold the trunk higher" in said


def test_the_joint_is_that_of_the_worst_simulator() -> None:
    margins = {"a": Value(0.04, 0.0, 1.0, ((1e-3, 0.04),), "FR_knee"), "b": Value(0.03, 0.0, 1.0, ((1e-3, 0.03),), "HL_hip")}
    found = keyed() | {"limit_margin": Estimate("limit_margin", "", margins, 0.035, 0.0, 0.03, 0.04)}
    (remedy,) = limit_remedies(found, Thresholds(), None)
    assert remedy.startswith("keep HL_hip 0.02 rad")


def test_nothing_is_said_of_what_is_well() -> None:
    for remedy in set(REMEDIES.values()):
        assert list(remedy(keyed(), Thresholds(), None)) == []


def test_the_number_of_jumps_is_the_least_whose_bound_suffices() -> None:
    n = runs_without_failure(0.95)
    assert 0.025 ** (1 / n) >= 0.95 > 0.025 ** (1 / (n - 1))


def test_a_miss_in_one_simulator_alone_is_its_own() -> None:
    def told(**misses: float) -> list[str]:
        off = estimate("distance_off", {name: (value, 0.0) for name, value in misses.items()})
        return list(distance_remedies({"distance_off": off}, Thresholds(), None))

    (alone,) = told(a=0.001, b=-0.4, c=0.002)
    assert "in b, which is -0.4 m off" in alone
    (every,) = told(a=-0.4, b=-0.4, c=-0.41)
    assert "+0.4 m of distance more" in every
    assert not told(a=0.001, b=-0.001)
