"""What `leapcheck bench` found, as data."""

from __future__ import annotations

from dataclasses import dataclass

from leapcheck.bench.goals import Goal, Standing
from leapcheck.bench.measure import Timing


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement against its goal: by minima, and by medians where both exist; `detail` says what went in, or why not."""

    goal: Goal
    standing: Standing
    measured: float | None
    by_medians: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class RobotBench:
    """One robot: its rows, and every timing in ns per state (of `arithmetic bound`: per operation), by `TimingName`."""

    robot: str
    blocks: tuple[int, ...]
    rows: tuple[Row, ...]
    timings: dict[str, Timing]
    forms: dict[str, str]
    missing: dict[str, str]
    operations: dict[str, int]
    differences: dict[str, float]


@dataclass(frozen=True, slots=True)
class BenchRun:
    """The whole run, with what it depends on."""

    command: str
    machine: str
    versions: tuple[tuple[str, str], ...]
    robots: tuple[RobotBench, ...]
    program: tuple[Row, ...]
