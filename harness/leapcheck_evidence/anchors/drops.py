"""A robot that falls onto its feet with its joints held: from how high it stands afterwards, and what trunk and ground bear."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.judging.thresholds import Thresholds
from leapcheck.jumping.measures.observation import observe
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.plant import Plant

ENGINES = JumpOptions().engines
SEARCH = "mujoco"
"""The simulator in which gains are chosen; all judge them."""

DT, STAND = 1e-3, 1.2
"""Step (s); time (s) from the touch-down on."""

KP, KD, BENT = (40.0, 80.0), (2.0, 4.0), (1.0, 0.8, 0.6)
"""To choose from: gains, N m/rad and N m s/rad, and the joints' angles as parts of those of the robot's first pose."""

HEIGHTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Heights (m) to fall from."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A fall from `height` m with gains and pose `posture` = (kp, kd, bent) in one simulator.

    `trunk_clearance` m: lowest point of the trunk; `force`: that of the ground over the weight, largest mean over 20 ms;
    `stands`: whether the robot stands at the end without its trunk having touched.
    """

    height: float
    posture: tuple[float, float, float]
    trunk_clearance: float
    force: float
    stands: bool


def best_drop(spec: RobotSpec, height: float) -> Drop:
    """The drop, in the simulator `SEARCH`, that keeps the trunk highest, of those that end in a stand if one does."""
    tried = [drop(spec, SEARCH, height, posture) for posture in itertools.product(KP, KD, BENT)]
    return max(tried, key=lambda one: (one.stands, one.trunk_clearance))


def drop(spec: RobotSpec, engine: str, height: float, posture: tuple[float, float, float]) -> Drop:
    """The feet fall `height` m, the joints held by (kp, kd) in the robot's first pose, bent by the part `bent` of it."""
    kp, kd, bent = posture
    q, v, joints = np.array(spec.poses[0].q, dtype=float), np.zeros(spec.nv), len(spec.actuators)
    q[-joints:] *= bent
    plant = Plant(spec)
    q[2] += height - float(plant.touch(plant.at(q, v)).gaps.min())
    duration = math.sqrt(2.0 * height / float(np.linalg.norm(spec.gravity))) + STAND
    command = JointCommand(np.zeros(joints), q[-joints:], np.zeros(joints), np.full(joints, kp), np.full(joints, kd))

    def hold(t: float, q: Floats, v: Floats) -> JointCommand:
        del t, q, v
        return command

    log = simulate(spec, make_simulator(engine, spec, Ground(), DT), hold, drives(spec), (q, v), DT * round(duration / DT))
    return _outcome(spec, log, height, posture)


def _outcome(spec: RobotSpec, log: JumpLog, height: float, posture: tuple[float, float, float]) -> Drop:
    seen, limits = observe(spec, log), Thresholds()
    points = [point for point in spec.contact_points if point.computed]
    trunk = [i for i, point in enumerate(points) if point.body == spec.bodies[0].name and not point.is_foot]
    clearance = float(seen.gaps[:, trunk].min()) if trunk else math.inf
    window = round(0.02 / log.dt)
    force = float(np.convolve(seen.force[..., 2].sum(axis=1), np.ones(window) / window, "valid").max()) / seen.weight
    x, y = log.q[-1, 4:6]
    tilt = math.degrees(math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * float(x * x + y * y)))))
    speed = math.sqrt(2.0 * float(seen.kinetic_energy[-1]) / spec.total_mass)
    still = tilt <= limits.tilt_no_go and speed <= limits.speed_no_go
    stands = not log.stopped and clearance > limits.trunk_clearance_no_go and still
    return Drop(height, posture, clearance, force, stands)
