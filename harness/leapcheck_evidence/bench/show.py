"""The run as Markdown, as JSON and in the terminal: the same cells everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from leapcheck.system.strict_json import dumps
from leapcheck_evidence.bench.contenders import ARITHMETIC, TimingName
from leapcheck_evidence.bench.goals import GOALS_ROBOT, BenchGoal
from leapcheck_evidence.bench.measure import Timing
from leapcheck_evidence.bench.record import BenchRow, BenchRun, RobotBench
from leapcheck_evidence.bench.rows import fastest
from leapcheck_evidence.bench.states import PARTS
from leapcheck_evidence.bench.tables import console_table, markdown_table

if TYPE_CHECKING:
    from rich.console import RenderableType

ROW_TITLES = ("", "measured", "medians", "floor", "goal", "", "made of")
CONSOLE_COLUMNS = (0, 1, 3, 4, 5)
"""Columns that fit into a terminal; the files hold them all."""
TIMING_TITLES = ("ns per state, minimum / median", *PARTS)


def bench_json(run: BenchRun) -> str:
    """The whole record; of each timing its minimum, its median and the number of samples."""
    data = asdict(run)
    for robot, record in zip(data["robots"], run.robots, strict=True):
        robot["timings"] = {name: _timing_data(timing) for name, timing in record.timings.items()}
    return dumps(data)


def bench_markdown(run: BenchRun) -> str:
    """The tables as GitHub's Markdown."""
    parts = [f"# Timings\n\n{heading(run)}\n"]
    for robot in run.robots:
        parts.append(f"## {robot.robot}\n\n{markdown_table(ROW_TITLES, row_cells(robot.rows))}")
        parts.append(markdown_table(TIMING_TITLES, timing_cells(robot)))
        parts.append("\n".join(f"- {note}" for note in notes(robot)) + "\n")
    parts.append(f"## The program\n\n{markdown_table(ROW_TITLES, row_cells(run.program))}")
    return "\n".join(parts)


def bench_console(run: BenchRun) -> RenderableType:
    """The tables for rich."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(heading(run))]
    for robot in run.robots:
        parts += [Text(f"\n{robot.robot}", style="bold"), _goals_table(robot.rows)]
        parts += [_minima_table(robot), *(Text(note, style="dim") for note in notes(robot))]
    parts += [Text("\nthe program", style="bold"), _goals_table(run.program)]
    return Group(*parts)


def heading(run: BenchRun) -> str:
    """Command, machine, versions and how to read the tables."""
    packages = ", ".join(f"{name} {version}" for name, version in run.versions)
    return (
        f"`{run.command}` on {run.machine}; {packages}. All contenders took turns; ratios are of minima, then of medians. "
        f"Floors and goals are those of {GOALS_ROBOT}; times are of one thread, inputs and outputs hot in cache."
    )


def row_cells(rows: Iterable[BenchRow]) -> list[tuple[str, ...]]:
    """One line per goal."""
    return [
        (
            row.goal.label,
            amount(row.goal, row.measured),
            amount(row.goal, row.by_medians),
            _mark(row.goal, row.goal.floor),
            _mark(row.goal, row.goal.goal),
            str(row.standing),
            row.detail,
        )
        for row in rows
    ]


def timing_cells(robot: RobotBench) -> list[tuple[str, ...]]:
    """One line per contender, one column per part."""
    names = dict.fromkeys(TimingName.from_text(name).who for name in robot.timings if not name.startswith(ARITHMETIC))
    return [(name, *(_times(fastest(robot.timings, name, part)) for part in PARTS)) for name in names]


def notes(robot: RobotBench) -> list[str]:
    """What was measured how, what was not there, and that all computed the same."""
    blocks = " or ".join(map(str, robot.blocks))
    lines = [f"{blocks} states per call, whatever suits the contender best."]
    lines += [f"{who}: {form}." for who, form in robot.forms.items()]
    bounds = {name: timing for name, timing in robot.timings.items() if name.startswith(ARITHMETIC)}
    lines += [f"{name}: {1 / timing.minimum:.1f} GFLOP/s." for name, timing in bounds.items()]
    lines += [f"Not there: {who}: {reason}." for who, reason in robot.missing.items()]
    lines += [f"{who}: differs from the readable code by {value:.1e} at most." for who, value in robot.differences.items()]
    return lines


def amount(goal: BenchGoal, value: float | None) -> str:
    """A measurement with its unit."""
    if value is None:
        return ""
    digits = 0 if abs(value) >= 1000 or not goal.unit else 1 if abs(value) >= 10 else 2
    number = f"{value:,.{digits}f}".replace(",", " ")
    return f"{number}{'' if goal.unit in ('', 'x', '%') else ' '}{goal.unit}"


def _mark(goal: BenchGoal, value: float | None) -> str:
    sign = "≥" if goal.at_least else "≤"
    return "" if value is None else f"{sign} {amount(goal, value)}"


def _times(timing: Timing | None) -> str:
    return "" if timing is None else f"{timing.minimum:.1f} / {timing.median:.1f}"


def _timing_data(timing: Timing) -> dict[str, Any]:
    return {"minimum": timing.minimum, "median": timing.median, "samples": len(timing.samples)}


def _minima_table(robot: RobotBench) -> RenderableType:
    cells = [[cell.split(" / ")[0] for cell in line] for line in timing_cells(robot)]
    return console_table(["ns per state, minima", *TIMING_TITLES[1:]], cells)


def _goals_table(rows: Iterable[BenchRow]) -> RenderableType:
    cells = [[line[column] for column in CONSOLE_COLUMNS] for line in row_cells(rows)]
    return console_table([ROW_TITLES[column] for column in CONSOLE_COLUMNS], cells)
