"""A run arranged for reading: groups, matrices and orders, worst first. Nothing is judged or recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leapcheck.quantities import QUANTITIES
from leapcheck.records import Comparison, Discrepancy, HeatMap, KindRow, Run, Verdict, WorstState
from leapcheck.report.words import quantity_label

Pair = tuple[str, str]
SEVERITY = {Verdict.AGREE: 0, Verdict.IMPRECISE: 1, Verdict.DISCREPANCY: 2}


@dataclass(frozen=True, slots=True)
class Group:
    """All comparisons of one quantity, worst first, and the kinds of states that they saw."""

    quantity: str
    rows: tuple[Comparison, ...]
    kinds: tuple[str, ...]

    @property
    def worst(self) -> Comparison:
        """The worst comparison of the quantity."""
        return self.rows[0]

    @property
    def label(self) -> str:
        """The quantity in words."""
        return quantity_label(self.quantity)

    def cell(self, pair: Pair) -> Comparison | None:
        """The comparison of an engine pair, None where the pair was not compared."""
        return next((row for row in self.rows if (row.engine, row.against) == pair), None)

    def worst_of_kind(self, kind: str) -> KindRow | None:
        """The worst row of one kind of states over all pairs, None where there were no such states."""
        rows = [row for comparison in self.rows for row in comparison.kinds if row.kind == kind]
        return max(rows, key=badness, default=None)


@dataclass(frozen=True, slots=True)
class WorstCase:
    """A comparison's worst state, with the number under which the report prints that state in full."""

    comparison: Comparison
    worst: WorstState
    number: int


class PairTable(NamedTuple):
    """The engine pairs with one second engine, and the quantities that were compared in any of them."""

    against: str
    pairs: list[Pair]
    groups: list[Group]


def badness(row: Comparison | KindRow) -> tuple[int, float]:
    """Sort key: verdict, then error in units of the expected rounding; not a number counts as infinite."""
    return SEVERITY[row.verdict], math.inf if math.isnan(row.rounding) else row.rounding


