"""Judgements in the terminal: who is wrong, why, by how much, what else it may be, the smallest case, and how to repeat it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from leapcheck.records import BaselineResult, Diagnosis, Falls, Reproducer, Run, TruthVerdict
from leapcheck.report import words
from leapcheck.report.comparison import judgement, tables, view
from leapcheck.report.comparison.judgement import EngineJudgement
from leapcheck.report.terminal import COLOURS, Summary, headline, rich_text

MOST_ALTERNATIVES = 3
"""Alternatives that are printed without their details being asked for."""


def explanation(run: Run, engine: str = "", quantity: str = "", details: bool = False) -> Summary:
    """A rich renderable of the run's judgements, of one engine or quantity where one is given.

    Without `details` one quantity stands for all that have the same cause, one engine for all with the same verdict.
    """
    return Summary(partial(_parts, restrict(run, engine, quantity), details))


def _parts(run: Run, details: bool, plain: bool) -> Iterator[Any]:
    """The verdict, the judgements, then the verdicts and laws behind them."""
    where = run.provenance
    yield headline(plain, words.headline(run), run.verdict)
    yield rich_text(plain, (f"{where.robot} {where.model_hash[:16]}, {where.states} states, seed {where.seed}", "dim"))
    if run.baseline is not None:
        yield from baseline_lines(run.baseline, plain)
    for engine in judgement.judgements(run):
        yield ""
        yield from judgement_lines(run, engine, plain, details)
    for story in judgement.stories_alone(run):
        yield ""
        yield from story_lines(story, plain)
    if run.verdicts or run.identities:
        yield ""
    yield from _verdicts(run, plain, details)
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


def judgement_lines(run: Run, judged: EngineJudgement, plain: bool, details: bool = False) -> Iterator[Any]:
    """A judgement: its heading, then a line or more to each question; without `details` what is alike is counted."""
    from rich.table import Table

    yield rich_text(plain, (f"{judged.mark.sign} {judged.title}", f"bold {COLOURS[judged.mark.tone]}"))
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    last = ""
    for label, text in _answers(run, judged, details):
        grid.add_row(rich_text(plain, ("" if label == last else label, "dim")), rich_text(plain, (text, _style(label))))
        last = label
    yield grid


def _style(label: str) -> str:
    return {"why": "bold", "repeat": "cyan"}.get(label, "")


def _answers(run: Run, judged: EngineJudgement, details: bool) -> Iterator[tuple[str, str]]:
    """(question, answer) of a judgement."""
    for diagnosis in judged.diagnoses:
        yield from _why(diagnosis, details)
    for story in judged.stories:
        yield "why", f"[{story.cause_class}] {story.cause} {story.rows[0][0].evidence}"
    yield from (("smallest", line) for line in _smallest(judged.reproducers, details))
    commands = [d for d in run.discrepancies if d.engine == judged.engine]
    if details:
        yield from (("largest", judgement.largest_words(mismatch)) for mismatch in judged.largest)
        yield from (("judged", d.who_is_wrong) for d in commands if d.who_is_wrong)
    yield from (("repeat", d.command) for d in commands[:1])


def _why(diagnosis: Diagnosis, details: bool) -> Iterator[tuple[str, str]]:
    for cause in diagnosis.causes:
        amounts = f" {judgement.sentence(cause.details)}" if cause.details else ""
        yield "why", f"[{cause.cause_class}] {judgement.part_of(diagnosis)}{judgement.sentence(cause.words)}{amounts}"
    if slugs := [page.slug for page in judgement.pages(diagnosis)]:
        yield "means", ", ".join(f"leapcheck rule {slug}" for slug in slugs)
    if not diagnosis.causes:
        yield "why", "[unexplained] No known fault, and no pair of them that was tried, explains these errors."
    shown = diagnosis.alternatives[: None if details else MOST_ALTERNATIVES]
    yield from (("or", judgement.sentence(judgement.conjunction(causes))) for causes in shown)
    if len(diagnosis.alternatives) > len(shown):
        yield "or", f"and {len(diagnosis.alternatives) - len(shown)} more"
    yield from (("error", line) for line in _errors(diagnosis, details))
    if diagnosis.pattern and (details or diagnosis.unexplained or not diagnosis.causes):
        yield "where", judgement.sentence(diagnosis.pattern)


def _errors(diagnosis: Diagnosis, details: bool) -> Iterator[str]:
    """How far the error of each quantity falls; without `details` that of the worst one of each outcome, the others named."""
    outcomes: dict[str, list[Falls]] = {}
    for falls in diagnosis.falls:
        outcomes.setdefault(judgement.outcome_mark(diagnosis, falls).word, []).append(falls)
    for outcome, rows in outcomes.items():
        first, *others = rows if details else sorted(rows, key=lambda falls: -falls.before)
        for falls in (first, *(others if details else ())):
            left = f"{words.number(falls.before)} -> {words.number(falls.after)}"
            yield f"{words.quantity_label(falls.quantity)}: {left}, {outcome}"
        if others and not details:
            yield f"and {len(others)} more, {outcome}: {_labels(falls.quantity for falls in others)}"


def _smallest(cases: Sequence[Reproducer], details: bool) -> Iterator[str]:
    """The smallest cases; without `details` the smallest of all, the others named."""
    ordered = cases if details else sorted(cases, key=lambda case: (len(case.bodies), len(case.state)))
    for case in ordered if details else ordered[:1]:
        yield f"{words.quantity_label(case.quantity)}: {judgement.state_words(case)}"
        yield judgement.body_words(case)
        file = f": {judgement.path(case)}" if case.script else ""
        yield f"error {words.number(case.error)}, allowed {words.number(case.allowed)}{file}"
    if len(ordered) > 1 and not details:
        yield f"and {len(ordered) - 1} more: {_labels(case.quantity for case in ordered[1:])}"


def _labels(quantities: Iterable[str]) -> str:
    return ", ".join(words.quantity_label(name) for name in view.in_usual_order(quantities))


def story_lines(story: judgement.Story, plain: bool) -> Iterator[Any]:
    """A cause without a diagnosis: heading, cause, and for its worst quantity the evidence, who is wrong, and the command."""
    worst = story.rows[0][0]
    yield rich_text(plain, (f"{judgement.story_title(story)}", "bold red"), (f" [{story.cause_class}]", "bold"))
    yield rich_text(plain, (f"{story.cause} {worst.evidence}", ""))
    yield rich_text(plain, (worst.who_is_wrong, ""))
    yield rich_text(plain, (worst.command, "cyan"))


def _verdicts(run: Run, plain: bool, details: bool) -> Iterator[Any]:
    """A line for each engine: its verdict, and where it is worst; without `details` for each verdict that stands nowhere else."""
    table = tables.verdict_table(run)
    alike: dict[tuple[str, bool, str], list[str]] = {}
    judged = {engine.engine for engine in judgement.judgements(run)}
    for engine in table.rows:
        worst = table.worst(engine)
        if engine in judged and worst.verdict == TruthVerdict.WRONG and not details:
            continue
        alike.setdefault((worst.verdict, tables.far_alone(worst), engine if details else ""), []).append(engine)
    for engines in alike.values():
        worst = min((table.worst(engine) for engine in engines), key=lambda verdict: verdict.margin)
        mark = tables.mark(worst)
        figures = f"{words.factor(worst.rounding)} the expected rounding of {words.factor(worst.allowed)} allowed"
        whose = f"{worst.engine} in " if len(engines) > 1 else "in "
        where = f": worst {whose}{words.quantity_label(worst.quantity)}, {figures}, state {worst.index}"
        far = " far from the world's origin" if tables.far_alone(worst) else ""
        names = (", ".join(engines), "bold")
        yield rich_text(plain, (f"{mark.sign} ", COLOURS[mark.tone]), names, (f" {worst.verdict}{far}", ""), (where, "dim"))


def _laws(run: Run, plain: bool) -> Iterator[Any]:
    """How many laws hold, and each that does not."""
    broken = [identity for identity in run.identities if not identity.holds]
    if run.identities:
        yield rich_text(plain, (f"{len(run.identities) - len(broken)} of {len(run.identities)} laws hold", "dim"))
    for row in broken:
        by = f" misses by {words.number(row.error)}, allowed {words.number(row.allowed)}"
        yield rich_text(plain, ("✗ ", "red"), (row.engine, "bold"), (f": {words.unit(row.law)}", ""), (by, "dim"))
