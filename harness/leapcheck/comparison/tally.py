"""Reduction of errors, block by block: nothing of the size of all states is ever kept.

A row is one quantity of one engine compared with another engine or with the truth. Rows are reduced side by side, and tallies of
consecutive blocks are merged in their order; the result is the same for any size of blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.records import HISTOGRAM_DECADES, KindRow, Verdict
from leapcheck.rounding import ALLOWED_UNITS, NEAR, allowance, base_distance
from leapcheck.sampling import KINDS, STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

SAMPLE = 4096
"""States, the first ones of a run, over which medians and the heat maps of M are taken."""

ALL_KINDS = (*KINDS, "file")
VERDICTS = (Verdict.AGREE, Verdict.IMPRECISE, Verdict.DISCREPANCY)
BINS = HISTOGRAM_DECADES[1] - HISTOGRAM_DECADES[0]


class TallyRow(NamedTuple):
    """What is compared with what."""

    quantity: str
    engine: str
    against: str


PEAK_FIELDS = ("value", "q", "v", "tau", "index", "kind", "vdot", "contact_forces")


@dataclass(slots=True, eq=False)
class WorstPeak:
    """The largest of some number per row, and the state where it is; on a tie the earlier state stays."""

    value: Floats
    q: Floats
    v: Floats
    tau: Floats
    index: NDArray[np.int64]
    kind: NDArray[np.str_]
    vdot: Floats
    contact_forces: Floats

    def replace(self, rows: NDArray[np.bool_], other: WorstPeak) -> None:
        """Takes over some rows of another."""
        for name in PEAK_FIELDS:
            getattr(self, name)[rows] = getattr(other, name)[rows]

    def is_below(self, other: WorstPeak) -> NDArray[np.bool_]:
        """Rows where the other is larger; where both are equal, those where it is at an earlier state."""
        is_below: NDArray[np.bool_] = (other.value > self.value) | ((other.value == self.value) & (other.index < self.index))
        return is_below

    def alone(self, row: int) -> WorstPeak:
        """One row by itself."""
        return WorstPeak(*(getattr(self, name)[row : row + 1].copy() for name in PEAK_FIELDS))

    def states(self) -> States:
        """The states of all rows as one block."""
        parts = {part: getattr(self, part) for part in STATE_PARTS}
        return States(index=self.index, kind=tuple(str(kind) for kind in self.kind), **parts)


@dataclass(slots=True, eq=False)
class Tally:
    """What is kept of each row: figures of states near the origin or of discrepancies, else of far ones (`near` is False);
    by kind of state the largest error, error in units and verdict; a histogram; for rows against the truth a sample.

    `rounding` peaks in units of the expected rounding, `tolerance` is the scale-free tolerance at that state.
    """

    rows: tuple[TallyRow, ...]
    states: int
    near: NDArray[np.bool_]
    error: Floats
    absolute: WorstPeak
    rounding: WorstPeak
    tolerance: Floats
    kind_states: NDArray[np.int64]
    kind_error: Floats
    kind_rounding: Floats
    kind_verdict: NDArray[np.int8]
    histogram: NDArray[np.int64]
    sample: Floats
    heat: dict[TallyRow, Floats] = field(default_factory=dict)

    def merge(self, later: Tally) -> None:
        """Adds the same rows of later blocks."""
        self.states += later.states
        self.kind_states += later.kind_states
        self.kind_error = np.maximum(self.kind_error, later.kind_error)
        self.kind_rounding = np.maximum(self.kind_rounding, later.kind_rounding)
        self.kind_verdict = np.maximum(self.kind_verdict, later.kind_verdict)
        self.histogram += later.histogram
        self.sample = np.concatenate([self.sample, later.sample], axis=1)
        for row, heat in later.heat.items():
            self.heat[row] = np.maximum(self.heat[row], heat) if row in self.heat else heat
        replaced, both = later.near & ~self.near, later.near == self.near
        higher = replaced | (both & self.rounding.is_below(later.rounding))
        self.tolerance[higher] = later.tolerance[higher]
        self.rounding.replace(higher, later.rounding)
        self.absolute.replace(replaced | (both & self.absolute.is_below(later.absolute)), later.absolute)
        self.error = np.where(replaced, later.error, np.where(both, np.maximum(self.error, later.error), self.error))
        self.near |= later.near

    def alone(self, row: int) -> Tally:
        """One row by itself."""
        one, name = slice(row, row + 1), self.rows[row]
        return Tally(
            rows=(name,),
            states=self.states,
            near=self.near[one].copy(),
            error=self.error[one].copy(),
            absolute=self.absolute.alone(row),
            rounding=self.rounding.alone(row),
            tolerance=self.tolerance[one].copy(),
            kind_states=self.kind_states.copy(),
            kind_error=self.kind_error[one].copy(),
            kind_rounding=self.kind_rounding[one].copy(),
            kind_verdict=self.kind_verdict[one].copy(),
            histogram=self.histogram[one].copy(),
            sample=self.sample[one],
            heat={name: self.heat[name]} if name in self.heat else {},
        )

    def kinds(self, row: int) -> tuple[KindRow, ...]:
        """The row's figures by kind of state."""
        return tuple(
            KindRow(
                kind,
                int(self.kind_states[k]),
                float(self.kind_error[row, k]),
                float(self.kind_rounding[row, k]),
                VERDICTS[self.kind_verdict[row, k]],
            )
            for k, kind in enumerate(ALL_KINDS)
            if self.kind_states[k]
        )

    def verdict(self, row: int) -> Verdict:
        """The row's worst verdict."""
        return VERDICTS[self.kind_verdict[row].max()]


