"""A leg's jump in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from leapcheck.jumping.leg_jump.peaks import JointPeak, figures, peaks
from leapcheck.jumping.leg_jump.study import LegJumpStudy
from leapcheck.report.jump.words import VERDICT_MARKS
from leapcheck.report.terminal import COLOURS, FittingTable, Summary, rich_table, rich_text

ROWS: dict[str, Callable[[JointPeak], str]] = {
    "torque": lambda p: f"{p.torque:.3f} N m = {p.torque_kgf_cm:.2f} kgf cm",
    "  torque at": lambda p: f"{p.torque_time:.3f} s",
    "  by the text's formula": lambda p: f"{p.formula:.3f} N m = {p.formula_kgf_cm:.2f} kgf cm",
    "speed": lambda p: f"{p.speed:.2f} rad/s = {p.speed_degrees:.0f} deg/s",
    "  as makers print it": lambda p: f"{p.seconds_per_60_degrees:.3f} s per 60 deg",
    "  speed at": lambda p: f"{p.speed_time:.3f} s",
    "use of the servo": lambda p: f"{100 * p.use:.0f} % of {p.limit}" if p.limit else "not judged",
}


def leg_jump_summary(run: LegJumpStudy) -> Summary:
    """A rich renderable: `Console().print(leg_jump_summary(run))`."""
    return Summary(partial(_parts, run))


def _parts(run: LegJumpStudy, plain: bool) -> Iterator[Any]:
    """Verdict, remedies, figures and a column per joint with its peaks in both units."""
    from rich.table import Table

    colour = COLOURS[VERDICT_MARKS[run.verdict].tone]
    yield rich_text(plain, (f"{run.verdict}: ", f"bold {colour}"), (run.reason, "bold"))
    for remedy in run.remedies:
        yield rich_text(plain, (f"  - {remedy}", ""))
    yield ""
    grid = Table(box=None, show_header=False, pad_edge=False)
    for name, value in figures(run):
        grid.add_row(rich_text(plain, (name, "dim")), rich_text(plain, (value, "")))
    yield grid
    if run.course is not None:
        joints = peaks(run)
        table = rich_table("peak")
        for peak in joints:
            table.add_column(peak.joint)
        for name, text in ROWS.items():
            table.add_row(name, *(rich_text(plain, (text(peak), "")) for peak in joints))
        yield FittingTable(table)
