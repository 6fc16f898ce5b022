"""The closed loop in one simulator: controller, drives and battery, step, log."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.control import Clock, CommandTable, Controller, Policy, TimedPolicy, Timing
from leapcheck.simulators.log import JumpLog, log_of_steps
from leapcheck.simulators.protocol import LARGEST_SPEED, Simulator
from leapcheck.system.plugins import reason_of
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, RobotSpec
from leapcheck_reference.simulate.actuator import Drives, DriveTorque
from leapcheck_reference.simulate.battery import Battery, battery_response, has_sag
from leapcheck_reference.simulate.errors import ContactSolverError


def simulate(
    spec: RobotSpec,
    simulator: Simulator,
    policy: Policy,
    drives: Drives,
    start: tuple[Floats, Floats],
    duration: float,
    timing: Timing = Timing(),
    battery: Battery = Battery(),
) -> JumpLog:
    """The log of `duration` s from the state `start` (q, v), the loop closed in this simulator.

    A policy that raises, a command or a state that is not finite, or a state that runs away ends the log there; its
    `stopped` says when and why. Raises ContactSolverError where the simulator's own solver fails, which says nothing about the
    jump.
    """
    joint_q, joint_v = driven_places(spec)
    times = [k * simulator.dt for k in range(round(duration / simulator.dt))]
    if isinstance(policy, TimedPolicy):
        clock = Clock(timing.period)
        policy = CommandTable(policy, np.array([t for t in times if clock.is_due(t)], dtype=float))
    controller = Controller(policy, timing, joint_q, joint_v)
    joint_torque = _joint_torque(drives, battery)
    simulator.start(*start)
    q, v = simulator.q, simulator.v
    states, rows, stopped = [(q, v)], [], ""
    for t in times:
        try:
            desired = controller.desired_torque(t, q, v)
        except (Exception, SystemExit) as error:  # the user's code may raise anything: the run ends here, and says so
            stopped = f"the controller stopped at t = {t:.4f} s: {reason_of(error)}"
            break
        qd = v[joint_v]
        try:
            simulator.step(desired if simulator.own_drives else joint_torque(desired, qd))
        except ContactSolverError as error:
            raise ContactSolverError(f"at t = {t:.4f} s, at a step of {1e3 * simulator.dt:g} ms: {error}") from error
        except ArithmeticError as error:
            stopped = f"{simulator.name} stopped at t = {t:.4f} s: {error}"
            break
        q, v = simulator.q, simulator.v
        if not (v.dot(v) <= LARGEST_SPEED**2 and q.dot(q) < np.inf) and not _is_state(q, v):  # it is left out
            stopped = (
                f"{simulator.name} diverged: a speed of {np.abs(v).max():.3g} rad/s or m/s: lower the gains, or the time step"
            )
            stopped += f" of {simulator.dt:g} s"
            break
        states.append((q, v))
        rows.append((desired, qd, simulator.forces, simulator.limit_torques))
    if not rows:
        return log_of_steps(spec, simulator.name, simulator.dt, states, (), stopped)
    desired, qd, forces, limit_torques = (np.array(column) for column in zip(*rows, strict=True))
    drive, supply = battery_response(drives, battery, desired, qd)
    power = drive.power.sum(axis=-1)
    current, voltage = (np.where(drives.electrical, x, np.nan) for x in (drive.current, drive.voltage))
    supply = supply if drives.electrical.any() else np.full_like(supply, np.nan)
    columns = (desired, drive.torque, current, voltage, supply, power, forces, limit_torques)
    return log_of_steps(spec, simulator.name, simulator.dt, states, columns, stopped)


def _is_state(q: Floats, v: Floats) -> bool:
    """Whether q, v may be a robot's: finite, and no faster than `LARGEST_SPEED`."""
    return bool(np.abs(v).max() <= LARGEST_SPEED and np.isfinite(q).all())


def _joint_torque(drives: Drives, battery: Battery) -> Callable[[Floats, Floats], Floats]:
    """The torque (actuators,) at the joints for what is asked of the drives and the joints' speeds."""
    if has_sag(drives, battery):
        return lambda desired, qd: battery_response(drives, battery, desired, qd)[0].torque
    return DriveTorque(drives, battery.open_circuit(drives))


def driven_places(spec: RobotSpec) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the joints that the actuators drive stand in q and in v, in the actuators' order."""
    places, q, v = {}, 0, 0
    for joint in (body.joint for body in spec.bodies):
        places[joint.name] = (q, v)
        q, v = q + CONFIGURATION_SIZE[joint.type], v + VELOCITY_SIZE[joint.type]
    pairs = np.array([places[actuator.joint] for actuator in spec.actuators], dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