def make_tally(
    spec: RobotSpec,
    states: States,
    rows: Sequence[TallyRow],
    error: Floats,
    absolute: Floats,
    rounding: Floats,
    ratios: Mapping[str, float] | None = None,
) -> Tally:
    """The tally of one block: `error` scale-free, `absolute` and the expected `rounding`, (rows, n) each.

    `ratios`: by how much more is excused of engines that declare less than double precision: imprecise, not wrong.
    The figures are those of the states near the origin and of discrepancies: a loss of digits far out hides nothing, and
    shows in the kinds.
    """
    error, absolute = _nan_as_infinity(error), _nan_as_infinity(absolute)
    with np.errstate(over="ignore"):
        in_units = error / rounding
    distance = base_distance(spec, states)
    # Far from the origin an engine that computes in world coordinates cancels: imprecise, not wrong.
    excused = allowance(distance) * _precision_ratios(rows, ratios or {})
    verdict = (in_units > ALLOWED_UNITS).view(np.int8) + (in_units > ALLOWED_UNITS * excused).view(np.int8)
    counted = (distance <= NEAR) | (verdict == 2)
    near = counted.any(axis=1)
    counted |= ~near[:, None]
    in_count = np.where(counted, in_units, -1.0)
    worst = in_count.argmax(axis=1)
    sampled = (states.index < SAMPLE) & (distance <= NEAR)
    return Tally(
        rows=tuple(rows),
        states=len(states),
        near=near,
        error=np.where(counted, error, 0.0).max(axis=1),
        absolute=_peak(states, np.where(counted, absolute, -1.0)),
        rounding=_peak(states, in_count),
        tolerance=ALLOWED_UNITS * rounding[np.arange(len(rows)), worst],
        **_by_kind(states, error, in_units, verdict),
        histogram=_histogram(error),
        sample=error[:, sampled],
    )


def _precision_ratios(rows: Sequence[TallyRow], ratios: Mapping[str, float]) -> Floats:
    """By how much more is excused in each row (rows, 1), or in all, for the precision that one of its engines declares."""
    if not ratios:
        return np.ones((1, 1))
    return np.array([[max(ratios.get(row.engine, 1.0), ratios.get(row.against, 1.0))] for row in rows])


def _nan_as_infinity(values: Floats) -> Floats:
    """The values, with infinity for NaN; the largest shows without a pass of its own whether there is any."""
    return np.where(np.isnan(values), np.inf, values) if values.size and np.isnan(values.max()) else values


def _peak(states: States, values: Floats) -> WorstPeak:
    """The largest of each row's values (rows, n), at the first state where it is."""
    worst = values.argmax(axis=1)
    largest = values[np.arange(len(values)), worst]
    kinds = np.array([states.kind[i] for i in worst], dtype="U16")
    parts = {part: getattr(states, part)[worst] for part in STATE_PARTS}
    return WorstPeak(value=largest, index=states.index[worst], kind=kinds, **parts)


def _by_kind(states: States, error: Floats, in_units: Floats, verdict: NDArray[np.int8]) -> dict[str, Any]:
    """The fields of a tally that stand for kinds: (rows, kinds), zero for a kind that is not there."""
    order, present, starts, counts = _kind_groups(states.kind)
    fields: dict[str, Any] = {"kind_states": np.zeros(len(ALL_KINDS), dtype=np.int64)}
    fields["kind_states"][present] = counts
    for name, values in (("kind_error", error), ("kind_rounding", in_units), ("kind_verdict", verdict)):
        fields[name] = np.zeros((len(values), len(ALL_KINDS)), dtype=values.dtype)
        fields[name][:, present] = np.maximum.reduceat(values.take(order, axis=1), starts, axis=1)
    return fields


@lru_cache(maxsize=8)
def _kind_groups(kinds: tuple[str, ...]) -> tuple[NDArray[np.int64], ...]:
    """Order that puts equal kinds together, the kinds that are there, where each begins in that order, and how many it has."""
    numbers = np.array([ALL_KINDS.index(kind) for kind in kinds])
    order = np.argsort(numbers, kind="stable")
    present, starts, counts = np.unique(numbers[order], return_index=True, return_counts=True)
    return order, present, starts, counts


def _histogram(error: Floats) -> NDArray[np.int64]:
    """Counts (rows, bins) of states per power of ten of their error; exact zeros in the first bin, anything larger in the last.

    A binary exponent holds at most one power of ten, so that two look-ups replace a logarithm.
    """
    exponent = error.view(np.int64) >> 52
    decade = LOWER_DECADE.take(exponent) + (error >= NEXT_DECADE.take(exponent))
    row = np.arange(len(error))[:, None] * BINS
    return np.bincount((decade + row).ravel(), minlength=len(error) * BINS).reshape(len(error), BINS)


def _decades() -> tuple[NDArray[np.int64], Floats]:
    """For each biased exponent of a double the bin of its smallest number, and the power of ten where the next bin begins."""
    first, last = HISTOGRAM_DECADES
    least = np.ldexp(1.0, np.arange(-1023, 1024))
    with np.errstate(divide="ignore", over="ignore"):
        powers = np.array([float(f"1e{k}") for k in range(first, last + 1)])
        decade = np.searchsorted(powers, least, side="right") - 1
    beyond = decade >= BINS - 1
    follows = np.where(beyond, np.inf, powers[np.clip(decade + 1, 0, BINS)])
    below = decade < 0
    lower = np.clip(decade, 0, BINS - 1)
    follows[below] = powers[1]
    return np.append(lower, BINS - 1), np.append(np.where(beyond, np.nan, follows), np.nan)


LOWER_DECADE, NEXT_DECADE = _decades()
