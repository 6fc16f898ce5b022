"""The closed loop: what it logs, and how it ends when something breaks."""

import numpy as np
import pytest

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import com_position
from leapcheck_reference.simulate.actuator import drive_response, drives
from leapcheck_reference.tree import build
from tests.harness.jumping.loop import Floating, held

FALL = 1e-12  # m; a semi-implicit Euler fall has a closed form


@pytest.fixture(scope="module")
def spec() -> RobotSpec:
    return load("mini_cheetah")


def run(spec: RobotSpec, policy, duration: float = 0.02, dt: float = 1e-3) -> JumpLog:
    start = np.array(spec.pose("home")), np.zeros(spec.nv)
    return simulate(spec, Floating(spec, dt), policy, drives(spec), start, duration)


def test_in_free_fall_the_com_falls_whatever_the_joints_do(spec: RobotSpec) -> None:
    fold = np.array(spec.pose("fold"))
    log = run(spec, lambda t, q, v: held(spec, fold))
    n, dt = log.steps, log.dt
    tree = build(spec)
    fallen = com_position(tree, log.q[0])[2] - com_position(tree, log.q[-1])[2]
    assert n == 20
    assert np.abs(log.q[-1, 7:] - log.q[0, 7:]).max() > 0.01  # the joints did move
    assert fallen == pytest.approx(9.81 * dt * dt * n * (n + 1) / 2, rel=0.02)  # h by quadrature of moving joints
    assert log.stopped == ""


def test_the_log_holds_what_the_drives_gave(spec: RobotSpec) -> None:
    home = np.array(spec.pose("fold"))
    log = run(spec, lambda t, q, v: held(spec, home))
    again = drive_response(drives(spec), log.desired, log.v[:-1, 6:])
    assert np.array_equal(log.torque, again.torque)
    assert np.array_equal(log.current, again.current)
    assert np.array_equal(log.battery_power, again.power.sum(axis=-1))
    assert np.array_equal(log.time, np.arange(21) * 1e-3)
    assert (np.abs(log.desired) > np.abs(log.torque)).any()  # the envelope was reached


def test_a_policy_that_raises_ends_the_log_and_is_named(spec: RobotSpec) -> None:
    home = np.array(spec.pose("home"))

    def policy(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
        if t > 0.0099:
            raise ZeroDivisionError("division by zero")
        return held(spec, home)

    log = run(spec, policy)
    assert log.stopped == "the controller stopped at t = 0.0100 s: ZeroDivisionError: division by zero"
    assert log.steps == 10
    assert len(log.time) == len(log.q) == 11


def test_a_command_that_is_not_finite_ends_the_log(spec: RobotSpec) -> None:
    home = np.array(spec.pose("home"))
    log = run(spec, lambda t, q, v: held(spec, home, np.full(12, np.inf if t > 0.0049 else 0.0)))
    assert "not finite at t = 0.0050 s" in log.stopped
    assert log.steps == 5


def test_a_state_that_runs_away_ends_the_log(spec: RobotSpec) -> None:
    class Runaway(Floating):
        def step(self, torque: np.ndarray) -> None:
            super().step(torque)
            self._u = self._u * 4.0

    start = np.array(spec.pose("home")), np.zeros(spec.nv)
    home = np.array(spec.pose("home"))
    log = simulate(spec, Runaway(spec, 1e-3), lambda t, q, v: held(spec, home), drives(spec), start, 0.1)
    assert "floating diverged" in log.stopped
    assert log.steps < 100
    assert np.isfinite(log.q).all()


def test_a_simulator_that_gives_up_is_named(spec: RobotSpec) -> None:
    class Broken(Floating):
        def step(self, torque: np.ndarray) -> None:
            raise FloatingPointError("the mass matrix is singular")

    start = np.array(spec.pose("home")), np.zeros(spec.nv)
    log = simulate(spec, Broken(spec, 1e-3), lambda t, q, v: held(spec, start[0]), drives(spec), start, 0.1)
    assert log.stopped == "floating stopped at t = 0.0000 s: the mass matrix is singular"
    assert log.steps == 0
