"""A jump in the terminal: verdict, reasons, the figures that matter, what failed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from leapcheck.report import words
from leapcheck.report.jump import figures as jump_figures
from leapcheck.report.jump import view as jump_view
from leapcheck.report.jump.words import VERDICT_MARKS, sentence, with_signs
from leapcheck.report.terminal import COLOURS, FittingTable, Summary, headline, rich_table, rich_text
from leapcheck_models.words import plural

if TYPE_CHECKING:
    from leapcheck.jumping.study import JumpStudy

SHOWN = 6  # reasons and remedies in words; the report has them all


def jump_summary(run: JumpStudy) -> Summary:
    """A rich renderable of the study: `Console().print(jump_summary(run))`."""
    return Summary(partial(_parts, run))


def _parts(run: JumpStudy, plain: bool) -> Iterator[Any]:
    verdict = run.judgement.verdict
    yield headline(plain, VERDICT_MARKS[verdict], sentence(run.judgement.sentence, verdict))
    yield from _reasons(run, plain)
    if run.estimates:
        yield ""
        yield _table(run, plain)
    for row in jump_view.simulators(run):
        if row.message:
            yield rich_text(plain, (f"{row.state}  {row.name}", "bold red"), (f": {row.message}", ""))
    for note in run.notes:
        yield rich_text(plain, ("note: ", "bold"), (note, ""))
    if (robustness := jump_view.robustness(run)) is not None:
        yield rich_text(plain, (robustness.sentence, ""))
    yield rich_text(plain, (f"{plural(len(jump_view.limits(run)), 'limit')}: the report lists what was not simulated", "dim"))


def _reasons(run: JumpStudy, plain: bool) -> Iterator[Any]:
    """The reasons after the first, which the verdict's sentence has, and what to change."""
    judgement = run.judgement
    for reason in judgement.reasons[1:SHOWN]:
        mark = VERDICT_MARKS[reason.verdict]
        yield rich_text(plain, (f"  {mark.sign} {mark.word}: ", COLOURS[mark.tone]), (with_signs(reason.text), ""))
    if len(judgement.reasons) > SHOWN:
        yield rich_text(plain, (f"  and {len(judgement.reasons) - SHOWN} more in the report", "dim"))
    for remedy in judgement.remedies[:SHOWN]:
        yield rich_text(plain, ("  to change: ", "bold"), (with_signs(remedy), ""))
    if len(judgement.remedies) > SHOWN:
        yield rich_text(plain, (f"  and {len(judgement.remedies) - SHOWN} more to change in the report", "dim"))


def _table(run: JumpStudy, plain: bool) -> Any:
    """A row per headline figure."""
    table = rich_table("figure", "value", "", "over simulators")
    table.columns[0].no_wrap, table.columns[2].justify = False, "left"
    for row in jump_figures.headline_figures(run):
        colour = COLOURS.get(row.tone, "")
        cells = ((row.label, colour), (row.value, colour), (words.unit(row.unit), "dim"), (row.spread, "dim"))
        table.add_row(*(rich_text(plain, cell) for cell in cells))
    return FittingTable(table)
