"""Results of a bench run."""

from __future__ import annotations

from dataclasses import dataclass

from leapcheck_evidence.bench.goals import BenchGoal, Standing
from leapcheck_evidence.bench.measure import Timing


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One measurement against its goal: by minima, and by medians where both exist; `detail` says what went in, or why not."""

    goal: BenchGoal
    standing: Standing
    measured: float | None
    by_medians: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class RobotBench:
    """One robot: its rows, and every timing in ns per state (of `arithmetic bound`: per operation), by `TimingName`."""

    robot: str
    blocks: tuple[int, ...]
    rows: tuple[BenchRow, ...]
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
    program: tuple[BenchRow, ...]
