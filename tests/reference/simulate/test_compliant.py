"""Springy ground against SciPy's integration of the laws as they are printed, and against what any ground must do."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.robots.free_bodies import BOX_MASS, BOX_SIZE
from leapcheck_reference.simulate.compliant import CompliantSimulator, ContactLaw, HuntCrossley, SpringDamper, Stop
from leapcheck_reference.simulate.coordinates import world_velocity
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator
from tests.reference.simulate.simple_bodies import BALL_INERTIA, GRAVITY, MASS, RADIUS, ball, box, pendulum

SOFT = SpringDamper(stiffness=2e4, damping=300.0)
BOUNCY = HuntCrossley(stiffness=2e4, dissipation=0.2, tangential_damping=300.0)
MU = 0.3

ORDER = 0.02
"""How far the observed order may be from 1; measured 0.0043."""

RESTING = 1e-8
"""Speed (m/s) and depth (m) of what stands, after 2 to 3 s; measured 4.1e-10."""

STANDING = 1e-3
"""Force (N) that a standing robot still lacks after 2 s of swaying, and ten times its joints' speed (rad/s); measured 2.1e-4."""

LIMIT = 5e-5
"""Difference of the extrapolated state from SciPy's, m, m/s and rad/s of order 1; measured 1.3e-5."""


def continuous(law: ContactLaw) -> Callable[[float, Floats], Floats]:
    """Rates of (x, z, vx, vz, wy, deflection) of the ball by the laws in their printed form, F_n = max(0, ...)."""
    K, D = law.stiffness, law.tangential_damping

    def rates(t: float, y: Floats) -> Floats:
        _, z, vx, vz, wy, e = y
        depth = max(RADIUS - z, 0.0)
        s = math.sqrt(depth)
        if isinstance(law, SpringDamper):
            normal = max(0.0, s * (K * depth - law.damping * vz))
        else:
            normal = max(0.0, K * depth**1.5 * (1.0 - 1.5 * law.dissipation * vz))
        slip = vx - RADIUS * wy
        friction, edot = 0.0, -K / D * e
        if s > 0.0:
            friction, edot = -K * s * e - D * s * slip, slip
            if abs(friction) > MU * normal:
                friction = math.copysign(MU * normal, friction)
                edot = -(friction + K * s * e) / (D * s)
        return np.array([vx, vz, friction / MASS, normal / MASS - GRAVITY, -RADIUS * friction / BALL_INERTIA, edot])

    return rates


def stepped(law: ContactLaw, dt: float, start: Floats, duration: float) -> Floats:
    """(x, z, vx, vz, wy) of the ball at the end, by the simulator."""
    simulator = CompliantSimulator(Plant(ball()), dt, law, MU)
    x, z, vx, vz, wy = start
    simulator.start(np.array([x, 0, z, 1, 0, 0, 0]), np.array([0, wy, 0, vx, 0, vz]))
    for _ in range(round(duration / dt)):
        simulator.step(np.zeros(0))
    u = world_velocity(True, simulator.q, simulator.v)
    return np.array([simulator.q[0], simulator.q[2], u[0], u[2], u[4]])


@pytest.mark.parametrize("law", [SOFT, BOUNCY], ids=["spring-damper", "hunt-crossley"])
@pytest.mark.parametrize(
    ("start", "duration"),
    [
        ((0.0, RADIUS, 1.0, -1.0, 0.0), 0.02),
        ((0.0, RADIUS, 0.02, -0.5, 0.0), 0.02),
        ((0.0, RADIUS + 0.01, 0.5, 0.0, -3.0), 0.08),
    ],
    ids=["slides", "sticks", "falls, spins, slides, sticks"],
)
def test_tends_to_the_continuous_law(law: ContactLaw, start: tuple[float, ...], duration: float) -> None:
    state = np.array(start)
    exact = solve_ivp(
        continuous(law), (0.0, duration), np.append(state, 0.0), method="DOP853", rtol=1e-10, atol=1e-12, max_step=1e-4
    )
    steps = [2e-4, 1e-4, 5e-5, 2.5e-5]
    found = np.array([stepped(law, dt, state, duration) for dt in steps])
    errors = np.abs(found - exact.y[:5, -1]).max(axis=1)
    assert abs(np.log2(errors[-2] / errors[-1]) - 1.0) < ORDER
    assert np.abs(2.0 * found[-1] - found[-2] - exact.y[:5, -1]).max() < LIMIT


