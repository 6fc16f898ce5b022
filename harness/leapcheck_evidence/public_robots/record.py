"""A row of the table, and all rows as JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from leapcheck.system.strict_json import decode, dumps, loads
from leapcheck.system.tables import Column, Table

AGREES = 1e-9
"""Error of M (of sqrt(M_ii M_jj)) and of h (of its largest entry) that is no rounding; loads agree to 1e-12."""


BROKEN = "BROKEN"
"""How the reason begins where leapcheck itself failed."""


@dataclass(frozen=True, slots=True)
class Check:
    """One engine's load of a file. `refused`: why it does not load it; `error_M` and `error_h` of the tree against it, straight
    from the file, or `unchecked`, why there are none; `quantities`: how many of leapcheck's its file engine answers, and
    `error`, their largest error; `changes`: rules of lint by which it changes the robot without a word; `why` it differs, by the
    judge.
    """

    refused: str = ""
    error_M: float | None = None
    error_h: float | None = None
    unchecked: str = ""
    quantities: int = 0
    error: float | None = None
    changes: tuple[str, ...] = ()
    why: str = ""

    @property
    def differs(self) -> bool:
        """Whether M or h straight from the file, or a quantity of its file engine, are others."""
        return max(self.error_M or 0.0, self.error_h or 0.0, self.error or 0.0) > AGREES

    @property
    def differs_straight(self) -> bool:
        """Whether M or h straight from the file are others."""
        return max(self.error_M or 0.0, self.error_h or 0.0) > AGREES


@dataclass(frozen=True, slots=True)
class PublicRobot:
    """A model file: `refused` says why leapcheck does not read it; `findings` counts lint's errors, warnings and notes;
    `verdict` is that of a comparison at its feet, for quadrupeds.
    """

    file: str
    kind: str
    refused: str = ""
    base: str = ""
    links: int = 0
    joints: int = 0
    dof: int = 0
    mass: float = 0.0
    points: int = 0
    mujoco: Check = Check()
    pinocchio: Check = Check()
    findings: tuple[int, ...] = ()
    verdict: str = ""

    @property
    def loads(self) -> bool:
        """Whether MuJoCo or Pinocchio loads the file."""
        return not (self.mujoco.refused and self.pinocchio.refused)


@dataclass(frozen=True, slots=True)
class PublicRobots:
    """The table: the command that made it, and its rows."""

    command: str
    versions: tuple[tuple[str, str], ...]
    robots: tuple[PublicRobot, ...]


def to_json(table: PublicRobots) -> str:
    """The table as JSON."""
    return dumps(table)


def from_json(text: str, place: str) -> PublicRobots:
    """The table that was written; ValueError names what is wrong."""
    table: PublicRobots = decode(PublicRobots, loads(text), place)
    return table


def columns(robots: Sequence[PublicRobot]) -> Table:
    """The rows as columns; those of an engine's check have its name before theirs."""
    table: dict[str, Column] = {}
    for field in fields(PublicRobot):
        values = [getattr(robot, field.name) for robot in robots]
        if field.name in ("mujoco", "pinocchio"):
            for part in fields(Check):
                table[f"{field.name}_{part.name}"] = _column([getattr(value, part.name) for value in values])
        else:
            table[field.name] = _column(values)
    return table


def _column(values: Sequence[object]) -> Column:
    texts = [" ".join(map(str, value)) if isinstance(value, tuple) else value for value in values]
    if any(isinstance(value, str) for value in texts):
        return Column("string", texts)
    return Column("Int64" if all(isinstance(value, int) for value in texts) else "float64", texts)
