"""The records of a finished run: what the tallies hold, with the worst states looked at once more, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.comparison.engine_set import EngineSet
from leapcheck.comparison.results import TRUTH, BlockResult
from leapcheck.comparison.tally import Tally, TallyRow
from leapcheck.engines.answers import answers_of
from leapcheck.engines.errors import EngineError
from leapcheck.engines.protocol import Engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.entries import entry_name, entry_unit
from leapcheck.judge.in_house import InHouseAnswers, distinct
from leapcheck.judge.verdicts import verdict
from leapcheck.quantities import QUANTITIES
from leapcheck.records import UNANSWERED, UNSEEN, Accuracy, Comparison, EngineVerdict, Failure, HeatMap, WorstState
from leapcheck.rounding import ALLOWED_UNITS, scale_free, scales
from leapcheck.sampling import States, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class Figures:
    """The comparisons of engines in pairs, each engine's accuracy and verdict, the heat maps of M, failures when asked again."""

    comparisons: tuple[Comparison, ...]
    accuracies: tuple[Accuracy, ...]
    verdicts: tuple[EngineVerdict, ...]
    heat_maps: tuple[HeatMap, ...]
    failures: tuple[Failure, ...] = ()


class AnswersAgain(NamedTuple):
    """A pair's answers at the state with the largest error in units, then at that with the largest absolute one: (2, *shape)
    each, with the scale-free error of each entry; (2,) whether both engines answered there again.
    """

    mine: Floats
    others: Floats
    error: Floats
    answered: NDArray[np.bool_]


def run_figures(engine_set: EngineSet, result: BlockResult) -> Figures:
    """The figures of a run, quantity by quantity in the order of their list, pairs in the order of the engines."""
    rows = _tally_by_row(engine_set, result)
    comparisons: list[Comparison] = []
    heat_maps: list[HeatMap] = []
    failures: list[Failure] = []
    pairs = {row: tally for row, tally in rows.items() if row.against != TRUTH}
    for row, again in _answers_again(engine_set, pairs, failures):
        comparisons.append(_comparison(engine_set.spec, row, pairs[row], again))
        heat_maps += [_heat_map(row, heat, again) for heat in pairs[row].heat.values()]
    by_truth = {row: tally for row, tally in rows.items() if row.against == TRUTH}
    accuracies = tuple(_accuracy(row, tally) for row, tally in by_truth.items())
    verdicts = tuple(verdict(engine_set.spec, row, tally) for row, tally in by_truth.items())
    return Figures(tuple(comparisons), accuracies, verdicts, tuple(heat_maps), tuple(failures))


def _tally_by_row(engine_set: EngineSet, result: BlockResult) -> dict[TallyRow, Tally]:
    """Each row's own tally: blocks in which an engine failed have other rows than the rest."""
    rows: dict[TallyRow, Tally] = {}
    for tally in result.tallies.values():
        for number, row in enumerate(tally.rows):
            if row in rows:
                rows[row].merge(tally.alone(number))
            else:
                rows[row] = tally.alone(number)
    quantities, engines = list(QUANTITIES), [*(engine.name for engine in engine_set.engines), TRUTH]
    order = sorted(rows, key=lambda row: (quantities.index(row.quantity), engines.index(row.against), engines.index(row.engine)))
    return {row: rows[row] for row in order}


def _accuracy(row: TallyRow, tally: Tally) -> Accuracy:
    sample = tally.sample[0]
    return Accuracy(
        quantity=row.quantity,
        engine=row.engine,
        states=tally.states,
        sampled=len(sample),
        median=_median(sample) if len(sample) else float(tally.error[0]),
        worst=float(tally.error[0]),
        rounding=max(float(tally.rounding.value[0]), 0.0),
        index=int(tally.rounding.index[0]),
    )


