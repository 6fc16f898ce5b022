"""The run in the terminal: verdict, a line per quantity, one about the truth, discrepancies; 80 columns are enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.compare.records import Comparison, Run, Verdict
from leapcheck.report import judgement, truth_table, view, words
from leapcheck.report.explanation import BRIEF, told, told_baseline, told_story
from leapcheck.report.terminal import COLOURS, styled

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

SHOWN = 5  # discrepancies and pairs of one quantity in words; the report has them all


@dataclass(frozen=True, slots=True)
class ConsoleSummary:
    """What rich prints of a run; signs turn to ASCII where the terminal knows no others."""

    run: Run

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """The parts from top to bottom."""
        plain = options.ascii_only
        yield _verdict(self.run, plain)
        if self.run.comparisons:
            yield ""
            yield _table(self.run, plain)
        if self.run.accuracies:
            yield _truth(self.run, plain)
        if self.run.baseline is not None:
            yield ""
            yield from told_baseline(self.run.baseline, plain)
        yield from _judgements(self.run, plain)
        for failure in self.run.failures:
            yield ""
            yield styled(plain, (f"failed  {failure.engine}", "bold red"), (f" {failure.quantity}: {failure.message}", ""))
        if self.run.not_compared:
            yield ""
            yield styled(plain, (f"{len(self.run.not_compared)} limits: see the report for what was not compared", "dim"))


def console_summary(run: Run) -> ConsoleSummary:
    """A rich renderable of the run: `Console().print(console_summary(run))`; colour only where the console has it."""
    return ConsoleSummary(run)


def _verdict(run: Run, plain: bool) -> Any:
    mark = words.headline(run)
    return styled(plain, (f"{mark.sign} {mark.word}: ", f"bold {COLOURS[mark.tone]}"), (run.verdict, "bold"))


def _table(run: Run, plain: bool) -> Any:
    """A row per quantity, its worst pair; more rows where pairs disagree."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0, safe_box=True, header_style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("quantity", no_wrap=True, max_width=20)
    for title in ("error", "/rounding", "margin"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("worst pair", overflow="fold")
    for group in view.groups(run):
        bad = [row for row in group.rows if row.verdict is Verdict.DISCREPANCY][:SHOWN]
        for i, row in enumerate(bad or group.rows[:1]):
            table.add_row(*_cells(row, "" if i else group.label, plain))
    return table


def _cells(row: Comparison, label: str, plain: bool) -> list[Any]:
    mark = words.MARKS[row.verdict]
    colour = "" if mark.tone == "good" else COLOURS[mark.tone]
    numbers = (words.number(row.error), words.factor(row.rounding), words.margin(row.margin))
    return [
        styled(plain, (mark.sign, f"bold {COLOURS[mark.tone]}")),
        styled(plain, (label, "")),
        *(styled(plain, (text, colour)) for text in numbers),
        styled(plain, (f"{row.engine} / {row.against}", colour)),
    ]


def _truth(run: Run, plain: bool) -> Any:
    """Each engine's largest error against the truth: in expected roundings, since one line is about all quantities."""
    found = ", ".join(f"{a.engine} {words.factor(a.rounding)}" for a in truth_table.largest(run))
    return styled(plain, ("largest error against the truth /rounding: ", "dim"), (found, ""))


def _judgements(run: Run, plain: bool) -> Iterator[Any]:
    """The engines that are off and why, in brief; then discrepancies without a diagnosis, a paragraph per cause, worst first."""
    for judged in judgement.judgements(run):
        yield ""
        yield from told(run, judged, plain, BRIEF)
    left = judgement.stories_alone(run)
    for story in left[:SHOWN]:
        yield ""
        yield from told_story(story, plain)
    if len(left) > SHOWN:
        yield ""
        yield styled(plain, (f"and {len(left) - SHOWN} more in the report", "dim"))
