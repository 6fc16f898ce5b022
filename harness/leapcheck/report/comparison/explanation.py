"""Judgements in the terminal: who is wrong, why, by how much, what else it may be, the smallest case, and how to repeat it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from leapcheck.records import BaselineResult, Diagnosis, Run
from leapcheck.report import words
from leapcheck.report.comparison import judgement, tables
from leapcheck.report.comparison.judgement import EngineJudgement
from leapcheck.report.terminal import COLOURS, Summary, headline, rich_text

BRIEF = 3
"""Alternatives and quantities that a summary prints; `leapcheck explain` prints all."""


def explanation(run: Run, engine: str = "", quantity: str = "") -> Summary:
    """A rich renderable of the run's judgements, of one engine or quantity where one is given."""
    return Summary(partial(_parts, restrict(run, engine, quantity)))


def _parts(run: Run, plain: bool) -> Iterator[Any]:
    """The verdict, the judgements, then the verdicts and laws behind them."""
    where = run.provenance
    yield headline(plain, words.headline(run), run.verdict)
    yield rich_text(plain, (f"{where.robot} {where.model_hash[:16]}, {where.states} states, seed {where.seed}", "dim"))
    if run.baseline is not None:
        yield from baseline_lines(run.baseline, plain)
    for engine in judgement.judgements(run):
        yield ""
        yield from judgement_lines(run, engine, plain)
    for story in judgement.stories_alone(run):
        yield ""
        yield from story_lines(story, plain)
    if run.verdicts or run.identities:
        yield ""
    yield from _verdicts(run, plain)
    yield from _laws(run, plain)
    yield from failure_lines(run, plain)


def failure_lines(run: Run, plain: bool) -> Iterator[Any]:
    """A line for each failure."""
    for failure in run.failures:
        yield rich_text(plain, (f"failed  {failure.engine}", "bold red"), (f" {failure.quantity}: {failure.message}", ""))


def restrict(run: Run, engine: str = "", quantity: str = "") -> Run:
    """The run with only what an explanation of one engine, or one quantity, reads; ValueError for one that is not there."""
    engines = list(dict.fromkeys([*(e.name for e in run.engines), *(d.engine for d in run.diagnoses)]))
    quantities = list(dict.fromkeys([*(c.quantity for c in run.comparisons), *(v.quantity for v in run.verdicts)]))
    for what, name, known in (("engine", engine, engines), ("quantity", quantity, quantities)):
        if name and name not in known:
            raise ValueError(f"the run has no {what} '{name}': use one of {', '.join(known) or 'none'}")

    def concerns(row: Any) -> bool:
        its_quantities = (row.quantity,) if hasattr(row, "quantity") else row.quantities
        return (not engine or row.engine == engine) and (not quantity or quantity in its_quantities)

    names = ("verdicts", "identities", "discrepancies", "reproducers", "largest", "failures")
    parts: dict[str, Any] = {name: tuple(row for row in getattr(run, name) if concerns(row)) for name in names}
    diagnoses = [_about(d, quantity) for d in run.diagnoses if not engine or d.engine == engine]
    return dataclasses.replace(run, diagnoses=tuple(d for d in diagnoses if d.falls), **parts)


def _about(diagnosis: Diagnosis, quantity: str) -> Diagnosis:
    """The diagnosis of one quantity alone; of all where none is named."""
    if not quantity:
        return diagnosis
    falls = tuple(row for row in diagnosis.falls if row.quantity == quantity)
    return dataclasses.replace(
        diagnosis, falls=falls, unexplained=tuple(name for name in diagnosis.unexplained if name == quantity)
    )


def baseline_lines(result: BaselineResult, plain: bool) -> Iterator[Any]:
    """A run compared with its baseline: a sentence, then a line for each finding and note."""
    tone = COLOURS["bad" if any(finding.fails for finding in result.findings) else "good"]
    yield rich_text(plain, (f"baseline {result.file}: ", "dim"), (result.sentence, f"bold {tone}"))
    for finding in result.findings:
        about = f" {finding.engine}, {words.quantity_label(finding.quantity)}: "
        yield rich_text(plain, (finding.kind, COLOURS["bad" if finding.fails else "good"]), (about, "bold"), (finding.words, ""))
    for note in result.notes:
        yield rich_text(plain, (note, "dim"))


def judgement_lines(run: Run, judged: EngineJudgement, plain: bool, most: int | None = None) -> Iterator[Any]:
    """A judgement: its heading, then a line or more to each question; at most `most` alternatives, quantities and cases."""
    from rich.table import Table

    yield rich_text(plain, (f"{judged.mark.sign} {judged.title}", f"bold {COLOURS[judged.mark.tone]}"))
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    last = ""
    for label, text in _answers(run, judged, most):
        grid.add_row(rich_text(plain, ("" if label == last else label, "dim")), rich_text(plain, (text, _style(label))))
        last = label
    yield grid


