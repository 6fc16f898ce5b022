"""The closed loop of many simulations at once: measurement, controllers, latency, drives and batteries, step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.robustness.control import Controllers, Trial
from leapcheck.jump.robustness.outcome import Recording
from leapcheck.jump.robustness.variation import Draws
from leapcheck.jump.simulation import LARGEST_SPEED
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Battery, Drive, Drives, drives, powered, utilisations

Floats = NDArray[np.float64]

CLEAR = 1e-3
"""A robot is clear of the ground where its lowest point is higher than this (m): it was so before the step that is done."""

DIVERGED = "the simulation diverged"


class Simulations(Protocol):
    """Simulations (n,) that are stepped together, a batch or one loop of its own: what `engines.mujoco_view` says of them."""

    qpos: Floats
    qvel: Floats
    floor: Floats

    @property
    def joint_angles(self) -> Floats:
        """Angles (n, actuators) rad of the driven joints."""

    @property
    def joint_speeds(self) -> Floats:
        """Speeds (n, actuators) rad/s of the driven joints."""

    @property
    def centres(self) -> Floats:
        """Centres (n, points, 3) m of the contact spheres before the last step."""

    @property
    def com(self) -> Floats:
        """Centre of mass (n, 3) m before the last step."""

    @property
    def spin(self) -> Floats:
        """Angular velocity (n, feet, 3) rad/s of the feet's links before the last step."""

    @property
    def upward_force(self) -> Floats:
        """What the ground gave (n,) N in the last step."""

    @property
    def lowest(self) -> Floats:
        """Lowest point (n,) m above the ground before the last step."""

    def canonical(self, qpos: Floats) -> Floats:
        """Canonical q (..., nq)."""

    def states(self) -> tuple[Floats, Floats]:
        """Canonical q (n, nq), v (n, nv), the ground at zero."""

    def step(self, torque: Floats, running: NDArray[np.intp] | None = None) -> None:
        """Goes on by dt with joint torques (n, actuators) N m; `running`: the simulations that go on, None all."""

    def set_floor(self, which: NDArray[np.bool_], height: Floats) -> None:
        """Puts the ground of the simulations `which` (n,) at its height (n,) m."""

    def final_speeds(self) -> Floats:
        """sqrt(2 E_kin / m) (n,) m/s of the present states."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What step k was taken with, arrays (n, ...): joint `speeds` at its begin, torque `desired` of the drives as they understand
    it, with their strength, what they gave, terminal voltage `supply`.

    `stopped`: why each simulation stands still from now on, "" where it goes on.
    """

    k: int
    desired: Floats
    drive: Drive
    supply: Floats
    speeds: Floats
    stopped: list[str]


def stepped(trial: Trial, draws: Draws, seed: int, floor_time: float, at: Simulations) -> Iterator[Moment]:
    """Steps the simulations through the trial and yields, after each step, what it was taken with.

    From `floor_time` s on, the ground of each goes to its height as soon as nothing touches either ground. One that runs away, or
    whose controller fails, stands still from there on; what is yielded of it then means nothing.
    """
    controllers, motors, battery = Controllers(trial, draws, seed), perturbed_drives(trial.spec, draws), _batteries(trial, draws)
    strength, waiting = draws.strength[:, None], draws.ground_height != 0.0
    stopped, running = [""] * len(draws.index), None
    for k in range(trial.steps):
        speeds = at.joint_speeds
        desired = strength * controllers.desired(k, at, stopped)
        if any(stopped):
            running = np.array([i for i, reason in enumerate(stopped) if not reason], dtype=np.intp)
        drive, supply = powered(motors, battery, desired, speeds)
        at.step(drive.torque, running)
        if not np.abs(at.qvel).max() <= LARGEST_SPEED:
            for i in np.flatnonzero(~(np.abs(at.qvel).max(axis=1) <= LARGEST_SPEED)):
                stopped[i] = stopped[i] or DIVERGED
        yield Moment(k, desired, drive, supply, speeds, stopped)
        if k * trial.dt >= floor_time and waiting.any():
            clear = waiting & (at.lowest > np.maximum(draws.ground_height, 0.0) + CLEAR)
            at.set_floor(clear, draws.ground_height)
            waiting &= ~clear


def recorded(trial: Trial, draws: Draws, seed: int, floor_time: float, at: Simulations) -> list[Recording]:
    """Steps the simulations through the trial; what is recorded of each, up to where it stops."""
    motors, n, steps, points = perturbed_drives(trial.spec, draws), len(draws.index), trial.steps, at.centres.shape[1]
    qpos, com, upward = np.empty((n, steps + 1, at.qpos.shape[1])), np.empty((n, steps, 3)), np.empty((n, steps))
    centres, spin, uses = np.empty((n, steps, points, 3)), np.empty((n, steps, at.spin.shape[1], 3)), np.empty((2, n, steps))
    stopped, length = [""] * n, np.full(n, steps)
    qpos[:, 0] = at.qpos
    for moment in stepped(trial, draws, seed, floor_time, at):
        k = moment.k
        qpos[:, k + 1], com[:, k], centres[:, k], spin[:, k] = at.qpos, at.com, at.centres, at.spin
        com[:, k, 2] += at.floor
        upward[:, k] = at.upward_force
        torque_use, voltage_use = utilisations(motors, moment.desired, moment.speeds, moment.supply)
        uses[0, :, k], uses[1, :, k] = torque_use.max(axis=1), voltage_use.max(axis=1)
        if any(moment.stopped):
            length = np.where([a != b for a, b in zip(stopped, moment.stopped, strict=True)], k, length)
            stopped = list(moment.stopped)
    q, speeds = at.canonical(qpos), at.final_speeds()
    weight = (trial.spec.total_mass + draws.payload) * np.linalg.norm(trial.spec.gravity)
    return [
        Recording(
            dt=trial.dt,
            q=q[i, : m + 1],
            com=com[i, :m],
            centres=centres[i, :m],
            spin=spin[i, :m],
            upward=upward[i, :m],
            weight=float(weight[i]),
            torque_use=uses[0, i, :m],
            voltage_use=uses[1, i, :m],
            final_speed=float(speeds[i]),
            stopped=stopped[i],
        )
        for i, m in enumerate(length.tolist())
    ]


def perturbed_drives(spec: RobotSpec, draws: Draws) -> Drives:
    """The drives of each simulation, arrays (n, actuators). A strength is the magnets': torque per ampere, limit and back-emf."""
    motors, strength = drives(spec), draws.strength[:, None]
    return dataclasses.replace(
        motors,
        torque_constant=motors.torque_constant * strength,
        torque_limit=motors.torque_limit * strength,
        friction=motors.friction * draws.dry_friction[:, None],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Batteries(Battery):
    """A battery for each simulation: `voltage` (n,) V."""

    voltage: Any = None

    def __post_init__(self) -> None:
        """Nothing to check: the one battery was checked, and the factors are between 0 and 2."""


def _batteries(trial: Trial, draws: Draws) -> Battery:
    motors, nominal = drives(trial.spec), trial.battery.voltage
    if nominal is None:
        rated = motors.electrical | (not motors.electrical.any())  # as `powered` has it
        nominal = float(np.max(motors.voltage, initial=0.0, where=rated))
    return _Batteries(nominal * draws.voltage, trial.battery.resistance)
