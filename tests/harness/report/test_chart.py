"""Charts as data: what is drawn stands where the values say, nothing is lost to decimation, names stay names."""

from __future__ import annotations

import re

import numpy as np
import pytest

from leapcheck.report import svg
from leapcheck.report.chart import Chart, ChartPhase, Limit, Series, SeriesKind, chart_plot
from leapcheck.report.chart_scale import BUCKETS, AxisScale, data_range, decimation, outline, stretches, ticks

pytestmark = pytest.mark.quick

PIXEL = 0.11  # px; coordinates are written to a tenth: measured 0.05
T = np.linspace(0.0, 1.2, 4801)


def numbers(path: str) -> np.ndarray:
    """The points (n, 2) of a path of absolute M and L."""
    return np.array([[float(x), float(y)] for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)])


def paths(chart: Chart, kind: str) -> list[str]:
    """The path data of the curves of a class; the swatches of the legend, which have no title, are left out."""
    return [p.get("d") for p in chart_plot(chart).iter("path") if kind in p.get("class").split() and len(p)]


def test_a_straight_line_goes_from_corner_to_corner():
    (path,) = paths(Chart("line", "t, s", "y", (Series("a", T, 2 * T),)), "line")
    first, last = numbers(path)
    assert len(numbers(path)) == 2  # points on a straight line are left out
    assert first[0] < last[0]
    assert first[1] > last[1]  # up is a smaller y


def test_a_peak_of_one_sample_is_drawn():
    y = np.sin(7 * T)
    y[3333] = 9.0
    y[1111] = -9.0
    (path,) = paths(Chart("peak", "t, s", "y", (Series("a", T, y), Series("b", T, 0 * T))), "s0")
    points = numbers(path)
    low, high = data_range([y])
    pixel = AxisScale(low, high, 0.0, 1.0)
    span = np.ptp(points[:, 1])
    zero = numbers(paths(Chart("peak", "t, s", "y", (Series("a", T, y), Series("b", T, 0 * T))), "s1")[0])[0, 1]
    assert points[:, 1].min() - zero == pytest.approx(-span / 2, abs=PIXEL)
    assert points[:, 1].max() - zero == pytest.approx(span / 2, abs=PIXEL)
    assert pixel(9.0) - pixel(-9.0) == pytest.approx(1 / 1.08)


def test_decimation_keeps_extremes_and_order_and_is_bounded():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 100_003))
    y[17] = np.nan
    kept = decimation(x, y)
    assert len(kept) <= 6 * BUCKETS
    assert (np.diff(kept) > 0).all()
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    for part in (x, y):
        assert np.nanargmin(part) in kept
        assert np.nanargmax(part) in kept


def test_the_outline_of_a_closed_curve_stays_within_its_deviation():
    points = 100 * np.stack([np.cos(5 * T * np.pi / 3), np.sin(2 * np.pi * 5 * T / 6)], 1)
    kept = points[outline(points, 0.05)]
    assert len(kept) < 200
    a, b = kept[:-1], kept[1:]
    share = np.clip(((points[:, None] - a) * (b - a)).sum(2) / ((b - a) ** 2).sum(1), 0, 1)
    assert np.linalg.norm(points[:, None] - a - share[..., None] * (b - a), axis=2).min(1).max() <= 0.05


def test_gaps_stay_gaps():
    y = np.where((T > 0.4) & (T < 0.6), np.nan, T)
    assert [T[part][[0, -1]].tolist() for part in stretches(T, y)] == [
        [0.0, pytest.approx(0.4)],
        [pytest.approx(0.6), 1.2],
    ]
    (path,) = paths(Chart("gap", "t, s", "y", (Series("a", T, y),)), "line")
    assert path.count("M") == 2
    assert "nan" not in path


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-18.7, 18.7), (0.2871, 0.2874), (3e-13, 9e-13), (-1, 4e5), (0, 1e-3)])
def test_ticks_are_round_evenly_apart_and_inside(low, high):
    found = ticks(low, high)
    values = np.array([value for value, _ in found])
    assert 2 <= len(found) <= 7
    assert low - 1e-9 * (high - low) <= values[0]
    assert values[-1] <= high + 1e-9 * (high - low)
    np.testing.assert_allclose(np.diff(values), values[1] - values[0])
    assert f"{values[1] - values[0]:.0e}"[0] in "125"
    for value, words in found:
        assert float(words) == pytest.approx(value, abs=1e-6 * (high - low))
        assert words != "-0"


