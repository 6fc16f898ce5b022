"""The jump that is repeated, and the controllers of many simulations at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.control import TICK_SLACK, JointCommand, Policy, Timing
from leapcheck.jumping.robustness.variation import measurement_noise
from leapcheck.jumping.simulation import driven_places
from leapcheck.simulators.mujoco.view import MujocoView
from leapcheck.simulators.protocol import Draws
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

CONTROLLER = "the controller stopped"


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """The jump that is repeated: a robot under a controller, from the state `start` (q, v) for `duration` s.

    `control`: the commands of all simulations, arrays (ticks, actuators), or a function that makes a policy for each (it must be
    one that another process can be given). Rotors are lumped. `landing` m, `turn`, `yaw` rad: as of an `Act`; `roll` rad: as of a
    `JumpRequest`, None where none is asked. `far_edge` m: as of an `Act`; `run_up` m/s: as of a `JumpRequest`,
    whose push begins at `push` s. `jumps`: as of an `Act`.
    """

    spec: RobotSpec
    control: JointCommand | Callable[[], Policy]
    start: tuple[Floats, Floats]
    duration: float
    contact: SoftContact = field(default_factory=SoftContact)
    timing: Timing = field(default_factory=Timing)
    battery: Battery = field(default_factory=Battery)
    dt: float = 1e-3
    terrain: Terrain = LEVEL
    landing: float | None = None
    turn: float | None = None
    yaw: float | None = None
    roll: float | None = None
    far_edge: float | None = None
    run_up: float | None = None
    push: float | None = None
    jumps: int = 1

    @property
    def steps(self) -> int:
        """Number of steps."""
        return round(self.duration / self.dt)


def tick_of_step(timing: Timing, dt: float, steps: int) -> NDArray[np.intp]:
    """Number (steps,) of the tick whose command holds in each step; ticks fall as in `control.Controller`."""
    tick, ticks, due = np.zeros(steps, dtype=np.intp), 0, 0.0
    for k in range(steps):
        if k * dt >= due - TICK_SLACK:
            ticks += 1
            due = ticks * timing.period if timing.period else k * dt
        tick[k] = ticks - 1
    return tick


def tabulate(policy: Policy, start: tuple[Floats, Floats], timing: Timing, dt: float, steps: int) -> JointCommand:
    """The commands (ticks, actuators) of a policy that looks at the time alone; ValueError where one is not finite."""
    first_steps = np.unique(tick_of_step(timing, dt, steps), return_index=True)[1]
    rows = [policy(int(k) * dt, *start) for k in first_steps]
    columns = {name: np.array([getattr(row, name) for row in rows], dtype=float) for name in ("torque", "q", "qd", "kp", "kd")}
    for name, column in columns.items():
        if not np.isfinite(column).all():
            k = int(first_steps[np.flatnonzero(~np.isfinite(column).all(axis=1))[0]])
            raise ValueError(f"the controller's {name} is not finite at t = {k * dt:.4f} s: look at its gains and targets")
    return JointCommand(**columns)


class Controllers:
    """The controllers of all simulations, each as `control.Controller` is one, with its own latency, gains and noise."""

    def __init__(self, trial: Trial, draws: Draws, seed: int) -> None:
        n, joints = len(draws.index), len(trial.spec.actuators)
        self._trial, self._gains = trial, draws.gains[:, None]
        self._tick, self._last = tick_of_step(trial.timing, trial.dt, trial.steps), -1
        self._noise = measurement_noise(draws, seed, int(self._tick[-1]) + 1, joints)
        self._policies = [] if isinstance(trial.control, JointCommand) else [trial.control() for _ in range(n)]
        self._places = driven_places(trial.spec)
        latency = trial.timing.latency + draws.latency
        self._delay = np.maximum(np.ceil((latency - TICK_SLACK) / trial.dt), 0.0).astype(int)
        self._held, self._every = np.zeros((int(self._delay.max()) + 1, n, joints)), np.arange(n)
        self._asked: Floats = self._held[0]

    def desired_torque(self, k: int, simulations: MujocoView, stopped: list[str]) -> Floats:
        """Torque (n, actuators) N m asked of the drives in step k; writes into `stopped` why a policy gives none."""
        if self._tick[k] != self._last:
            self._last = int(self._tick[k])
            noise = None if self._noise is None else self._noise[self._last]
            self._asked = (
                self._by_policies(k, simulations, noise, stopped) if self._policies else self._by_table(simulations, noise)
            )
            if any(stopped):
                self._asked[[i for i, reason in enumerate(stopped) if reason]] = 0.0
        if len(self._held) == 1:
            return self._asked
        self._held[k % len(self._held)] = self._asked
        desired: Floats = self._held[np.maximum(k - self._delay, 0) % len(self._held), self._every]
        return desired

    def _by_table(self, simulations: MujocoView, noise: Floats | None) -> Floats:
        row, table = self._last, self._trial.control
        assert isinstance(table, JointCommand)
        q, qd = simulations.joint_angles, simulations.joint_speeds
        if noise is not None:
            q, qd = q + noise[0], qd + noise[1]
        kp, kd = self._gains * table.kp[row], self._gains * table.kd[row]
        asked: Floats = table.torque[row] + kp * (table.q[row] - q) + kd * (table.qd[row] - qd)
        return asked

    def _by_policies(self, k: int, simulations: MujocoView, noise: Floats | None, stopped: list[str]) -> Floats:
        q, v = simulations.states()
        if noise is not None:
            q[:, self._places[0]] += noise[0]
            v[:, self._places[1]] += noise[1]
        asked = np.zeros_like(self._asked)
        for i, policy in enumerate(self._policies):
            if stopped[i]:
                continue
            try:
                asked[i] = self._torque(policy, k * self._trial.dt, q[i], v[i], float(self._gains[i, 0]))
            except (Exception, SystemExit) as error:  # the user's code may raise anything: this simulation ends, the others go on
                stopped[i] = f"{CONTROLLER}: {type(error).__name__}"
        return asked

    def _torque(self, policy: Policy, t: float, q: Floats, v: Floats, gain: float) -> Floats:
        command = policy(t, q, v)
        angles, speeds = q[self._places[0]], v[self._places[1]]
        feedback = gain * command.kp * (command.q - angles), gain * command.kd * (command.qd - speeds)
        torque: Floats = np.asarray(command.torque + feedback[0] + feedback[1], dtype=float)
        if torque.shape != angles.shape or not np.isfinite(torque).all():
            raise ValueError("torque of a wrong shape or not finite")
        return torque
