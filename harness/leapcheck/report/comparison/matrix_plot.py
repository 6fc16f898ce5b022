"""Square pictures over the entries of M: where its entries stand, and how large the error of each is."""

from __future__ import annotations

import bisect
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from leapcheck.records import HeatMap
from leapcheck.report import svg
from leapcheck.report.words import number, short
from leapcheck.system.text import printable

EDGES = (1e-17, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3)
"""Upper ends of the heat map's steps: fine at round-off, where engines that agree differ, coarse above."""

NAME_LENGTH = 16  # longer names are cut in the picture; the list below it has them whole
MIN_CELL, MAX_CELL, SIDE = 11.0, 16.0, 252.0  # px

Entry = tuple[int, int]


def sparsity_plot(pattern: Sequence[Sequence[int]], names: Sequence[str], name_length: int = NAME_LENGTH) -> ET.Element:
    """The picture of a pattern, rows of 0 and 1: a filled cell for each entry that is not zero by structure."""
    filled = [(i, j) for i, row in enumerate(pattern) for j, entry in enumerate(row) if entry]
    label = f"Sparsity of the mass matrix: {len(filled)} of {len(pattern) ** 2} entries are not zero by structure"
    return matrix_plot(len(pattern), names, {"cell": filled}, label, name_length)


def heat_plot(heat_map: HeatMap, names: Sequence[str]) -> ET.Element:
    """The picture of one pair's largest error of each entry of M, a class `h0` to `h8` a step, `hx` not finite, none at zero."""
    steps: dict[str, list[Entry]] = {}
    for i, row in enumerate(heat_map.values):
        for j, value in enumerate(row):
            if value != 0:
                steps.setdefault(step(value), []).append((i, j))
    label = f"Error of each entry of the mass matrix, {heat_map.engine} against {heat_map.against}"
    return matrix_plot(len(heat_map.values), names, dict(sorted(steps.items())), label)


def step(value: float) -> str:
    """The class of one error's colour."""
    return f"h{bisect.bisect_left(EDGES, value)}" if math.isfinite(value) else "hx"


def scale_steps() -> list[tuple[str, str]]:
    """Class and words of each step, for the key."""
    words = [f"≤ {number(edge)}".replace("1.0e", "1e") for edge in EDGES] + [f"> {number(EDGES[-1])}".replace("1.0e", "1e")]
    return [(f"h{i}", word) for i, word in enumerate(words)]


def largest_entries(heat_map: HeatMap, names: Sequence[str], limit: int = 5) -> list[tuple[str, str, float]]:
    """Row, column and error of the largest entries on and below the diagonal, not a number first."""
    entries = [(i, j, value) for i, row in enumerate(heat_map.values) for j, value in enumerate(row[: i + 1]) if value != 0]
    entries.sort(key=lambda entry: math.inf if math.isnan(entry[2]) else entry[2], reverse=True)
    return [(name(names, i), name(names, j), value) for i, j, value in entries[:limit]]


def name(names: Sequence[str], i: int) -> str:
    """Name of a row of M; its number where it has none."""
    return names[i] if i < len(names) else str(i)


def matrix_plot(
    n: int, names: Sequence[str], cells: dict[str, list[Entry]], label: str, name_length: int = NAME_LENGTH
) -> ET.Element:
    """An n x n grid with numbered rows and columns, rows named, and each class's cells in one path."""
    cell = min(MAX_CELL, max(MIN_CELL, SIDE / max(n, 1)))
    font = min(10.0, cell - 2)
    shown = [short(printable(name(names, i)), name_length) for i in range(n)]
    left = (max(map(len, shown), default=0) + 4) * font * svg.CHARACTER + 4
    top = font + 4
    side = n * cell
    parts = [svg.element("rect", x=left, y=top, width=side, height=side, class_="ground")]
    parts += [svg.element("path", class_=class_, d=_squares(entries, left, top, cell)) for class_, entries in cells.items()]
    every = math.ceil((len(str(n)) + 0.3) * font * svg.CHARACTER / cell)  # columns numbered so that the numbers stand apart
    for i, words in enumerate(shown):
        middle = top + (i + 0.5) * cell + font * 0.35
        parts.append(svg.text(left - 4 - 3 * font * svg.CHARACTER, middle, words, "name", "end", font))
        parts.append(svg.text(left - 4, middle, str(i), "index", "end", font))
        if i % every == 0:
            parts.append(svg.text(left + (i + 0.5) * cell, font, str(i), "index", "middle", font))
    width = left + side + 1
    return svg.drawing(width, top + side + 1, label, parts, "plot wide" if n * MIN_CELL > SIDE else "plot")


def _squares(entries: list[Entry], left: float, top: float, cell: float) -> str:
    """One path over many cells, a hair of ground left between them."""
    square = f"h{cell - 1:.1f}v{cell - 1:.1f}h-{cell - 1:.1f}z"
    return "".join(f"M{left + j * cell + 0.5:.1f} {top + i * cell + 0.5:.1f}{square}" for i, j in entries)
