"""The controller: a policy called at its rate, feed-forward and PD, latency."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

TICK_SLACK = 1e-9
"""Times (s) that differ by less are the same tick: k dt is not exact."""

LARGEST_TORQUE = 1e12
"""A command beyond this torque (N m) is refused: the controller has diverged."""


@dataclass(frozen=True, slots=True, eq=False)
class JointCommand:
    """What a policy demands of the actuators, arrays (actuators,): tau = torque + kp (q - q_now) + kd (qd - qd_now).

    `torque` N m at the joint, `q` rad, `qd` rad/s, `kp` N m/rad, `kd` N m s/rad.
    """

    torque: Floats
    q: Floats
    qd: Floats
    kp: Floats
    kd: Floats

    def desired_torque(self, q: Floats, qd: Floats) -> Floats:
        """Torque (actuators,) asked of the drives at the driven joints' q, qd."""
        return self.torque + self.kp * (self.q - q) + self.kd * (self.qd - qd)


class Policy(Protocol):
    """A controller: called with the time (s) and the robot's canonical q (nq,), v (nv,), it returns a command."""

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:
        """The command from time t on."""


@runtime_checkable
class TimedPolicy(Policy, Protocol):
    """A controller that looks at the time alone: its commands are known before the run."""

    def commands(self, t: Floats) -> JointCommand:
        """The commands from times t (n,) s on, as arrays (n, actuators)."""


class CommandTable:
    """A policy's commands at given times, and at no other; the same bits as the policy's own."""

    def __init__(self, policy: TimedPolicy, times: Floats) -> None:
        rows = policy.commands(times)
        columns = (rows.torque, rows.q, rows.qd, rows.kp, rows.kd)
        self._commands = {t: JointCommand(*row) for t, *row in zip(times.tolist(), *columns, strict=True)}

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:  # noqa: ARG002  # a policy is given the state
        """The command from time t on, one of those of the table."""
        return self._commands[t]


@dataclass(frozen=True, slots=True)
class Timing:
    """How the controller runs: its `period` (s; 0: at every step) and the `latency` (s) until its torque acts."""

    period: float = 1e-3
    latency: float = 0.0


class Clock:
    """Tells when a controller is called: at the first step of each `period` s; at every step where that is 0."""

    def __init__(self, period: float) -> None:
        self._period, self._next, self._ticks = period, 0.0, 0

    def is_due(self, t: float) -> bool:
        """Whether a tick falls on the step that begins at t; asked once for each step, one after the other."""
        if t < self._next - TICK_SLACK:
            return False
        self._ticks += 1
        self._next = self._ticks * self._period if self._period else t
        return True


class Controller:
    """A policy at its rate: between ticks the torque is held; a torque computed at t acts from t + latency on."""

    def __init__(self, policy: Policy, timing: Timing, joint_q: NDArray[np.intp], joint_v: NDArray[np.intp]) -> None:
        """`joint_q`, `joint_v`: where the driven joints stand in q and v."""
        self._policy, self._timing = policy, timing
        self._joint_q, self._joint_v = joint_q, joint_v
        self._clock = Clock(timing.period)
        self._pending: deque[tuple[float, Floats]] = deque()
        self._active: Floats | None = None
        self._is_table, self._shapes_are_known = isinstance(policy, CommandTable), False

    def desired_torque(self, t: float, q: Floats, v: Floats) -> Floats:
        """Torque (actuators,) asked of the drives in the step that begins at t.

        Raises ValueError when the policy's answer has a wrong shape, is not finite or beyond LARGEST_TORQUE; what the policy
        raises goes through.
        """
        if self._clock.is_due(t):
            torque = self._torque(t, q, v)
            if self._active is None:  # before the first torque has arrived, the drives hold what the first tick asks
                self._active = torque
            self._pending.append((t + self._timing.latency, torque))
        while self._pending and t >= self._pending[0][0] - TICK_SLACK:
            self._active = self._pending.popleft()[1]
        assert self._active is not None
        return self._active

    def _torque(self, t: float, q: Floats, v: Floats) -> Floats:
        command = self._policy(t, *(q, v) if self._is_table else (q.copy(), v.copy()))  # other policies may write into them
        n = len(self._joint_q)
        if not self._shapes_are_known:
            self._check_shapes(command)
            self._shapes_are_known = self._is_table  # all of a table's rows are alike
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is refused below
            torque = command.desired_torque(q[self._joint_q], v[self._joint_v])
            if np.shape(torque) != (n,):
                torque = np.broadcast_to(torque, (n,))
            square = torque.dot(torque)
        if not square <= LARGEST_TORQUE:  # one product tells almost all that are right: the others are looked at
            _check_size(torque, t)
        return torque

    def _check_shapes(self, command: JointCommand) -> None:
        """Raises ValueError where a part of the command is neither one number nor one for each actuator."""
        n = len(self._joint_q)
        for name in ("torque", "q", "qd", "kp", "kd"):
            shape = np.shape(getattr(command, name))
            if shape not in ((), (n,)):
                raise ValueError(f"the command's {name} has the shape {shape}: give one number for each of {n} actuators")


def _check_size(torque: Floats, t: float) -> None:
    """Raises ValueError where a torque is not finite or beyond LARGEST_TORQUE."""
    largest = np.abs(torque).max(initial=0.0)
    if not largest < np.inf:
        raise ValueError(f"the controller's command is not finite at t = {t:.4f} s: look at its gains and targets")
    if largest > LARGEST_TORQUE:
        raise ValueError(f"the controller asks for {largest:.3g} N m: look at its gains and targets")
