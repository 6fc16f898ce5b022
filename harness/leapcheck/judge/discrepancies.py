"""Disagreements in words: who is wrong by the extended-precision truth, why by the fingerprints, and how to repeat it.

What only a wrong engine is asked is imported there: most runs have none, and its rules, with SciPy, take 0.3 s to import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leapcheck.comparison.execution import Stage
from leapcheck.comparison.plan import Plan, repeat_text
from leapcheck.engines.protocol import Engine
from leapcheck.engines.registry import factory_of
from leapcheck.judge.blame import VerdictOf, WrongQuantity, verdict_of, who_is_wrong, wrong_quantities
from leapcheck.judge.explanation import EngineExplanation, explanation, one_state, states_to_ask
from leapcheck.judge.meter import Meter
from leapcheck.judge.true_entries import true_entries
from leapcheck.judge.verdicts import CONDITION
from leapcheck.quantities import QUANTITIES
from leapcheck.records import (
    UNANSWERED,
    UNSEEN,
    CauseClass,
    Comparison,
    Diagnosis,
    Discrepancy,
    EngineVerdict,
    Failure,
    LargestMismatch,
    Reproducer,
    Verdict,
)
from leapcheck.sampling import States
from leapcheck.system.plugins import reason_of
from leapcheck_models.spec import RobotSpec

SEARCHED = 700
"""States at which an engine is asked when its largest error is searched: those of the diagnosis and five generations."""

SHRINKING, LEAST_SHRINKING = 2.0, 0.2
"""CPU seconds for the smallest cases of all quantities of an engine, and for those of one where others have used them up."""


def add_truth(spec: RobotSpec, rows: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons, with the true value of the worst entry for each discrepancy and each quantity's worst pair."""
    worst = {row.quantity: row for row in sorted(rows, key=lambda row: row.rounding)}
    shown = [row for row in rows if row.verdict is Verdict.DISCREPANCY or worst[row.quantity] is row]
    wanted = [(row, row.worst) for row in shown if row.worst is not None and row.worst.entry not in (UNANSWERED, UNSEEN)]
    entries = true_entries(spec, [(row.quantity, state) for row, state in wanted])
    known = {id(row): replace(state, truth=entry) for (row, state), entry in zip(wanted, entries, strict=True)}
    return tuple(replace(row, worst=known.get(id(row), row.worst)) for row in rows)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the judge says of a run: a paragraph per wrong quantity and engine, why each wrong engine is off, the smallest
    cases, the largest errors that a search found, why there are no such cases (`gaps`), and what an engine failed on meanwhile.
    """

    discrepancies: tuple[Discrepancy, ...]
    diagnoses: tuple[Diagnosis, ...]
    reproducers: tuple[Reproducer, ...]
    largest: tuple[LargestMismatch, ...] = ()
    gaps: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()


def findings(
    plan: Plan,
    engines: Sequence[Engine],
    rows: Sequence[Comparison],
    verdicts: Sequence[EngineVerdict],
    stage: Stage,
) -> Findings:
    """One paragraph for each quantity and engine that is wrong by the truth; where that clears both sides, for each pair.

    `stage` is told what is being done.
    """
    judged = verdict_of(verdicts)
    wrong = wrong_quantities(rows, judged)
    parts = [_findings_on(plan, engine, [w for w in wrong if w.engine == engine.name], judged, stage) for engine in engines]
    paragraphs = {(d.quantity, d.engine): d for part in parts for d in part.discrepancies}
    return Findings(
        tuple(paragraphs[w.row.quantity, w.engine] for w in wrong),
        tuple(d for part in parts for d in part.diagnoses),
        tuple(r for part in parts for r in part.reproducers),
        tuple(largest for part in parts for largest in part.largest),
        tuple(gap for part in parts for gap in part.gaps),
        tuple(failure for part in parts for failure in part.failures),
    )


def _findings_on(plan: Plan, engine: Engine, wrong: Sequence[WrongQuantity], verdicts: VerdictOf, stage: Stage) -> Findings:
    """What is wrong with one engine."""
    if not wrong:
        return Findings((), (), ())
    stage(f"judging {engine.name}")
    explained = _with_unseen_errors(plan, engine, wrong, explanation(plan, engine, [w.worst for w in wrong]))
    commands = [repeat_text(plan, (w.engine, w.against), w.row.quantity, w.worst.index) for w in wrong]
    paragraphs = [_paragraph(w, explained, command, verdicts) for w, command in zip(wrong, commands, strict=True)]
    stage(f"shrinking what {engine.name} differs in")
    cases, gaps = _smallest(plan.spec, engine, wrong, paragraphs)
    largest = _largest(plan, engine, wrong[0].row.quantity, states_to_ask(plan.spec, plan.seed, [w.worst for w in wrong]))
    return Findings(tuple(paragraphs), explained.diagnoses, cases, largest, gaps, explained.failures)


def _with_unseen_errors(
    plan: Plan, engine: Engine, wrong: Sequence[WrongQuantity], explained: EngineExplanation
) -> EngineExplanation:
    """With what is known of errors that were not seen again."""
    seen = {falls.quantity for diagnosis in explained.diagnoses for falls in diagnosis.falls} | set(explained.reasons)
    unseen = {w.row.quantity: (one_state(w.worst), w.row.error) for w in wrong if w.row.quantity not in seen and w.worst.q}
    if not unseen or getattr(engine, "states", None) is not None:  # a recording answers what it holds
        return explained
    from leapcheck.judge.conditions.unseen import unseen_errors

    more = unseen_errors(plan, engine, factory_of(engine), unseen)
    return explained._replace(diagnoses=(*explained.diagnoses, *more))


def _paragraph(wrong: WrongQuantity, explained: EngineExplanation, command: str, verdicts: VerdictOf) -> Discrepancy:
    cause_class, cause, evidence = _cause(wrong.row.quantity, explained)
    return Discrepancy(
        quantity=wrong.row.quantity,
        engine=wrong.engine,
        against=wrong.against,
        cause_class=cause_class,
        cause=_sentence(cause),
        evidence=_sentence(evidence),
        who_is_wrong=who_is_wrong(wrong, verdicts),
        command=command,
    )


def _cause(quantity: str, explained: EngineExplanation) -> tuple[CauseClass, str, str]:
    """Class, cause and evidence of one quantity's error out of the diagnoses of its engine."""
    if gap := explained.reasons.get(quantity):
        return CauseClass.UNEXPLAINED, gap.words, gap.evidence
    for diagnosis in explained.diagnoses:
        for falls in diagnosis.falls:
            if falls.quantity != quantity:
                continue
            if quantity in diagnosis.unexplained or not diagnosis.causes:
                return CauseClass.UNEXPLAINED, "no known fault makes this error", diagnosis.pattern
            words = "; ".join(cause.words for cause in diagnosis.causes)
            details = [cause.details for cause in diagnosis.causes if cause.details]
            taken = f"taken so, the scale-free error falls from {falls.before:.2g} to {falls.after:.2g}"
            if [cause.name.startswith(CONDITION) for cause in diagnosis.causes] == [True]:  # where, not why
                taken = f"elsewhere the scale-free error is at most {falls.after:.2g}, and {falls.before:.2g} there"
            return diagnosis.causes[0].cause_class, words, "; ".join([*details, taken])
    again = "asked again at the same states, the engine is right to rounding: its answers depend on the order of the calls"
    return CauseClass.ENGINE, "the error was not seen again", again


