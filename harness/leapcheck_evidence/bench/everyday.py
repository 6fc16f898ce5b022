"""The everyday table: commands in fresh processes, in turns with the script that a user would write instead."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from leapcheck.system.installed import versions
from leapcheck_evidence.bench.command_cost import CommandCost, CommandFailure
from leapcheck_evidence.bench.everyday_goals import GOALS, NAIVE, EverydayClock, EverydayGoal
from leapcheck_evidence.bench.everyday_steps import EverydayStep, Workplace, everyday_steps
from leapcheck_evidence.bench.goals import Standing
from leapcheck_evidence.bench.machine import PACKAGES, machine

Samples = Mapping[str, Sequence[CommandCost]]

NOT_ASKED = {"make quick": "asked for by --tests", "make test": "asked for by --tests"}
"""Why there is no measurement where nothing went wrong."""


@dataclass(frozen=True, slots=True)
class EverydaySeconds:
    """Seconds of one clock, of the least disturbed round and of the usual one."""

    minimum: float
    median: float


@dataclass(frozen=True, slots=True)
class EverydayRow:
    """One line of the table; `measured` are the seconds of its goal's clock, `ratio` is to the naive script, by CPU minima."""

    goal: EverydayGoal
    standing: Standing
    measured: EverydaySeconds | None
    cpu: EverydaySeconds | None
    wall: EverydaySeconds | None
    ratio: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EverydayRun:
    """The whole run, with what it depends on."""

    command: str
    machine: str
    versions: tuple[tuple[str, str], ...]
    rounds: int
    rows: tuple[EverydayRow, ...]


def run_everyday(rounds: int, tests: bool, command: str, tell: Callable[[str], None]) -> EverydayRun:
    """Measures everything in so many rounds; `tell` is called with what comes next."""
    with tempfile.TemporaryDirectory(prefix="leapcheck_everyday_") as folder:
        samples, reasons = run_steps(everyday_steps(tests), Workplace(Path(folder)), rounds, tell)
    return EverydayRun(command, machine(), versions(PACKAGES), rounds, everyday_rows(samples, reasons))


def run_steps(
    steps: Sequence[EverydayStep], place: Workplace, rounds: int, tell: Callable[[str], None]
) -> tuple[dict[str, list[CommandCost]], dict[str, str]]:
    """The samples by the keys of the rows, and why there are none; each round runs every step, but those of `once`."""
    samples: dict[str, list[CommandCost]] = {key: [] for step in steps for key in step.keys}
    reasons: dict[str, str] = {}
    for number in range(-1, rounds):
        for step in steps:
            if reasons.keys() & set(step.keys) or (number < 0 and not step.warm) or (number > 0 and step.once):
                continue
            tell(f"{'first' if number < 0 else f'round {number + 1} of {rounds}'}: {', '.join(step.keys)}")
            try:
                costs = step.run(place)
            except (CommandFailure, OSError, RuntimeError) as reason:
                reasons |= dict.fromkeys(step.keys, str(reason))
                continue
            for key, cost in costs.items() if number >= 0 else ():
                samples[key].append(cost)
    return samples, reasons


def everyday_rows(samples: Samples, reasons: Mapping[str, str]) -> tuple[EverydayRow, ...]:
    """The rows of the table."""
    naive = _seconds(samples.get(NAIVE, ()), EverydayClock.CPU)
    return tuple(_row(goal, samples, naive, reasons.get(goal.key, NOT_ASKED.get(goal.key, ""))) for goal in GOALS)


def _row(goal: EverydayGoal, samples: Samples, naive: EverydaySeconds | None, reason: str) -> EverydayRow:
    clocks = {clock: _less(_seconds(samples.get(goal.key, ()), clock), goal, samples, clock) for clock in EverydayClock}
    measured, cpu, wall = clocks[goal.clock], clocks[EverydayClock.CPU], clocks[EverydayClock.WALL]
    if measured is None or cpu is None:
        missing = reason or ("no line of its output had the verdict" if cpu else "")
        return EverydayRow(goal, Standing.NOT_MEASURED, None, cpu, wall, None, missing)
    ratio = cpu.minimum / naive.minimum if naive and goal.clock is EverydayClock.CPU else None
    if goal.seconds is None:
        return EverydayRow(goal, Standing.BESIDE, measured, cpu, wall, ratio)
    is_met = measured.minimum <= goal.seconds and (goal.ratio is None or (ratio is not None and ratio <= goal.ratio))
    return EverydayRow(goal, Standing.MET if is_met else Standing.NOT_MET, measured, cpu, wall, ratio)


def _seconds(costs: Sequence[CommandCost], clock: EverydayClock) -> EverydaySeconds | None:
    values = [{EverydayClock.CPU: c.cpu, EverydayClock.WALL: c.wall, EverydayClock.FIRST_VERDICT: c.word}[clock] for c in costs]
    taken = [value for value in values if value is not None]
    return EverydaySeconds(min(taken), median(taken)) if taken and len(taken) == len(costs) else None


def _less(seconds: EverydaySeconds | None, goal: EverydayGoal, samples: Samples, clock: EverydayClock) -> EverydaySeconds | None:
    """The seconds beyond those of what the goal takes off."""
    if seconds is None or not goal.less:
        return seconds
    other = _seconds(samples.get(goal.less, ()), clock)
    return None if other is None else EverydaySeconds(seconds.minimum - other.minimum, seconds.median - other.median)
