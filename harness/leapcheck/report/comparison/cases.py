"""A run as test cases, one per quantity and engine: what JUnit files, annotations and the pytest plugin tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from leapcheck.records import Comparison, Discrepancy, FindingKind, Run
from leapcheck.report.comparison import judgement, view
from leapcheck.report.comparison.difference import compared_pairs
from leapcheck.report.words import number, quantity_label
from leapcheck.system.text import terminal_lines


class CaseOutcome(StrEnum):
    """How a case came out; a known discrepancy is one that a baseline accepts."""

    PASSED = "passed"
    KNOWN = "known"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class QuantityCase:
    """One quantity of one engine ("" for an engine that could not be made): its outcome, that in a line, in some lines, and
    the worst state.
    """

    engine: str
    quantity: str
    outcome: CaseOutcome
    title: str = ""
    text: str = ""
    state: str = ""

    @property
    def fails(self) -> bool:
        """Whether the case makes the run fail."""
        return self.outcome in (CaseOutcome.FAILED, CaseOutcome.ERROR)


def cases(run: Run) -> tuple[QuantityCase, ...]:
    """Every quantity of every engine that was compared or that failed: engines in their order, quantities in the usual one."""
    seen = compared_pairs(run) | {(row.engine, row.quantity) for rows in (run.failures, run.discrepancies) for row in rows}
    seen |= {(finding.engine, finding.quantity) for finding in run.baseline.findings if finding.fails} if run.baseline else set()
    engines = dict.fromkeys([*(engine.name for engine in run.engines), *sorted(engine for engine, _ in seen)])
    quantities = ["", *view.in_usual_order(sorted(quantity for _, quantity in seen if quantity))]
    return tuple(_case(run, e, q) for e in engines for q in quantities if (e, q) in seen)


def _case(run: Run, engine: str, quantity: str) -> QuantityCase:
    who = (engine, quantity)
    for failure in run.failures:
        if (failure.engine, failure.quantity) == who:
            return QuantityCase(*who, CaseOutcome.ERROR, failure.message)
    discrepancy, row = next(
        ((d, row) for d, row in view.discrepancies(run) if (d.engine, d.quantity) == who),
        (None, None),
    )
    evidence = ("", "") if discrepancy is None else ("\n".join(_evidence(run, discrepancy, row)), _state_text(row))
    for finding in run.baseline.findings if run.baseline else ():
        if (finding.engine, finding.quantity) == who and (finding.fails or finding.kind == FindingKind.KNOWN):
            outcome = CaseOutcome.FAILED if finding.fails else CaseOutcome.KNOWN
            return QuantityCase(*who, outcome, f"{finding.kind}: {finding.words}", *evidence)
    if discrepancy is not None:
        return QuantityCase(*who, CaseOutcome.FAILED, f"{discrepancy.cause_class}: {discrepancy.cause}", *evidence)
    return QuantityCase(*who, CaseOutcome.PASSED)


def _evidence(run: Run, discrepancy: Discrepancy, row: Comparison | None) -> Iterator[str]:
    """A line each: evidence, who is wrong, what else it may be, the error and its worst state, the smallest case, the command."""
    who = (discrepancy.engine, discrepancy.quantity)
    yield discrepancy.evidence
    yield discrepancy.who_is_wrong
    for diagnosis in run.diagnoses:
        if diagnosis.engine == who[0] and who[1] in {falls.quantity for falls in diagnosis.falls}:
            yield from (f"or: {judgement.sentence(judgement.conjunction(causes))}" for causes in diagnosis.alternatives)
    if row is not None:
        units = f"{row.rounding:.3g} times the expected rounding"
        yield f"error {row.error:.3g} of {row.scale}, {row.absolute:.3g} {row.unit}; {units}"
    if row is not None and row.worst is not None:
        yield f"worst: state {row.worst.index} ({row.worst.kind}), entry [{row.worst.entry}]"
    for case in (case for case in run.reproducers if (case.engine, case.quantity) == who):
        yield f"smallest: {judgement.state_words(case)}"
        yield f"{judgement.body_words(case)}; error {number(case.error)}, allowed {number(case.allowed)}"
    if discrepancy.command:
        yield f"repeat: {discrepancy.command}"


def _state_text(row: Comparison | None) -> str:
    return "" if row is None or row.worst is None else f"q = {list(row.worst.q)}\nv = {list(row.worst.v)}"


def label(case: QuantityCase) -> str:
    """The case in words: its quantity and engine."""
    return f"{quantity_label(case.quantity)} of {case.engine}" if case.quantity else case.engine


def failure_text(run: Run, quantity: str = "", folder: str | None = None) -> str:
    """A few lines per failed case, then reproducer and report; "" where the run, or the one quantity of it, passes.

    `folder` is that of the report; without one the first reproducer stands in the text.
    """
    failed = [case for case in cases(run) if case.fails and (not quantity or case.quantity in ("", quantity))]
    if not failed and (quantity or not run.exit_status):
        return ""
    lines = [] if quantity else [run.verdict, *((run.baseline.sentence,) if run.baseline else ())]
    for case in failed:
        indent = "  " if lines else ""  # the first line is all that pytest's summary shows
        title = case.title if case.quantity in case.title else f"{case.quantity}: {case.title}"
        lines.append(f"{indent}{title}")
        lines += [f"    {line}" for line in (*case.text.splitlines(), *case.state.splitlines())]
    return terminal_lines("\n".join([*lines, *_places(run, folder, quantity)]))


def _places(run: Run, folder: str | None, quantity: str) -> Iterator[str]:
    """Where report and reproducers are; the first reproducer itself where there is no report."""
    reproducers = [case for case in run.reproducers if case.script and quantity in ("", case.quantity)]
    if folder is None:
        yield from (f"  reproducer:\n{case.script}" for case in reproducers[:1])
        return
    yield from (f"  reproducer: {PurePath(folder, judgement.path(case))}" for case in reproducers)
    yield f"  report: {PurePath(folder, 'report.html')}"
    yield f"  why: leapcheck explain {folder}"
