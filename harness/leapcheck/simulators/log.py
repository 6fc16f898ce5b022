"""The log of a simulated jump: state, torque, current and contact force at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True, eq=False)
class JumpLog:
    """One run: `n` steps of `dt`. `time`, `q`, `v` (n + 1, ...) are states, canonical; all else (n, ...) is of the step after.

    `desired` N m: asked of the drives; `torque` N m: at the joints; `current` A, `voltage` V: of each motor, NaN for a drive
    rated by torque and speed alone; `battery_voltage` V, `battery_power` W: of the shared supply, the voltage NaN where no motor
    draws on it; `forces` (n, points, 3) N: contact forces on the robot, world axes; `limit_torques` (n, nv) N m.
    `stopped`: why and when the run ended early, empty if it did not.
    """

    simulator: str
    robot: str
    dt: float
    points: tuple[str, ...]
    actuators: tuple[str, ...]
    time: Floats
    q: Floats
    v: Floats
    desired: Floats
    torque: Floats
    current: Floats
    voltage: Floats
    battery_voltage: Floats
    battery_power: Floats
    forces: Floats
    limit_torques: Floats
    stopped: str = ""

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.torque)


PER_STEP = ("desired", "torque", "current", "voltage", "battery_voltage", "battery_power", "forces", "limit_torques")
"""Fields of a log that have a row for each step."""


def log_part(log: JumpLog, first: int, last: int) -> JumpLog:
    """Steps first..last - 1 of a log as a log of its own, its time from 0; `stopped` where the log ends before `last`."""
    first = min(first, log.steps)
    last = min(last, log.steps)
    states, steps = slice(first, last + 1), slice(first, last)
    return replace(
        log,
        time=log.dt * np.arange(last + 1 - first, dtype=float),
        q=log.q[states],
        v=log.v[states],
        stopped=log.stopped if last == log.steps else "",
        **{name: getattr(log, name)[steps] for name in PER_STEP},
    )


def log_of_steps(
    spec: RobotSpec,
    simulator: str,
    dt: float,
    states: Sequence[tuple[Floats, Floats]],
    columns: Sequence[ArrayLike],
    stopped: str,
) -> JumpLog:
    """The log of n + 1 states (q, v); `columns` of n steps each, in the order of `PER_STEP`, may be left out where n = 0."""
    points = tuple(point.name for point in spec.contact_points if point.computed)
    actuators = tuple(actuator.name for actuator in spec.actuators)
    shapes = [(len(actuators),)] * 4 + [(), (), (len(points), 3), (spec.nv,)]
    steps = len(states) - 1
    rows = zip(PER_STEP, columns or [()] * len(shapes), shapes, strict=True)
    q, v = zip(*states, strict=True)
    return JumpLog(
        simulator=simulator,
        robot=spec.name,
        dt=dt,
        points=points,
        actuators=actuators,
        time=np.arange(len(states), dtype=float) * dt,
        q=np.array(q, dtype=float),
        v=np.array(v, dtype=float),
        **{name: np.array(column, dtype=float).reshape(steps, *shape) for name, column, shape in rows},
        stopped=stopped,
    )
