"""The everyday table as Markdown, as JSON and in the terminal: the same cells everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leapcheck.system.strict_json import dumps
from leapcheck_evidence.bench.everyday import EverydayRow, EverydayRun, EverydaySeconds
from leapcheck_evidence.bench.everyday_goals import EverydayClock
from leapcheck_evidence.bench.tables import console_table, markdown_table

if TYPE_CHECKING:
    from rich.console import RenderableType

TITLES = ("", "CPU s", "wall s", "x naive script", "goal", "", "")
CONSOLE_COLUMNS = {0: "", 1: "CPU s", 2: "wall s", 3: "x naive", 4: "goal", 5: ""}
"""What fits into a terminal: minima alone; the files hold medians too."""


def everyday_json(run: EverydayRun) -> str:
    """The whole record."""
    return dumps(run)


def everyday_markdown(run: EverydayRun) -> str:
    """The table as GitHub's Markdown."""
    return f"# Every day\n\n{everyday_heading(run)}\n\n{markdown_table(TITLES, map(everyday_cells, run.rows))}"


def everyday_console(run: EverydayRun) -> RenderableType:
    """The table for rich."""
    from rich.console import Group
    from rich.text import Text

    cells = [everyday_cells(row) for row in run.rows]
    reasons = [Text(f"{cell[0]}: {cell[-1]}", style="dim") for cell in cells if cell[-1]]
    shown = [[cell[column].split(" / ")[0] for column in CONSOLE_COLUMNS] for cell in cells]
    return Group(Text(everyday_heading(run)), console_table(list(CONSOLE_COLUMNS.values()), shown), *reasons)


def everyday_heading(run: EverydayRun) -> str:
    """Command, machine, versions and how to read the table."""
    packages = ", ".join(f"{name} {version}" for name, version in run.versions)
    return (
        f"`{run.command}` on {run.machine}; {packages}. Fresh processes, CPU seconds of all of them, minimum / median of "
        f"{run.rounds} rounds in which all commands took turns, the tests in one of them; goals are of minima, of CPU seconds "
        "unless they say otherwise."
    )


def everyday_cells(row: EverydayRow) -> tuple[str, ...]:
    """One line of the table."""
    goal = row.goal
    if goal.clock is EverydayClock.FIRST_VERDICT:
        cpu, wall = "", _times(row.measured)
    else:
        cpu, wall = _times(row.cpu), _times(row.wall)
    marks = [] if goal.seconds is None else [f"≤ {goal.seconds:g} s{'' if goal.clock is EverydayClock.CPU else ' wall'}"]
    marks += [] if goal.ratio is None else [f"≤ {goal.ratio:g}x"]
    ratio = "" if row.ratio is None else f"{row.ratio:.1f}x"
    return goal.label, cpu, wall, ratio, ", ".join(marks), str(row.standing), row.reason


def _times(seconds: EverydaySeconds | None) -> str:
    return "" if seconds is None else f"{seconds.minimum:.2f} / {seconds.median:.2f}"
