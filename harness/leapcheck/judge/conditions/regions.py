"""Where an engine is wrong: a number of the state between thresholds, from where lines of states cross into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.conditions.features import StateFeature
from leapcheck.judge.conditions.probe import MOVED, Boundaries
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats

SHARP = 3e-6
"""Share of a number's change along a line by which the thresholds of several lines may differ."""

TINY = 1e-300
"""Thresholds up to here are zero."""

NEAR_ZERO = 0.1
"""Share of its own size by which a threshold that is not zero may be uncertain."""

EPS = 16.0 * float(np.finfo(float).eps)

FEWEST, FEWEST_ALONG_ONE = 3, 2
"""Lines that must cross at the same threshold, and where one of them is a line along which one number alone changes."""

PRINTED = 1e-6
"""Relative error of a printed threshold."""

TWELFTHS = 12
"""Angles that are so many parts of pi are printed as such."""

FEW_DIGITS = 5
"""Digits up to which an angle was written in radians; with more, whole degrees are likelier."""

MARGIN = 1e-5
"""Relative distance from a threshold within which nothing is foretold."""

Flags = NDArray[np.bool_]
Interval = tuple[float, float]


class Threshold(NamedTuple):
    """A value of a feature on one side of which, above it or not, the engine is wrong; and which lines cross it there."""

    value: float
    is_above: bool
    lines: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class StateRegion:
    """The states whose feature lies in one of some open `intervals`; one that ends at the least size, 0, contains it."""

    feature: StateFeature
    intervals: tuple[Interval, ...]
    lines: frozenset[int] = frozenset()

    def contains(self, states: States) -> Flags:
        """Which states (n,) are inside."""
        values = self.feature.values(states)
        flags = np.zeros(len(values), dtype=bool)
        for low, high in self.intervals:
            flags |= (values > low) & ((values < high) | (self.feature.is_size & (high == 0.0) & (values == 0.0)))
        return flags

    def is_near(self, states: States) -> Flags:
        """Which states (n,) are so near a threshold that nothing is foretold."""
        values = self.feature.values(states)
        flags = np.zeros(len(values), dtype=bool)
        for end in self.ends:
            flags |= np.abs(values - end) <= MARGIN * abs(end) if end else (values == 0.0) & (not self.feature.is_size)
        return flags

    @property
    def ends(self) -> tuple[float, ...]:
        """The thresholds, in ascending order."""
        return tuple(end for interval in self.intervals for end in interval if np.isfinite(end))

    def with_ends(self, ends: Sequence[float]) -> StateRegion:
        """The region with other thresholds, in the same order."""
        values = iter(ends)
        moved = [tuple(next(values) if np.isfinite(end) else end for end in pair) for pair in self.intervals]
        intervals = tuple((low, high) for low, high in moved)
        return replace(self, intervals=intervals)

    @property
    def words(self) -> str:
        """The condition: "|FR_knee_joint| > 2.7 rad"."""
        name = self.feature.words
        if name.startswith("the tilt of ") and len(self.ends) == 1 and abs(self.ends[0] - np.pi / 2) < PRINTED:
            upside_down = self.intervals[0][1] == np.inf
            return f"{name.removeprefix('the tilt of ')} is {'upside down' if upside_down else 'not upside down'}"
        if len(self.ends) == 2 and abs(self.ends[0] + self.ends[1]) <= PRINTED * self.ends[1]:
            size = name if self.feature.is_size else f"|{name}|"
            return f"{size} {'<' if len(self.intervals) == 1 else '>'} {_with_unit(self.ends[1], self.feature)}"
        if len(self.ends) == len(self.intervals) == 2:
            low, high = (number_words(end, self.feature.unit) for end in self.ends)
            return f"{name} is outside [{low}, {high}] {self.feature.unit}".rstrip()
        return " or ".join(_interval_words(name, low, high, self.feature) for low, high in self.intervals)


def _interval_words(name: str, low: float, high: float, feature: StateFeature) -> str:
    if feature.is_size and high == 0.0:
        return feature.zero_words or f"{name.strip('|')} = 0"
    if np.isinf(high):
        return f"{name} > {_with_unit(low, feature)}"
    if np.isinf(low) or (feature.is_size and low <= 0.0):
        return f"{name} < {_with_unit(high, feature)}"
    return f"{number_words(low, feature.unit)} < {name} < {_with_unit(high, feature)}"


def _with_unit(value: float, feature: StateFeature) -> str:
    if not value:
        return "0"
    degrees = ""
    if feature.unit == "rad" and _digits(value) > FEW_DIGITS and not _part_of_pi(value):
        whole = round(np.degrees(value))
        degrees = f" ({whole} deg)" if abs(np.radians(whole) - value) <= PRINTED * abs(value) else ""
    return f"{number_words(value, feature.unit)} {feature.unit}".rstrip() + degrees


def number_words(value: float, unit: str = "") -> str:
    """A threshold with the fewest digits within its uncertainty; of an angle the fraction of pi that it is, if any."""
    if value == 0.0:
        return "0"
    if unit == "rad" and (words := _part_of_pi(value)):
        return words
    return f"{_shortest(value):.8g}"


