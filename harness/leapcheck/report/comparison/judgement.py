"""The judge's findings arranged for reading: engine by engine, each cause once for all the quantities that it spoils."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from leapcheck.catalogue.pages import CataloguePage, fault_page
from leapcheck.records import (
    ITSELF,
    CauseRow,
    Comparison,
    Diagnosis,
    Discrepancy,
    Falls,
    LargestMismatch,
    Reproducer,
    Run,
    TruthVerdict,
)
from leapcheck.report.comparison import view
from leapcheck.report.comparison.tables import MARKS, UNJUDGED
from leapcheck.report.words import Mark, number, quantity_label

FOLDER = "reproducers"
"""Folder of the reproducers, beside the report."""

NAMED = 4
"""Quantities that a heading names; more are counted."""


@dataclass(frozen=True, slots=True)
class Story:
    """Discrepancies of one engine that have one cause, each with the comparison that shows it; worst first."""

    engine: str
    cause_class: str
    cause: str
    rows: tuple[tuple[Discrepancy, Comparison | None], ...]


@dataclass(frozen=True, slots=True)
class EngineJudgement:
    """One engine that is off: what it is, in a mark and a heading, why, and the smallest cases that show it.

    `stories` are its discrepancies where it has no diagnosis, and those with itself.
    """

    engine: str
    mark: Mark
    title: str
    diagnoses: tuple[Diagnosis, ...]
    stories: tuple[Story, ...]
    reproducers: tuple[Reproducer, ...]
    largest: tuple[LargestMismatch, ...]


def judgements(run: Run) -> tuple[EngineJudgement, ...]:
    """A judgement for each engine with a diagnosis or a reproducer, in the order of the diagnoses."""
    names = dict.fromkeys([*(d.engine for d in run.diagnoses), *(r.engine for r in run.reproducers)])
    return tuple(_judgement(run, name) for name in names)


def _judgement(run: Run, engine: str) -> EngineJudgement:
    diagnoses = merge_diagnoses(d for d in run.diagnoses if d.engine == engine)
    judged = {
        word: [v.quantity for v in run.verdicts if (v.engine, v.verdict) == (engine, word)]
        for word in (TruthVerdict.WRONG, TruthVerdict.IMPRECISE)
    }
    alone = tuple(s for s in stories(run) if s.engine == engine and (not diagnoses or s.rows[0][0].against == ITSELF))
    cases = tuple(r for r in run.reproducers if r.engine == engine), tuple(m for m in run.largest if m.engine == engine)
    for word, phrase in ((TruthVerdict.WRONG, "is wrong"), (TruthVerdict.IMPRECISE, "is right but imprecise")):
        if judged[word]:
            return EngineJudgement(
                engine, MARKS[word], f"{engine} {phrase} in {_quantity_list(judged[word])}", diagnoses, alone, *cases
            )
    off = [falls.quantity for d in diagnoses for falls in d.falls] or [r.quantity for r in cases[0]]
    return EngineJudgement(engine, UNJUDGED, f"{engine} differs in {_quantity_list(off)}", diagnoses, alone, *cases)


def merge_diagnoses(diagnoses: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """The diagnoses of one engine, those of the same causes as one."""
    merged: dict[tuple[str, ...], Diagnosis] = {}
    for later in diagnoses:
        names = _names(later.causes)
        first = merged.get(names)
        if first is None or not names:
            merged[(*names, str(len(merged))) if first else names] = later
            continue
        merged[names] = replace(
            first,
            falls=(*first.falls, *later.falls),
            unexplained=(*first.unexplained, *later.unexplained),
            alternatives=tuple(causes for causes in first.alternatives if _names(causes) in map(_names, later.alternatives)),
            pattern=" ".join(dict.fromkeys(sentence(text) for text in (first.pattern, later.pattern) if text)),
        )
    return tuple(merged.values())


def _names(causes: Iterable[CauseRow]) -> tuple[str, ...]:
    return tuple(cause.name for cause in causes)


def _quantity_list(quantities: Sequence[str]) -> str:
    """The quantities in words; a long list is counted."""
    labels = [quantity_label(name) for name in view.in_usual_order(quantities)]
    return join_words(labels) if len(labels) <= NAMED else f"{len(labels)} quantities"


def join_words(words: Sequence[str]) -> str:
    """The words with commas and an "and"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def pages(diagnosis: Diagnosis) -> tuple[CataloguePage, ...]:
    """The pages on the faults that its causes belong to, each once."""
    every = (fault_page(cause.name) for cause in diagnosis.causes)
    return tuple(dict.fromkeys(page for page in every if page is not None))


