"""A replayed simulation has the batch's bits, and what the batch says of it is what its log shows to the in-house kinematics."""

import math
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.measures.figures import figures, landing_figures, run_up_figures
from leapcheck.jumping.measures.observation import motion_phases, observe
from leapcheck.jumping.measures.turns import roll_turn
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.jumping.robustness.loop import perturbed_drives, recordings
from leapcheck.jumping.robustness.monte_carlo import MonteCarlo, lumping_cost, monte_carlo, trial_of
from leapcheck.jumping.robustness.outcome import FIGURE_NAMES
from leapcheck.jumping.robustness.replay import perturbed_robot, replay
from leapcheck.jumping.robustness.variation import NOTHING, Variation, draw
from leapcheck.simulators.mujoco.batch import MujocoBatch
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives, largest_torque, losses
from tests.harness.jumping.monte_carlo_cases import CONTACT, SPEC, START, jump, jump_by_feedback, script

COUNT, SEED = 8, 11

CLINGING = replace(CONTACT, solref=(0.02, 1.0))
"""Ground so soft that feet cling to it for some steps after take-off."""

AGREEMENT = {
    "take_off_time": 1e-12,  # s; largest seen 5.6e-17
    "take_off_speed": 1e-4,  # m/s; largest seen 2.5e-5
    "run_up_speed": 5e-3,  # m/s, at the next step; largest seen 2.3e-3
    "rise": 1e-4,  # m; largest seen 3.6e-5
    "height": 1e-5,  # m; largest seen 1.4e-6
    "distance": 5e-4,  # m, at the nearest step; largest seen 1.8e-4
    "pitch_touch_down": 0.1,  # deg, at the nearest step; largest seen 0.034
    "roll_touch_down": 0.01,  # deg, likewise; largest seen 0.0019
    "torque_use": 1e-14,  # largest seen 0
    "voltage_use": 1e-14,  # largest seen 5.6e-17
    "slip_push": 5e-4,  # m; largest seen 1.0e-4
    "slip_landing": 2e-3,  # m; largest seen 7.9e-4
    "limit_margin": 1e-14,  # rad; largest seen 0
    "clearance": 1e-14,  # m; largest seen 1.8e-16
    "trunk_clearance": 1e-14,  # m; largest seen 1.8e-16
    "turn": 1e-10,  # deg; largest seen 0
    "yaw": 1e-10,  # deg; largest seen 0
    "roll": 1e-10,  # deg; largest seen 0
    "landing_height": 1e-4,  # m, a step before the end; largest seen 1.1e-5
    "rearmost_foot": 1e-4,  # m, a step before the end; largest seen 1.5e-5
    "final_tilt": 1e-10,  # deg; largest seen 0
    "final_speed": 1e-14,  # m/s; largest seen 5.6e-17
}
"""The log's figures interpolate between steps and know the force of each foot; a batch's take the nearest step and all forces."""


@pytest.fixture(scope="module")
def found() -> MonteCarlo:
    return monte_carlo(jump(1.0, CLINGING), COUNT, SEED, Variation(ground_height=0.0))


def test_the_replay_has_the_bits_of_the_batch() -> None:
    run = monte_carlo(jump(0.8), COUNT, SEED)
    draws = draw(run.variation, SEED, range(COUNT))
    runs = recordings(run.trial, draws, SEED, run.floor_time, MujocoBatch(SPEC, CONTACT, 1e-3, draws, START))
    for number in (0, run.worst, 7):
        log = replay(run, number)
        expected = runs[number].q.copy()
        moved = log.q[:, 2] - expected[:, 2]
        np.testing.assert_allclose(np.unique(moved.round(12)), np.unique([0.0, draws.ground_height[number].round(12)]))
        expected[:, 2] = log.q[:, 2]
        np.testing.assert_array_equal(log.q, expected)
        np.testing.assert_allclose(log.forces[:, :, 2].sum(axis=1), runs[number].upward, rtol=0, atol=1e-9)
        assert not log.stopped
        assert log.steps == run.trial.steps