def plain_number(value: float, unit: str) -> float:
    """The number that a programmer would have written within a threshold's uncertainty; itself where there is none."""
    if unit == "rad":
        for plain in (round(value / np.pi * TWELFTHS) * np.pi / TWELFTHS, float(np.radians(round(np.degrees(value))))):
            if abs(plain - value) <= PRINTED * abs(value) and _digits(value) > FEW_DIGITS:
                return plain
    return _shortest(value)


def _part_of_pi(value: float) -> str:
    turn = Fraction(round(value / np.pi * TWELFTHS), TWELFTHS)
    if not turn or abs(float(turn) * np.pi - value) > PRINTED * abs(value):
        return ""
    factor = "" if turn.numerator == 1 else "-" if turn.numerator == -1 else f"{turn.numerator} "
    return f"{factor}pi" if turn.denominator == 1 else f"{factor}pi/{turn.denominator}"


def _digits(value: float) -> int:
    return next((d for d in range(1, 9) if abs(float(f"{value:.{d}g}") - value) <= PRINTED * abs(value)), 9)


def _shortest(value: float) -> float:
    digits = _digits(value)
    return float(f"{value:.{digits}g}") if digits < 9 else value


def regions(features: Sequence[StateFeature], lines: Boundaries) -> Iterator[StateRegion]:
    """Regions into which some of the lines cross, each of one feature: those first that account for most lines."""
    options = [region for feature in features for region in _regions_of(feature, lines)]
    yield from sorted(options, key=lambda region: -len(region.lines))


def merge(features: Sequence[StateFeature], chosen: Sequence[StateRegion]) -> list[StateRegion]:
    """The same states in one region for each feature, in the order of the features."""
    merged = []
    for feature in features:
        own = [region for region in chosen if region.feature is feature]
        intervals: list[Interval] = []
        for low, high in sorted(interval for region in own for interval in region.intervals):
            if intervals and low <= intervals[-1][1]:
                intervals[-1] = intervals[-1][0], max(high, intervals[-1][1])
            else:
                intervals.append((low, high))
        if own:
            merged.append(StateRegion(feature, tuple(intervals), frozenset().union(*(region.lines for region in own))))
    return merged


def _regions_of(feature: StateFeature, lines: Boundaries) -> Iterator[StateRegion]:
    """The region of one feature, if its thresholds are enough lines' and follow each other as ends of intervals do."""
    ends = sorted(_thresholds(feature, lines))
    sure = [end for end in ends if _is_sure(end, lines)]
    if not sure:
        return
    choices = [ends] if all(a.is_above != b.is_above for a, b in pairwise(ends)) else []
    choices += [[end] for end in sure if len(ends) > 1]
    for chosen in choices:
        values = [end.value for end in chosen]
        if not chosen[0].is_above:
            values = [-np.inf, *values]
        if len(values) % 2:
            values.append(np.inf)
        intervals = tuple(zip(values[::2], values[1::2], strict=True))
        yield StateRegion(feature, intervals, frozenset().union(*(end.lines for end in chosen)))


def _is_sure(end: Threshold, lines: Boundaries) -> bool:
    along_one = any(lines.start.kind[i] == MOVED for i in end.lines)
    return len(end.lines) >= (FEWEST_ALONG_ONE if along_one else FEWEST)


def _thresholds(feature: StateFeature, lines: Boundaries) -> Iterator[Threshold]:
    """Values at which several lines cross."""
    start, wrong, right = (feature.values(states) for states in (lines.start, lines.wrong, lines.right))
    middle, change = 0.5 * (wrong + right), np.abs(right - start)
    is_clear = np.abs(wrong - right) > EPS * np.abs(middle)
    above = np.where(is_clear, wrong > right, start > middle)
    for is_above in (False, True):
        rows = [int(i) for i in np.argsort(middle, kind="stable") if change[i] > 0.0 and above[i] == is_above]
        for group in _groups(rows, middle, change):
            if len(group) > 1:
                value, tolerance = float(np.median(middle[group])), SHARP * float(change[group].max())
                is_zero = _straddle_zero(wrong[group], right[group]) or (feature.is_size and not right[group].min() > TINY)
                value = 0.0 if is_zero and abs(value) <= max(tolerance, TINY) else value
                yield Threshold(value, is_above, frozenset(group))


def _straddle_zero(wrong: Floats, right: Floats) -> bool:
    """Whether crossings, each between two values (n,), are at zero: some on either side, or as far from it as from each other.

    An error that grows from nothing shows beyond rounding only a little way behind the threshold.
    """
    middle = 0.5 * (wrong + right)
    spread = max(float(np.ptp(middle)), float(np.abs(wrong - right).max()))
    return spread > NEAR_ZERO * float(np.abs(middle).max())


def _groups(rows: Sequence[int], middle: Floats, change: Floats) -> Iterator[list[int]]:
    """Rows in ascending order of their values, cut where two values differ by more than their uncertainty."""
    group: list[int] = []
    for row in rows:
        if group:
            tolerance = SHARP * min(change[row], change[group[-1]]) + EPS * abs(middle[row])
            if middle[row] - middle[group[0]] > tolerance:
                yield group
                group = []
        group.append(row)
    if group:
        yield group
