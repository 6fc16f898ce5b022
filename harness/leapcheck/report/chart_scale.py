"""Scales of the charts: ranges, round ticks, and fewer points that keep every peak."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

BUCKETS = 250
"""A curve keeps at most six points (ends and extremes of x and y) of each of so many stretches: 1500 points."""

DEVIATION = 0.05
"""Points (px) nearer than this to the drawn line are left out of it."""

MARGIN = 0.04  # of the range, left free above and below


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A range of values on a stretch of pixels: `low` stands at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def pixels(self, values: Floats) -> Floats:
        """The pixels of many values."""
        return self.start + (self.end - self.start) * (values - self.low) / (self.high - self.low)


def equal_scales(x: AxisScale, y: AxisScale) -> tuple[AxisScale, AxisScale]:
    """The scales with as many pixels to a unit on both: the one with more takes in more, the same to both sides."""
    per_unit = min(abs(scale.end - scale.start) / (scale.high - scale.low) for scale in (x, y))

    def wider(scale: AxisScale) -> AxisScale:
        middle, half = (scale.low + scale.high) / 2, abs(scale.end - scale.start) / per_unit / 2
        return AxisScale(middle - half, middle + half, scale.start, scale.end)

    return wider(x), wider(y)


def data_range(parts: list[Floats], margin: float = MARGIN) -> tuple[float, float]:
    """(low, high) of all finite values with a margin; never empty: (0, 1) without values, +-10 % about a single one."""
    values = np.concatenate([np.ravel(part) for part in parts]) if parts else np.empty(0)
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        pad = 0.1 * abs(high) or 1.0
        return low - pad, high + pad
    pad = margin * (high - low)
    return low - pad, high + pad


def ticks(low: float, high: float, count: int = 5) -> list[tuple[float, str]]:
    """Round values (1, 2 or 5 times a power of ten apart) inside [low, high], about `count` of them, with their words."""
    rough = (high - low) / max(count, 1)
    power = math.floor(math.log10(rough))
    step = next(m * 10.0**power for m in (1, 2, 5, 10) if m * 10.0**power >= 0.85 * rough)
    decimals = 1 - math.floor(math.log10(step))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(k * step, f"{round(k * step, decimals) or 0.0:g}") for k in numbers]


def decimation(x: Floats, y: Floats, buckets: int = BUCKETS) -> NDArray[np.intp]:
    """Places, in order, of at most 6 `buckets` points of a curve: ends and extremes in x and y of each stretch of it."""
    n = len(x)
    if n <= 6 * buckets:
        return np.arange(n)
    edges = np.linspace(0, n, buckets + 1).astype(int)
    first, last = edges[:-1], edges[1:] - 1
    places = np.minimum(first[:, None] + np.arange(np.max(last - first) + 1), last[:, None])  # a row per stretch
    kept = [first, last]
    for values in (x[places], y[places]):
        numbers = ~np.isnan(values)
        for extreme in (np.where(numbers, values, np.inf).argmin(1), np.where(numbers, values, -np.inf).argmax(1)):
            kept.append(np.take_along_axis(places, extreme[:, None], 1)[:, 0])
    return np.unique(np.concatenate(kept))


def stretches(x: Floats, y: Floats) -> list[slice]:
    """The stretches of a curve in which both coordinates are finite: gaps stay gaps."""
    finite = np.concatenate([[False], np.isfinite(x) & np.isfinite(y), [False]])
    turns = np.flatnonzero(finite[1:] != finite[:-1]).tolist()
    return [slice(first, end) for first, end in zip(turns[::2], turns[1::2], strict=True)]


def outline(points: Floats, deviation: float = DEVIATION) -> NDArray[np.intp]:
    """Places, in order, of the points (n, 2) whose polyline passes all others within `deviation`.

    Ramer 1972, Douglas and Peucker 1973: between two kept points the farthest is kept, until none is too far.
    """
    kept = [np.array([0, len(points) - 1])]
    first, last = kept[0][:1], kept[0][1:]
    while True:
        open_ends = last - first > 1
        first, last = first[open_ends], last[open_ends]
        if not len(first):
            return np.unique(np.concatenate(kept))
        distance, farthest = _farthest(points, first, last)
        far = distance > deviation
        first, farthest, last = first[far], farthest[far], last[far]
        kept.append(farthest)
        first, last = np.concatenate([first, farthest]), np.concatenate([farthest, last])


def _farthest(points: Floats, first: NDArray[np.intp], last: NDArray[np.intp]) -> tuple[Floats, NDArray[np.intp]]:
    """(distance, place) of the point farthest from each chord from `points[first]` to `points[last]`, out of those between."""
    x, y = points.T
    count = last - first - 1
    start = np.cumsum(count) - count
    places = np.arange(start[-1] + count[-1]) + np.repeat(first + 1 - start, count)
    chord_x, chord_y = x[last] - x[first], y[last] - y[first]
    squared = chord_x * chord_x + chord_y * chord_y
    squared[squared == 0.0] = 1.0
    of_points = np.stack([x[first], y[first], chord_x, chord_y, squared])
    first_x, first_y, chord_x, chord_y, squared = np.repeat(of_points, count, axis=1)
    away_x, away_y = x[places] - first_x, y[places] - first_y
    along = np.clip((away_x * chord_x + away_y * chord_y) / squared, 0.0, 1.0)
    distance = np.hypot(away_x - along * chord_x, away_y - along * chord_y)
    largest = np.maximum.reduceat(distance, start)
    candidates = np.flatnonzero(distance == np.repeat(largest, count))
    return largest, places[candidates[np.searchsorted(candidates, start)]]
