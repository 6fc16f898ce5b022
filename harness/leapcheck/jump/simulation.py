"""A closed loop in one simulator: controller, drives and battery, step, log."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.control import Controller, Policy, Timing
from leapcheck.jump.log import JumpLog
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, RobotSpec
from leapcheck_reference.simulate.actuator import Battery, Drive, Drives, powered

Floats = NDArray[np.float64]

LARGEST_SPEED = 1e3
"""A joint or base faster than this (rad/s, m/s) has diverged."""


class Simulator(Protocol):
    """A robot in one engine with one contact model; owns the state. Coordinates and torques are canonical and the spec's.

    `forces` (points, 3) N: contact force on the robot in world axes at each computed contact point, `limit_torques` (nv,)
    canonical N m: what joint stops give; both of the last step, as the step used them. With `own_drives` the simulator holds
    the drives itself (MuJoCo's dcmotor): its steps take the torque asked of them.
    """

    name: str
    dt: float
    own_drives: bool

    @property
    def q(self) -> Floats:
        """Configuration (nq,), canonical; a copy."""

    @property
    def v(self) -> Floats:
        """Velocity (nv,), canonical; a copy."""

    @property
    def forces(self) -> Floats:
        """Contact forces (points, 3) N of the last step."""

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops in the last step."""

    def start(self, q: Floats, v: Floats) -> None:
        """Takes a state (canonical) and forgets all else."""

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""


def simulated(
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
    `stopped` says when and why.
    """
    joint_q, joint_v = driven_places(spec)
    controller = Controller(policy, timing, joint_q, joint_v)
    steps = round(duration / simulator.dt)
    record = _Record(spec, simulator, steps, len(joint_v))
    simulator.start(*start)
    record.state(0, simulator)
    stopped = ""
    for k in range(steps):
        t = k * simulator.dt
        q, v = simulator.q, simulator.v
        try:
            desired = controller.desired(t, q, v)
        except (Exception, SystemExit) as error:  # the user's code may raise anything: the run ends here, and says so
            stopped = f"the controller stopped at t = {t:.4f} s: {_named(error)}"
            break
        drive, supply = powered(drives, battery, desired, v[joint_v])
        try:
            simulator.step(desired if simulator.own_drives else drive.torque)
        except ArithmeticError as error:
            stopped = f"{simulator.name} stopped at t = {t:.4f} s: {error}"
            break
        stopped = _runaway(simulator)
        if stopped:  # the state is none of a robot: it is left out
            break
        record.step(k, simulator, desired, drive, supply)
    return record.log(stopped)


def driven_places(spec: RobotSpec) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the joints that the actuators drive stand in q and in v, in the actuators' order."""
    places, q, v = {}, 0, 0
    for joint in (body.joint for body in spec.bodies):
        places[joint.name] = (q, v)
        q, v = q + CONFIGURATION_SIZE[joint.type], v + VELOCITY_SIZE[joint.type]
    found = np.array([places[actuator.joint] for actuator in spec.actuators], dtype=np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1]


class _Record:
    """The arrays of a log while they are filled."""

    def __init__(self, spec: RobotSpec, simulator: Simulator, steps: int, actuators: int) -> None:
        self._spec, self._simulator, self._done = spec, simulator, 0
        points = tuple(point.name for point in spec.contact_points if point.computed)
        self._points = points
        self.q, self.v = np.empty((steps + 1, spec.nq)), np.empty((steps + 1, spec.nv))
        per_actuator = ("desired", "torque", "current", "voltage")
        self.rows: dict[str, Floats] = {name: np.empty((steps, actuators)) for name in per_actuator}
        self.rows |= {name: np.empty(steps) for name in ("battery_voltage", "battery_power")}
        self.rows |= {"forces": np.empty((steps, len(points), 3)), "limit_torques": np.empty((steps, spec.nv))}

    def state(self, k: int, simulator: Simulator) -> None:
        self.q[k], self.v[k] = simulator.q, simulator.v

    def step(self, k: int, simulator: Simulator, desired: Floats, drive: Drive, supply: Floats) -> None:
        self.state(k + 1, simulator)
        rows = self.rows
        rows["desired"][k], rows["torque"][k] = desired, drive.torque
        rows["current"][k], rows["voltage"][k] = drive.current, drive.voltage
        rows["battery_voltage"][k], rows["battery_power"][k] = supply, drive.power.sum()
        rows["forces"][k], rows["limit_torques"][k] = simulator.forces, simulator.limit_torques
        self._done = k + 1

    def log(self, stopped: str) -> JumpLog:
        n, spec = self._done, self._spec
        return JumpLog(
            simulator=self._simulator.name,
            robot=spec.name,
            dt=self._simulator.dt,
            points=self._points,
            actuators=tuple(actuator.name for actuator in spec.actuators),
            time=np.arange(n + 1, dtype=float) * self._simulator.dt,
            q=self.q[: n + 1],
            v=self.v[: n + 1],
            **{name: rows[:n] for name, rows in self.rows.items()},
            stopped=stopped,
        )


def _runaway(simulator: Simulator) -> str:
    """Why the state is no state of a robot any more; empty if it is one."""
    speed = np.abs(simulator.v).max()
    if speed <= LARGEST_SPEED and np.isfinite(simulator.q).all():
        return ""
    return (
        f"{simulator.name} diverged: a speed of {speed:.3g} rad/s or m/s: lower the gains, or the time step of {simulator.dt:g} s"
    )


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
