"""A jump in the terminal: verdict, reasons, the figures that matter, what failed; 80 columns are enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.report import jump_figures, jump_view, words
from leapcheck.report.jump_words import ARROW, PLUS_MINUS, VERDICT_MARKS, sentence, with_signs
from leapcheck.report.terminal import ASCII, COLOURS

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

    from leapcheck.jump.run import JumpRun

SHOWN = 6  # reasons and remedies in words; the report has them all
PLAIN = ASCII | str.maketrans({PLUS_MINUS: "+-", ARROW: "->"})


@dataclass(frozen=True, slots=True)
class JumpSummary:
    """What rich prints of a jump study; signs turn to ASCII where the terminal knows no others."""

    run: JumpRun

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """The parts from top to bottom."""
        run, plain = self.run, options.ascii_only
        mark = VERDICT_MARKS[run.judgement.verdict]
        said = sentence(run.judgement.sentence, run.judgement.verdict)
        yield _text(plain, (f"{mark.sign} {mark.word}: ", f"bold {COLOURS[mark.tone]}"), (said, "bold"))
        yield from _reasons(run, plain)
        if run.estimates:
            yield ""
            yield _table(run, plain)
        for row in jump_view.simulators(run):
            if row.message:
                yield _text(plain, (f"{row.state}  {row.name}", "bold red"), (f": {row.message}", ""))
        for note in run.notes:
            yield _text(plain, ("note: ", "bold"), (note, ""))
        robustness = jump_view.robustness(run)
        if robustness:
            yield _text(plain, (robustness.sentence, ""))
        yield _text(plain, (f"{len(jump_view.limits(run))} limits: see the report for what was not simulated", "dim"))


def jump_summary(run: JumpRun) -> JumpSummary:
    """A rich renderable of the study: `Console().print(jump_summary(run))`; colour only where the console has it."""
    return JumpSummary(run)


def _text(plain: bool, *parts: tuple[str, str]) -> Any:
    """Styled text, never markup: what others named is shown, not obeyed."""
    from rich.text import Text

    return Text.assemble(*((_plain(words.printable(text), plain), style) for text, style in parts))


def _plain(text: str, plain: bool) -> str:
    return text.translate(PLAIN).encode("ascii", "replace").decode() if plain else text


def _reasons(run: JumpRun, plain: bool) -> Iterator[Any]:
    """The reasons after the first, which the verdict's sentence has, and what to change."""
    judgement = run.judgement
    for reason in judgement.reasons[1:SHOWN]:
        mark = VERDICT_MARKS[reason.verdict]
        yield _text(plain, (f"  {mark.sign} {mark.word}: ", COLOURS[mark.tone]), (with_signs(reason.text), ""))
    if len(judgement.reasons) > SHOWN:
        yield _text(plain, (f"  and {len(judgement.reasons) - SHOWN} more in the report", "dim"))
    for remedy in judgement.remedies[:SHOWN]:
        yield _text(plain, ("  to change: ", "bold"), (with_signs(remedy), ""))
    if len(judgement.remedies) > SHOWN:
        yield _text(plain, (f"  and {len(judgement.remedies) - SHOWN} more to change in the report", "dim"))


def _table(run: JumpRun, plain: bool) -> Any:
    """A row per headline figure."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), safe_box=True, header_style="dim")
    table.add_column("figure", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("over simulators", justify="right", no_wrap=True)
    for row in jump_figures.headline_figures(run):
        colour = COLOURS.get(row.tone, "")
        cells = ((row.label, colour), (row.value, colour), (words.unit(row.unit), "dim"), (row.spread, "dim"))
        table.add_row(*(_text(plain, cell) for cell in cells))
    return table
