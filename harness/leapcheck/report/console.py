"""The run in the terminal: verdict, a line per quantity, one about the truth, discrepancies; 80 columns are enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.compare.records import Comparison, Discrepancy, Run, Verdict
from leapcheck.report import truth_table, view, words

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

SHOWN = 5  # discrepancies and pairs of one quantity in words; the report has them all
COLOURS = {"good": "green", "warn": "yellow", "bad": "red"}
ASCII = str.maketrans("✓≈✗…⁻¹²ᵀ" + words.TIMES + words.DASH, "+~x~-12Tx-")


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
        for part in _discrepancies(self.run, plain):
            yield ""
            yield part
        for failure in self.run.failures:
            yield ""
            yield _text(plain, (f"failed  {failure.engine}", "bold red"), (f" {failure.quantity}: {failure.message}", ""))
        if self.run.not_compared:
            yield ""
            yield _text(plain, (f"{len(self.run.not_compared)} limits: see the report for what was not compared", "dim"))


def console_summary(run: Run) -> ConsoleSummary:
    """A rich renderable of the run: `Console().print(console_summary(run))`; colour only where the console has it."""
    return ConsoleSummary(run)


def _text(plain: bool, *parts: tuple[str, str]) -> Any:
    """Styled text, never markup: what others named is shown, not obeyed."""
    from rich.text import Text

    return Text.assemble(*((_plain(words.printable(text), plain), style) for text, style in parts))


def _plain(text: str, plain: bool) -> str:
    return text.translate(ASCII).encode("ascii", "replace").decode() if plain else text


def _verdict(run: Run, plain: bool) -> Any:
    mark = words.headline(run)
    return _text(plain, (f"{mark.sign} {mark.word}: ", f"bold {COLOURS[mark.tone]}"), (run.verdict, "bold"))


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
        _text(plain, (mark.sign, f"bold {COLOURS[mark.tone]}")),
        _text(plain, (label, "")),
        *(_text(plain, (text, colour)) for text in numbers),
        _text(plain, (f"{row.engine} / {row.against}", colour)),
    ]


def _truth(run: Run, plain: bool) -> Any:
    """Each engine's largest error against the truth: in expected roundings, since one line is about all quantities."""
    found = ", ".join(f"{a.engine} {words.factor(a.rounding)}" for a in truth_table.largest(run))
    return _text(plain, ("largest error against the truth /rounding: ", "dim"), (found, ""))


def _discrepancies(run: Run, plain: bool) -> Iterator[Any]:
    """A paragraph per discrepancy, worst first, and how many more there are."""
    found = view.discrepancies(run)
    for discrepancy, _ in found[:SHOWN]:
        yield from _paragraph(discrepancy, plain)
    if len(found) > SHOWN:
        yield _text(plain, (f"and {len(found) - SHOWN} more in the report", "dim"))


def _paragraph(d: Discrepancy, plain: bool) -> Iterator[Any]:
    """Heading, cause and evidence, who is wrong, and the command that repeats it, a line each."""
    heading = (f"{words.quantity_label(d.quantity)}: {d.engine} against {d.against}", "bold red")
    yield _text(plain, heading, (f" [{d.cause_class}]", "bold"))
    yield _text(plain, (f"{d.cause} {d.evidence}", ""))
    yield _text(plain, (d.who_is_wrong, ""))
    yield _text(plain, (d.command, "cyan"))
