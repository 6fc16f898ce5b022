"""Rigid contact against closed forms: sliding, rolling, impact, rest, joint stops, losses of joints."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.robots.free_bodies import BOX_MASS, BOX_SIZE
from leapcheck_reference.simulate.coordinates import world_velocity
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator
from tests.reference.simulate.simple_bodies import (
    BALL_INERTIA,
    GRAVITY,
    MASS,
    PENDULUM_INERTIA,
    RADIUS,
    ball,
    box,
    pendulum,
    with_planar_legs,
)

DT = 1e-3

DISCRETE = 1e-12
"""Difference from the closed form of the time-stepper itself, after up to 1000 steps of values around 1; measured 6e-14."""

RESTING = 1e-11
"""Speed (m/s) and force (relative) of a body at rest; measured 1.2e-12."""

SUNK = 1e-4
"""Depth (m) to which curved paths let a point sink at 1 ms and 5 m/s before the next step lifts it; measured 1.5e-5."""


def at_rest(spec_nq: int, z: float) -> Floats:
    """q (nq,) of a free body at height z."""
    q = np.zeros(spec_nq)
    q[2], q[3] = z, 1.0
    return q


def test_box_slides_and_stops() -> None:
    """v falls by mu g dt each step, four corners sharing the load (12 rows, 6 dofs), then it stands."""
    mu, speed = 0.25, 1.0
    simulator = RigidSimulator(Plant(box(), smallest_radius=0.0), DT, mu)
    simulator.start(at_rest(7, BOX_SIZE[2] / 2), np.array([0, 0, 0, speed, 0, 0.0]))
    x = 0.0
    for k in range(1, 500):
        simulator.step(np.zeros(0))
        v = max(speed - mu * GRAVITY * DT * k, 0.0)
        x += DT * v
        assert abs(simulator.v[3] - v) < DISCRETE
        assert abs(simulator.q[0] - x) < DISCRETE
        assert abs(simulator.forces[:, 2].sum() - BOX_MASS * GRAVITY) < DISCRETE * BOX_MASS * GRAVITY / DT
    assert abs(simulator.forces[:, 0].sum()) < RESTING
    assert x == pytest.approx(speed**2 / (2 * mu * GRAVITY), abs=DT)


def test_ball_slides_then_rolls() -> None:
    """It keeps 5/7 of its speed; until it rolls, friction is mu m g. The contact is on the sphere, not at its centre."""
    mu, speed = 0.2, 2.0
    simulator = RigidSimulator(Plant(ball()), DT, mu)
    simulator.start(at_rest(7, RADIUS), np.array([0, 0, 0, 0, speed, 0.0]))
    rolls_at = 2 * speed / (7 * mu * GRAVITY)
    for k in range(1, 600):
        simulator.step(np.zeros(0))
        t, v = DT * k, simulator.v
        v_W = world_velocity(True, simulator.q, v)[1]
        if t < rolls_at - DT:
            assert abs(v_W - (speed - mu * GRAVITY * t)) < DISCRETE
            assert abs(v[0] + MASS * RADIUS * mu * GRAVITY * t / BALL_INERTIA) < DISCRETE * 100
        elif t > rolls_at + DT:
            assert abs(v_W - 5 / 7 * speed) < DISCRETE
            assert abs(v[0] + v_W / RADIUS) < DISCRETE * 100
            assert np.abs(simulator.forces[0, :2]).max() < RESTING


@pytest.mark.parametrize(("mu", "slides"), [(0.1, True), (0.6, False)])
def test_oblique_impact(mu: float, slides: bool) -> None:
    """Inelastic: p_n = m v_n; p_t is mu p_n, or what makes the ball roll, v_t / (1/m + r^2/I)."""
    normal, tangential = 3.0, 2.0
    simulator = RigidSimulator(Plant(ball()), DT, mu)
    simulator.start(at_rest(7, RADIUS), np.array([0, 0, 0, tangential, 0, -normal]))
    simulator.step(np.zeros(0))
    p_n = MASS * (normal + GRAVITY * DT)
    p_t = mu * p_n if slides else tangential / (1 / MASS + RADIUS**2 / BALL_INERTIA)
    assert abs(simulator.forces[0, 2] * DT - p_n) < DISCRETE
    assert abs(simulator.forces[0, 0] * DT + p_t) < DISCRETE
    u = world_velocity(True, simulator.q, simulator.v)
    assert abs(u[4] - RADIUS * p_t / BALL_INERTIA) < DISCRETE
    assert np.abs(u[:3] - [tangential - p_t / MASS, 0, 0]).max() < DISCRETE


def test_a_fall_ends_on_the_ground_exactly() -> None:
    """The gap is closed to nothing, not passed by v dt, and what falls below is no deeper than rounding."""
    simulator = RigidSimulator(Plant(ball()), DT, 0.5)
    simulator.start(at_rest(7, RADIUS + 0.1234), np.zeros(6))
    for _ in range(400):
        simulator.step(np.zeros(0))
        assert simulator.q[2] > RADIUS - DISCRETE
    assert abs(simulator.q[2] - RADIUS) < DISCRETE


def test_box_comes_to_rest() -> None:
    """Dropped askew and spinning, it ends flat on a face, its weight on the ground, and its energy never grows."""
    rng = np.random.default_rng(4)
    plant = Plant(box(), smallest_radius=0.0)
    for mu in (0.1, 0.7):
        simulator = RigidSimulator(plant, DT, mu)
        q = at_rest(7, 0.3)
        q[3:7] = rng.normal(size=4)
        simulator.start(q, np.array([1.0, 2.0, -1.0, 0.3, 0.2, 0.0]))
        for _ in range(2500):
            simulator.step(np.zeros(0))
            heights = plant.at(simulator.q, np.zeros(6)).centres[:, 2]
            assert heights.min() > -SUNK
        assert np.abs(simulator.v).max() < RESTING
        assert np.abs(simulator.forces.sum(axis=0) - [0, 0, BOX_MASS * GRAVITY]).max() < RESTING / DT
        assert min(abs(simulator.q[2] - side / 2) for side in BOX_SIZE) < 1e-6


def test_a_start_inside_the_ground_is_lifted_gently() -> None:
    simulator = RigidSimulator(Plant(ball()), DT, 0.5)
    simulator.start(at_rest(7, RADIUS - 0.02), np.zeros(6))
    fastest = 0.0
    for _ in range(100):
        simulator.step(np.zeros(0))
        fastest = max(fastest, simulator.v[5])
    assert fastest < 0.5 + DISCRETE
    assert simulator.q[2] > RADIUS - DISCRETE


def test_joint_stop_holds_and_gives_the_torque() -> None:
    """Driven against its stop by 3 N m, the joint stands there, and the stop gives -3 N m; let go, it is free at once."""
    simulator = RigidSimulator(Plant(pendulum(limits=(-0.5, 0.4))), DT, 0.5)
    simulator.start(np.array([0.3]), np.array([0.0]))
    for _ in range(400):
        simulator.step(np.array([3.0]))
        assert simulator.q[0] < 0.4 + DISCRETE
    assert abs(simulator.limit_torques[0] + 3.0) < DISCRETE / DT
    simulator.step(np.array([-1.0]))
    assert simulator.limit_torques[0] == 0.0
    assert abs(simulator.v[0] + DT / PENDULUM_INERTIA) < DISCRETE


def test_damping_is_implicit_and_dry_friction_exact() -> None:
    damped = RigidSimulator(Plant(pendulum(damping=50.0), passive=True), DT, 0.5)
    damped.start(np.zeros(1), np.ones(1))
    rubbed = RigidSimulator(Plant(pendulum(friction=0.13), passive=True), DT, 0.5)
    rubbed.start(np.zeros(1), np.ones(1))
    for k in range(1, 3000):
        damped.step(np.zeros(1))
        rubbed.step(np.zeros(1))
        assert abs(damped.v[0] - (1.0 + DT * 50.0 / PENDULUM_INERTIA) ** -k) < DISCRETE
        assert abs(rubbed.v[0] - max(1.0 - 0.5 * DT * k, 0.0)) < DISCRETE


def test_dry_friction_holds_a_weight() -> None:
    """Gravity asks for m g l sin(1) = 4.13 N m: friction of 4.2 holds it, 4.0 does not."""
    for friction, holds in ((4.2, True), (4.0, False)):
        spec = pendulum(friction=friction, gravity=(0.0, 0.0, -GRAVITY))
        simulator = RigidSimulator(Plant(spec, passive=True), DT, 0.5)
        simulator.start(np.ones(1), np.zeros(1))
        for _ in range(100):
            simulator.step(np.zeros(1))
        assert bool(abs(simulator.v[0]) < 1e-6) == holds


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8])
def test_robot_crashes_within_the_laws(mu: float) -> None:
    """Thrown down askew, on feet, knees and trunk: no point sinks in, forces stay in their cones, all is finite."""
    rng = np.random.default_rng(11)
    spec = load("mini_cheetah")
    plant = Plant(spec)
    simulator = RigidSimulator(plant, DT, mu)
    q = np.zeros(19)
    q[2], q[3:7], q[7:] = 0.45, [1.0, 0.3, 0.2, 0.0], np.array(spec.pose("home"))[7:]
    simulator.start(q, rng.normal(size=18))
    touched = np.zeros(len(plant.radii), dtype=bool)
    for _ in range(1000):
        simulator.step(-0.5 * simulator.v[6:])
        force = simulator.forces
        touched |= force[:, 2] > 0.0
        assert (force[:, 2] >= 0.0).all()
        assert (np.hypot(force[:, 0], force[:, 1]) <= mu * force[:, 2] + 1e-9 * (1.0 + force[:, 2])).all()
        gaps = plant.at(simulator.q, np.zeros(18)).centres[:, 2] - plant.radii
        assert gaps.min() > -SUNK
    assert touched.sum() >= 5


def test_legs_that_move_in_planes_stand() -> None:
    """Sideways four feet whose heights differ by nanometres hold the trunk: their rows are redundant, but for that."""
    spec = with_planar_legs(load("mini_cheetah"))
    simulator, home = RigidSimulator(Plant(spec), DT, 0.8), np.array(spec.pose("home"))
    start = home.copy()
    start[2] += 0.01
    simulator.start(start, np.zeros(18))
    for _ in range(400):
        simulator.step(60.0 * (home[7:] - simulator.q[7:]) - 2.0 * simulator.v[6:])
    assert np.count_nonzero(simulator.forces[:, 2]) == 4
    assert simulator.forces[:, 2].sum() == pytest.approx(spec.total_mass * GRAVITY, rel=0.01)  # measured 1.004, it still settles
    assert abs(simulator.q[1]) < 1e-4


def test_bad_input_is_named() -> None:
    plant = Plant(ball())
    with pytest.raises(ValueError, match="time step 0"):
        RigidSimulator(plant, 0.0, 0.5)
    with pytest.raises(ValueError, match="friction -1"):
        RigidSimulator(plant, DT, -1.0)
    with pytest.raises(ValueError, match=r"friction of shape \(2,\): give one number, or one for each of 1 points"):
        RigidSimulator(plant, DT, np.array([0.5, 0.5]))
    simulator = RigidSimulator(plant, DT, 0.5)
    with pytest.raises(ValueError, match="starts with q"):
        simulator.start(np.zeros(3), np.zeros(6))
    with pytest.raises(ValueError, match="not finite"):
        simulator.start(at_rest(7, np.nan), np.zeros(6))
    driven = RigidSimulator(Plant(pendulum()), DT, 0.5)
    with pytest.raises(ArithmeticError, match="not finite"):
        driven.step(np.array([np.nan]))