def part_of(diagnosis: Diagnosis) -> str:
    """What comes before the causes where they leave more than rounding: they are not the whole of it."""
    return "Part of it: " if diagnosis.causes and diagnosis.unexplained else ""


def conjunction(causes: Sequence[CauseRow]) -> str:
    """Causes that hold at once, as one clause."""
    return "; and ".join(cause.words for cause in causes)


def sentence(text: str) -> str:
    """The text with a capital and a full stop; a name that opens it keeps its spelling."""
    first = text.split(maxsplit=1)[:1]
    start = text[:1].upper() + text[1:] if first and first[0].rstrip(":,").isalpha() else text
    return start if not start or start.endswith((".", "!", "?")) else f"{start}."


def cause_classes(diagnosis: Diagnosis) -> str:
    """The classes of the causes, each once: "convention and model"; "unexplained" without a cause."""
    return join_words(list(dict.fromkeys(cause.cause_class for cause in diagnosis.causes))) or "unexplained"


def state_words(case: Reproducer) -> str:
    """The entries of the smallest case's state that are not zero."""
    entries = ", ".join(f"{name} = {value!r}" for name, value in case.state)
    return f"{entries}; all else is zero" if entries else "every entry is zero"


def body_words(case: Reproducer) -> str:
    """How much of the robot the smallest case needs."""
    left = f"{len(case.bodies)} {'body' if len(case.bodies) == 1 else 'bodies'} left: {', '.join(case.bodies)}"
    return f"{left}; {len(case.removed)} removed" if case.removed else f"{left}; nothing can be removed"


def largest_words(mismatch: LargestMismatch) -> str:
    """How much larger an error a search found than random states show."""
    more = mismatch.error / mismatch.random_error if mismatch.random_error else 1.0
    error = f"{quantity_label(mismatch.quantity)}: {number(mismatch.error)} at a state found by a search"
    return f"{error}, {number(more)} times the worst random state"


def path(case: Reproducer) -> str:
    """Where the reproducer lies, from the report's folder."""
    return f"{FOLDER}/{file_name(case)}"


def outcome_mark(diagnosis: Diagnosis, falls: Falls) -> Mark:
    """Whether the causes explain a quantity's error; it stays where the engine merely computes with few digits."""
    if falls.quantity in diagnosis.unexplained:
        return Mark("not explained", "✗", "bad")
    return Mark("few digits", "≈", "warn") if falls.after == falls.before else Mark("explained", "✓", "good")


def story_title(story: Story) -> str:
    """Heading of a story: the quantity and the pair, or the engine and its quantities."""
    first = story.rows[0][0]
    if len(story.rows) == 1:
        return f"{quantity_label(first.quantity)}: {first.engine} against {first.against}"
    return f"{story.engine}: {_quantity_list([d.quantity for d, _ in story.rows])}"


def file_name(case: Reproducer, test: bool = False) -> str:
    """Name of a reproducer's file: ENGINE_QUANTITY.py, test_ENGINE_QUANTITY.py; one that any system and pytest can read."""
    name = re.sub(r"\W+", "_", f"{case.engine}_{case.quantity}", flags=re.ASCII).strip("_")
    return f"{'test_' if test else ''}{name}.py"


def files(run: Run) -> dict[str, str]:
    """Text of each reproducer's files by their names; of two cases with one name the first has it.

    An engine that exists only in Python has none: nothing says how to build it again.
    """
    texts: dict[str, str] = {}
    for case in (case for case in run.reproducers if case.script):
        texts.setdefault(file_name(case), case.script)
        texts.setdefault(file_name(case, test=True), case.test)
    return texts


def stories(run: Run) -> tuple[Story, ...]:
    """The discrepancies by engine and cause, worst first: what spoils five quantities is one story."""
    rows: dict[tuple[str, str, str], list[tuple[Discrepancy, Comparison | None]]] = {}
    for row in view.discrepancies(run):
        rows.setdefault((row[0].engine, row[0].cause_class, row[0].cause), []).append(row)
    return tuple(Story(*key, tuple(group)) for key, group in rows.items())


def stories_alone(run: Run) -> list[Story]:
    """The stories of engines without a judgement."""
    judged = {*(d.engine for d in run.diagnoses), *(r.engine for r in run.reproducers)}
    return [story for story in stories(run) if story.engine not in judged]
