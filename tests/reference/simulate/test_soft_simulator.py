"""The twin's integrators have their orders, keep what must be kept, and refuse what they cannot step."""

from functools import cache

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import Integrator, SoftContact, SoftSimulator

FLIGHT = 0.16
COM = 1e-11  # m and m/s after 0.2 s at 1 ms; largest seen 4e-13
LANDED = 2.5e-3  # rad, at half a millisecond; largest seen 1.3e-3 (Euler)


@cache
def plant() -> Plant:
    return Plant(load("mini_cheetah"))


def in_flight() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(3)
    q, v = np.array(plant().spec.pose("home")), rng.standard_normal(18)
    q[2], q[3:7] = 3.0, [0.5, 0.5, -0.5, 0.5]
    return q, v


def after_flight(integrator: Integrator, dt: float) -> Floats:
    simulator = SoftSimulator(plant(), SoftContact(), dt, integrator)
    simulator.start(*in_flight())
    for _ in range(round(FLIGHT / dt)):
        simulator.step(np.zeros(12))
    return simulator.q


@pytest.mark.parametrize(("integrator", "order", "dt"), [("euler", 1.0, 1e-3), ("implicitfast", 1.0, 1e-3), ("rk4", 4.0, 8e-3)])
def test_the_order_of_convergence_is_the_scheme_s(integrator: Integrator, order: float, dt: float) -> None:
    exact = after_flight("rk4", 2.5e-4)
    errors = [np.abs(after_flight(integrator, dt / part) - exact).max() for part in (1, 2, 4)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, order, atol=0.15)


def test_free_flight_keeps_the_com_on_its_parabola_and_the_momentum() -> None:
    simulator = SoftSimulator(plant(), SoftContact(), 1e-3, "rk4")
    q, v = in_flight()
    simulator.start(q, v)
    start, velocity = reference.com_position(plant().tree, q), reference.com_velocity(plant().tree, q, v)
    for _ in range(200):
        simulator.step(np.zeros(12))
    assert not simulator.forces.any()
    q, v = simulator.q, simulator.v
    np.testing.assert_allclose(
        reference.com_position(plant().tree, q),
        start + 0.2 * velocity - np.array([0.0, 0.0, 0.5 * 9.81 * 0.04]),
        rtol=0.0,
        atol=COM,
    )
    np.testing.assert_allclose(
        reference.com_velocity(plant().tree, q, v), velocity - np.array([0.0, 0.0, 9.81 * 0.2]), rtol=0.0, atol=COM
    )


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_both_schemes_land_alike_when_the_step_shrinks(integrator: Integrator) -> None:
    """Through a landing on four feet: the difference to the finest run falls with the step, to a fraction of a millimetre."""
    fine = landed("rk4", 1e-4)
    errors = [np.abs(landed(integrator, dt) - fine).max() for dt in (2e-3, 1e-3, 5e-4)]
    assert errors == sorted(errors, reverse=True)
    assert errors[2] < LANDED


def landed(integrator: Integrator, dt: float) -> Floats:
    home = np.array(plant().spec.pose("home"))
    q = home.copy()
    q[2] += 0.02
    simulator = SoftSimulator(plant(), SoftContact(friction=0.6), dt, integrator)
    simulator.start(q, np.zeros(18))
    for _ in range(round(0.09 / dt)):
        simulator.step(40.0 * (home[7:] - simulator.q[7:]) - 1.5 * simulator.v[6:])
    return simulator.q


def test_it_starts_anew_and_hands_out_copies() -> None:
    simulator = SoftSimulator(plant(), SoftContact(), 1e-3)
    q, v = in_flight()
    runs = []
    for _ in range(2):
        simulator.start(q, v)
        simulator.q[:] = simulator.v[:] = simulator.forces[:] = simulator.limit_torques[:] = 7.0
        np.testing.assert_allclose(simulator.v, v, atol=1e-14)
        simulator.step(np.ones(12))
        runs.append(simulator.q)
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(q, in_flight()[0])


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ValueError, match="use one of euler, implicitfast, rk4"):
        SoftSimulator(plant(), SoftContact(), 1e-3, "RK4")
    with pytest.raises(ValueError, match="give a positive number"):
        SoftSimulator(plant(), SoftContact(), 0.0)


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_a_torque_that_is_not_finite_stops_the_run(integrator: Integrator) -> None:
    simulator = SoftSimulator(plant(), SoftContact(), 1e-3, integrator)
    simulator.start(*in_flight())
    with pytest.raises(ArithmeticError, match="finite"):
        simulator.step(np.full(12, np.inf))
