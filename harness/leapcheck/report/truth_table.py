"""Each engine's error against the truth, arranged as one table: a row per quantity, a column per engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from leapcheck.compare.records import Accuracy, Run
from leapcheck.report.view import in_usual_order
from leapcheck.report.words import DASH, number

EPS = 2.0**-52
"""The unit, next to the scale, in which the errors are shown: the spacing of doubles at 1."""


@dataclass(frozen=True, slots=True)
class TruthTable:
    """Errors against the truth by quantity and engine; `wrong` are those pairs that a discrepancy names."""

    engines: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Accuracy]]
    wrong: frozenset[tuple[str, str]]

    @property
    def sampled(self) -> int:
        """Over how many states the medians are."""
        return max((a.sampled for row in self.rows.values() for a in row.values()), default=0)

    def cell(self, quantity: str, engine: str) -> Accuracy | None:
        """The error of one engine in one quantity, None where there is none."""
        return self.rows[quantity].get(engine)

    def is_wrong(self, accuracy: Accuracy) -> bool:
        """Whether the error is not one of rounding, as the judge found."""
        return (accuracy.quantity, accuracy.engine) in self.wrong


def truth_table(run: Run) -> TruthTable:
    """The table of a run: engines in the run's order, quantities in their usual one; empty where no truth was at hand."""
    present = {a.engine for a in run.accuracies}
    rows: dict[str, dict[str, Accuracy]] = {name: {} for name in in_usual_order(a.quantity for a in run.accuracies)}
    for accuracy in run.accuracies:
        rows[accuracy.quantity][accuracy.engine] = accuracy
    engines = tuple(engine.name for engine in run.engines if engine.name in present)
    return TruthTable(engines, rows, frozenset((d.quantity, d.engine) for d in run.discrepancies))


def largest(run: Run) -> list[Accuracy]:
    """For each engine its error that is largest in units of the expected rounding, the unit that all quantities share."""
    table = truth_table(run)
    return [max((row[engine] for row in table.rows.values() if engine in row), key=_badness) for engine in table.engines]


def in_eps(accuracy: Accuracy) -> tuple[str, str]:
    """Median and worst error in units of eps times the scale; a dash where no state of the sample counts."""
    return number(accuracy.median / EPS) if accuracy.sampled else DASH, number(accuracy.worst / EPS)


def _badness(accuracy: Accuracy) -> float:
    return math.inf if math.isnan(accuracy.rounding) else accuracy.rounding
