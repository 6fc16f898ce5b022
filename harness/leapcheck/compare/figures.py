"""The records of a finished run: what the tallies hold, with the worst states looked at once more, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leapcheck.compare.bench import TRUTH, Bench, Outcome
from leapcheck.compare.entries import entry_name, entry_unit
from leapcheck.compare.errors import scale_free, scales
from leapcheck.compare.records import Accuracy, Comparison, EngineVerdict, HeatMap, WorstState
from leapcheck.compare.tally import TOLERANCE_UNITS, Row, Tally
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.judge.verdicts import verdict
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, joined
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class Figures:
    """The comparisons of engines in pairs, each engine's accuracy and verdict, and the heat maps of M."""

    comparisons: tuple[Comparison, ...]
    accuracies: tuple[Accuracy, ...]
    verdicts: tuple[EngineVerdict, ...]
    heat_maps: tuple[HeatMap, ...]


class Again(NamedTuple):
    """A pair's answers at the state with the largest error in units, then at that with the largest absolute one: (2, *shape)
    each, with the scale-free error of each entry.
    """

    mine: Floats
    others: Floats
    error: Floats


def finished(at: Bench, total: Outcome) -> Figures:
    """The figures of a run, quantity by quantity in the order of their list, pairs in the order of the engines."""
    rows = _rows_apart(at, total)
    comparisons: list[Comparison] = []
    heat_maps: list[HeatMap] = []
    for quantity in dict.fromkeys(row.quantity for row in rows):
        pairs = {row: found for row, found in rows.items() if row.quantity == quantity and row.against != TRUTH}
        for row, again in _looked_at_again(at, quantity, pairs):
            comparisons.append(_comparison(at.spec, row, pairs[row], again))
            heat_maps += [_heat_map(row, heat, again) for heat in pairs[row].heat.values()]
    by_truth = {row: found for row, found in rows.items() if row.against == TRUTH}
    accuracies = tuple(_accuracy(row, found) for row, found in by_truth.items())
    verdicts = tuple(verdict(at.spec, row, found) for row, found in by_truth.items())
    return Figures(tuple(comparisons), accuracies, verdicts, tuple(heat_maps))


def _rows_apart(at: Bench, total: Outcome) -> dict[Row, Tally]:
    """Each row's own tally: blocks in which an engine failed have other rows than the rest."""
    rows: dict[Row, Tally] = {}
    for found in total.tallies.values():
        for number, row in enumerate(found.rows):
            if row in rows:
                rows[row].merge(found.alone(number))
            else:
                rows[row] = found.alone(number)
    quantities, engines = list(QUANTITIES), [*(engine.name for engine in at.engines), TRUTH]
    order = sorted(rows, key=lambda row: (quantities.index(row.quantity), engines.index(row.against), engines.index(row.engine)))
    return {row: rows[row] for row in order}


def _accuracy(row: Row, found: Tally) -> Accuracy:
    sample = found.sample[0]
    return Accuracy(
        quantity=row.quantity,
        engine=row.engine,
        states=found.states,
        sampled=len(sample),
        median=float(np.median(sample)) if len(sample) else float(found.error[0]),
        worst=float(found.error[0]),
        rounding=max(float(found.rounding.value[0]), 0.0),
        index=int(found.rounding.index[0]),
    )


def _heat_map(row: Row, heat: Floats, again: Again) -> HeatMap:
    """The largest errors near the origin, or far from it where no state is near; those of the worst states are among them.

    Without the worst states an entry that should repeat another, or should not move, would look right.
    """
    near, far = heat
    largest = np.maximum(near if near.max() >= 0.0 else far, again.error.max(axis=0))
    return HeatMap(row.engine, row.against, tuple(tuple(float(x) for x in line) for line in largest))


def _looked_at_again(at: Bench, quantity: str, pairs: Mapping[Row, Tally]) -> Iterator[tuple[Row, Again]]:
    """Each pair's answers at its worst states, by the engines' own evaluation: all entries, not the distinct ones alone."""
    if not pairs:
        return
    engines = {engine.name: engine for engine in at.engines}
    states = joined([peak.states() for found in pairs.values() for peak in (found.rounding, found.absolute)])
    names = {name for row in pairs for name in (row.engine, row.against)}
    answers = {name: engines[name].evaluate(states, (quantity,))[quantity] for name in names}
    scale = scales(quantity, ReferenceEngine(at.spec).evaluate(states, (quantity,))[quantity])
    for k, row in enumerate(pairs):
        two = slice(2 * k, 2 * k + 2)
        mine, others = answers[row.engine][two], answers[row.against][two]
        with np.errstate(over="ignore", invalid="ignore"):
            yield row, Again(mine, others, scale_free(mine - others, scale[two]))


def _largest(values: Floats) -> tuple[int, ...]:
    """Indices of the largest entry."""
    return tuple(int(i) for i in np.unravel_index(int(values.argmax()), values.shape)) if values.ndim else ()


def _comparison(spec: RobotSpec, row: Row, found: Tally, again: Again) -> Comparison:
    peak = found.rounding
    rounding, tolerance = max(float(peak.value[0]), 0.0), float(found.tolerance[0])
    worst_error = rounding * tolerance / TOLERANCE_UNITS
    q, v, tau = (tuple(float(x) for x in part[0]) for part in (peak.q, peak.v, peak.tau))
    with np.errstate(over="ignore", invalid="ignore"):
        difference = scale_free(again.mine - again.others, np.ones(()))
    place, farthest = _largest(again.error[0]), _largest(difference)
    values = float(again.mine[(0, *place)]), float(again.others[(0, *place)])
    return Comparison(
        quantity=row.quantity,
        engine=row.engine,
        against=row.against,
        states=found.states,
        error=float(found.error[0]),
        absolute=max(float(found.absolute.value[0]), float(difference[farthest])),
        unit=entry_unit(spec, row.quantity, farthest[1:]),
        scale=str(QUANTITIES[row.quantity].scale),
        rounding=rounding,
        tolerance=tolerance,
        margin=tolerance / worst_error if worst_error > 0.0 else float("inf"),
        verdict=found.verdict(0),
        kinds=found.kinds(0),
        histogram=tuple(int(count) for count in found.histogram[0]),
        worst=WorstState(
            int(peak.index[0]), str(peak.kind[0]), entry_name(spec, row.quantity, place), *values, None, q, v, tau, place
        ),
    )