@pytest.mark.parametrize("number", range(0, COUNT, 3))
def test_figures_are_those_of_the_log(found: MonteCarlo, number: int) -> None:
    robot = perturbed_robot(SPEC, draw(found.variation, SEED, [number]))
    log = replay(found, number)
    shown = figures(robot, None, log, drives(robot))
    shown["roll"] = JumpFigure("roll", math.degrees(roll_turn(log.q[:, 3:7])))  # this and the next two are shown where asked for
    seen = observe(robot, log)
    phases = motion_phases(seen)
    shown["run_up_speed"] = run_up_figures(seen, phases, JumpRequest(height=0.1, run_up=1.0))[0]
    shown["rearmost_foot"] = landing_figures(seen, phases, None, far_edge=0.0)[-1]
    for name in FIGURE_NAMES:
        value = found.samples.loc[number, name]
        if name == "line_use":  # every drive has motor data
            assert np.isnan(value)
            assert name not in shown
            continue
        assert value == pytest.approx(shown[name].value, abs=AGREEMENT[name]), name


def test_the_perturbed_robot_is_what_was_drawn() -> None:
    draws = draw(Variation(), 0, range(3))
    robot = perturbed_robot(load("mini_cheetah"), draws, 2)
    assert robot.total_mass == pytest.approx(8.912 + draws.payload[2], abs=1e-12)
    shift = np.array(robot.bodies[0].inertia.com) - load("mini_cheetah_armature").bodies[0].inertia.com
    np.testing.assert_allclose(shift, draws.com_offset[2], atol=1e-15)
    nominal, weak = drives(load("mini_cheetah")), drives(robot)
    np.testing.assert_allclose(weak.torque_limit / nominal.torque_limit, draws.strength[2])
    np.testing.assert_allclose(weak.torque_constant / nominal.torque_constant, draws.strength[2])
    np.testing.assert_allclose(weak.friction / nominal.friction, draws.dry_friction[2])


def test_a_replay_ends_where_its_controller_does() -> None:
    run = monte_carlo(jump_by_feedback(0.2, fails_at=0.1), 2, variation=NOTHING)
    log = replay(run)
    assert log.stopped == "the controller stopped: ZeroDivisionError at t = 0.1000 s"
    assert log.steps == 100
    assert len(log.q) == len(log.time) == 101


def test_a_number_that_there_is_not_is_refused(found: MonteCarlo) -> None:
    for number in (-1, COUNT):
        with pytest.raises(ValueError, match=f"there are {COUNT}, numbered from 0"):
            replay(found, number)


def test_what_lumping_costs_is_told_for_a_robot_with_rotors() -> None:
    exact = load("mini_cheetah")
    trial = trial_of(exact, script(), START, 0.6, CONTACT)
    run = monte_carlo(trial, 1)
    cost = run.armature_cost
    assert cost is not None
    assert not cost.failure
    assert cost.armature is run.nominal.figures
    for name in ("take_off_speed", "rise"):
        assert 1e-4 < abs(cost.relative(name)) < 0.05
    assert "with exact rotors" in cost.sentence
    assert math.isnan(cost.relative("distance of the moon"))
    assert lumping_cost(jump(0.1), {}) is None


def test_a_drive_without_motor_data_is_varied_by_its_torque_alone() -> None:
    """The batch's drives and the varied robot's own: stall torque times the strength, no-load speed as rated."""
    servos = tuple(replace(actuator, motor=None) for actuator in SPEC.actuators)
    spec = replace(SPEC, actuators=servos)
    draws = draw(Variation(strength=0.2), SEED, range(3))
    of_batch, still = perturbed_drives(spec, draws), np.zeros((3, len(servos)))
    np.testing.assert_allclose(of_batch.no_load_speed(of_batch.voltage), [[a.speed_limit for a in servos]] * 3, rtol=1e-14)
    stall = largest_torque(of_batch, still)[1]
    np.testing.assert_allclose(stall, np.outer(draws.strength, [a.torque_limit for a in servos]), rtol=1e-14)
    for k in range(3):
        alone = drives(perturbed_robot(spec, draws, k))
        speed = 0.6 * alone.no_load_speed(alone.voltage)
        expected = largest_torque(alone, speed)[1] + losses(alone, speed)  # dry friction is varied in a field of its own
        varied = largest_torque(of_batch, np.tile(speed, (3, 1)))[1][k]
        np.testing.assert_allclose(varied + losses(of_batch, np.tile(speed, (3, 1)))[k], expected, rtol=1e-12)
