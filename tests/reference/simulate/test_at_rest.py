"""Where nothing happens numbers are small: bodies that fall flat, stand still and are let go again; and starts that are none."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.robots.free_bodies import BOX_MASS
from leapcheck_models.spec import Actuator, Inertia, Joint, JointType, RobotSpec, add_body, add_contact_point
from leapcheck_reference.simulate.adaptive import solution
from leapcheck_reference.simulate.adaptive_simulator import AdaptiveSimulator
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.compliant import CompliantSimulator, SpringDamper, Stop
from leapcheck_reference.simulate.coordinates import configuration_rate, displace, displacement_rate
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator
from leapcheck_reference.simulate.soft import SoftSimulator, weights
from leapcheck_reference.simulate.soft_contact import SMALLEST_FRICTION, SoftContact
from tests.reference.simulate.simple_bodies import GRAVITY, pendulum

STANDING = 1e-11  # N, of the box's weight, and m/s; largest seen 7e-13
SUNK = 0.01  # rad; largest seen 4.8e-3 (springy)
HELD = 5e-6  # N m; largest seen 4.6e-7 (springy)
DIFFERENCE = 1e-10  # of central differences with 1e-5 s; largest seen 5.3e-12
SERIES = 2e-3  # of |U|^4 |w|, the first term that the series leaves out; largest seen 8.9e-4

MAKE: dict[str, Callable[[Plant, SoftContact], Any]] = {
    "euler": lambda plant, contact: SoftSimulator(plant, contact, 1e-3),
    "rk4": lambda plant, contact: SoftSimulator(plant, contact, 1e-3, "rk4"),
    "adaptive": lambda plant, contact: AdaptiveSimulator(plant, contact, 1e-2),
    "rigid": lambda plant, contact: RigidSimulator(plant, 1e-3, contact.friction),
    "springy": lambda plant, contact: CompliantSimulator(plant, 1e-3, friction=contact.friction),
}


@cache
def box() -> Plant:
    return Plant(load("box"))


def above(height: float) -> tuple[Floats, Floats]:
    """An upright box at rest, its lower corners so far above the ground."""
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    q[2] = height - float((box().at(q, np.zeros(6)).centres[:, 2] - box().radii).min())
    return q, np.zeros(6)


BEGINNINGS = {
    "dropped, slippery": (0.05, SMALLEST_FRICTION),
    "dropped": (0.05, 0.8),
    "dropped, rough": (0.05, 5.0),
    "set down, slippery": (0.0, SMALLEST_FRICTION),
    "in the ground, rough": (-0.01, 5.0),
}
"""Height in m and friction; the everyday tests take each in two simulators, and two in each simulator."""


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        pytest.param(name, beginning, marks=[] if (i - j) % len(MAKE) in (0, 2) else pytest.mark.slow)
        for i, name in enumerate(MAKE)
        for j, beginning in enumerate(BEGINNINGS)
    ],
)
def test_a_box_that_falls_flat_stands_still_in_the_end(name: str, beginning: str) -> None:
    """Its corners do all things at once, and without any tangential force; its acceleration ends as rounding."""
    height, friction = BEGINNINGS[beginning]
    simulator = MAKE[name](box(), SoftContact(friction=friction, solref=(0.01, 1.0)))
    simulator.start(*above(height))
    for _ in range(round(0.7 / simulator.dt)):
        simulator.step(np.zeros(0))
    assert abs(simulator.forces[:, 2].sum() - BOX_MASS * GRAVITY) < STANDING
    assert np.abs(simulator.v).max() < STANDING


def test_a_motion_has_the_same_bits_whatever_was_followed_before() -> None:
    law = SoftLaw(Plant(load("pupper_leg")), SoftContact())

    def swing() -> Floats:
        found = solution(law, lambda t, q, v: np.zeros(0), (np.full(3, 0.3), np.zeros(3)), [0.05])
        return np.concatenate(found.at(0.05))

    first = swing()
    solution(law, lambda t, q, v: np.zeros(0), (np.full(3, 0.4), np.ones(3)), [0.03])
    np.testing.assert_array_equal(swing(), first)


@pytest.mark.parametrize("name", MAKE)
def test_a_wheel_on_a_stand_is_held_by_the_ground(name: str) -> None:
    """Its com does not move, so MuJoCo's regularisation has nothing to scale with; the drive's torque is held at the rim."""
    axle = Joint("axle", JointType.REVOLUTE, (0.0, 1.0, 0.0))
    spec = add_body(RobotSpec("wheel"), "wheel", joint=axle, inertia=Inertia(1.0, rotational=(0.01, 0, 0, 0.01, 0, 0.01)))
    spec = add_contact_point(spec, "rim", "wheel", (0.1, 0.0, 0.0), radius=0.02)
    plant = Plant(replace(spec, actuators=(Actuator("drive", "axle", torque_limit=1.0),)))
    assert weights(plant).points[0] < 1e-30
    simulator = MAKE[name](plant, SoftContact(friction=0.8, solref=(0.01, 1.0)))
    simulator.start(np.array([-0.5]), np.array([1.0]))
    for _ in range(round(0.5 / simulator.dt)):
        simulator.step(np.array([0.5]))
    assert simulator.q[0] == pytest.approx(-np.arcsin(0.2), abs=SUNK)  # where the rim touches
    if name != "adaptive":  # so stiff that it stands at a depth below `TOUCH`, touching at one end of a step and not at the other
        assert simulator.forces[0, 2] * 0.1 * np.cos(simulator.q[0]) == pytest.approx(0.5, abs=HELD)


@pytest.mark.parametrize("name", MAKE)
def test_a_robot_on_a_stand_begins_with_its_joints_at_zero(name: str) -> None:
    simulator = MAKE[name](Plant(load("pupper_leg")), SoftContact())
    np.testing.assert_array_equal(simulator.q, np.zeros(3))
    np.testing.assert_array_equal(simulator.v, np.zeros(3))


@pytest.mark.parametrize("name", MAKE)
def test_a_start_that_is_no_state_is_refused(name: str) -> None:
    simulator = MAKE[name](box(), SoftContact())
    q, v = above(1.0)
    with pytest.raises(ValueError, match=r"'box' starts with q \(7,\), v \(6,\): not \(3,\)"):
        simulator.start(np.zeros(3), v)
    with pytest.raises(ValueError, match="not finite"):
        simulator.start(q, np.full(6, np.nan))
    with pytest.raises(ValueError, match=r"quaternion to start from is zero: give q\[3:7\]"):
        simulator.start(np.zeros(7), v)
    simulator.start(q * np.array([1, 1, 1, 5, 1, 1, 1]), v)
    np.testing.assert_array_equal(simulator.q, q)


@pytest.mark.parametrize("times", [[], [0.0], [0.2, 0.1]])
def test_times_that_cannot_be_reached_are_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="give the times"):
        solution(SoftLaw(box(), SoftContact()), lambda t, q, v: np.zeros(0), above(1.0), times)


def test_a_stop_without_stiffness_and_damping_is_none() -> None:
    simulator = CompliantSimulator(Plant(pendulum(limits=(-0.5, 0.4))), 1e-3, SpringDamper(stop=Stop(0.0, 0.0)))
    simulator.start(np.array([0.3]), np.ones(1))
    for _ in range(200):
        simulator.step(np.zeros(1))
    assert simulator.q[0] == pytest.approx(0.5, abs=1e-12)
    assert not simulator.limit_torques.any()


def test_a_point_that_nothing_can_lift_is_an_error_with_a_remedy() -> None:
    """A point on a fixed hinge's axis, below the ground."""
    spec = add_contact_point(pendulum(), "axis", "bob", (0.0, 0.0, 0.0), radius=0.01)
    with pytest.raises(ArithmeticError, match="take a smaller time step"):
        RigidSimulator(Plant(spec), 1e-3).step(np.zeros(1))