@pytest.mark.parametrize("law", [SpringDamper(), HuntCrossley()], ids=["spring-damper", "hunt-crossley"])
def test_a_robot_stands_on_its_weight(law: ContactLaw) -> None:
    """Held by stiff joints, it stands still after 2 s, its feet carry m g, and none creeps: the tangential springs hold."""
    spec = load("mini_cheetah")
    simulator = CompliantSimulator(Plant(spec), 1e-3, law)
    home = np.array(spec.pose("home"))
    simulator.start(home, np.zeros(18))
    for _ in range(2000):
        simulator.step(100.0 * (home[7:] - simulator.q[7:]) - 4.0 * simulator.v[6:])
    assert np.abs(simulator.forces.sum(axis=0) - [0, 0, spec.total_mass * GRAVITY]).max() < STANDING
    assert np.abs(simulator.v).max() < 0.1 * STANDING


@pytest.mark.parametrize(("dt", "law"), [(1e-3, SpringDamper(1e8, 1e6)), (5e-3, SpringDamper(5e5, 1e5))])
def test_stable_where_explicit_steps_are_not(dt: float, law: SpringDamper) -> None:
    """D s dt / m is above 5, 2 is what explicit steps bear: the box, dropped askew, comes to rest all the same."""
    depth = (BOX_MASS * GRAVITY / 4 / law.stiffness) ** (2 / 3)
    assert law.damping * math.sqrt(depth) * dt / (BOX_MASS / 4) > 5.0
    simulator = CompliantSimulator(Plant(box(), smallest_radius=0.0), dt, law, 0.5)
    simulator.start(np.array([0, 0, 0.2, 1.0, 0.2, 0.1, 0.0]), np.array([1.0, 0, 0, 0.5, 0, 0]))
    for _ in range(round(3.0 / dt)):
        simulator.step(np.zeros(0))
    assert np.abs(simulator.v).max() < RESTING
    assert abs(simulator.q[2] + depth - BOX_SIZE[2] / 2) < RESTING
    assert abs(simulator.forces[:, 2].sum() - BOX_MASS * GRAVITY) < RESTING / dt


def test_stiffer_ground_tends_to_the_rigid_one() -> None:
    """A box thrown along the ground: where it ends depends less and less on the ground."""
    q, v = np.array([0, 0, BOX_SIZE[2] / 2, 1.0, 0, 0, 0]), np.array([0, 0, 0, 1.0, 0, 0])
    plant = Plant(box(), smallest_radius=0.0)

    def ended(simulator: CompliantSimulator | RigidSimulator) -> float:
        simulator.start(q, v)
        for _ in range(600):
            simulator.step(np.zeros(0))
        return float(simulator.q[0])

    rigid = ended(RigidSimulator(plant, 1e-3, MU))
    away = [abs(ended(CompliantSimulator(plant, 1e-3, SpringDamper(K, K / 100), MU)) - rigid) for K in (1e5, 1e7, 1e9)]
    assert away[0] > away[1] > away[2]
    assert away[2] < 1e-4 * rigid


def test_joint_stop_is_a_spring() -> None:
    """Driven by 3 N m, the joint rests 3/K beyond its limit, and the stop gives -3 N m."""
    stop = Stop(stiffness=200.0, damping=12.0)
    simulator = CompliantSimulator(Plant(pendulum(limits=(-0.5, 0.4))), 1e-3, SpringDamper(stop=stop))
    simulator.start(np.array([0.3]), np.zeros(1))
    for _ in range(1500):
        simulator.step(np.array([3.0]))
    assert abs(simulator.q[0] - 0.4 - 3.0 / 200.0) < 1e-9
    assert abs(simulator.limit_torques[0] + 3.0) < 1e-7


def test_a_new_start_forgets_the_deflections() -> None:
    simulator = CompliantSimulator(Plant(ball()), 1e-3, SOFT, MU)
    ends = []
    for _ in range(2):
        simulator.start(np.array([0, 0, RADIUS, 1.0, 0, 0, 0]), np.array([0, 0, 0, 1.0, 0, -1.0]))
        for _ in range(15):
            simulator.step(np.zeros(0))
        ends.append(np.concatenate([simulator.q, simulator.v]))
    assert np.array_equal(ends[0], ends[1])


def test_bad_laws_are_named() -> None:
    with pytest.raises(ValueError, match="stiffness 0"):
        SpringDamper(stiffness=0.0)
    with pytest.raises(ValueError, match="damping nan"):
        HuntCrossley(tangential_damping=math.nan)
    with pytest.raises(ValueError, match="dissipation -1"):
        HuntCrossley(dissipation=-1.0)
