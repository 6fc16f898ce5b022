"""Histograms of the error and ranges of what a simplification costs."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from leapcheck.records import HISTOGRAM_DECADES, Comparison, SimplificationCost
from leapcheck.report import svg
from leapcheck.report.comparison.view import Group, badness
from leapcheck.report.words import MARKS, percent, short
from leapcheck.system.text import printable

WIDTH, HEIGHT = 340.0, 150.0  # px
LEFT, RIGHT, TOP, BOTTOM = 36.0, 16.0, 8.0, 20.0
FIRST, LAST = HISTOGRAM_DECADES
ROW = 16.0
NAME_LENGTH = 18


def last_decade(comparisons: Sequence[Comparison]) -> int:
    """Where the axis of a run's histograms may end: the first multiple of 4 above every error, at least -8."""
    filled = [FIRST + i + 1 for c in comparisons for i, count in enumerate(c.histogram) if count]
    return min(max(4 * math.ceil(max(filled, default=FIRST) / 4), -8), LAST)


def histogram_plot(group: Group, last: int = LAST) -> ET.Element:
    """How many states fall in each decade of the scale-free error up to `last`: one outline per engine pair, the worst on top.

    The count is on a logarithmic scale, so that a single state still shows; the first bin holds exact zeros too.
    """
    largest = max((count for row in group.rows for count in row.histogram), default=0)
    base, height = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    top = math.log10(max(largest, 1)) + 0.4

    def x(decade: float) -> float:
        return LEFT + (WIDTH - RIGHT - LEFT) * (decade - FIRST) / (last - FIRST)

    def y(count: int) -> float:
        return base - height * (math.log10(count) + 0.4) / top if count else base

    parts = [_count_tick(10**power, y(10**power)) for power in range(int(math.log10(max(largest, 1))) + 1)]
    parts.append(svg.line(LEFT, base, WIDTH - RIGHT, base, "axis"))
    for decade in range(FIRST, last + 1, 4):
        parts.append(svg.line(x(decade), base, x(decade), base + 3, "axis"))
        word = "0" if decade == FIRST else f"1e{decade}" if decade else "1"
        parts.append(svg.text(x(decade), base + 14, word, "tick", "middle"))
    edges = [x(decade) for decade in range(FIRST, last + 1)]
    for row in sorted(group.rows, key=badness):
        parts.append(_outline(row, edges, [y(count) for count in row.histogram[: last - FIRST]], base))
    label = f"Histogram of the error of {group.label}: {len(group.rows)} engine pairs, largest error {group.worst.error:.1e}"
    return svg.drawing(WIDTH, HEIGHT, label, parts)


def cost_plot(cost: SimplificationCost) -> ET.Element:
    """A bar per joint from the median to the worst relative error in joint acceleration, on a logarithmic scale."""
    names = [short(printable(joint), NAME_LENGTH) for joint in cost.joints]
    left = max(map(len, names), default=0) * 10 * svg.CHARACTER + 8
    shown = [x for x in (*cost.joint_median, *cost.joint_worst) if x > 0 and math.isfinite(x)]
    first = math.floor(math.log10(min(shown, default=1e-3)))
    last = max(math.ceil(math.log10(max(shown, default=1.0))), first + 1)
    bottom = TOP + len(names) * ROW

    def x(value: float) -> float:
        share = (math.log10(value) - first) / (last - first) if value > 0 else 0.0
        return left + (WIDTH - 22 - left) * min(max(share, 0.0), 1.0)

    parts = []
    for power in range(first, last + 1, 1 + (last - first) // 5):
        parts.append(svg.line(x(10.0**power), TOP, x(10.0**power), bottom, "grid"))
        parts.append(svg.text(x(10.0**power), bottom + 14, _decade_percent(power), "tick", "middle"))
    for i, (words, median, worst) in enumerate(zip(names, cost.joint_median, cost.joint_worst, strict=True)):
        middle = TOP + (i + 0.5) * ROW
        parts += [
            svg.text(left - 8, middle + 3.5, words, "name", "end"),
            svg.element(
                "g",
                svg.element("title", f"{cost.joints[i]}: median {percent(median)}, worst {percent(worst)}"),
                svg.element("rect", x=x(median), y=middle - 3, width=max(x(worst) - x(median), 1), height=6, class_="range"),
                svg.element("circle", cx=x(median), cy=middle, r=3.5, class_="dot"),
                svg.element("circle", cx=x(worst), cy=middle, r=3.5, class_="end"),
            ),
        ]
    label = f"{cost.simplification}: error in joint acceleration, median {percent(cost.median)}, worst {percent(cost.worst)}"
    return svg.drawing(WIDTH, bottom + BOTTOM, label, parts)


def _count_tick(count: int, y: float) -> ET.Element:
    return svg.element("g", svg.line(LEFT, y, WIDTH - RIGHT, y, "grid"), svg.text(LEFT - 5, y + 3.5, str(count), "tick", "end"))


def _outline(row: Comparison, edges: Sequence[float], tops: Sequence[float], base: float) -> ET.Element:
    """The steps of one pair: each run of filled bins rises from the axis and falls back to it."""
    path, last = "", base
    for i, top in enumerate([*tops, base]):
        if top != last:
            path += (f"M{edges[i]:.1f} {base:.1f}" if last == base else "") + f"V{top:.1f}"
        if top != base:
            path += f"H{edges[i + 1]:.1f}"
        last = top
    title = svg.element("title", f"{row.engine} against {row.against}: {row.verdict}, {row.states} states")
    return svg.element("path", title, class_=f"outline {MARKS[row.verdict].tone}", d=path)


def _decade_percent(power: int) -> str:
    """10^power as per cent: 100 %, 0.01 %, 1e-5 %."""
    exponent = power + 2
    return f"1e{exponent} %" if abs(exponent) > 4 else f"{10.0**exponent:.{max(-exponent, 0)}f} %"
