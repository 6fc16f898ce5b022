"""Line charts and scatters as SVG: several series, phases, limits, error bands; colours are classes of the page's style."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from leapcheck.report import svg
from leapcheck.report.chart_scale import AxisScale, data_range, decimation, equal_scales, outline, stretches, ticks
from leapcheck.report.words import number, short, unit
from leapcheck.system.text import printable
from leapcheck_models.arrays import Floats

WIDTH, HEIGHT = 400.0, 190.0  # px, the height without the legend
LEFT, RIGHT, BOTTOM = 46.0, 8.0, 32.0
FONT, ROW = 11.0, 17.0
PHASE_ROW = 13.0  # px kept free of curves for the names of the phases
NAME_LENGTH = 34  # characters; the whole name is in the curve's title
TONES = 8
LARGEST_SHARE = 4.0
"""A limit line is left off where it would press the curves below 1/4 of the height; the legend still names it."""


class SeriesKind(StrEnum):
    """How a series is drawn: a line, dots, or the dashed outline of what is possible."""

    LINE = "line"
    DOTS = "dots"
    BOUND = "bound"


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A curve y (n,) over x (n,), values that are not finite are gaps; `low`, `high` (n,): its error band, where it has one.

    `tone` 0 to 7 picks a colour; by default the place among the chart's series. Raises ValueError for unequal lengths.
    """

    name: str
    x: Floats
    y: Floats
    kind: SeriesKind = SeriesKind.LINE
    low: Floats | None = None
    high: Floats | None = None
    tone: int | None = None

    def __post_init__(self) -> None:
        lengths = [len(part) for part in (self.x, self.y, self.low, self.high) if part is not None]
        if len(set(lengths)) > 1:
            raise ValueError(f"series '{self.name}' has x, y and band of {lengths} values: give equally many")


@dataclass(frozen=True, slots=True)
class ChartPhase:
    """A stretch of the x axis with a name: crouch, push, flight, landing."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Limit:
    """A value of y not to be exceeded."""

    name: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A chart's content. Screen readers get `label`; `x`, `y` name the axes, with units: "time, s".

    `equal`: a length is as long on both axes, as in a view from the side.
    """

    label: str
    x: str
    y: str
    series: tuple[Series, ...]
    phases: tuple[ChartPhase, ...] = ()
    limits: tuple[Limit, ...] = ()
    from_zero: bool = False
    equal: bool = False


def chart_plot(chart: Chart) -> ET.Element:
    """The chart as an svg element of class `chart`, names escaped; deterministic."""
    shown = _shown_limits(chart)
    legend, top = _legend(chart, shown)
    bottom = top + HEIGHT - BOTTOM
    x, y = _scales(chart, shown, top, bottom)
    parts = [*_phases(chart.phases, x, top, bottom), *_axes(chart, x, y, top, bottom)]
    parts += [_limit(limit, x, y) for limit in shown]
    parts += [part for i, series in enumerate(chart.series) for part in _series_paths(series, _tone(series, i), x, y)]
    if not any(np.isfinite(series.y).any() for series in chart.series):
        parts.append(svg.text((x.start + x.end) / 2, (top + bottom) / 2, "no data", "tick", "middle", FONT))
    ranges = "; ".join(filter(None, (_series_range(series) for series in chart.series)))
    label = f"{chart.label}, {chart.y} over {chart.x}. {ranges}"
    return svg.drawing(WIDTH, bottom + BOTTOM, label, [*parts, *legend], "plot chart")


def _tone(series: Series, place: int) -> str:
    return "" if series.kind is SeriesKind.BOUND else f" s{(place if series.tone is None else series.tone) % TONES}"


def _series_range(series: Series) -> str:
    finite = series.y[np.isfinite(series.y)]
    return f"{series.name} from {number(float(finite.min()))} to {number(float(finite.max()))}" if finite.size else ""


def _values(chart: Chart) -> list[Floats]:
    parts = [part for s in chart.series for part in (s.y, s.low, s.high) if part is not None]
    return [*parts, np.zeros(1)] if chart.from_zero else parts


def _shown_limits(chart: Chart) -> list[Limit]:
    """The limits that leave the curves at least 1/4 of the height."""
    low, high = data_range(_values(chart), 0.0)
    reach = LARGEST_SHARE * max(high - low, abs(high), abs(low))
    return [limit for limit in chart.limits if abs(limit.value) <= reach]


def _scales(chart: Chart, limits: list[Limit], top: float, bottom: float) -> tuple[AxisScale, AxisScale]:
    values = [*_values(chart), np.array([limit.value for limit in limits])]
    along = [series.x for series in chart.series] + [np.array([p.start, p.end]) for p in chart.phases]
    parametric = any(series.kind is not SeriesKind.LINE for series in chart.series)
    x = AxisScale(*data_range(along, 0.04 if parametric or chart.equal else 0.0), LEFT, WIDTH - RIGHT)
    y = AxisScale(*data_range(values), bottom, top + (PHASE_ROW if chart.phases else 0.0))
    return equal_scales(x, y) if chart.equal else (x, y)


def _phases(phases: tuple[ChartPhase, ...], x: AxisScale, top: float, bottom: float) -> Iterator[ET.Element]:
    """A tint behind every second phase, and each phase's name where it fits."""
    for i, phase in enumerate(phases):
        start, end = (min(max(x(t), x.start), x.end) for t in (phase.start, phase.end))
        if end <= start:
            continue
        words = printable(phase.name)
        tint = svg.element("rect", x=start, y=top, width=end - start, height=bottom - top, class_=f"phase p{i % 2}")
        tint.append(svg.element("title", f"{phase.name}: {phase.start:.4g} to {phase.end:.4g}"))
        yield tint
        if len(words) * FONT * svg.CHARACTER * 0.85 < end - start:
            yield svg.text((start + end) / 2, top + 10, words, "tick", "middle", FONT * 0.9)