def test_everything_not_to_be_drawn_is_survived():
    series = (
        Series("none", T[:0], T[:0]),
        Series("nan", T, T * np.nan),
        Series("one", T[:1], T[:1] + 3),
        Series("inf", T, T + np.inf),
    )
    for part in series:
        text = svg.markup(chart_plot(Chart("empty", "t, s", "y", (part,))))
        assert "nan" not in re.sub(r">nan<|nan from", "", text)
    assert "no data" in svg.markup(chart_plot(Chart("empty", "t, s", "y", series[:2])))
    assert "no data" in svg.markup(chart_plot(Chart("empty", "t, s", "y", ())))
    with pytest.raises(ValueError, match=r"series 'a' has x, y and band of \[3, 2\] values"):
        Series("a", T[:3], T[:2])


def test_limits_bands_and_phases_stand_where_they_belong():
    chart = Chart(
        "torque",
        "t, s",
        "torque, N m",
        (Series("a", T, 10 * np.sin(9 * T), low=10 * np.sin(9 * T) - 1, high=10 * np.sin(9 * T) + 2),),
        (ChartPhase("push", 0.3, 0.6), ChartPhase("flight", 0.6, 9.0)),
        (Limit("limit", 18), Limit("limit", -18), Limit("far", 400)),
    )
    node = chart_plot(chart)
    plot = paths(chart, "line")[0]
    left, right = numbers(plot)[:, 0].min(), numbers(plot)[:, 0].max()
    push, flight = [rect for rect in node.iter("rect") if "phase" in rect.get("class")]
    scale = AxisScale(0.0, 9.0, left, left + (right - left) * 9.0 / 1.2)
    assert float(push.get("x")) == pytest.approx(scale(0.3), abs=PIXEL)
    assert float(flight.get("x")) == pytest.approx(scale(0.6), abs=PIXEL)
    limits = [float(line.get("y1")) for line in node.iter("line") if line.get("class") == "limit"]
    assert len(limits) == 2  # the far one would flatten the curve
    middle = sum(limits) / 2
    assert abs(limits[0] - limits[1]) / 2 / 18 * 10 == pytest.approx(middle - numbers(plot)[:, 1].min(), abs=PIXEL)
    words = [text.text for text in node.iter("text")]
    assert "limit ±18" in words
    assert "far 400 (off the chart)" in words
    band = next(p for p in node.iter("path") if "band" in p.get("class"))
    assert band.get("d").endswith("Z")
    unit = abs(limits[0] - limits[1]) / 36  # px per N m
    edges, curve = numbers(band.get("d"))[:, 1], numbers(plot)[:, 1]
    assert curve.min() - edges.min() == pytest.approx(2 * unit, abs=PIXEL)
    assert edges.max() - curve.max() == pytest.approx(1 * unit, abs=PIXEL)


def test_a_scatter_is_dots_with_its_outline():
    speed = np.linspace(-30, 30, 61)
    series = (
        Series("possible", speed, 28 - 0 * speed, SeriesKind.BOUND),
        Series("knee", 20 * np.sin(9 * T), 12 * np.cos(9 * T), SeriesKind.DOTS),
    )
    chart = Chart("plane", "speed, rad/s", "torque, N m", series)
    (dots,) = paths(chart, "dots")
    assert 50 < dots.count("h0") <= 6 * BUCKETS
    assert len(paths(chart, "bound")) == 1


def test_names_are_escaped_and_said():
    evil = "<script>x</script>\u202e&\x1b"
    chart = Chart(evil, evil, evil, (Series(evil, T, T),), (ChartPhase(evil, 0, 1),), (Limit(evil, 1),))
    node = chart_plot(chart)
    text = svg.markup(node)
    assert "<script" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert node.get("role") == "img"
    assert "from 0 to 1.2" in node.get("aria-label")
    assert text == svg.markup(chart_plot(chart))
