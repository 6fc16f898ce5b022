"""Controllers from outside: a Python function of the user, or a file of joint targets."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from leapcheck.jump.control import Command, Policy
from leapcheck_models.spec import RobotSpec

Floats = NDArray[np.float64]

TRAJECTORY_GAINS = (40.0, 1.0)
"""kp (N m/rad) and kd (N m s/rad) of a trajectory whose file gives none: Cheetah-Software's order of magnitude."""


def user_policy(target: str, spec: RobotSpec) -> Policy:
    """The controller that `target`, written module:factory, makes of the robot: `factory(spec)` returns a function of (t, q, v).

    The function's answer is a `Command`, or an array of joint torques (actuators,) N m in the order of `spec.actuators`; q and
    v are canonical copies. Raises ValueError in one line where the module or factory is missing, raises, or gives no function.
    """
    module_name, _, factory_name = target.partition(":")
    if not module_name or not factory_name:
        raise ValueError(f"--policy '{target}': write it as module:factory, for example my_controller:jump")
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    try:
        factory = getattr(importlib.import_module(module_name), factory_name, None)
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"--policy '{target}': cannot import module '{module_name}': {reason}: correct it or its name"
        ) from error
    if not callable(factory):
        raise ValueError(f"--policy '{target}': module '{module_name}' has no function '{factory_name}': define it there")
    try:
        made = factory(spec)
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"--policy '{target}': {factory_name}(spec) raised {type(error).__name__}: {error}: correct it"
        ) from error
    if not callable(made):
        kind = type(made).__name__
        raise ValueError(f"--policy '{target}': {factory_name}(spec) gives {kind}: return a function of (t, q, v)")
    return UserPolicy(made, target, spec)


@dataclass(frozen=True, slots=True, eq=False)
class UserPolicy:
    """A user's function as a policy; a plain array is taken as joint torques without feedback.

    It travels to another process as its `target`, module:factory, and is made anew there: functions inside functions cannot.
    """

    function: Any
    target: str
    spec: RobotSpec

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is made anew."""
        return user_policy, (self.target, self.spec)

    def __call__(self, t: float, q: Floats, v: Floats) -> Command:
        """The function's command; ValueError where it is neither a Command nor an array of torques."""
        answer = self.function(t, q, v)
        if isinstance(answer, Command):
            return answer
        torque = _torques(answer, len(self.spec.actuators))
        zero = np.zeros(len(torque))
        return Command(torque, zero, zero, zero, zero)


def _torques(answer: Any, n: int) -> Floats:
    """What a user's function returned as n real numbers, copied: its array may be one that it goes on writing into."""
    remedy = f"give {n} torques, or a Command"
    try:
        torque = np.array(answer)
    except ValueError:  # rows of different lengths
        raise ValueError(f"the controller returned {answer!r:.60}: {remedy}") from None
    if torque.dtype.kind not in "biuf":
        raise ValueError(f"the controller returned {answer!r:.60}: {remedy}")
    if torque.shape != (n,):
        raise ValueError(f"the controller returned an array {torque.shape}: {remedy}")
    return torque.astype(float)


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Joint targets over time, straight lines between rows and held beyond the ends: a policy that looks at the time alone.

    `time` (k,) s; `q`, `qd`, `torque` (k, actuators); `kp`, `kd` (actuators,).
    """

    time: Floats
    q: Floats
    qd: Floats
    torque: Floats
    kp: Floats
    kd: Floats

    def __call__(self, t: float, q: Floats, v: Floats) -> Command:
        """The targets at time t."""
        del q, v
        i = int(np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, max(len(self.time) - 2, 0)))
        j = min(i + 1, len(self.time) - 1)
        span = self.time[j] - self.time[i]
        part = float(np.clip((t - self.time[i]) / span, 0.0, 1.0)) if span else 0.0
        q_now, qd_now, torque = (rows[i] + part * (rows[j] - rows[i]) for rows in (self.q, self.qd, self.torque))
        return Command(torque, q_now, qd_now, self.kp, self.kd)


def read_trajectory(path: Path, spec: RobotSpec, gains: tuple[float, float] = TRAJECTORY_GAINS) -> Trajectory:
    """The trajectory in a CSV file: columns `time` (s), `q_JOINT` (rad) for each driven joint, `qd_JOINT`, `tau_JOINT` as wished.

    JOINT is the name of the joint or of its actuator. Speeds that are not given are differences of the targets. Raises
    ValueError that names the file, the column and the row, and what would be right.
    """
    where = f"file '{path}'"
    table = read_table(path)
    time = time_column(where, table)
    names = [(actuator.joint, actuator.name) for actuator in spec.actuators]
    q = np.stack([number_column(where, table, [f"q_{name}" for name in pair]) for pair in names], axis=1)
    qd = [_optional(where, table, [f"qd_{name}" for name in pair]) for pair in names]
    torque = [_optional(where, table, [f"tau_{name}" for name in pair]) for pair in names]
    slopes = np.gradient(q, time, axis=0)
    kp, kd = (np.full(len(names), gain) for gain in gains)
    return Trajectory(
        time=time,
        q=q,
        qd=np.stack([slopes[:, i] if column is None else column for i, column in enumerate(qd)], axis=1),
        torque=np.stack([np.zeros(len(time)) if column is None else column for column in torque], axis=1),
        kp=kp,
        kd=kd,
    )


def read_table(path: Path) -> pd.DataFrame:
    """The table in a CSV file; ValueError that names the file where it is none."""
    try:
        return pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"file '{path}' is no CSV table: {reason}: write a header and rows of numbers") from None


def number_column(where: str, table: pd.DataFrame, names: Sequence[str]) -> Floats:
    """The numbers of the first of the named columns that is there; ValueError where none is, or one is not finite."""
    column = _optional(where, table, names)
    if column is None:
        raise ValueError(f"{where} has no column '{names[0]}': it has {', '.join(map(str, table.columns))[:200]}")
    return column


def time_column(where: str, table: pd.DataFrame) -> Floats:
    """The column `time` or `t`, s; ValueError where it does not rise from row to row."""
    time = number_column(where, table, ("time", "t"))
    if len(time) < 2 or not np.all(np.diff(time) > 0):
        raise ValueError(f"{where}: column 'time' must rise from row to row, with two rows or more: sort it, drop repeats")
    return time


def _optional(where: str, table: pd.DataFrame, names: Sequence[str]) -> Floats | None:
    """The numbers of the first of the named columns that is there."""
    name = next((name for name in names if name in table.columns), None)
    if name is None:
        return None
    numbers = pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=float)
    broken = np.flatnonzero(~np.isfinite(numbers))
    if len(broken):
        row = int(broken[0])
        raise ValueError(
            f"{where}: column '{name}', row {row + 2}: '{table[name].iloc[row]!s:.40}' is no finite number: correct it"
        )
    return numbers
