"""A user's controllers: a Python function, or a file of joint targets."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leapcheck.jumping.control import JointCommand
from leapcheck.system.plugins import call_factory, load_factory
from leapcheck.system.time_limit import time_limit
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

if TYPE_CHECKING:
    import pandas as pd

TRAJECTORY_GAINS = (40.0, 1.0)
"""kp (N m/rad) and kd (N m s/rad) of a trajectory whose file gives none: Cheetah-Software's order of magnitude."""


LONGEST_CALL = 20.0
"""Seconds after which a user's controller that has not answered is stopped, long enough for a busy machine."""


def user_policy(target: str, spec: RobotSpec, sandbox: bool = False) -> UserPolicy:
    """The controller that `target`, written module:factory, makes of the robot: `factory(spec)` returns a function of (t, q, v).

    The function's answer is a `JointCommand`, or an array of joint torques (actuators,) N m in the order of `spec.actuators`; q
    and v are canonical copies. It is created anew for every run, so it should keep its memory in itself: what it leaves in its
    module is still there in a later run of the same process. Raises ValueError in one line where the module or factory is
    missing, raises, or gives no function. In a `sandbox` it is made and called in a process of its own.
    """
    if sandbox:
        from leapcheck.jumping.sandboxed import sandboxed_controller

        return UserPolicy(sandboxed_controller(target, spec), target, spec, sandbox)
    factory, _ = load_factory(target, f"--policy '{target}'", "my_controller:jump")
    with time_limit(LONGEST_CALL, f"it has not returned within {LONGEST_CALL:g} s"):
        made = call_factory(factory, spec, f"--policy '{target}'")
    if not callable(made):
        kind, factory_name = type(made).__name__, target.partition(":")[2]
        raise ValueError(f"--policy '{target}': {factory_name}(spec) gives {kind}: return a function of (t, q, v)")
    return UserPolicy(made, target, spec)


@dataclass(frozen=True, slots=True, eq=False)
class UserPolicy:
    """A user's function as a policy; a plain array is taken as joint torques without feedback.

    It is pickled as its `target`, module:factory, and created anew in the other process: closures cannot be pickled.
    """

    function: Any
    target: str
    spec: RobotSpec
    sandbox: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is created anew."""
        return user_policy, (self.target, self.spec, self.sandbox)

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:
        """The function's command; ValueError where it is neither a JointCommand nor an array of torques."""
        if self.sandbox:  # its own process has the time limit, and says what is wrong
            command: JointCommand = self.function(t, q, v)
            return command
        own = nullcontext() if self.sandbox else time_limit(LONGEST_CALL, f"no command within {LONGEST_CALL:g} s")
        with own:  # a sandbox has a limit of its own
            answer = self.function(t, q, v)
        if isinstance(answer, JointCommand):
            return answer
        torque = _torques(answer, len(self.spec.actuators))
        zero = np.zeros(len(torque))
        return JointCommand(torque, zero, zero, zero, zero)


def _torques(answer: Any, n: int) -> Floats:
    """What a user's function returned as n real numbers, copied: its array may be one that it goes on writing into."""
    remedy = f"give {n} torques, or a JointCommand"
    try:
        torque = np.array(answer)
    except ValueError:  # rows of different lengths
        raise ValueError(f"the controller returned {_short(answer)}: {remedy}") from None
    if torque.dtype.kind not in "biuf":
        raise ValueError(f"the controller returned {_short(answer)}: {remedy}")
    if torque.shape != (n,):
        raise ValueError(f"the controller returned an array {torque.shape}: {remedy}")
    return torque.astype(float)


