"""One simulation of a Monte Carlo once more, with everything logged."""

from __future__ import annotations

import dataclasses

import numpy as np

from leapcheck.jumping.robustness.control import CONTROLLER
from leapcheck.jumping.robustness.loop import trial_moments
from leapcheck.jumping.robustness.monte_carlo import MonteCarlo
from leapcheck.jumping.robustness.variation import draw
from leapcheck.simulators.log import JumpLog, log_of_steps
from leapcheck.simulators.mujoco.loop import MujocoLoop
from leapcheck.simulators.protocol import Draws
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import Actuator, Body, RobotSpec
from leapcheck_reference.simulate.actuator import drives


def replay(monte_carlo: MonteCarlo, number: int | None = None) -> JumpLog:
    """The log of one simulation, by default the worst, with the same bits as in the batch. ValueError for a number there is not.

    Heights are in the world: the ground lies at the simulation's `ground_height` from mid-flight on. `desired` is what the
    drives of this robot (`perturbed_robot`) understand.
    """
    number = monte_carlo.worst if number is None else number
    if not 0 <= number < monte_carlo.count:
        raise ValueError(f"simulation {number}: there are {monte_carlo.count}, numbered from 0")
    trial, draws = monte_carlo.trial, draw(monte_carlo.variation, monte_carlo.seed, [number])
    loop = MujocoLoop(trial.spec, trial.contact, trial.dt, draws, trial.start, terrain=trial.terrain)
    states, rows, stopped = [loop.state], [], ""
    electrical = drives(trial.spec).electrical
    for moment in trial_moments(trial, draws, monte_carlo.seed, monte_carlo.floor_time, loop):
        if moment.stopped[0].startswith(CONTROLLER):  # its last step was not taken
            stopped = f"{moment.stopped[0]} at t = {moment.k * trial.dt:.4f} s"
            break
        states.append(loop.state)
        drive = moment.drive
        current, voltage = (np.where(electrical, x[0], np.nan) for x in (drive.current, drive.voltage))
        supply = moment.supply[0] if electrical.any() else np.nan
        flowing = drive.torque[0], current, voltage, supply, drive.power[0].sum()
        rows.append((moment.desired[0], *flowing, loop.forces, loop.limit_torques))
        if moment.stopped[0]:
            stopped = f"{moment.stopped[0]} at t = {(moment.k + 1) * trial.dt:.4f} s"
            break
    return log_of_steps(trial.spec, "mujoco Euler, armature", trial.dt, states, list(zip(*rows, strict=True)), stopped)


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


def _with_dry_friction(body: Body, factor: float) -> Body:
    joint = dataclasses.replace(body.joint, friction=body.joint.friction * factor)
    return dataclasses.replace(body, joint=joint)


def _with_strength(actuator: Actuator, strength: float) -> Actuator:
    motor = actuator.motor
    if motor is not None:
        limit = motor.torque_limit * strength
        motor = dataclasses.replace(motor, torque_constant=motor.torque_constant * strength, torque_limit=limit)
    return dataclasses.replace(actuator, torque_limit=actuator.torque_limit * strength, motor=motor)
