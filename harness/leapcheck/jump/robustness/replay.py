"""One simulation of a Monte Carlo once more, with everything logged."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.mujoco_loop import MujocoLoop
from leapcheck.jump.log import JumpLog
from leapcheck.jump.robustness.control import CONTROLLER, Trial
from leapcheck.jump.robustness.loop import Moment, stepped
from leapcheck.jump.robustness.monte_carlo import MonteCarlo
from leapcheck.jump.robustness.variation import Draws, drawn
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import Actuator, Body, RobotSpec

Floats = NDArray[np.float64]

COLUMNS = ("desired", "torque", "current", "voltage", "battery_voltage", "battery_power", "forces", "limit_torques")
"""Fields of a log that have a row for each step."""


def replayed(found: MonteCarlo, number: int | None = None) -> JumpLog:
    """The log of one simulation, by default the worst, with the same bits as in the batch. ValueError for a number there is not.

    Heights are in the world: the ground lies at the simulation's `ground_height` from mid-flight on. `desired` is what the
    drives of this robot (`perturbed_robot`) understand.
    """
    number = found.worst if number is None else number
    if not 0 <= number < found.count:
        raise ValueError(f"simulation {number}: there are {found.count}, numbered from 0")
    trial, draws = found.trial, drawn(found.variation, found.seed, [number])
    loop = MujocoLoop(trial.spec, trial.contact, trial.dt, draws, trial.start)
    states, rows, stopped = [loop.state], [], ""
    for moment in stepped(trial, draws, found.seed, found.floor_time, loop):
        if moment.stopped[0].startswith(CONTROLLER):  # its last step was not taken
            stopped = f"{moment.stopped[0]} at t = {moment.k * trial.dt:.4f} s"
            break
        states.append(loop.state)
        rows.append((*_row(moment), loop.forces, loop.limit_torques))
        if moment.stopped[0]:
            stopped = f"{moment.stopped[0]} at t = {(moment.k + 1) * trial.dt:.4f} s"
            break
    return _log(trial, states, rows, stopped)


def perturbed_robot(spec: RobotSpec, draws: Draws, place: int = 0) -> RobotSpec:
    """The robot of one simulation: rotors lumped, trunk with payload and com offset, drives with their strength and friction."""
    lumped = with_lumped_rotors(spec)
    bodies = [_with_dry_friction(body, float(draws.dry_friction[place])) for body in lumped.bodies]
    inertia, offset = bodies[0].inertia, draws.com_offset[place]
    x, y, z = (float(c + o) for c, o in zip(inertia.com, offset, strict=True))
    inertia = dataclasses.replace(inertia, mass=inertia.mass + float(draws.payload[place]), com=(x, y, z))
    bodies[0] = dataclasses.replace(bodies[0], inertia=inertia)
    actuators = tuple(_with_strength(actuator, float(draws.strength[place])) for actuator in lumped.actuators)
    return dataclasses.replace(lumped, name=f"{spec.name}_{int(draws.index[place])}", bodies=tuple(bodies), actuators=actuators)


def _row(moment: Moment) -> tuple[Floats, ...]:
    """What the one simulation's step was taken with, in the order of `COLUMNS`."""
    drive = moment.drive
    power = drive.power.sum(axis=1)[0]
    return moment.desired[0], drive.torque[0], drive.current[0], drive.voltage[0], moment.supply[0], power


def _log(trial: Trial, states: list[tuple[Floats, Floats]], rows: list[tuple[Floats, ...]], stopped: str) -> JumpLog:
    spec, (q, v) = trial.spec, zip(*states, strict=True)
    points = tuple(point.name for point in spec.contact_points if point.computed)
    return JumpLog(
        simulator="mujoco Euler, armature",
        robot=spec.name,
        dt=trial.dt,
        points=points,
        actuators=tuple(actuator.name for actuator in spec.actuators),
        time=np.arange(len(states), dtype=float) * trial.dt,
        q=np.array(q),
        v=np.array(v),
        **{name: np.array([row[i] for row in rows]) for i, name in enumerate(COLUMNS)},
        stopped=stopped,
    )


def _with_dry_friction(body: Body, factor: float) -> Body:
    joint = dataclasses.replace(body.joint, friction=body.joint.friction * factor)
    return dataclasses.replace(body, joint=joint)


def _with_strength(actuator: Actuator, strength: float) -> Actuator:
    motor = actuator.motor
    if motor is not None:
        limit = motor.torque_limit * strength
        motor = dataclasses.replace(motor, torque_constant=motor.torque_constant * strength, torque_limit=limit)
    return dataclasses.replace(actuator, torque_limit=actuator.torque_limit * strength, motor=motor)
