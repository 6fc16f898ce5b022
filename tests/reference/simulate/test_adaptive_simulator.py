"""The adaptive reference stepped from outside: the same motion as in one piece, whatever the step."""

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_reference.simulate.adaptive import solution
from leapcheck_reference.simulate.adaptive_simulator import AdaptiveSimulator
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft_contact import SoftContact

CONTACT = SoftContact(friction=0.8, solref=(0.01, 1.0))
SAME = 1e-8  # rad, m; largest seen 2e-10: tolerances of 1e-10 restarted at every step
DURATION = 0.04


@pytest.fixture(scope="module")
def plant() -> Plant:
    return Plant(load("mini_cheetah_armature"))


def start(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    q = np.array(plant.spec.pose("home"))
    q[2] += 0.002
    return q, np.zeros(plant.tree.nv)


@pytest.mark.parametrize("dt", [0.02, 0.005])
def test_a_held_torque_gives_the_reference_solution_at_any_step(plant: Plant, dt: float) -> None:
    torque = np.tile([0.1, -0.4, -2.5], 4)
    whole = solution(SoftLaw(plant, CONTACT), lambda t, q, v: torque, start(plant), [DURATION])
    stepped = AdaptiveSimulator(plant, CONTACT, dt)
    stepped.start(*start(plant))
    for _ in range(round(DURATION / dt)):
        stepped.step(torque)
    q, v = whole.at(DURATION)
    assert np.abs(stepped.q - q).max() < SAME
    assert np.abs(stepped.v - v).max() < SAME * 100
    assert stepped.forces[:, 2].sum() > 20  # it has landed: the feet carry


def test_a_new_start_forgets_all(plant: Plant) -> None:
    simulator = AdaptiveSimulator(plant, CONTACT, 0.01)
    states = []
    for _ in range(2):
        simulator.start(*start(plant))
        assert not simulator.forces.any()
        for _ in range(2):
            simulator.step(np.zeros(12))
        states.append(np.concatenate([simulator.q, simulator.v]))
    np.testing.assert_array_equal(states[0], states[1])


def test_what_cannot_be_followed_is_refused(plant: Plant) -> None:
    with pytest.raises(ValueError, match="elliptic cones"):
        AdaptiveSimulator(plant, SoftContact(cone="pyramidal"), 0.01)
    with pytest.raises(ValueError, match="time step 0"):
        AdaptiveSimulator(plant, CONTACT, 0)