def _style(label: str) -> str:
    return {"why": "bold", "repeat": "cyan"}.get(label, "")


def _answers(run: Run, judged: EngineJudgement, most: int | None) -> Iterator[tuple[str, str]]:
    """(question, answer) of a judgement."""
    for diagnosis in judged.diagnoses:
        yield from _why(diagnosis, most)
    for story in judged.stories:
        yield "why", f"[{story.cause_class}] {story.cause} {story.rows[0][0].evidence}"
    for case in judged.reproducers[:most]:
        label = words.quantity_label(case.quantity)
        yield "smallest", f"{label}: {judgement.state_words(case)}"
        yield "smallest", judgement.body_words(case)
        file = f": {judgement.path(case)}" if case.script else ""
        yield "smallest", f"error {words.number(case.error)}, allowed {words.number(case.allowed)}{file}"
    yield from _more("smallest", judged.reproducers, most)
    yield from (("largest", judgement.largest_words(mismatch)) for mismatch in judged.largest)
    commands = [d for d in run.discrepancies if d.engine == judged.engine]
    if most is None:
        yield from (("judged", d.who_is_wrong) for d in commands if d.who_is_wrong)
    yield from (("repeat", d.command) for d in commands[:1])


def _why(diagnosis: Diagnosis, most: int | None) -> Iterator[tuple[str, str]]:
    for cause in diagnosis.causes:
        details = f" {judgement.sentence(cause.details)}" if cause.details else ""
        yield "why", f"[{cause.cause_class}] {judgement.sentence(cause.words)}{details}"
    if not diagnosis.causes:
        yield "why", "[unexplained] No known fault, and no pair of them that was tried, explains these errors."
    for causes in diagnosis.alternatives[:most]:
        yield "or", judgement.sentence(judgement.conjunction(causes))
    yield from _more("or", diagnosis.alternatives, most)
    for falls in diagnosis.falls[:most]:
        left = f"{words.number(falls.before)} -> {words.number(falls.after)}"
        yield "error", f"{words.quantity_label(falls.quantity)}: {left}, {judgement.outcome_mark(diagnosis, falls).word}"
    yield from _more("error", diagnosis.falls, most)
    if diagnosis.pattern:
        yield "where", judgement.sentence(diagnosis.pattern)


def _more(label: str, rows: Sequence[Any], most: int | None) -> Iterator[tuple[str, str]]:
    if most is not None and len(rows) > most:
        yield label, f"and {len(rows) - most} more"


def story_lines(story: judgement.Story, plain: bool) -> Iterator[Any]:
    """A cause without a diagnosis: heading, cause, and for its worst quantity the evidence, who is wrong, and the command."""
    worst = story.rows[0][0]
    yield rich_text(plain, (f"{judgement.story_title(story)}", "bold red"), (f" [{story.cause_class}]", "bold"))
    yield rich_text(plain, (f"{story.cause} {worst.evidence}", ""))
    yield rich_text(plain, (worst.who_is_wrong, ""))
    yield rich_text(plain, (worst.command, "cyan"))


def _verdicts(run: Run, plain: bool) -> Iterator[Any]:
    """A line for each engine: its verdict, and where it is worst."""
    table = tables.verdict_table(run)
    for engine in table.rows:
        worst = table.worst(engine)
        mark = tables.mark(worst)
        figures = f"{words.factor(worst.rounding)} the expected rounding of {words.factor(worst.allowed)} allowed"
        where = f": worst in {words.quantity_label(worst.quantity)}, {figures}, state {worst.index}"
        far = " far from the world's origin" if tables.far_alone(worst) else ""
        yield rich_text(
            plain, (f"{mark.sign} ", COLOURS[mark.tone]), (engine, "bold"), (f" {worst.verdict}{far}", ""), (where, "dim")
        )


def _laws(run: Run, plain: bool) -> Iterator[Any]:
    """How many laws hold, and each that does not."""
    broken = [identity for identity in run.identities if not identity.holds]
    if run.identities:
        yield rich_text(plain, (f"{len(run.identities) - len(broken)} of {len(run.identities)} laws hold", "dim"))
    for row in broken:
        by = f" misses by {words.number(row.error)}, allowed {words.number(row.allowed)}"
        yield rich_text(plain, ("✗ ", "red"), (row.engine, "bold"), (f": {words.unit(row.law)}", ""), (by, "dim"))
