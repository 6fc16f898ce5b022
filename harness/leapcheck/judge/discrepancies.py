"""Disagreements in words: who is wrong by the extended-precision truth, why by the fingerprints, and how to repeat it.

What only a wrong engine is asked is imported there: most runs have none, and its rules, with SciPy, take 0.3 s to import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from leapcheck.comparison.plan import Plan, repeat_text
from leapcheck.engines.protocol import Engine
from leapcheck.engines.registry import factory_of
from leapcheck.judge.truth import truth
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass, Comparison, Diagnosis, Discrepancy, LargestMismatch, Reproducer, Verdict, WorstState
from leapcheck.sampling import States, generated_states, join_states
from leapcheck_models.spec import RobotSpec

ASKED_AGAIN = 48
"""Seeded states on which a cause is looked for, next to the worst ones."""

MOST_WORST = 8
"""Worst states, of one quantity each, that are looked at."""

SEARCHED = 700
"""States at which an engine is asked when its largest error is searched: those of the diagnosis and five generations."""


def one_state(worst: WorstState) -> States:
    """A worst state as a block of one."""
    q, v, tau = (np.array([part]) for part in (worst.q, worst.v, worst.tau))
    return States(q, v, tau, np.array([worst.index]), (worst.kind,))


def worst_states(worst: Sequence[WorstState]) -> States:
    """The first worst states, each once."""
    return join_states([one_state(state) for state in {state.index: state for state in worst[:MOST_WORST]}.values()])


def states_to_ask(spec: RobotSpec, seed: int, worst: Sequence[WorstState]) -> States:
    """The worst states and those of the seed."""
    return join_states([worst_states(worst), generated_states(spec, ASKED_AGAIN, seed, 0)])


def add_truth(spec: RobotSpec, rows: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons, with the true value of the worst entry for each discrepancy and each quantity's worst pair."""
    worst = {row.quantity: row for row in sorted(rows, key=lambda row: row.rounding)}
    true_values = cache(partial(truth, spec))  # pairs with one wrong engine often share the state

    def true_entry(quantity: str, worst: WorstState) -> float:
        return float(true_values(quantity, worst.q, worst.v, worst.tau)[worst.place])

    return tuple(
        replace(row, worst=replace(row.worst, truth=true_entry(row.quantity, row.worst)))
        if row.worst is not None and (row.verdict is Verdict.DISCREPANCY or worst[row.quantity] is row)
        else row
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class Findings:
    """What the judge says of a run: a paragraph per wrong quantity and engine, why each wrong engine is off, the smallest
    cases, the largest errors that a search found, and why there are no such cases (`gaps`).
    """

    discrepancies: tuple[Discrepancy, ...]
    diagnoses: tuple[Diagnosis, ...]
    reproducers: tuple[Reproducer, ...]
    largest: tuple[LargestMismatch, ...] = ()
    gaps: tuple[str, ...] = ()


class WrongQuantity(NamedTuple):
    """A row that shows that `engine` is wrong and `against` is not, and the state where it shows most."""

    engine: str
    against: str
    row: Comparison
    worst: WorstState


def findings(plan: Plan, engines: Sequence[Engine], rows: Sequence[Comparison]) -> Findings:
    """One paragraph for each quantity and engine that is wrong; where the truth clears both sides, for each pair."""
    wrong = _wrong_rows(rows)
    parts = [_findings_on(plan, engine, [w for w in wrong if w.engine == engine.name]) for engine in engines]
    paragraphs = {(d.quantity, d.engine): d for part in parts for d in part.discrepancies}
    return Findings(
        tuple(paragraphs[w.row.quantity, w.engine] for w in wrong),
        tuple(d for part in parts for d in part.diagnoses),
        tuple(r for part in parts for r in part.reproducers),
        tuple(largest for part in parts for largest in part.largest),
        tuple(gap for part in parts for gap in part.gaps),
    )


def _wrong_rows(rows: Sequence[Comparison]) -> list[WrongQuantity]:
    """The first row that shows each quantity of each wrong engine."""
    wrong: dict[tuple[str, str], WrongQuantity] = {}
    for row in rows:
        if row.verdict is Verdict.DISCREPANCY and row.worst is not None:
            swapped = _wrong_engine(row, row.worst) == row.against
            engine, against = (row.against, row.engine) if swapped else (row.engine, row.against)
            wrong.setdefault((row.quantity, engine), WrongQuantity(engine, against, row, row.worst))
    return list(wrong.values())


def _findings_on(plan: Plan, engine: Engine, wrong: Sequence[WrongQuantity]) -> Findings:
    """What is wrong with one engine."""
    if not wrong:
        return Findings((), (), ())
    diagnoses, reason = _diagnoses(plan, engine, [w.worst for w in wrong])
    commands = [repeat_text(plan, (w.engine, w.against), w.row.quantity, w.worst.index) for w in wrong]
    paragraphs = [_paragraph(w, diagnoses, reason, command) for w, command in zip(wrong, commands, strict=True)]
    cases, gaps = _smallest(plan.spec, engine, wrong, commands)
    largest = _largest(plan, engine, wrong[0].row.quantity, states_to_ask(plan.spec, plan.seed, [w.worst for w in wrong]))
    return Findings(tuple(paragraphs), diagnoses, cases, largest, gaps)


def _diagnoses(plan: Plan, engine: Engine, worst: Sequence[WorstState]) -> tuple[tuple[Diagnosis, ...], str]:
    """Why an engine is off at its worst states and some more; one that fails at those is judged at the worst ones alone."""
    from leapcheck.judge.declaration import declaration
    from leapcheck.judge.diagnosis import diagnose

    quantities = [quantity for quantity in plan.quantities if quantity in engine.quantities]
    reason = ""
    recorded: States | None = getattr(engine, "states", None)  # a recording has no answers elsewhere
    if recorded is None:
        more = states_to_ask(plan.spec, plan.seed, worst)
    else:
        more = join_states([worst_states(worst), recorded[:ASKED_AGAIN]])
    for states in (more, worst_states(worst)):
        try:
            diagnoses = diagnose(plan.spec, engine, states, quantities)
            own = declaration(plan.spec, engine, states, quantities) if any(d.unexplained for d in diagnoses) else None
            return (own,) if own else diagnoses, ""
        except Exception as error:  # foreign code is asked again: its failure must not cost the report
            reason = _reason(error)
    return (), reason


def _paragraph(wrong: WrongQuantity, diagnoses: Sequence[Diagnosis], reason: str, command: str) -> Discrepancy:
    cause_class, cause, evidence = _cause(wrong.row.quantity, diagnoses, reason)
    return Discrepancy(
        quantity=wrong.row.quantity,
        engine=wrong.engine,
        against=wrong.against,
        cause_class=cause_class,
        cause=_sentence(cause),
        evidence=_sentence(evidence),
        who_is_wrong=_who_in_words(wrong.row, wrong.worst, _wrong_engine(wrong.row, wrong.worst)),
        command=command,
    )


def _cause(quantity: str, diagnoses: Sequence[Diagnosis], reason: str) -> tuple[CauseClass, str, str]:
    """Class, cause and evidence of one quantity's error out of the diagnoses of its engine."""
    if reason:
        return CauseClass.UNEXPLAINED, "the engine failed when it was asked again", reason
    for diagnosis in diagnoses:
        for falls in diagnosis.falls:
            if falls.quantity != quantity:
                continue
            if quantity in diagnosis.unexplained or not diagnosis.causes:
                return CauseClass.UNEXPLAINED, "no known fault makes this error", diagnosis.pattern
            words = "; ".join(cause.words for cause in diagnosis.causes)
            details = [cause.details for cause in diagnosis.causes if cause.details]
            taken = f"taken so, the scale-free error falls from {falls.before:.2g} to {falls.after:.2g}"
            return diagnosis.causes[0].cause_class, words, "; ".join([*details, taken])
    again = "asked again at the same states, the engine is right to rounding: its answers depend on the order of the calls"
    return CauseClass.ENGINE, "the error was not seen again", again


def _smallest(
    spec: RobotSpec, engine: Engine, wrong: Sequence[WrongQuantity], commands: Sequence[str]
) -> tuple[tuple[Reproducer, ...], tuple[str, ...]]:
    """The smallest case of each discrepancy with the files that repeat it, and why there is none of some.

    A robot that is small enough for one quantity is tried first for the next.
    """
    from leapcheck.judge.reproducer.files import reproducer
    from leapcheck.judge.shrinking.shrink import single_robot_maker, smallest_case

    make = factory_of(engine) or single_robot_maker(spec, engine)
    cases: list[Reproducer] = []
    gaps: list[str] = []
    robots: list[RobotSpec] = []
    for quantity, worst, command in ((w.row.quantity, w.worst, c) for w, c in zip(wrong, commands, strict=True)):
        try:
            case = smallest_case(spec, make, quantity, one_state(worst), hints=robots)
            cases.append(reproducer(engine.name, case, quantity, command, getattr(engine, "model_text", "")))
            robots.append(case.spec)
        except Exception as error:  # foreign code, asked for robots and states that nobody meant for it
            gaps.append(f"{QUANTITIES[quantity].label}: no smaller case of {engine.name}: {_reason(error)}")
    return tuple(cases), tuple(gaps)


def _largest(plan: Plan, engine: Engine, quantity: str, start: States) -> tuple[LargestMismatch, ...]:
    """The largest error that a search from some states finds in one quantity; none where the engine fails on the way."""
    from leapcheck.judge.shrinking.mismatch import Budget
    from leapcheck.judge.shrinking.search import largest_mismatch
    from leapcheck.judge.shrinking.shrink import single_robot_maker

    try:
        make = factory_of(engine) or single_robot_maker(plan.spec, engine)
        mismatch = largest_mismatch(plan.spec, make, quantity, plan.seed, Budget(SEARCHED), start)
    except Exception:  # foreign code, as above: its failures at the run's own states are reported
        return ()
    q, v, tau = (tuple(map(float, block[0])) for block in (mismatch.state.q, mismatch.state.v, mismatch.state.tau))
    return (LargestMismatch(engine.name, quantity, mismatch.error, mismatch.random_error, q, v, tau),)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _wrong_engine(row: Comparison, worst: WorstState) -> str:
    """The side that lies farther from the true value of the worst entry."""
    if worst.truth is None:
        return ""
    if not np.isfinite(worst.value):
        return row.engine
    return row.engine if abs(worst.value - worst.truth) >= abs(worst.against_value - worst.truth) else row.against


def _who_in_words(row: Comparison, worst: WorstState, wrong: str) -> str:
    if worst.truth is None:
        return "Who is wrong was not judged."
    right = row.against if wrong == row.engine else row.engine
    off = {row.engine: abs(worst.value - worst.truth), row.against: abs(worst.against_value - worst.truth)}
    label = QUANTITIES[row.quantity].label
    return (
        f"{wrong} is wrong: its {label} entry [{worst.entry}] is off the extended-precision value {worst.truth!r} by "
        f"{off[wrong]:.3g}, {right}'s by {off[right]:.3g}."
    )


def _sentence(text: str) -> str:
    """The text with a capital and a full stop; a name that opens it keeps its spelling."""
    first = text.split(maxsplit=1)[:1]
    start = text[:1].upper() + text[1:] if first and first[0].isalpha() else text
    return start if start.endswith((".", "!", "?")) else f"{start}."
