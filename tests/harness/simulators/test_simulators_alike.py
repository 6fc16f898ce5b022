"""What all simulators share, whichever engine is behind them: each start begins anew, to the bit, and odd robots do no harm."""

import numpy as np
import pytest

from leapcheck.simulators.protocol import Simulator
from leapcheck.simulators.registry import SIMULATORS, Ground, make_simulator
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import Plant
from tests.harness.jumping.hopper import START, hopper

GROUND = Ground(friction=0.4)
STEPS = 60
THROWN = 0.5  # m/s along the ground

LEG, PLAIN_BOX = hopper(), load("box")


def dropped(spec: RobotSpec, simulator: Simulator, tilt: float, torque: float) -> Floats:
    """(steps, n) states, forces and torques of stops of a robot thrown along the ground and onto it."""
    q, v = np.zeros(spec.nq), np.zeros(spec.nv)
    q[3:5] = np.array([1.0, tilt]) / np.hypot(1.0, tilt)
    if spec is LEG:
        q[7] = START
    plant = Plant(spec)
    q[2] = 0.005 - (plant.at(q, v).centres[:, 2] - plant.radii).min()
    v[3], v[5] = THROWN, -1.0
    simulator.start(q, v)
    rows = []
    for _ in range(STEPS):
        simulator.step(np.full(len(spec.actuators), torque))
        rows.append(np.concatenate([simulator.q, simulator.v, simulator.limit_torques, simulator.forces.ravel()]))
    return np.array(rows)


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_run_has_the_same_bits_whatever_ran_before(name: str) -> None:
    used = make_simulator(name, LEG, GROUND, 1e-3)
    dropped(LEG, used, 0.2, -5.0)
    fresh = dropped(LEG, make_simulator(name, LEG, GROUND, 1e-3), 0.05, 3.0)
    np.testing.assert_array_equal(dropped(LEG, used, 0.05, 3.0), fresh)
    assert (fresh[:, -1] > 0.0).mean() > 0.1  # the foot's normal force, the last of all


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_box_without_actuators_lands_and_is_braked(name: str) -> None:
    rows = dropped(PLAIN_BOX, make_simulator(name, PLAIN_BOX, GROUND, 1e-3), 0.02, 0.0)
    forces = rows[:, -24:].reshape(STEPS, 8, 3)
    assert not rows[:, 13:19].any()  # it has no stops
    assert forces[..., 2].max() > 0.0
    assert forces[..., 0].sum() < 0.0
    assert rows[-1, 10] < THROWN


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_start_that_is_no_state_is_refused(name: str) -> None:
    simulator = make_simulator(name, PLAIN_BOX, GROUND, 1e-3)
    q, rest = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]), np.zeros(6)
    for wrong, words in (((np.zeros(3), rest), "starts with q"), ((0.0 * q, rest), "quaternion"), ((q, rest + np.nan), "finite")):
        with pytest.raises(ValueError, match=words):
            simulator.start(*wrong)
    simulator.start(q * np.array([1.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0]), rest)
    np.testing.assert_array_equal(simulator.q, q)
