"""A run as test cases, one per quantity and engine: what JUnit files, annotations and the pytest plugin tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from leapcheck.compare.records import Comparison, Discrepancy, Run
from leapcheck.report import judgement, view
from leapcheck.report.difference import looked_for
from leapcheck.report.words import number, quantity_label


class Outcome(StrEnum):
    """How a case came out; a known discrepancy is one that a baseline accepts."""

    PASSED = "passed"
    KNOWN = "known"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Case:
    """One quantity of one engine ("" for an engine that could not be made): its outcome, that in a line, in some lines, and
    the worst state.
    """

    engine: str
    quantity: str
    outcome: Outcome
    title: str = ""
    text: str = ""
    state: str = ""

    @property
    def fails(self) -> bool:
        """Whether the case makes the run fail."""
        return self.outcome in (Outcome.FAILED, Outcome.ERROR)


def cases(run: Run) -> tuple[Case, ...]:
    """Every quantity of every engine that was compared or that failed: engines in their order, quantities in the usual one."""
    seen = looked_for(run) | {(failure.engine, failure.quantity) for failure in run.failures}
    seen |= {(finding.engine, finding.quantity) for finding in run.baseline.findings if finding.fails} if run.baseline else set()
    engines = dict.fromkeys([*(engine.name for engine in run.engines), *sorted(engine for engine, _ in seen)])
    quantities = ["", *view.in_usual_order(sorted(quantity for _, quantity in seen if quantity))]
    return tuple(_case(run, e, q) for e in engines for q in quantities if (e, q) in seen)


def _case(run: Run, engine: str, quantity: str) -> Case:
    who = (engine, quantity)
    for failure in run.failures:
        if (failure.engine, failure.quantity) == who:
            return Case(*who, Outcome.ERROR, failure.message)
    found = next((d for d in run.discrepancies if (d.engine, d.quantity) == who), None)
    told = (discrepancy_text(run, found), state_text(run, found)) if found else ("", "")
    for finding in run.baseline.findings if run.baseline else ():
        if (finding.engine, finding.quantity) == who and (finding.fails or finding.kind == "known"):
            outcome = Outcome.FAILED if finding.fails else Outcome.KNOWN
            return Case(*who, outcome, f"{finding.kind}: {finding.words}", *told)
    if found is not None:
        return Case(*who, Outcome.FAILED, f"{found.cause_class}: {found.cause}", *told)
    return Case(*who, Outcome.PASSED)


def discrepancy_text(run: Run, found: Discrepancy) -> str:
    """What speaks for a discrepancy's cause, a line each: evidence, who is wrong, what else it may be, by how much and where
    it shows, the smallest case, and the command that repeats it.
    """
    lines = [found.evidence, found.who_is_wrong, *_alternatives(run, found)]
    row = _row(run, found)
    if row is not None:
        units = f"{row.rounding:.3g} times the rounding to expect"
        lines.append(f"error {row.error:.3g} of {row.scale}, {row.absolute:.3g} {row.unit}; {units}")
    if row is not None and row.worst is not None:
        lines.append(f"worst: state {row.worst.index} ({row.worst.kind}), entry [{row.worst.entry}]")
    lines += _smallest(run, found)
    if found.command:
        lines.append(f"repeat: {found.command}")
    return "\n".join(lines)


def state_text(run: Run, found: Discrepancy) -> str:
    """The worst state of a discrepancy in full, "" where there is none."""
    row = _row(run, found)
    return "" if row is None or row.worst is None else f"q = {list(row.worst.q)}\nv = {list(row.worst.v)}"


def _row(run: Run, found: Discrepancy) -> Comparison | None:
    return next((comparison for d, comparison in view.discrepancies(run) if d is found), None)


def _alternatives(run: Run, found: Discrepancy) -> Iterator[str]:
    """What else may be the cause."""
    for diagnosis in run.diagnoses:
        if diagnosis.engine == found.engine and found.quantity in {falls.quantity for falls in diagnosis.falls}:
            yield from (f"or: {judgement.sentence(judgement.together(causes))}" for causes in diagnosis.alternatives)


def _smallest(run: Run, found: Discrepancy) -> Iterator[str]:
    """The smallest case, as far as it fits into words."""
    for case in run.reproducers:
        if (case.engine, case.quantity) == (found.engine, found.quantity):
            yield f"smallest: {judgement.state_words(case)}"
            yield f"{judgement.body_words(case)}; error {number(case.error)}, allowed {number(case.allowed)}"


def label(case: Case) -> str:
    """The case in words: its quantity and engine."""
    return f"{quantity_label(case.quantity)} of {case.engine}" if case.quantity else case.engine
