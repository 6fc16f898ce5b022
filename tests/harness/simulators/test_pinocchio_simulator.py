"""Rigid contact in house against Pinocchio's dynamics and constraint solvers, step by step from generic states."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leapcheck.engines.errors import EngineError
from leapcheck.simulators.pinocchio import impulses as pinocchio_impulses
from leapcheck.simulators.pinocchio.simulator import PinocchioSimulator
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator

DT = 1e-3

ONE_STEP = 2e-9
"""Largest difference of a velocity after one step from the same state, speeds up to 10 m/s, rad/s; measured 3.4e-10 by PGS."""

FORCE = 1e-7
"""The same of a force (N), up to some 1000 N; measured 1.8e-8 by PGS."""

FLAT = 1e-12
"""Largest difference of a coordinate over 0.15 s of a fall on the trunk; measured 6e-15."""

STATES, STEPS = 12, 8
"""Generic states, and steps from each: contacts open and close in them."""

SMALLEST_PART = 0.2
"""At least this part of the states must touch the ground, or slide, or reach a stop: else nothing was compared."""


def generic_state(rng: np.random.Generator, plant: Plant) -> tuple[Floats, Floats]:
    """A tilted robot that falls, its lowest point at most a millimetre above the ground."""
    q, v = np.zeros(19), 0.3 * rng.normal(size=18)
    q[3:7] = np.array([1.0, 0.0, 0.0, 0.0]) + 0.01 * rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] = np.tile([0.0, -0.8, 1.6], 4) + 0.02 * rng.normal(size=12)
    v[5] -= 1.0
    q[2] -= (plant.at(q, v).centres[:, 2] - plant.radii).min() - rng.uniform(0.0, 1e-3)
    return q, v


@pytest.mark.parametrize("solver", ["admm", "pgs"])
@pytest.mark.parametrize("mu", [0.1, 0.5])
@pytest.mark.parametrize("robot", ["mini_cheetah", "mini_cheetah_armature"])
def test_the_same_steps_from_generic_states(robot: str, mu: float, solver: str) -> None:
    spec = load(robot)
    plant = Plant(spec)
    own, pinocchio = RigidSimulator(plant, DT, mu), PinocchioSimulator(spec, DT, mu, solver)
    rng = np.random.default_rng(3)
    touching = sliding = steps = 0
    touched = np.zeros(len(plant.radii), dtype=bool)
    for _ in range(STATES):
        state = generic_state(rng, plant)
        own.start(*state)
        pinocchio.start(*state)
        for _ in range(STEPS):
            torque = rng.normal(size=12)
            own.step(torque)
            pinocchio.step(torque)
            assert np.abs(own.q - pinocchio.q).max() < ONE_STEP * DT
            assert np.abs(own.v - pinocchio.v).max() < ONE_STEP
            assert np.abs(own.forces - pinocchio.forces).max() < FORCE
            force = own.forces
            touches = force[:, 2] > 0.0
            touched |= touches
            steps, touching = steps + 1, touching + touches.any()
            slides = np.hypot(force[:, 0], force[:, 1]) > (1 - 1e-9) * mu * force[:, 2]
            sliding += (touches & slides).any()
            own.start(pinocchio.q, pinocchio.v)
    assert min(touching, sliding) > SMALLEST_PART * steps
    assert touched[9::2].all()  # feet


def test_a_fall_flat_on_the_trunk() -> None:
    """Four corners of one body at once, 12 rows for 6 dofs, sliding to a stop: impulses are not unique, velocities are.

    Pinocchio's PGS gives up on it."""
    spec = load("mini_cheetah")
    own, pinocchio = RigidSimulator(Plant(spec), DT, 0.4), PinocchioSimulator(spec, DT, 0.4)
    q, v = np.zeros(19), np.zeros(18)
    q[2], q[3], q[7:], v[3], v[5] = 0.0555, 1.0, np.tile([0.0, -1.55, 0.05], 4), 0.3, -1.0
    own.start(q, v)
    pinocchio.start(q, v)
    most = 0
    for _ in range(150):
        torque = -0.1 * own.v[6:]
        own.step(torque)
        pinocchio.step(torque)
        assert np.abs(own.q - pinocchio.q).max() < FLAT
        most = max(most, np.count_nonzero(own.forces[:8, 2] > 0.0))
    assert most == 4


def narrowed(spec: RobotSpec) -> RobotSpec:
    """The robot with abad stops at +-0.1 rad."""
    bodies = [
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=(-0.1, 0.1)))
        if body.joint.name.endswith("abad_joint")
        else body
        for body in spec.bodies
    ]
    return dataclasses.replace(spec, bodies=tuple(bodies))


def test_joint_stops_together_with_contacts() -> None:
    """Abads driven against their stops, both ends, with the feet on the ground."""
    spec = narrowed(load("mini_cheetah"))
    own, pinocchio = RigidSimulator(Plant(spec), DT, 0.6), PinocchioSimulator(spec, DT, 0.6)
    state = np.array(spec.pose("home")), np.zeros(18)
    own.start(*state)
    pinocchio.start(*state)
    torque = np.zeros(12)
    torque[0::3] = [12.0, -12.0, -12.0, 12.0]
    stopped = 0
    for _ in range(150):
        own.step(torque)
        pinocchio.step(torque)
        assert np.abs(own.q - pinocchio.q).max() < 1e-10
        assert np.abs(own.limit_torques - pinocchio.limit_torques).max() < FORCE
        stopped += np.count_nonzero(own.limit_torques)
    assert stopped > 100
    assert {1.0, -1.0} == set(np.sign(own.limit_torques[own.limit_torques != 0.0]))


def test_wrong_impulses_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pinocchio 4.1.0's PGS, not relaxed, calls impulses converged that break the laws where there is no friction."""
    monkeypatch.setitem(pinocchio_impulses.VARIANTS, "pgs", ({},))
    spec = load("mini_cheetah")
    state = np.array(spec.pose("home")), np.zeros(18)
    pgs = PinocchioSimulator(spec, DT, 0.0, "pgs")
    pgs.start(*state)
    with pytest.raises(ArithmeticError, match=r"PGS calls converged .*use its ADMM"):
        pgs.step(np.zeros(12))
    assert pgs.worst_residual > 1e-6
    admm, own = PinocchioSimulator(spec, DT, 0.0, "admm"), RigidSimulator(Plant(spec), DT, 0.0)
    for simulator in (admm, own):
        simulator.start(*state)
        simulator.step(np.zeros(12))
    assert np.abs(own.v - admm.v).max() < ONE_STEP


def test_bad_input_is_named() -> None:
    spec = load("mini_cheetah_armature")
    with pytest.raises(ValueError, match="time step -1"):
        PinocchioSimulator(spec, -1.0)
    with pytest.raises(ValueError, match="friction nan"):
        PinocchioSimulator(spec, DT, float("nan"))
    with pytest.raises(ValueError, match="no constraint solver 'newton'"):
        PinocchioSimulator(spec, DT, 0.5, "newton")
    with pytest.raises(EngineError, match="stands fixed"):
        PinocchioSimulator(load("two_link_arm"), DT)
