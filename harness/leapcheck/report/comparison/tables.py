"""A run arranged as tables: each engine's error against the truth, its verdicts, and the laws that its answers must obey."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from leapcheck.records import Accuracy, EngineVerdict, Identity, Run, TruthVerdict
from leapcheck.report.comparison.view import in_usual_order
from leapcheck.report.words import DASH, Mark, number

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
        """The error of one engine in one quantity, or None."""
        return self.rows[quantity].get(engine)

    def is_wrong(self, accuracy: Accuracy) -> bool:
        """Whether the judge found more than rounding."""
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


MARKS = {
    TruthVerdict.RIGHT: Mark("right", "✓", "good"),
    TruthVerdict.IMPRECISE: Mark("imprecise", "≈", "warn"),
    TruthVerdict.WRONG: Mark("wrong", "✗", "bad"),
}
SEVERITY = {"good": 0, "warn": 1, "bad": 2}
UNJUDGED = Mark("differs", "✗", "bad")


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """The verdicts by engine and quantity, and the quantities in their order."""

    rows: Mapping[str, Mapping[str, EngineVerdict]]
    quantities: tuple[str, ...]

    def worst(self, engine: str) -> EngineVerdict:
        """The engine's worst verdict, of equals the one with the least margin."""
        return min(self.rows[engine].values(), key=lambda v: (-SEVERITY[mark(v).tone], v.margin))

    def alike(self, engine: str) -> int:
        """In how many quantities the engine's verdict is that of its worst."""
        worst = self.worst(engine).verdict
        return sum(v.verdict == worst for v in self.rows[engine].values())

    def cell(self, quantity: str, engine: str) -> EngineVerdict | None:
        """The verdict on one engine and quantity, or None."""
        return self.rows[engine].get(quantity)


def verdict_table(run: Run) -> VerdictTable:
    """The verdicts of a run: engines in its order, quantities in their usual one."""
    rows = {v.engine: {w.quantity: w for w in run.verdicts if w.engine == v.engine} for v in run.verdicts}
    return VerdictTable(rows, tuple(in_usual_order(v.quantity for v in run.verdicts)))


def mark(verdict: EngineVerdict) -> Mark:
    """How a verdict looks; words of other versions look like a difference."""
    return MARKS.get(verdict.verdict, UNJUDGED)


def far_alone(verdict: EngineVerdict) -> bool:
    """Whether it is imprecise far from the world's origin alone: near it, where the figures are from, it is right."""
    return verdict.verdict == TruthVerdict.IMPRECISE and verdict.margin >= 1.0


def engine_laws(run: Run) -> tuple[tuple[str, ...], dict[str, dict[str, Identity]]]:
    """(engines, law: engine: identity) of the run's engines."""
    present = [engine.name for engine in run.engines]
    rows: dict[str, dict[str, Identity]] = {}
    for identity in run.identities:
        if identity.engine in present:
            rows.setdefault(identity.law, {})[identity.engine] = identity
    return tuple(name for name in present if any(name in row for row in rows.values())), rows


def in_house_laws(run: Run) -> tuple[Identity, ...]:
    """The identities of what is no engine of the run: the in-house code in extended precision."""
    present = {engine.name for engine in run.engines}
    return tuple(identity for identity in run.identities if identity.engine not in present)
