"""What makes one discrepancy the same as another: engine, quantity, and causes that the answers cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterable

from leapcheck.baseline.record import KnownDiscrepancy
from leapcheck.compare.records import CauseRow, Comparison, Diagnosis, Discrepancy, Run


def causes(run: Run, found: Discrepancy) -> tuple[str, ...]:
    """The names of a discrepancy's causes in their order; none where it is unexplained."""
    diagnosis = _diagnosis(run, found)
    return () if diagnosis is None else _names(diagnosis.causes)


def is_known(run: Run, found: Discrepancy, known: KnownDiscrepancy) -> bool:
    """Whether a discrepancy is a known one: its causes, or others that explain these answers as well, are those."""
    if (found.engine, found.quantity) != (known.engine, known.quantity):
        return False
    diagnosis = _diagnosis(run, found)
    if diagnosis is None:
        return not known.causes and found.cause_class == known.cause_class
    return frozenset(known.causes) in {frozenset(_names(c)) for c in (diagnosis.causes, *diagnosis.alternatives)}


def row_of(run: Run, found: Discrepancy) -> Comparison:
    """The comparison that shows a discrepancy; ValueError for a record that lacks it."""
    pair = {found.engine, found.against}
    for row in run.comparisons:
        if row.quantity == found.quantity and {row.engine, row.against} == pair:
            return row
    raise ValueError(f"the run has a discrepancy of {found.engine} in {found.quantity} without its comparison: repeat the run")


def _diagnosis(run: Run, found: Discrepancy) -> Diagnosis | None:
    """The diagnosis that explains a discrepancy, None where none does."""
    for diagnosis in run.diagnoses:
        quantities = {falls.quantity for falls in diagnosis.falls} - set(diagnosis.unexplained)
        if diagnosis.engine == found.engine and diagnosis.causes and found.quantity in quantities:
            return diagnosis
    return None


def _names(rows: Iterable[CauseRow]) -> tuple[str, ...]:
    return tuple(row.name for row in rows)
