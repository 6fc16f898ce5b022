"""A comparison, and what changed between two, in the terminal: verdict, a line per quantity, the truth, discrepancies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from leapcheck.records import OWN_DIFFERENCES, Run
from leapcheck.report import words
from leapcheck.report.comparison import judgement, tables, view
from leapcheck.report.comparison.difference import SENSE_MARKS, RunDifference, Sense
from leapcheck.report.comparison.explanation import baseline_lines, failure_lines, judgement_lines, story_lines
from leapcheck.report.terminal import COLOURS, FittingTable, Summary, headline, rich_table, rich_text
from leapcheck_models.words import plural

SHOWN = 5  # discrepancies in words; the report has them all


def console_summary(run: Run) -> Summary:
    """A rich renderable of the run: `Console().print(console_summary(run))`."""
    return Summary(partial(_run_parts, run))


def difference_summary(difference: RunDifference) -> Summary:
    """A rich renderable of a difference: the sentence, then a paragraph per change, the worse first."""
    return Summary(partial(_difference_parts, difference))


def _run_parts(run: Run, plain: bool) -> Iterator[Any]:
    yield headline(plain, words.headline(run), run.verdict)
    if run.comparisons:
        yield ""
        yield _table(run, plain)
    if run.accuracies:  # in expected roundings, since one line is about all quantities
        errors = ", ".join(f"{a.engine} {words.factor(a.rounding)}" for a in tables.largest(run))
        yield rich_text(plain, ("largest error against the truth /rounding: ", "dim"), (errors, ""))
    if own := _own_differences(run):
        yield rich_text(plain, ("derivatives that are differences of the engine's own functions: ", "dim"), (own, ""))
    if run.baseline is not None:
        yield ""
        yield from baseline_lines(run.baseline, plain)
    yield from _judgements(run, plain)
    for line in failure_lines(run, plain):
        yield ""
        yield line
    if run.not_compared:
        yield ""
        yield rich_text(plain, (f"{plural(len(run.not_compared), 'limit')}: the report lists what was not compared", "dim"))


def _own_differences(run: Run) -> str:
    """How many derivatives of each engine are differences of its own functions, and which not; empty where not asked."""
    laws = [law for law in run.identities if OWN_DIFFERENCES in law.law]
    parts = []
    for engine in dict.fromkeys(law.engine for law in laws):
        own = [law for law in laws if law.engine == engine]
        broken = ", ".join(law.law.partition(OWN_DIFFERENCES)[0] for law in own if not law.holds)
        parts.append(f"{engine} {sum(law.holds for law in own)} of {len(own)}{f' (not {broken})' if broken else ''}")
    return ", ".join(parts)


def _table(run: Run, plain: bool) -> Any:
    """A row per quantity, its worst pair; a row for each engine that is wrong, with the number of pairs that show it."""
    table = rich_table("", "quantity", "error", "/rounding", "margin", padding=0)
    table.columns[1].justify, table.columns[1].max_width = "left", 20
    table.columns[1].no_wrap, table.columns[1].overflow = False, "fold"
    table.add_column("worst pair", overflow="fold")
    for row in view.summary_rows(run):
        table.add_row(*_cells(row, plain))
    return FittingTable(table)


def _cells(summary: view.SummaryRow, plain: bool) -> list[Any]:
    row = summary.worst
    mark = words.MARKS[row.verdict]
    colour = "" if mark.tone == "good" else COLOURS[mark.tone]
    figures = (words.number(row.error), words.factor(row.rounding), words.margin(row.margin), summary.pair)
    first = rich_text(plain, (mark.sign, f"bold {COLOURS[mark.tone]}"))
    return [first, rich_text(plain, (summary.label, "")), *(rich_text(plain, (text, colour)) for text in figures)]


def _judgements(run: Run, plain: bool) -> Iterator[Any]:
    """The engines that are off and why, in brief; then discrepancies without a diagnosis, a paragraph per cause, worst first."""
    for engine in judgement.judgements(run):
        yield ""
        yield from judgement_lines(run, engine, plain)
    stories = judgement.stories_alone(run)
    for story in stories[:SHOWN]:
        yield ""
        yield from story_lines(story, plain)
    if len(stories) > SHOWN:
        yield ""
        yield rich_text(plain, (f"and {len(stories) - SHOWN} more in the report", "dim"))


def _difference_parts(difference: RunDifference, plain: bool) -> Iterator[Any]:
    mark = SENSE_MARKS[Sense.WORSE if difference.exit_status else Sense.BETTER]
    yield rich_text(plain, (f"{mark.sign} ", f"bold {COLOURS[mark.tone]}"), (difference.sentence, "bold"))
    for change in difference.changes:
        mark = SENSE_MARKS[change.sense]
        yield rich_text(
            plain,
            (f"{mark.sign} {mark.word}", COLOURS.get(mark.tone, "dim")),
            (f"  {change.kind} ", "dim"),
            (change.subject, "bold"),
        )
        yield rich_text(plain, (f"    {change.before} -> {change.after}", ""))
