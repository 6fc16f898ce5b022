"""Limits, error bars and spread of planted sequences, and of the hopper's jump at three steps."""

import dataclasses
import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.measures.estimates import Estimate, combine_estimates, estimates, limit_value
from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.heat import ThermalRating
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import Integrator, SoftSimulator
from leapcheck_reference.simulate.soft_contact import SoftContact
from tests.harness.jumping.hopper import GRAVITY, Jump, hopper, log_of

STEPS = (1e-3, 5e-4, 2.5e-4)


def levels(
    value: Callable[[float], float], name: str = "rise", steps: tuple[float, ...] = STEPS
) -> list[tuple[float, JumpFigure]]:
    return [(dt, JumpFigure(name, value(dt), "", "there", dt)) for dt in steps]


def by_key(found: tuple[Estimate, ...]) -> dict[str, Estimate]:
    return {estimate.key: estimate for estimate in found}


def test_the_limit_of_first_order_is_found_with_its_bar() -> None:
    found = limit_value(levels(lambda dt: 0.3 + 2.0 * dt + 1e2 * dt * dt))
    assert abs(found.value - 0.3) <= found.error < 2.0 * STEPS[-1]
    assert found.order == pytest.approx(1.0, abs=0.3)
    assert found.dt == STEPS[-1]
    assert (found.where, found.time) == ("there", STEPS[-1])
    assert [dt for dt, _ in found.by_step] == list(STEPS)


@pytest.mark.parametrize("noise", [(0.0, 1e-3, 0.0), (1e-3, 0.0, 1e-3), (1e-3, -1e-3, 5e-4)])
def test_an_uneven_sequence_has_a_bar_that_covers_it(noise: tuple[float, ...]) -> None:
    found = limit_value([(dt, JumpFigure("rise", 0.3 + x)) for dt, x in zip(STEPS, noise, strict=True)])
    assert abs(found.value - 0.3) <= found.error


def test_one_step_or_a_figure_without_a_limit_has_no_bar() -> None:
    alone = limit_value(levels(lambda _: 0.3, steps=STEPS[:1]))
    peak = limit_value(levels(lambda dt: 1.0 / dt, "force_peak"))
    assert math.isnan(alone.error)
    assert alone.value == 0.3
    assert math.isnan(peak.error)
    assert peak.value == 1.0 / STEPS[-1]


def test_only_halved_steps_make_a_limit() -> None:
    """Halving differences at steps that are not halved are no sign of first order."""
    planted = {4e-3: 0.45, 1e-3: 0.4, 5e-4: 0.375}
    found = limit_value(levels(planted.__getitem__, steps=tuple(planted)))
    assert found.value == 0.375
    assert found.error == pytest.approx(3 * 0.025)
    assert math.isnan(found.order)


def test_the_spread_is_the_range_of_limits_and_no_order_matters() -> None:
    limits = {"rigid": 0.329, "soft": 0.337, "compliant": 0.344}
    slopes = {"rigid": 1.0, "soft": 5.0, "compliant": 2.0}
    runs = {name: [(dt, {"rise": JumpFigure("rise", x + slopes[name] * dt)}) for dt in STEPS] for name, x in limits.items()}
    for order in itertools.permutations(limits):
        (found,) = combine_estimates({name: runs[name] for name in order})
        assert found.spread_low == pytest.approx(0.329)
        assert found.spread_high == pytest.approx(0.344)
        assert found.value == pytest.approx(0.337)
        assert found.error == found.by_simulator["soft"].error > found.by_simulator["rigid"].error
        assert {name: value.value for name, value in found.by_simulator.items()} == pytest.approx(limits)
        assert found.lowest <= found.spread_low <= found.value <= found.spread_high <= found.highest


def test_a_figure_that_a_simulator_does_not_reach_is_missing_there() -> None:
    figure = JumpFigure("flight_time", 0.4)
    found = combine_estimates({"a": [(dt, {"flight_time": figure}) for dt in STEPS], "b": [(dt, {}) for dt in STEPS]})
    assert set(found[0].by_simulator) == {"a"}
    assert combine_estimates({}) == combine_estimates({"a": []}) == ()


def test_a_nan_in_one_simulator_is_a_nan() -> None:
    good, bad = (
        [(dt, {"rise": JumpFigure("rise", x)}) for dt in STEPS for x in (0.3,)],
        [(1e-3, {"rise": JumpFigure("rise", math.nan)})],
    )
    for order in itertools.permutations("abc"):
        assert math.isnan(combine_estimates({name: bad if name == "b" else good for name in order})[0].value)


