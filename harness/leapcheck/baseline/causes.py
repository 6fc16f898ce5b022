"""When two discrepancies are the same: engine, quantity, and causes that the answers cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from leapcheck.baseline.record import KnownDiscrepancy
from leapcheck.records import ITSELF, CauseRow, Diagnosis, Discrepancy, Run


def cause_names(run: Run, discrepancy: Discrepancy) -> tuple[str, ...]:
    """The names of a discrepancy's causes in their order; none where it is unexplained."""
    diagnosis = _diagnosis(run, discrepancy)
    return () if diagnosis is None else _names(diagnosis.causes)


def is_known(run: Run, discrepancy: Discrepancy, known: KnownDiscrepancy) -> bool:
    """Whether a discrepancy is a known one: its causes, or others that explain the answers equally well, are the known ones."""
    if (discrepancy.engine, discrepancy.quantity) != (known.engine, known.quantity):
        return False
    diagnosis = _diagnosis(run, discrepancy)
    if diagnosis is None:
        return not known.causes and discrepancy.cause_class == known.cause_class
    return frozenset(known.causes) in {frozenset(_names(c)) for c in (diagnosis.causes, *diagnosis.alternatives)}


class DiscrepancyFigures(NamedTuple):
    """The largest scale-free error of a discrepancy over some states, and the tolerance where it is."""

    error: float
    tolerance: float
    states: int


def figures_of(run: Run, discrepancy: Discrepancy) -> DiscrepancyFigures:
    """The figures of the comparison, or of the broken law, that shows a discrepancy; ValueError for a record that lacks it."""
    engine, quantity = discrepancy.engine, discrepancy.quantity
    if discrepancy.against == ITSELF:
        laws = [law for law in run.identities if not law.holds and law.engine == engine and quantity in law.quantities]
        figures = [DiscrepancyFigures(law.error, law.allowed, law.states) for law in laws]
    else:
        pair = {engine, discrepancy.against}
        rows = [row for row in run.comparisons if row.quantity == quantity and {row.engine, row.against} == pair]
        figures = [DiscrepancyFigures(row.error, row.tolerance, row.states) for row in rows]
    if not figures:
        raise ValueError(f"the run has a discrepancy of {engine} in {quantity} without its comparison: repeat the run")
    return max(figures)


def _diagnosis(run: Run, discrepancy: Discrepancy) -> Diagnosis | None:
    """The diagnosis that explains a discrepancy, if any."""
    for diagnosis in run.diagnoses:
        explained = {falls.quantity for falls in diagnosis.falls} - set(diagnosis.unexplained)
        if diagnosis.engine == discrepancy.engine and diagnosis.causes and discrepancy.quantity in explained:
            return diagnosis
    return None


def _names(rows: Iterable[CauseRow]) -> tuple[str, ...]:
    return tuple(row.name for row in rows)