def worst_first(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """The comparisons by falling badness, of equals those with a truth first; else they stay in their order."""

    def key(c: Comparison) -> tuple[int, float, bool]:
        return *badness(c), c.worst is not None and c.worst.truth is not None

    return sorted(comparisons, key=key, reverse=True)


def groups(run: Run) -> tuple[Group, ...]:
    """One group per quantity."""
    names = in_usual_order(c.quantity for c in run.comparisons)
    return tuple(_group(name, worst_first(c for c in run.comparisons if c.quantity == name)) for name in names)


def pair_tables(run: Run) -> tuple[PairTable, ...]:
    """One table per engine that others are compared with, in the order of the comparisons."""
    pairs: dict[str, list[Pair]] = {}
    for engine, against in dict.fromkeys((c.engine, c.against) for c in run.comparisons):
        pairs.setdefault(against, []).append((engine, against))
    return tuple(PairTable(second, of, [g for g in groups(run) if any(map(g.cell, of))]) for second, of in pairs.items())


def in_usual_order(quantities: Iterable[str]) -> list[str]:
    """The quantities, each once: ours in their usual order, then others as they come."""
    present = dict.fromkeys(quantities)
    return [*(name for name in QUANTITIES if name in present), *(name for name in present if name not in QUANTITIES)]


def _group(name: str, rows: list[Comparison]) -> Group:
    return Group(name, tuple(rows), tuple(dict.fromkeys(k.kind for row in rows for k in row.kinds)))


def groups_worst_first(run: Run) -> tuple[Group, ...]:
    """The groups by the badness of their worst comparison."""
    return tuple(sorted(groups(run), key=lambda group: badness(group.worst), reverse=True))


class SummaryRow(NamedTuple):
    """A comparison that stands for all those of its quantity that show the same engine wrong: `others` is their number.

    `label` is the quantity in words, empty where the row above has it.
    """

    label: str
    worst: Comparison
    others: int

    @property
    def pair(self) -> str:
        """The pair in words, with the number of others."""
        return f"{self.worst.engine} / {self.worst.against}" + (f" and {self.others} more" if self.others else "")


def summary_rows(run: Run) -> list[SummaryRow]:
    """The worst comparison of each quantity; a quantity with discrepancies has a row for each engine that is wrong."""
    rows = []
    for group in groups(run):
        shown = _worst_by_engine(run, group) or [(group.worst, 0)]
        rows += [SummaryRow("" if i else group.label, worst, others) for i, (worst, others) in enumerate(shown)]
    return rows


def _worst_by_engine(run: Run, group: Group) -> list[tuple[Comparison, int]]:
    """For each wrong engine its worst discrepancy, and how many more there are; pairs of which neither is named come last."""
    left = [row for row in group.rows if row.verdict is Verdict.DISCREPANCY]
    named = {d.engine for d in run.discrepancies if d.quantity == group.quantity}
    left.sort(key=lambda row: {row.engine, row.against} <= named)  # a pair that is wrong on both sides says less
    wrong = dict.fromkeys(name for row in left for name in (row.engine, row.against) if name in named)
    shown = []
    for engine in [*wrong, None]:
        its = [row for row in left if engine in (row.engine, row.against, None)]
        left = [row for row in left if row not in its]
        shown += [(its[0], len(its) - 1)] if its else []
    return shown


def kinds(run: Run) -> tuple[str, ...]:
    """The kinds of states in the order of their first appearance."""
    return tuple(dict.fromkeys(kind.kind for c in run.comparisons for kind in c.kinds))


def counts(run: Run) -> dict[Verdict, int]:
    """How many comparisons came to each verdict."""
    return {verdict: sum(c.verdict is verdict for c in run.comparisons) for verdict in Verdict}


def worst_cases(run: Run) -> tuple[WorstCase, ...]:
    """The worst state of each comparison, worst first; equal states share one number, counted from 1."""
    numbers: dict[tuple[object, ...], int] = {}
    cases = []
    for comparison in worst_first(run.comparisons):
        if (worst := comparison.worst) is not None:
            key = (worst.index, worst.kind, worst.q, worst.v, worst.tau, worst.vdot, worst.contact_forces)
            cases.append(WorstCase(comparison, worst, numbers.setdefault(key, len(numbers) + 1)))
    return tuple(cases)


def split_cases(run: Run) -> tuple[list[WorstCase], list[WorstCase]]:
    """The worst case of each quantity, and the others; each worst first."""
    worst, cases = {id(group.worst) for group in groups(run)}, worst_cases(run)
    return [c for c in cases if id(c.comparison) in worst], [c for c in cases if id(c.comparison) not in worst]


def states(run: Run) -> tuple[WorstCase, ...]:
    """The first case of each distinct worst state, by number."""
    first = {case.number: case for case in reversed(worst_cases(run))}
    return tuple(first[number] for number in sorted(first))


def discrepancies(run: Run) -> list[tuple[Discrepancy, Comparison | None]]:
    """Each discrepancy with the comparison that it explains, in either order of its engines; worst first."""
    rows = {(c.quantity, frozenset((c.engine, c.against))): c for c in run.comparisons}
    both = [(d, rows.get((d.quantity, frozenset((d.engine, d.against))))) for d in run.discrepancies]
    return sorted(both, key=lambda pair: badness(pair[1]) if pair[1] else (0, 0.0), reverse=True)


def heat_maps_worst_first(run: Run) -> list[HeatMap]:
    """The heat maps by their largest entry, not a number first."""

    def largest(heat_map: HeatMap) -> float:
        return float(np.nan_to_num(np.array(heat_map.values), nan=math.inf, posinf=math.inf).max(initial=0.0))

    return sorted(run.heat_maps, key=largest, reverse=True)