def _short(answer: Any) -> str:
    """What an answer looks like, in one short line."""
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Joint targets over time, straight lines between rows and held beyond the ends: a policy that looks at the time alone.

    `time` (k,) s; `q`, `qd`, `torque`, `kp`, `kd` (k, actuators).
    """

    time: Floats
    q: Floats
    qd: Floats
    torque: Floats
    kp: Floats
    kd: Floats

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:
        """The targets at time t."""
        del q, v
        i = int(np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, max(len(self.time) - 2, 0)))
        j = min(i + 1, len(self.time) - 1)
        span = self.time[j] - self.time[i]
        part = float(np.clip((t - self.time[i]) / span, 0.0, 1.0)) if span else 0.0
        columns = (self.torque, self.q, self.qd, self.kp, self.kd)
        return JointCommand(*(rows[i] + part * (rows[j] - rows[i]) for rows in columns))


def read_trajectory(path: Path, spec: RobotSpec, gains: tuple[float, float] = TRAJECTORY_GAINS) -> Trajectory:
    """The trajectory in a CSV file: columns `time` (s) and `q_JOINT` (rad) for each driven joint; others as wished.

    These are `qd_JOINT` (rad/s; else differences of the targets), `tau_JOINT` (N m; else 0), `kp_JOINT` (N m/rad) and
    `kd_JOINT` (N m s/rad; else `gains`). JOINT is the name of the joint or of its actuator. Raises ValueError that names the
    file, the column and the row, and what would be right.
    """
    where = f"file '{path}'"
    table = read_table(path)
    time = time_column(where, table)
    if time[0] < 0.0:
        raise ValueError(f"{where}: column 'time' begins at {time[0]:g} s: begin at 0, where the simulation does")
    names = [(actuator.joint, actuator.name) for actuator in spec.actuators]
    check_columns(where, table, spec, ("q", "qd", "tau", "kp", "kd"))
    q = np.stack([number_column(where, table, [f"q_{name}" for name in pair]) for pair in names], axis=1)

    def columns(kind: str, otherwise: Floats) -> Floats:
        given = [optional_column(where, table, [f"{kind}_{name}" for name in pair]) for pair in names]
        return np.stack([otherwise[:, i] if column is None else column for i, column in enumerate(given)], axis=1)

    kp, kd = (np.full_like(q, gain) for gain in gains)
    return Trajectory(
        time=time,
        q=q,
        qd=columns("qd", np.gradient(q, time, axis=0)),
        torque=columns("tau", np.zeros_like(q)),
        kp=columns("kp", kp),
        kd=columns("kd", kd),
    )


def check_columns(where: str, table: pd.DataFrame, spec: RobotSpec, kinds: Sequence[str]) -> None:
    """Raises ValueError for a column KIND_NAME that names neither a joint nor an actuator; other columns are ignored."""
    names = {body.joint.name for body in spec.bodies} | {actuator.name for actuator in spec.actuators}
    for column in map(str, table.columns):
        kind, _, name = column.partition("_")
        if kind in kinds and name not in names:
            joints = ", ".join(actuator.joint for actuator in spec.actuators)
            raise ValueError(f"{where}: column '{column}' is of no joint of '{spec.name}': rename it or leave it out ({joints})")


def read_table(path: Path) -> pd.DataFrame:
    """The table in a CSV file; ValueError names a file that is not one."""
    import pandas as pd  # here: a third of all that a jump imports, in each of its processes

    try:
        return pd.read_csv(path, skipinitialspace=True, skiprows=len(header_lines(path)))
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"file '{path}' is no CSV table: {reason}: write a header and rows of numbers") from None


def header_lines(path: Path) -> list[str]:
    """The lines before a CSV file's table that begin with #, without it."""
    lines = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.startswith("#"):
                break
            lines.append(line[1:].strip())
    return lines


def start_of(path: Path, spec: RobotSpec) -> Floats | None:
    """The configuration (nq,) in a trajectory's header, `# start = [...]`; None without one. ValueError for one that is wrong."""
    text = "\n".join(line for line in header_lines(path) if line.startswith("start"))
    try:
        start = tomllib.loads(text).get("start")
        q = None if start is None else np.array(start, dtype=float)
    except (tomllib.TOMLDecodeError, TypeError, ValueError):
        raise ValueError(f"file '{path}': its header's start is no list of numbers: write # start = [...]") from None
    if q is not None and (q.shape != (spec.nq,) or not np.isfinite(q).all() or not np.linalg.norm(q[3:7]) > 0.0):
        raise ValueError(f"file '{path}': its header's start is no configuration of '{spec.name}': give {spec.nq} numbers")
    return q


def number_column(where: str, table: pd.DataFrame, names: Sequence[str]) -> Floats:
    """The numbers of the first of the named columns that is there; ValueError where none is, or one is not finite."""
    column = optional_column(where, table, names)
    if column is None:
        raise ValueError(f"{where} has no column '{names[0]}': it has {', '.join(map(str, table.columns))[:200]}")
    return column


def time_column(where: str, table: pd.DataFrame) -> Floats:
    """The column `time` or `t`, s; ValueError where it does not rise from row to row."""
    time = number_column(where, table, ("time", "t"))
    if len(time) < 2 or not np.all(np.diff(time) > 0):
        raise ValueError(f"{where}: column 'time' must rise from row to row, with two rows or more: sort it, drop repeats")
    return time


def optional_column(where: str, table: pd.DataFrame, names: Sequence[str]) -> Floats | None:
    """The numbers of the first of the named columns that is there."""
    name = next((name for name in names if name in table.columns), None)
    if name is None:
        return None
    from pandas import to_numeric

    numbers = to_numeric(table[name], errors="coerce").to_numpy(dtype=float)
    broken = np.flatnonzero(~np.isfinite(numbers))
    if len(broken):
        row = int(broken[0])
        raise ValueError(
            f"{where}: column '{name}', row {row + 2}: '{table[name].iloc[row]!s:.40}' is no finite number: correct it"
        )
    return numbers
