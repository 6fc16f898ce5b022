"""Reduction of errors to records, block by block: nothing of the size of all states is ever kept.

A row is one quantity of one engine held against another engine or the truth. Rows are reduced side by side, and tallies of
consecutive blocks are merged in their order; the result is the same for any size of blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.compare.records import HISTOGRAM_DECADES, KindRow, Verdict
from leapcheck.states import KINDS, Floats, States
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType, RobotSpec

TOLERANCE_UNITS = 256.0
"""Tolerance in units of the expected rounding.

An engine rounds after each of the hundreds of operations on the way from a state to an entry; the unit holds one
perturbation of each input. Measured worst of 2 000 states of each named robot and 200 of each of 50 random trees over
MuJoCo and Pinocchio: see reports/accuracy.md.
"""

NEAR = 10.0
"""Base positions up to here (m) get no allowance for cancellation far from the origin."""

REACH = 0.01
"""Length (m) by which a distance from the world's origin is measured in that allowance: a small link's gyration radius."""

SAMPLE = 4096
"""States, the first ones of a run, over which medians and the heat maps of M are taken."""

ALL_KINDS = (*KINDS, "file")
VERDICTS = (Verdict.AGREE, Verdict.IMPRECISE, Verdict.DISCREPANCY)
BINS = HISTOGRAM_DECADES[1] - HISTOGRAM_DECADES[0]


class Row(NamedTuple):
    """What is held against what."""

    quantity: str
    engine: str
    against: str


PEAK_FIELDS = ("value", "q", "v", "tau", "index", "kind")


@dataclass(slots=True, eq=False)
class Peak:
    """The largest of some number per row, and the state where it is; on a tie the earlier state stays."""

    value: Floats
    q: Floats
    v: Floats
    tau: Floats
    index: NDArray[np.int64]
    kind: NDArray[np.str_]

    def replace(self, rows: NDArray[np.bool_], other: Peak) -> None:
        """Takes over some rows of another."""
        for name in PEAK_FIELDS:
            getattr(self, name)[rows] = getattr(other, name)[rows]

    def exceeded(self, other: Peak) -> NDArray[np.bool_]:
        """Rows where the other is larger; where both are equal, those where it is at an earlier state."""
        exceeded: NDArray[np.bool_] = (other.value > self.value) | ((other.value == self.value) & (other.index < self.index))
        return exceeded

    def alone(self, row: int) -> Peak:
        """One row by itself."""
        return Peak(*(getattr(self, name)[row : row + 1].copy() for name in PEAK_FIELDS))

    def states(self) -> States:
        """The states of all rows as one block."""
        return States(self.q, self.v, self.tau, self.index, tuple(str(kind) for kind in self.kind))


@dataclass(slots=True, eq=False)
class Tally:
    """What is kept of each row: figures of states near the origin or of discrepancies, else of far ones (`near` is False);
    by kind of state the largest error, error in units and verdict; a histogram; for rows against the truth a sample.

    `rounding` peaks in units of the expected rounding, `tolerance` is the scale-free tolerance at that state.
    """

    rows: tuple[Row, ...]
    states: int
    near: NDArray[np.bool_]
    error: Floats
    absolute: Peak
    rounding: Peak
    tolerance: Floats
    kind_states: NDArray[np.int64]
    kind_error: Floats
    kind_rounding: Floats
    kind_verdict: NDArray[np.int8]
    histogram: NDArray[np.int64]
    sample: Floats
    heat: dict[Row, Floats] = field(default_factory=dict)

    def merge(self, later: Tally) -> None:
        """Adds what later blocks found of the same rows."""
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
        higher = replaced | (both & self.rounding.exceeded(later.rounding))
        self.tolerance[higher] = later.tolerance[higher]
        self.rounding.replace(higher, later.rounding)
        self.absolute.replace(replaced | (both & self.absolute.exceeded(later.absolute)), later.absolute)
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


def tally(spec: RobotSpec, states: States, rows: Sequence[Row], error: Floats, absolute: Floats, rounding: Floats) -> Tally:
    """The tally of one block: `error` scale-free, `absolute` and the expected `rounding`, (rows, n) each.

    The figures are those of the states near the origin and of discrepancies: a loss of digits far out hides nothing, and
    is told by the kinds.
    """
    error, absolute = _infinite_where_no_number(error), _infinite_where_no_number(absolute)
    with np.errstate(over="ignore"):
        in_units = error / rounding
    distance = base_distance(spec, states)
    allowance = np.where(distance > NEAR, 1.0 + distance / REACH, 1.0)
    # Far from the origin an engine that computes in world coordinates cancels: imprecise, not wrong.
    verdict = (in_units > TOLERANCE_UNITS).view(np.int8) + (in_units > TOLERANCE_UNITS * allowance).view(np.int8)
    told = (distance <= NEAR) | (verdict == 2)
    near = told.any(axis=1)
    told |= ~near[:, None]
    seen = np.where(told, in_units, -1.0)
    worst = seen.argmax(axis=1)
    sampled = (states.index < SAMPLE) & (distance <= NEAR)
    return Tally(
        rows=tuple(rows),
        states=len(states),
        near=near,
        error=np.where(told, error, 0.0).max(axis=1),
        absolute=_peak(states, np.where(told, absolute, -1.0)),
        rounding=_peak(states, seen),
        tolerance=TOLERANCE_UNITS * rounding[np.arange(len(rows)), worst],
        **_by_kind(states, error, in_units, verdict),
        histogram=_histogram(error),
        sample=error[:, sampled],
    )


def _infinite_where_no_number(values: Floats) -> Floats:
    """The values, with infinity for what is no number; the largest tells without a pass of its own whether there is any."""
    return np.where(np.isnan(values), np.inf, values) if values.size and np.isnan(values.max()) else values


def base_distance(spec: RobotSpec, states: States) -> Floats:
    """Largest distance (n,) of a floating base from the world's origin, m."""
    distance, q = np.zeros(len(states)), 0
    for body in spec.bodies:
        if body.joint.type is JointType.FREE:
            p = states.q[:, q : q + 3]
            distance = np.maximum(distance, np.sqrt(np.einsum("ni,ni->n", p, p)))
        q += CONFIGURATION_SIZE[body.joint.type]
    return distance


def _peak(states: States, values: Floats) -> Peak:
    """The largest of each row's values (rows, n), at the first state where it is."""
    at = values.argmax(axis=1)
    largest = values[np.arange(len(values)), at]
    kinds = np.array([states.kind[i] for i in at], dtype="U16")
    return Peak(largest, states.q[at], states.v[at], states.tau[at], states.index[at], kinds)


def _by_kind(states: States, error: Floats, in_units: Floats, verdict: NDArray[np.int8]) -> dict[str, Any]:
    """The fields of a tally that stand for kinds: (rows, kinds), zero for a kind that is not there."""
    order, present, starts, counts = _grouped(states.kind)
    fields: dict[str, Any] = {"kind_states": np.zeros(len(ALL_KINDS), dtype=np.int64)}
    fields["kind_states"][present] = counts
    for name, values in (("kind_error", error), ("kind_rounding", in_units), ("kind_verdict", verdict)):
        fields[name] = np.zeros((len(values), len(ALL_KINDS)), dtype=values.dtype)
        fields[name][:, present] = np.maximum.reduceat(values[:, order], starts, axis=1)
    return fields


@lru_cache(maxsize=8)
def _grouped(kinds: tuple[str, ...]) -> tuple[NDArray[np.int64], ...]:
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
    decade = LOWER_DECADE[exponent] + (error >= NEXT_DECADE[exponent])
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
