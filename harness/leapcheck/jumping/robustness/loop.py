"""The closed loop of many simulations at once: measurement, controllers, latency, drives and batteries, step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.robustness.control import Controllers, Trial
from leapcheck.jumping.robustness.outcome import Recording
from leapcheck.simulators.mujoco.view import MujocoView
from leapcheck.simulators.protocol import LARGEST_SPEED, Draws
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Drive, Drives, drives, utilisations
from leapcheck_reference.simulate.battery import Battery, battery_response

CLEAR = 1e-3
"""A robot is clear of the ground where its lowest point is higher than this (m): it was so before the step that is done."""

DIVERGED = "the simulation diverged"


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


def trial_moments(trial: Trial, draws: Draws, seed: int, floor_time: float, simulations: MujocoView) -> Iterator[Moment]:
    """Steps the simulations through the trial and yields, after each step, what it was taken with.

    From `floor_time` s on, the ground of each goes to its height as soon as nothing touches either ground. One that runs away, or
    whose controller fails, stands still from there on; what is yielded of it then means nothing.
    """
    controllers, motors = Controllers(trial, draws, seed), perturbed_drives(trial.spec, draws)
    battery = _Batteries(trial.battery.open_circuit(drives(trial.spec)) * draws.voltage, trial.battery.resistance)
    strength, waiting = draws.strength[:, None], draws.ground_height != 0.0
    stopped, running = [""] * len(draws.index), None
    for k in range(trial.steps):
        speeds = simulations.joint_speeds
        desired = strength * controllers.desired_torque(k, simulations, stopped)
        if any(stopped):
            running = np.array([i for i, reason in enumerate(stopped) if not reason], dtype=np.intp)
        drive, supply = battery_response(motors, battery, desired, speeds)
        simulations.step(drive.torque, running)
        if not np.abs(simulations.qvel).max() <= LARGEST_SPEED:
            for i in np.flatnonzero(~(np.abs(simulations.qvel).max(axis=1) <= LARGEST_SPEED)):
                stopped[i] = stopped[i] or DIVERGED
        yield Moment(k, desired, drive, supply, speeds, stopped)
        if k * trial.dt >= floor_time and waiting.any():
            clear = waiting & (simulations.lowest > np.maximum(draws.ground_height, 0.0) + CLEAR)
            simulations.set_floor(clear, draws.ground_height)
            waiting &= ~clear


def recordings(trial: Trial, draws: Draws, seed: int, floor_time: float, simulations: MujocoView) -> list[Recording]:
    """Steps the simulations through the trial; what is recorded of each, up to where it stops."""
    motors, n, steps, points = perturbed_drives(trial.spec, draws), len(draws.index), trial.steps, simulations.centres.shape[1]
    qpos, com, upward = np.empty((n, steps + 1, simulations.qpos.shape[1])), np.empty((n, steps, 3)), np.empty((n, steps))
    centres, spin, uses = (
        np.empty((n, steps, points, 3)),
        np.empty((n, steps, simulations.spin.shape[1], 3)),
        np.empty((3, n, steps)),
    )
    stopped, length, line = [""] * n, np.full(n, steps), drives(trial.spec).has_line
    qpos[:, 0] = simulations.qpos
    for moment in trial_moments(trial, draws, seed, floor_time, simulations):
        k = moment.k
        qpos[:, k + 1], com[:, k], centres[:, k], spin[:, k] = (
            simulations.qpos,
            simulations.com,
            simulations.centres,
            simulations.spin,
        )
        com[:, k, 2] += simulations.floor
        upward[:, k] = simulations.upward_force
        torque_use, use = utilisations(motors, moment.desired, moment.speeds, moment.supply)
        uses[0, :, k] = torque_use.max(axis=1)
        uses[1, :, k], uses[2, :, k] = _largest(use, motors.electrical), _largest(use, line)
        if any(moment.stopped):
            length = np.where([a != b for a, b in zip(stopped, moment.stopped, strict=True)], k, length)
            stopped = list(moment.stopped)
    q, speeds = simulations.canonical(qpos), simulations.final_speeds()
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
            line_use=uses[2, i, :m],
            final_speed=float(speeds[i]),
            stopped=stopped[i],
        )
        for i, m in enumerate(length.tolist())
    ]


def _largest(use: Floats, which: NDArray[np.bool_]) -> Floats | float:
    """The largest use (n,) among some of the drives; NaN where there is none."""
    largest: Floats | float = use[:, which].max(axis=1) if which.any() else np.nan
    return largest


def perturbed_drives(spec: RobotSpec, draws: Draws) -> Drives:
    """The drives of each simulation, arrays (n, actuators).

    A strength is the magnets': torque per ampere, limit and back-emf. Of a drive rated by torque and speed alone it is the
    stall torque's; the no-load speed stays.
    """
    motors, strength = drives(spec), draws.strength[:, None]
    return dataclasses.replace(
        motors,
        torque_constant=motors.torque_constant * np.where(motors.electrical, strength, 1.0),
        resistance=motors.resistance / np.where(motors.electrical, 1.0, strength),
        torque_limit=motors.torque_limit * strength,
        friction=motors.friction * draws.dry_friction[:, None],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Batteries(Battery):
    """A battery for each simulation: `voltage` (n,) V."""

    voltage: Any = None

    def __post_init__(self) -> None:
        """Nothing to check: the one battery was checked, and the factors are between 0 and 2."""
