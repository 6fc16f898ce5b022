"""A Monte Carlo is many closed loops: the nominal one to the last bit, whatever runs beside it, in any number of processes."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from leapcheck.jumping.control import JointCommand, Timing
from leapcheck.jumping.robustness.control import Trial
from leapcheck.jumping.robustness.loop import recordings, trial_moments
from leapcheck.jumping.robustness.monte_carlo import MonteCarlo, monte_carlo, trial_of
from leapcheck.jumping.robustness.outcome import Recording, TrialOutcome
from leapcheck.jumping.robustness.units import LARGEST_RECORD, UNIT, outcomes, run_outcomes, units
from leapcheck.jumping.robustness.variation import NOTHING, Variation, draw
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.mujoco.batch import TOLERANCE, MujocoBatch
from leapcheck.simulators.mujoco.simulator import MujocoSimulator
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.soft_contact import SoftContact
from tests.harness.jumping.monte_carlo_cases import CONTACT, SPEC, START, Following, jump, jump_by_feedback, script

GRAVITY = 9.81

WEIGHT = 1e-3  # relative; largest seen 1.3e-4


def runs(trial: Trial, variation: Variation, count: int, floor_time: float = np.inf) -> list[Recording]:
    draws = draw(variation, 0, range(count))
    return recordings(trial, draws, 0, floor_time, MujocoBatch(SPEC, trial.contact, trial.dt, draws, trial.start))


def same(one: list[TrialOutcome], other: list[TrialOutcome]) -> bool:
    return all(
        a.stopped == b.stopped and np.array_equal(list(a.figures.values()), list(b.figures.values()), equal_nan=True)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(
    ("timing", "battery"),
    [
        (Timing(), Battery()),
        (Timing(period=2e-3, latency=3e-3), Battery(25.0, 0.2)),
        (Timing(period=0.0, latency=0.5e-3), Battery(16.0)),
    ],
)
def test_with_nothing_varied_it_is_the_simulation_of_one_jump(timing: Timing, battery: Battery) -> None:
    trial = jump(0.5, timing=timing, battery=battery)
    simulator = MujocoSimulator(SPEC, CONTACT, 1e-3, rotors="armature", tolerance=TOLERANCE)
    log = simulate(SPEC, simulator, script(), drives(SPEC), START, 0.5, timing, battery)
    assert not log.stopped
    for run in runs(trial, NOTHING, 3, floor_time=0.3):
        np.testing.assert_array_equal(run.q, log.q)
        np.testing.assert_allclose(run.upward, log.forces[:, :, 2].sum(axis=1), rtol=0, atol=1e-9)


def test_a_constant_latency_is_the_timing_s_own() -> None:
    # drawn latencies of more than 2 and at most 3 steps act as 3
    draws = replace(draw(NOTHING, 0, range(2)), latency=np.array([2.1e-3, 3e-3]))
    trial = jump(0.4)
    varied = recordings(trial, draws, 0, np.inf, MujocoBatch(SPEC, CONTACT, 1e-3, draws, START))
    fixed = runs(jump(0.4, timing=Timing(latency=3e-3)), NOTHING, 1)[0]
    for run in varied:
        np.testing.assert_array_equal(run.q, fixed.q)


def test_any_split_and_any_order_give_the_same_bits() -> None:
    trial = jump(0.45)
    together = outcomes(trial, Variation(), 4, 0.37, range(12))
    backwards = outcomes(trial, Variation(), 4, 0.37, range(11, -1, -1))[::-1]
    alone = [outcomes(trial, Variation(), 4, 0.37, [i])[0] for i in range(12)]
    assert same(together, backwards)
    assert same(together, alone)
    assert len({one.figures["rise"] for one in together}) == 12


def test_two_workers_give_the_same_samples_as_one() -> None:
    trial, seen = jump(0.4), []
    one, two = (monte_carlo(trial, 70, 1, workers=workers, progress=lambda *at: seen.append(at)) for workers in (1, 2))
    pd.testing.assert_frame_equal(one.samples, two.samples, check_exact=True)
    assert (one.successes, one.interval, one.causes, one.drivers, one.worst) == (
        two.successes, two.interval, two.causes, two.drivers, two.worst,
    )  # fmt: skip
    for number in (3, 60):  # a row's figures are those of the simulation that drew its parameters
        alone = outcomes(trial, Variation(), 1, one.floor_time, [number])[0].figures
        assert {name: one.samples.loc[number, name] for name in ("torque_use", "clearance")} == {
            name: alone[name] for name in ("torque_use", "clearance")
        }
        assert one.samples.loc[number, "payload"] == draw(Variation(), 1, [number]).payload[0]
    assert seen[:2] == [(50, 70), (70, 70)]
    assert seen[-1] == (70, 70)


def test_units_depend_on_the_length_of_the_jump_alone() -> None:
    assert units(120, 1000) == [range(50), range(50, 100), range(100, 120)]
    assert len(units(10, LARGEST_RECORD)) == len(units(10, 10 * LARGEST_RECORD)) == 10
    assert len(units(10 * UNIT, 1)) == 10


@pytest.fixture(scope="module")
def usual() -> MonteCarlo:
    return monte_carlo(jump(1.0), 20, 2)


def test_a_sound_jump_succeeds(usual: MonteCarlo) -> None:
    assert usual.nominal_causes == ()
    assert usual.successes == usual.samples["success"].sum() == 20
    assert usual.causes == ()
    assert usual.interval[1] == 1.0
    assert usual.armature_cost is None
    assert usual.samples["friction"].between(0.6, 1.0).all()


def test_feet_that_slip_fail_no_jump_that_lands() -> None:
    """The verdict is one on outcomes; how far they slip is a figure."""
    sound, slippery = (
        monte_carlo(jump(0.9, replace(CONTACT, friction=mu), lean=0.3), 12, variation=Variation(friction=mu / 10))
        for mu in (0.8, 0.02)
    )
    assert sound.successes == slippery.successes == 12
    for figure in ("slip_push", "slip_landing"):
        assert sound.samples[figure].max() < 0.02 < 0.04 < slippery.samples[figure].min(), figure


def test_a_flat_battery_jumps_too_low() -> None:
    found = monte_carlo(jump(0.8, battery=Battery(3.0)), 8, height=0.06)
    assert found.successes == 0
    assert found.causes[0].name in ("jumped too low", "no take-off")


def test_the_height_of_the_landing_changes_the_time_of_flight_as_a_fall_does() -> None:
    trial = jump(2.0)
    level = runs(trial, NOTHING, 1)[0]
    height = np.array([-0.02, 0.0, 0.02])
    draws = replace(draw(NOTHING, 0, range(3)), ground_height=height)
    batch = MujocoBatch(SPEC, CONTACT, 1e-3, draws, START)
    varied = recordings(trial, draws, 0, 0.45, batch)
    np.testing.assert_array_equal(varied[1].q, level.q)
    np.testing.assert_array_equal(batch.floor, height)
    landing = [0.5 + 1e-3 * int(np.argmax(run.upward[500:] > 0.0)) for run in varied]
    for high, low in ((2, 1), (1, 0)):  # it lands when the other's feet are as high above the lower ground as its own lies
        above = varied[low].centres[500:, :, 2].min(axis=1) - 0.02
        assert landing[high] == 0.5 + 1e-3 * int(np.argmax(above < 0.02))
    fall = (landing[0] - landing[1], landing[1] - landing[2])
    assert fall[0] < fall[1]  # it falls faster and faster
    assert varied[0].com[-1, 2] == pytest.approx(level.com[-1, 2] - 0.02, abs=1e-3)  # in the world


def test_a_payload_and_a_weak_motor_are_in_the_loop() -> None:
    trial, nominal = jump(3.0), draw(NOTHING, 0, range(3))
    draws = replace(nominal, payload=np.array([0.0, 1.0, 0.0]), strength=np.array([1.0, 1.0, 0.9]))
    first = next(trial_moments(trial, draws, 0, np.inf, MujocoBatch(SPEC, CONTACT, 1e-3, draws, START)))
    np.testing.assert_allclose(first.drive.motor_torque[2], 0.9 * first.drive.motor_torque[0], rtol=1e-12)
    found = recordings(trial, draws, 0, np.inf, MujocoBatch(SPEC, CONTACT, 1e-3, draws, START))
    standing = [run.upward[-100:].mean() for run in found]

    assert standing[1] - standing[0] == pytest.approx(GRAVITY, rel=WEIGHT)


def test_a_controller_that_looks_at_the_state_gives_the_same_bits() -> None:
    by_table, by_feedback = jump(0.3), jump_by_feedback(0.3)
    assert same(outcomes(by_table, Variation(), 0, np.inf, range(4)), outcomes(by_feedback, Variation(), 0, np.inf, range(4)))


def test_a_controller_that_raises_ends_its_own_simulation() -> None:
    trial = jump_by_feedback(0.4, fails_at=0.1)
    high, low = (np.array(SPEC.pose("home")) for _ in range(2))
    low[2] -= 0.15
    found = [outcomes(replace(trial, start=(q, START[1])), NOTHING, 0, np.inf, range(2)) for q in (high, low)]
    assert [one.stopped for one in found[0]] == ["the controller stopped: ZeroDivisionError"] * 2
    assert found[0][0].figures["final_speed"] < 0.5
    result = monte_carlo(trial, 3)
    assert result.causes[0].name == "the controller stopped: ZeroDivisionError"
    assert result.successes == 0


def test_a_controller_that_leaves_the_program_ends_its_own_simulation_alone() -> None:
    def leave(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        raise SystemExit(3)

    found = outcomes(replace(jump(0.05), control=lambda: leave), NOTHING, 0, np.inf, range(2))
    assert [one.stopped for one in found] == ["the controller stopped: SystemExit"] * 2


def test_a_run_that_diverges_is_a_failure_with_a_name() -> None:
    policy = replace(script(), kd=np.full(12, -30.0))
    trial = trial_of(SPEC, policy, (START[0] + np.eye(19)[2], START[1]), 0.5, CONTACT)
    motors = replace(SPEC, actuators=tuple(replace(a, motor=None, torque_limit=1e7, speed_limit=None) for a in SPEC.actuators))
    found = monte_carlo(replace(trial, spec=motors), 4)
    assert [cause.name for cause in found.causes] == ["the simulation diverged"]
    assert found.samples["stopped"].eq("the simulation diverged").all()


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="a Monte Carlo of 0 jumps"):
        monte_carlo(jump(0.1), 0)
    with pytest.raises(ValueError, match="in 0 processes: give 1 or more"):
        monte_carlo(jump(0.1), 1, workers=0)
    with pytest.raises(ValueError, match="give 3 steps or more"):
        monte_carlo(replace(jump(0.1), duration=0.001), 1)
    with pytest.raises(ValueError, match="cannot be given to another process"):
        run_outcomes(replace(jump(0.1), control=lambda: Following(np.inf)), NOTHING, 0, np.inf, UNIT + 1, 2, None)
    with pytest.raises(ValueError, match=r"variation of friction is 0\.2, the ground's friction 0\.1"):
        monte_carlo(jump(0.1, contact=SoftContact(friction=0.1)), 1)
    with pytest.raises(ValueError, match="give make_policy"):
        trial_of(SPEC, Following(np.inf), START, 0.1)
    with pytest.raises(ValueError, match=r"torque is not finite at t = 0\.0500 s"):
        trial_of(SPEC, replace(script(), torque=np.where(np.arange(7)[:, None] == 2, np.nan, np.zeros((7, 12)))), START, 0.2)


class DyingOnce(Following):
    """A controller whose process dies as long as a file is not there."""

    def __init__(self, marker: Path) -> None:
        super().__init__(np.inf)
        if not marker.exists():
            marker.touch()
            os._exit(1)


class Dying(Following):
    """A controller whose process always dies."""

    def __init__(self, here: int) -> None:
        super().__init__(np.inf)
        if os.getpid() != here:
            os._exit(1)


@pytest.mark.slow
def test_what_a_dead_process_has_left_undone_is_begun_anew(tmp_path: Path) -> None:
    trial = replace(jump_by_feedback(0.02), control=partial(DyingOnce, tmp_path / "died"))
    found = run_outcomes(trial, Variation(), 0, np.inf, UNIT + 5, 2, None)
    assert same(found, run_outcomes(jump(0.02), Variation(), 0, np.inf, UNIT + 5, 1, None))


@pytest.mark.slow
def test_simulations_that_kill_every_process_are_named() -> None:
    trial = replace(jump_by_feedback(0.02), control=partial(Dying, os.getpid()))
    with pytest.raises(RuntimeError, match=r"simulations 0 to 49, 50 to 54 died 3 times"):
        run_outcomes(trial, Variation(), 0, np.inf, UNIT + 5, 2, None)
