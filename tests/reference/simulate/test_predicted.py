"""Steps with predicted contacts are the solver's to rounding, and refused where the contacts go another way."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_models.robots import load
from leapcheck_reference.simulate.compliant import CompliantSimulator, HuntCrossley, SpringDamper
from leapcheck_reference.simulate.moving import Stepped
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.predicted import PredictedSteps
from leapcheck_reference.simulate.rigid import RigidSimulator
from leapcheck_reference.simulate.soft import SoftSimulator
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.soft_rows import impedance, traced_impedance

SPEC = load("mini_cheetah")
HOME = np.array(SPEC.poses[0].q)
DT = 1e-3
SAME = 1e-10
"""Largest difference of q and v after a tumble, between the solvers and the linear equations; measured 2e-12."""

MAKE = {
    "rigid": lambda plant, mu: RigidSimulator(plant, DT, mu),
    "spring-damper": lambda plant, mu: CompliantSimulator(plant, DT, SpringDamper(), mu),
    "hunt-crossley": lambda plant, mu: CompliantSimulator(plant, DT, HuntCrossley(), mu),
    "soft euler": lambda plant, mu: SoftSimulator(plant, SoftContact(friction=mu, solref=(0.01, 1.0)), DT),
    "soft rk4": lambda plant, mu: SoftSimulator(plant, SoftContact(friction=mu, solref=(0.01, 1.0)), DT, "rk4"),
}


@pytest.fixture(scope="module")
def plant() -> Plant:
    return Plant(SPEC)


class Counted(PredictedSteps):
    """Counts the steps and stages, and the whole Runge-Kutta steps, that were as predicted."""

    held = whole = 0

    def __call__(self, *given: object) -> object:
        made = super().__call__(*given)
        self.held += made is not None
        return made

    def runge_kutta(self, *given: object) -> object:
        made = super().runge_kutta(*given)
        self.whole += made is not None
        return made


def run(simulator: Stepped, v: np.ndarray, steps: int) -> tuple[np.ndarray, int]:
    """(states, how many stages were as predicted): crouched in the air, pushed by `v`, falls, lands, stands or slides."""
    predicted = simulator._predicted
    predicted.__class__ = Counted
    predicted.held = predicted.whole = 0
    q = HOME.copy()
    q[2] += 0.01
    simulator.start(q, v)
    states = []
    for _ in range(steps):
        angles, speeds = simulator.q[7:], simulator.v[6:]
        simulator.step(60.0 * (HOME[7:] - angles) - 2.0 * speeds)
        states.append(np.concatenate([simulator.q, simulator.v, simulator.forces.ravel() * DT]))
    return np.array(states), predicted.held + 4 * predicted.whole


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("friction", [0.8, 0.05])
def test_the_solvers_go_the_same_way(plant: Plant, name: str, friction: float) -> None:
    v = np.zeros(SPEC.nv)
    v[[1, 3, 5]] = 0.6, 0.4, -0.1  # slides over slippery ground
    steps = 160
    states, held = run(MAKE[name](plant, friction), v, steps)
    solver = MAKE[name](plant, friction)
    solver._predicted._points.clear()
    expected, none = run(solver, v, steps)
    stages = steps * (4 if name == "soft rk4" else 1)
    assert none == 0
    assert 0.1 * stages < held < stages  # some are predicted, some refused
    np.testing.assert_allclose(states, expected, rtol=0.0, atol=SAME)


def test_a_run_has_the_same_bits_again(plant: Plant) -> None:
    """Code that the first run compiled is not used before the second one has waited for it too."""
    simulator = MAKE["rigid"](plant, 0.8)
    first, second = (run(simulator, np.zeros(SPEC.nv), 80)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_a_flight_is_one_program_whatever_the_contact(plant: Plant) -> None:
    """Its key leaves the contact out, and so must what is recorded."""
    solimp, solimplimit = (0.7, 0.9, 0.002, 0.4, 3.0), (0.8, 0.9, 0.01, 0.3, 1.0)
    other = SoftContact(0.3, (0.005, 0.8), solimp, 2.0, "elliptic", (0.01, 0.9), solimplimit, (0.03, 0.9), solimplimit)
    contacts = [SoftSimulator(plant, contact, DT)._predicted for contact in (SoftContact(), other)]
    flight, standing = contacts[0]._points.values()
    assert (flight, len(standing)) == ((), 4)
    for points, is_same in ((flight, True), (standing, False)):
        graphs = [steps._graph(points) for steps in contacts]
        assert (graphs[0].nodes == graphs[1].nodes) is is_same
        assert (contacts[0]._key(points) == contacts[1]._key(points)) is is_same


@pytest.mark.parametrize("friction", [0.8, 0.05])
def test_whole_runge_kutta_steps_have_the_bits_of_their_stages(plant: Plant, friction: float) -> None:
    v = np.zeros(SPEC.nv)
    v[[1, 3, 5]] = 0.6, 0.4, -0.1
    whole, staged = (MAKE["soft rk4"](plant, friction) for _ in range(2))
    staged._whole_step = lambda start, force: None
    states, _ = run(whole, v, 160)
    assert 16 < whole._predicted.whole < 160  # some steps are made whole; where a foot lands or slides, none is
    np.testing.assert_array_equal(states, run(staged, v, 160)[0])
    np.testing.assert_array_equal(whole._warm, staged._warm)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_the_impedance_without_branches_is_the_same(power: float) -> None:
    solimp = (0.8, 0.95, 1e-3, 0.3, power)
    for depth in np.linspace(0.0, 1.5e-3, 61).tolist():
        assert traced_impedance(solimp, depth) == pytest.approx(impedance(solimp, -depth), rel=1e-14)
