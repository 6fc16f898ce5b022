"""The records of a finished run: what the tallies hold, with the worst states looked at once more, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.compare.bench import TRUTH, Bench, Outcome
from leapcheck.compare.entries import entry_name, entry_unit
from leapcheck.compare.errors import scale_free, scales
from leapcheck.compare.records import Accuracy, Comparison, HeatMap, WorstState
from leapcheck.compare.tally import TOLERANCE_UNITS, Tally
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, joined
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class Figures:
    """The comparisons of engines in pairs, each engine's accuracy, and the heat maps of M."""

    comparisons: tuple[Comparison, ...]
    accuracies: tuple[Accuracy, ...]
    heat_maps: tuple[HeatMap, ...]


def finished(at: Bench, total: Outcome) -> Figures:
    """The figures of a run, quantities in the order in which they were asked for."""
    comparisons: list[Comparison] = []
    accuracies: list[Accuracy] = []
    heat_maps: list[HeatMap] = []
    for found in total.tallies.values():
        for quantity in dict.fromkeys(row.quantity for row in found.rows):
            numbers = [i for i, row in enumerate(found.rows) if row.quantity == quantity]
            pairs = [i for i in numbers if found.rows[i].against != TRUTH]
            accuracies += [_accuracy(found, i) for i in numbers if found.rows[i].against == TRUTH]
            comparisons += _comparisons(at, found, quantity, pairs) if pairs else []
        heat_maps += [
            HeatMap(row.engine, row.against, tuple(tuple(float(x) for x in line) for line in heat))
            for row, heat in found.heat.items()
        ]
    return Figures(tuple(comparisons), tuple(accuracies), tuple(heat_maps))


def _accuracy(found: Tally, number: int) -> Accuracy:
    row, sample = found.rows[number], found.sample[number]
    return Accuracy(
        quantity=row.quantity,
        engine=row.engine,
        states=found.states,
        sampled=len(sample),
        median=float(np.median(sample)) if len(sample) else float(found.error[number]),
        worst=float(found.error[number]),
        rounding=max(float(found.rounding.value[number]), 0.0),
        index=int(found.rounding.index[number]),
    )


def _comparisons(at: Bench, found: Tally, quantity: str, numbers: Sequence[int]) -> Iterator[Comparison]:
    """The finished records of a quantity's pairs."""
    engines = {engine.name: engine for engine in at.engines}
    worst, largest = found.rounding.states(), found.absolute.states()
    states = joined([worst[i : i + 1] for i in numbers] + [largest[i : i + 1] for i in numbers])
    names = {name for i in numbers for name in found.rows[i][1:]}
    answers = {name: engines[name].evaluate(states, (quantity,))[quantity] for name in names}
    scale = scales(quantity, ReferenceEngine(at.spec).evaluate(states, (quantity,))[quantity])
    scale = np.broadcast_to(scale, answers[next(iter(names))].shape)
    for k, i in enumerate(numbers):
        row = found.rows[i]
        mine, others = answers[row.engine], answers[row.against]
        place = _largest(mine[k] - others[k], scale[k])
        absolute = _largest(mine[len(numbers) + k] - others[len(numbers) + k], np.ones(()))
        values = float(mine[(k, *place)]), float(others[(k, *place)])
        yield _comparison(at.spec, found, i, place, absolute, values)


def _largest(difference: Floats, scale: Floats) -> tuple[int, ...]:
    """Indices of the largest scale-free entry."""
    error = scale_free(difference, scale)
    return tuple(int(i) for i in np.unravel_index(int(error.argmax()), error.shape)) if error.ndim else ()


def _comparison(
    spec: RobotSpec, found: Tally, number: int, place: tuple[int, ...], absolute: tuple[int, ...], values: tuple[float, float]
) -> Comparison:
    row, peak = found.rows[number], found.rounding
    rounding, tolerance = max(float(peak.value[number]), 0.0), float(found.tolerance[number])
    worst_error = rounding * tolerance / TOLERANCE_UNITS
    q, v, tau = (tuple(float(x) for x in part[number]) for part in (peak.q, peak.v, peak.tau))
    entry = entry_name(spec, row.quantity, place)
    return Comparison(
        quantity=row.quantity,
        engine=row.engine,
        against=row.against,
        states=found.states,
        error=float(found.error[number]),
        absolute=float(found.absolute.value[number]),
        unit=entry_unit(spec, row.quantity, absolute),
        scale=str(QUANTITIES[row.quantity].scale),
        rounding=rounding,
        tolerance=tolerance,
        margin=tolerance / worst_error if worst_error > 0.0 else float("inf"),
        verdict=found.verdict(number),
        kinds=found.kinds(number),
        histogram=tuple(int(count) for count in found.histogram[number]),
        worst=WorstState(int(peak.index[number]), str(peak.kind[number]), entry, *values, None, q, v, tau, place),
    )
