"""Every simulator that has a name: made, and stood in for a moment."""

from dataclasses import replace

import numpy as np
import pytest

from leapcheck.jumping.control import JointCommand, Timing
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.registry import SIMULATORS, Ground, check_names, make_simulator, robot_in
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives

ROBOT = load("mini_cheetah_armature")
STAND = np.array(ROBOT.pose("home"))
N = len(ROBOT.actuators)

SUNK = 1.9e-3  # m that the trunk sinks in 20 ms under PD without feed-forward, 1.96e-3 in free fall; measured 1.38e-3 to 1.76e-3
SWAY = 2e-4  # m sideways; measured 1.1e-4


def still(t: float, q: np.ndarray, v: np.ndarray) -> JointCommand:
    return JointCommand(np.zeros(N), STAND[7:], np.zeros(N), np.full(N, 60.0), np.full(N, 1.0))


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_simulator_stands_still_for_a_moment(name: str) -> None:
    made = make_simulator(name, ROBOT, Ground(), 1e-3)
    log = simulate(ROBOT, made, still, drives(ROBOT), (STAND, np.zeros(ROBOT.nv)), 0.02, Timing())
    assert log.stopped == ""
    assert log.steps == 20
    assert log.simulator == name
    assert np.abs(log.q[:, 2] - STAND[2]).max() < SUNK
    assert np.abs(log.q[:, :2] - STAND[:2]).max() < SWAY
    assert log.forces.sum(axis=1)[1:, 2].max() > 0.5 * ROBOT.total_mass * 9.81  # it stands on something
    assert SIMULATORS[name].what


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("soft", "bullet"), "unknown simulator 'bullet': use one of mujoco,"),
        ((), "no simulators: give one or more of mujoco,"),
        (("soft", "rigid", "soft"), "stands twice"),
    ],
)
def test_names_that_cannot_be_are_refused(names: tuple[str, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_names(names)


def test_a_simulator_of_armatures_gets_lumped_rotors() -> None:
    exact = load("mini_cheetah")
    assert robot_in("mujoco", exact) is exact
    assert all(body.rotor is None for body in robot_in("mujoco-armature", exact).bodies)
    assert make_simulator("soft", replace(exact, name="another"), Ground(), 1e-3).dt == 1e-3