def _axes(chart: Chart, x: AxisScale, y: AxisScale, top: float, bottom: float) -> Iterator[ET.Element]:
    for value, words in ticks(y.low, y.high, 5):
        yield svg.line(x.start, y(value), x.end, y(value), "grid zero" if value == 0 else "grid")
        yield svg.text(x.start - 5, y(value) + 4, words, "tick", "end", FONT)
    yield svg.line(x.start, bottom, x.end, bottom, "axis")
    for value, words in ticks(x.low, x.high, 6):
        yield svg.line(x(value), bottom, x(value), bottom + 3, "axis")
        edge = "end" if x(value) > x.end - 8 and len(words) > 2 else "middle"
        yield svg.text(x(value) + (2 if edge == "end" else 0), bottom + 14, words, "tick", edge, FONT)
    yield svg.text(2, top - 7, unit(printable(chart.y)), "tick", "start", FONT)
    yield svg.text(x.end, bottom + 28, unit(printable(chart.x)), "tick", "end", FONT)


def _limit(limit: Limit, x: AxisScale, y: AxisScale) -> ET.Element:
    title = svg.element("title", f"{limit.name}: {limit.value:.4g}")
    return svg.element("g", title, svg.line(x.start, y(limit.value), x.end, y(limit.value), "limit"))


def _series_paths(series: Series, tone: str, x: AxisScale, y: AxisScale) -> Iterator[ET.Element]:
    """The band of a series, if it has one, and the series."""
    if series.low is not None and series.high is not None:
        yield svg.element("path", class_=f"band{tone}", d=_band(series.x, series.low, series.high, x, y))
    path = _dots(series, x, y) if series.kind is SeriesKind.DOTS else _line(series.x, series.y, x, y)
    if path:
        yield svg.element("path", svg.element("title", _series_range(series)), class_=f"{series.kind}{tone}", d=path)


def _line(along: Floats, values: Floats, x: AxisScale, y: AxisScale) -> str:
    kept = decimation(along, values)
    px, py = x.pixels(along[kept]), y.pixels(values[kept])
    return "".join("M" + _points(px[part], py[part]) for part in stretches(px, py))


def _points(px: Floats, py: Floats) -> str:
    """The points as path data, to a tenth of a pixel."""
    points = np.stack([px, py], 1)
    points = np.round(points[outline(points)], 1)
    if len(points) == 1:
        return f"{_short(points[0, 0])} {_short(points[0, 1])}h0"
    return "L".join(f"{_short(a)} {_short(b)}" for a, b in points.tolist())


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _band(along: Floats, low: Floats, high: Floats, x: AxisScale, y: AxisScale) -> str:
    """The closed outline between the two curves, one for each stretch in which both are finite."""
    kept = np.union1d(decimation(along, low), decimation(along, high))
    px, top, bottom = x.pixels(along[kept]), y.pixels(high[kept]), y.pixels(low[kept])
    return "".join(
        "M" + _points(px[part], top[part]) + "L" + _points(px[part][::-1], bottom[part][::-1]) + "Z"
        for part in stretches(px, top + bottom)
    )


def _dots(series: Series, x: AxisScale, y: AxisScale) -> str:
    """A dot per point that differs by half a pixel; a stroke of no length with round ends is a dot."""
    kept = decimation(series.x, series.y)
    points = np.stack([x.pixels(series.x[kept]), y.pixels(series.y[kept])], 1)
    points = points[np.isfinite(points).all(1)]
    unique = np.unique(np.round(points * 2) / 2, axis=0)
    return "".join(f"M{_short(a)} {_short(b)}h0" for a, b in unique.tolist())


def _legend(chart: Chart, shown: list[Limit]) -> tuple[list[ET.Element], float]:
    """The key, in as many rows as it needs, and where the plot begins below it."""
    entries = [(s.name, f"{s.kind}{_tone(s, i)}") for i, s in enumerate(chart.series) if s.name]
    entries += [(words, "limit") for words in dict.fromkeys(_limit_words(limit, chart.limits, shown) for limit in chart.limits)]
    parts: list[ET.Element] = []
    left, row = 2.0, 0
    for name, class_ in entries:
        words = short(printable(name), NAME_LENGTH)
        width = 24 + len(words) * FONT * svg.CHARACTER * 0.92
        if left > 2 and left + width > WIDTH:
            left, row = 2.0, row + 1
        base = FONT + row * ROW
        swatch = (
            f"M{_short(left)} {_short(base - 4)}h16" if not class_.startswith("dots") else f"M{left + 8:.1f} {base - 4:.1f}h0"
        )
        parts.append(svg.element("path", class_=class_, d=swatch))
        parts.append(svg.text(left + 20, base, words, "legend", "start", FONT))
        left += width + 8
    rows = row + 1 if entries else 0
    return parts, rows * ROW + 22


def _limit_words(limit: Limit, limits: tuple[Limit, ...], shown: list[Limit]) -> str:
    """Name and value of a limit in the key; one entry for a limit of both signs."""
    both = any(other.name == limit.name and other.value == -limit.value != 0 for other in limits)
    value = f"\N{PLUS-MINUS SIGN}{number(abs(limit.value))}" if both else number(limit.value)
    return f"{limit.name} {value}" + ("" if limit in shown else " (off the chart)")
