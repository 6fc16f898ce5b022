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
    kept: set[int] = set()
    finite = bool(np.isfinite(x).all() and np.isfinite(y).all())
    edges = np.linspace(0, n, buckets + 1).astype(int)
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        kept |= {first, end - 1}
        for part in (x[first:end], y[first:end]):
            if finite:
                kept |= {first + int(part.argmin()), first + int(part.argmax())}
            elif np.isfinite(part).any():
                kept |= {first + int(np.nanargmin(part)), first + int(np.nanargmax(part))}
    return np.array(sorted(kept), dtype=np.intp)


def stretches(x: Floats, y: Floats) -> list[slice]:
    """The stretches of a curve in which both coordinates are finite: gaps stay gaps."""
    finite = np.concatenate([[False], np.isfinite(x) & np.isfinite(y), [False]])
    turns = np.flatnonzero(finite[1:] != finite[:-1]).tolist()
    return [slice(first, end) for first, end in zip(turns[::2], turns[1::2], strict=True)]


def outline(points: Floats, deviation: float = DEVIATION) -> NDArray[np.intp]:
    """Places, in order, of the points (n, 2) whose polyline passes all others within `deviation`.

    Ramer 1972, Douglas and Peucker 1973: between two kept points the farthest is kept, until none is too far.
    """
    kept = {0, len(points) - 1}
    open_ends = [(0, len(points) - 1)]
    while open_ends:
        first, last = open_ends.pop()
        if last - first < 2:
            continue
        chord, away = points[last] - points[first], points[first + 1 : last] - points[first]
        squared = float(chord @ chord)
        along = np.clip(away @ chord / squared, 0.0, 1.0) if squared else np.zeros(len(away))
        distance = np.hypot(*(away - along[:, None] * chord).T)
        farthest = first + 1 + int(distance.argmax())
        if distance[farthest - first - 1] > deviation:
            kept.add(farthest)
            open_ends += [(first, farthest), (farthest, last)]
    return np.array(sorted(kept), dtype=np.intp)