def _smallest(
    spec: RobotSpec, engine: Engine, wrong: Sequence[WrongQuantity], paragraphs: Sequence[Discrepancy]
) -> tuple[tuple[Reproducer, ...], tuple[str, ...]]:
    """The smallest case of each discrepancy with the files that repeat it, and why there is none of some.

    A robot that is small enough for one quantity is tried first for the next.
    """
    from leapcheck.judge.reproducer.files import reproducer
    from leapcheck.judge.shrinking.mismatch import Budget
    from leapcheck.judge.shrinking.shrink import single_robot_maker, smallest_case

    make = factory_of(engine) or single_robot_maker(spec, engine)
    cases: list[Reproducer] = []
    gaps: list[str] = []
    robots: list[RobotSpec] = []
    short: list[str] = []
    meter = Meter(SHRINKING)
    for quantity, worst, paragraph in ((w.row.quantity, w.worst, p) for w, p in zip(wrong, paragraphs, strict=True)):
        try:
            budget = Budget(seconds=max(LEAST_SHRINKING, meter.remaining))
            case = smallest_case(spec, make, quantity, one_state(worst), budget, robots)
            short += [QUANTITIES[quantity].label] if case.is_cut_short else []
            model, cause = getattr(engine, "model_text", ""), f"[{paragraph.cause_class}] {paragraph.cause}"
            cases.append(reproducer(engine.name, case, quantity, paragraph.command, model, cause))
            robots.append(case.spec)
        except Exception as error:  # foreign code, asked for robots and states that nobody meant for it
            gaps.append(f"{QUANTITIES[quantity].label}: no smaller case of {engine.name}: {reason_of(error)}")
    if short:
        gaps.append(
            f"{', '.join(short)}: there may be smaller cases of {engine.name}: the search ended after its share of "
            f"{SHRINKING:g} s of CPU"
        )
    if bare := [QUANTITIES[case.quantity].label for case in cases if not case.script]:
        gaps.append(f"{', '.join(bare)}: no reproducer of {engine.name}: leapcheck's own adapter is part of the engine")
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


def _sentence(text: str) -> str:
    """The text with a capital and a full stop; a name that opens it keeps its spelling."""
    first = text.split(maxsplit=1)[:1]
    start = text[:1].upper() + text[1:] if first and first[0].isalpha() else text
    return start if start.endswith((".", "!", "?")) else f"{start}."