def _median(values: Floats) -> float:
    """The median: `np.median` imports NumPy's masked arrays, which takes longer than all the medians of a run."""
    ordered, n = np.sort(values), len(values)
    return float(0.5 * (ordered[(n - 1) // 2] + ordered[n // 2]))


def _heat_map(row: TallyRow, heat: Floats, again: AnswersAgain) -> HeatMap:
    """The largest errors near the origin, or far from it where no state is near; those of the worst states are among them.

    Without the worst states an entry that should repeat another, or should not move, would look right.
    """
    near, far = heat
    largest = np.maximum(near if near.max() >= 0.0 else far, again.error.max(axis=0))
    return HeatMap(row.engine, row.against, tuple(map(tuple, largest.tolist())))


def _answers_again(
    engine_set: EngineSet, pairs: Mapping[TallyRow, Tally], failures: list[Failure]
) -> Iterator[tuple[TallyRow, AnswersAgain]]:
    """Each pair's answers at its worst states, all entries, not the distinct ones alone.

    The engines answer by their own evaluation, once at each state; `failures` gets what they fail on.
    """
    states_of = {quantity: _worst_states(pairs, quantity) for quantity in dict.fromkeys(row.quantity for row in pairs)}
    in_house = InHouseAnswers(engine_set.spec, (portion.in_house for portion in engine_set.portions)).evaluate(states_of)
    for quantity, states in states_of.items():
        own = [row for row in pairs if row.quantity == quantity]
        expected = in_house[quantity].values
        names = {name for row in own for name in (row.engine, row.against)}
        once, where = distinct(states)
        asked = [e for e in engine_set.engines if e.name in names and not isinstance(e, ReferenceEngine)]
        again = {e.name: _answers_or_nan(e, once, quantity, expected.shape[1:], failures) for e in asked}
        answers = {name: (values[where], answered[where]) for name, (values, answered) in again.items()}
        scale = scales(quantity, expected)
        right = expected, np.ones(len(states), dtype=bool)
        for k, row in enumerate(own):
            two = slice(2 * k, 2 * k + 2)
            tally = pairs[row]
            finite = np.isfinite([tally.rounding.value[0], tally.absolute.value[0]])  # then both answered with numbers there
            (mine, is_mine), (others, is_others) = (answers.get(name, right) for name in (row.engine, row.against))
            answered = (is_mine & is_others)[two]
            for name, values in ((row.engine, mine[two]), (row.against, others[two])):
                lost = finite & answered & ~np.isfinite(values.reshape(2, -1)).all(axis=1)
                answered &= ~lost
                for i in np.flatnonzero(lost)[:1]:
                    words = (
                        f"engine '{name}' gave NaN or infinity at state {states.index[2 * k + i]}, where it gave numbers before"
                    )
                    failures.append(Failure(name, quantity, words))
            with np.errstate(over="ignore", invalid="ignore"):
                error = scale_free(mine[two] - others[two], scale[two])
            error[~answered] = 0.0
            yield row, AnswersAgain(mine[two], others[two], error, answered)


def _answers_or_nan(
    engine: Engine, states: States, quantity: str, shape: tuple[int, ...], failures: list[Failure]
) -> tuple[Floats, NDArray[np.bool_]]:
    """The engine's answers (n, *shape) to a quantity that it answered in the comparison, and whether it answers again (n,).

    Where it fails on all of the states it is asked for each alone; what it does not answer is NaN.
    """
    try:
        return answers_of(engine, states, {quantity: shape})[quantity], np.ones(len(states), dtype=bool)
    except EngineError as error:
        failures.append(Failure(engine.name, quantity, f"{error} (asked again after the comparison)"))
    values, answered = np.full((len(states), *shape), np.nan), np.zeros(len(states), dtype=bool)
    for i in range(len(states)):
        with suppress(EngineError):
            values[i] = answers_of(engine, states[i : i + 1], {quantity: shape})[quantity][0]
            answered[i] = True
    return values, answered


def _worst_states(pairs: Mapping[TallyRow, Tally], quantity: str) -> States:
    """Two states for each pair: with the largest error in units of the rounding, and with the largest absolute one."""
    tallies = [tally for row, tally in pairs.items() if row.quantity == quantity]
    return join_states([peak.states() for tally in tallies for peak in (tally.rounding, tally.absolute)])


def _largest(values: Floats) -> tuple[int, ...]:
    """Indices of the largest entry."""
    return tuple(int(i) for i in np.unravel_index(int(values.argmax()), values.shape)) if values.ndim else ()


def _comparison(spec: RobotSpec, row: TallyRow, tally: Tally, again: AnswersAgain) -> Comparison:
    peak = tally.rounding
    rounding, tolerance = max(float(peak.value[0]), 0.0), float(tally.tolerance[0])
    worst_error = rounding * tolerance / ALLOWED_UNITS
    q, v, tau = (tuple(part[0].tolist()) for part in (peak.q, peak.v, peak.tau))
    vdot, forces = (
        tuple(getattr(peak, part)[0].tolist()) if part in QUANTITIES[row.quantity].arguments else ()
        for part in ("vdot", "contact_forces")
    )
    with np.errstate(over="ignore", invalid="ignore"):
        difference = scale_free(again.mine - again.others, np.ones(()))
    difference[~again.answered] = 0.0
    place, farthest = _largest(again.error[0]), _largest(difference)
    values = float(again.mine[(0, *place)]), float(again.others[(0, *place)])
    entry = entry_name(spec, row.quantity, place) if again.answered[0] else UNANSWERED
    if again.answered[0] and again.error[0].max(initial=0.0) <= tolerance < worst_error:
        entry = UNSEEN
    return Comparison(
        quantity=row.quantity,
        engine=row.engine,
        against=row.against,
        states=tally.states,
        error=float(tally.error[0]),
        absolute=max(float(tally.absolute.value[0]), float(difference[farthest])),
        unit=entry_unit(spec, row.quantity, farthest[1:]),
        scale=str(QUANTITIES[row.quantity].scale),
        rounding=rounding,
        tolerance=tolerance,
        margin=tolerance / worst_error if worst_error > 0.0 else float("inf"),
        verdict=tally.verdict(0),
        kinds=tally.kinds(0),
        histogram=tuple(tally.histogram[0].tolist()),
        worst=WorstState(int(peak.index[0]), str(peak.kind[0]), entry, *values, None, q, v, tau, place, vdot, forces),
    )
