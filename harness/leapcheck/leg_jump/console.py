"""What the terminal shows of a leg's jump."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.jump.judging.verdict import Verdict
from leapcheck.leg_jump.peaks import Peak, figures, peaks
from leapcheck.leg_jump.result import LegJump

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

STYLES = {Verdict.GO: "green", Verdict.MARGINAL: "yellow", Verdict.NO_GO: "red"}


@dataclass(frozen=True, slots=True)
class LegJumpSummary:
    """A rich renderable: `Console().print(LegJumpSummary(run))`."""

    run: LegJump

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """Verdict, remedies, figures and a row per joint."""
        from rich.text import Text

        run = self.run
        yield Text.assemble((f"{run.verdict}: ", f"bold {STYLES[run.verdict]}"), (run.reason, "bold"))
        for remedy in run.remedies:
            yield Text(f"  - {remedy}")
        yield ""
        yield _figures(run)
        if run.course is not None:
            yield _joints(run)


def _figures(run: LegJump) -> Any:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    for name, value in figures(run):
        table.add_row(name, value)
    return table


def _joints(run: LegJump) -> Any:
    """A column per joint: its peaks in both units."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, safe_box=True, header_style="dim")
    table.add_column("peak")
    found = peaks(run)
    for peak in found:
        table.add_column(peak.joint)
    for name, words in ROWS.items():
        table.add_row(name, *(words(peak) for peak in found))
    return table


ROWS: dict[str, Callable[[Peak], str]] = {
    "torque": lambda p: f"{p.torque:.3f} N m = {p.torque_kgf_cm:.2f} kgf cm",
    "  torque at": lambda p: f"{p.torque_time:.3f} s",
    "  by the text's formula": lambda p: f"{p.formula:.3f} N m = {p.formula_kgf_cm:.2f} kgf cm",
    "speed": lambda p: f"{p.speed:.2f} rad/s = {p.speed_degrees:.0f} deg/s",
    "  as makers print it": lambda p: f"{p.seconds_per_60_degrees:.3f} s per 60 deg",
    "  speed at": lambda p: f"{p.speed_time:.3f} s",
    "use of the servo": lambda p: f"{100 * p.use:.0f} % of {p.limit}" if p.limit else "not judged",
}
