"""The verdicts over the engines, arranged as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leapcheck.compare.records import EngineVerdict, Run
from leapcheck.judge.verdicts import IMPRECISE, RIGHT, WRONG
from leapcheck.report import view
from leapcheck.report.words import Mark

MARKS = {RIGHT: Mark("right", "✓", "good"), IMPRECISE: Mark("imprecise", "≈", "warn"), WRONG: Mark("wrong", "✗", "bad")}
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
        """The verdict over one engine and quantity, None where there is none."""
        return self.rows[engine].get(quantity)


def verdict_table(run: Run) -> VerdictTable:
    """The verdicts of a run: engines in its order, quantities in their usual one."""
    rows = {v.engine: {w.quantity: w for w in run.verdicts if w.engine == v.engine} for v in run.verdicts}
    return VerdictTable(rows, tuple(view.in_usual_order(v.quantity for v in run.verdicts)))


def mark(verdict: EngineVerdict) -> Mark:
    """How a verdict looks; words of other versions look like a difference."""
    return MARKS.get(verdict.verdict, UNJUDGED)


def far_alone(verdict: EngineVerdict) -> bool:
    """Whether it is imprecise far from the world's origin alone: near it, where the figures are from, it is right."""
    return verdict.verdict == IMPRECISE and verdict.margin >= 1.0