def test_the_hopper_has_its_closed_form_within_the_bars() -> None:
    spec, jump = hopper(), Jump(acceleration=21.7)
    found = by_key(estimates(spec, None, {"closed form": [log_of(jump, dt) for dt in STEPS]}, drives(spec), friction=0.5))
    height = jump.speed**2 / (2 * GRAVITY)
    truth = {"height": height, "flight_time": jump.flight, "take_off_speed": jump.speed}
    for name, value in truth.items():
        assert abs(found[name].value - value) <= found[name].error + 1e-9, name
    assert found["speed.leg"].label == "peak joint speed, leg"
    assert found["speed.leg"].unit == "rad/s"
    fastest = jump.speed * jump.mass / 2.0
    assert found["speed"].value == pytest.approx(fastest, rel=1e-3)


def test_the_thermal_load_of_a_rating_has_an_error_bar() -> None:
    spec, logs = hopper(), {"closed form": [log_of(Jump(), dt) for dt in STEPS]}
    rated, half = (by_key(estimates(spec, None, logs, drives(spec), rating=ThermalRating(x, 60.0))) for x in (1.0, 0.5))
    assert 0.0 < rated["thermal_load"].error < 0.05 * rated["thermal_load"].value
    assert half["thermal_load.leg"].value == pytest.approx(4.0 * rated["thermal_load.leg"].value, rel=1e-12)
    assert "thermal_load" not in by_key(estimates(spec, None, logs, drives(spec)))


def test_a_log_that_stopped_has_no_part_in_a_limit_unless_it_is_the_finest() -> None:
    spec = hopper()
    logs = [log_of(Jump(), dt) for dt in STEPS]
    stopped = dataclasses.replace(log_of(Jump(acceleration=5.0), STEPS[0]), stopped="it diverged")
    found = by_key(estimates(spec, None, {"a": [stopped, *logs[1:]]}, drives(spec)))
    assert str(found) == str(by_key(estimates(spec, None, {"a": logs[1:]}, drives(spec))))
    last = dataclasses.replace(logs[-1], stopped="it diverged")
    assert by_key(estimates(spec, None, {"a": [*logs[:-1], last]}, drives(spec)))["rise"].by_simulator["a"].dt == STEPS[-1]


PUSH_TORQUE = -6.0  # N m at the knees, before feedback: about 2.8 m/s at take-off
LARGEST_BAR = 0.015  # of a figure, Euler's at 1, 0.5, 0.25 ms; worst measured 0.0098 (height)
SHARED = ("take_off_speed", "height", "rise", "impulse_push", "peak_power", "mechanical_work")


@pytest.mark.slow
def test_two_integrators_of_one_contact_model_have_one_limit() -> None:
    """Error bars are true: Euler's and Runge-Kutta's limits of a whole push differ by less than the sum of their bars."""
    spec = load("mini_cheetah")
    plant, motors = Plant(spec), drives(spec)
    stand, start = np.array(spec.pose("home")), np.zeros(18)
    crouch, high = np.tile([0.0, -1.15, 2.25], 4), np.tile([0.0, -0.55, 1.1], 4)

    def policy(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        del q, v
        s = min(t / 0.3, 1.0)
        down = stand[7:] + (s * s * (3 - 2 * s)) * (crouch - stand[7:])
        pushing = t >= 0.35
        torque = np.tile([0.0, 0.0, PUSH_TORQUE if pushing and t < 0.44 else 0.0], 4)
        return JointCommand(torque, high if pushing else down, np.zeros(12), np.full(12, 20.0), np.full(12, 0.5))

    def logs(integrator: Integrator) -> list[JumpLog]:
        made = [SoftSimulator(plant, SoftContact(friction=0.8), dt, integrator) for dt in STEPS]
        return [simulate(spec, one, policy, motors, (stand, start), 0.6) for one in made]

    found = by_key(estimates(spec, None, {"euler": logs("euler"), "rk4": logs("rk4")}, motors, friction=0.8))
    for name in SHARED:
        print(name, found[name].by_simulator)
        euler, rk4 = (found[name].by_simulator[simulator] for simulator in ("euler", "rk4"))
        assert abs(euler.value - rk4.value) <= euler.error + rk4.error, name
        assert euler.error <= LARGEST_BAR * abs(euler.value), name