def test_the_rate_of_a_displacement_takes_it_where_the_velocity_takes_the_base() -> None:
    """d/dt exp(U) by central differences: moved by U +- dU it is moved by U, then by +- w dt."""
    rng = np.random.default_rng(0)
    q = np.array([0.0, 0.0, 0.0, 0.5, 0.5, -0.5, 0.5])
    for size in (0.05, 0.2):
        displacement, u, dt = size * rng.standard_normal(6), rng.standard_normal(6), 1e-5
        rate = displacement_rate(True, displacement, u)
        np.testing.assert_array_equal(rate[:3], u[:3])
        ends = [displace(True, q, displacement + sign * dt * rate) for sign in (1.0, -1.0)]
        expected = [displace(True, displace(True, q, displacement), sign * dt * u) for sign in (1.0, -1.0)]
        wrong = np.abs((ends[0] - ends[1] - expected[0] + expected[1])[3:7]).max() / dt
        assert wrong < SERIES * np.linalg.norm(displacement[3:6]) ** 4 * np.linalg.norm(u[3:6]) + 1e-9
    np.testing.assert_array_equal(displacement_rate(False, displacement, u), u)


def test_the_rate_of_a_configuration_is_where_the_velocity_takes_it() -> None:
    rng = np.random.default_rng(1)
    q, u, dt = rng.standard_normal(9), rng.standard_normal(8), 1e-5
    q[3:7] /= np.linalg.norm(q[3:7])
    expected = (displace(True, q, dt * u) - displace(True, q, -dt * u)) / (2.0 * dt)
    assert np.abs(configuration_rate(True, q[3:7], u) - expected).max() < DIFFERENCE
    np.testing.assert_array_equal(configuration_rate(False, q[:0], u), u)
