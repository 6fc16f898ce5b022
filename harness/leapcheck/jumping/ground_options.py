"""The shape of the ground as a user gives it: boxes, gaps, stairs and a slope, measured from the trunk's origin at the start."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leapcheck_reference.simulate.terrain import Box, Terrain

HALF_WIDTH = 2.0
"""Boxes reach so far (m) to either side."""

BOX_LENGTH = 2.0
"""Length (m) of a box that has none of its own."""

BEHIND, AHEAD = 5.0, 10.0
"""Beside a gap the ground reaches so far (m) behind the start and ahead of it."""

GAP_DEPTH = 1.0
"""How deep a gap is (m)."""

STEEPEST = 45.0
"""Largest slope (deg)."""

STEPS = 5
"""Steps of stairs whose number is not given."""

BOX_FORM, GAP_FORM, STAIRS_FORM = "HEIGHT,FRONT[,LENGTH]", "FRONT,LENGTH", "RISE,TREAD,FRONT[,STEPS]"


def terrain_of(boxes: Sequence[str], gaps: Sequence[str], stairs: str | None, slope: float) -> Terrain:
    """The ground of the options --box, --gap, --stairs and --slope (deg); ValueError names the one that is wrong."""
    if not abs(slope) <= STEEPEST:
        raise ValueError(f"--slope {slope:g}: give degrees from -{STEEPEST:g} to {STEEPEST:g}, positive uphill")
    solids = [_box(text) for text in boxes]
    if stairs is not None:
        solids += _stairs(stairs)
    floor = 0.0
    if gaps:
        solids += _banks(gaps)
        floor = -GAP_DEPTH
    return Terrain(tuple(solids), floor, math.radians(slope))


def _box(text: str) -> Box:
    height, front, *length = _numbers("--box", text, BOX_FORM, 2, 3)
    return _solid("--box", text, BOX_FORM, (front, front + (length[0] if length else BOX_LENGTH)), (0.0, height))


def _stairs(text: str) -> list[Box]:
    """Each step reaches to the end of the last, which is as long as a box."""
    rise, tread, front, *number = _numbers("--stairs", text, STAIRS_FORM, 3, 4)
    steps = number[0] if number else STEPS
    if not (steps == int(steps) and 1 <= steps <= 50 and tread > 0.0):
        raise ValueError(f"--stairs {text}: write {STAIRS_FORM} with a tread above 0 and 1 to 50 steps")
    end = front + (steps - 1) * tread + BOX_LENGTH
    spans = [(front + i * tread, end) for i in range(int(steps))]
    return [_solid("--stairs", text, STAIRS_FORM, span, (0.0, (i + 1) * rise)) for i, span in enumerate(spans)]


def _banks(gaps: Sequence[str]) -> list[Box]:
    """The ground before, between and after the gaps, as boxes."""
    holes = sorted(_gap(text) for text in gaps)
    edges = [-BEHIND, *(edge for hole in holes for edge in hole), AHEAD]
    if edges != sorted(edges):
        raise ValueError(f"--gap {' --gap '.join(gaps)}: gaps overlap, or lie outside -{BEHIND:g} to {AHEAD:g} m")
    spans = zip(edges[::2], edges[1::2], strict=True)
    return [_solid("--gap", " ".join(gaps), GAP_FORM, span, (-GAP_DEPTH, 0.0)) for span in spans]


def _gap(text: str) -> tuple[float, float]:
    front, length = _numbers("--gap", text, GAP_FORM, 2, 2)
    if length <= 0.0:
        raise ValueError(f"--gap {text}: write {GAP_FORM} with a length above 0")
    return front, front + length


def _solid(option: str, text: str, form: str, x: tuple[float, float], z: tuple[float, float]) -> Box:
    """The box over these ranges of x and z (m)."""
    if not (x[0] < x[1] and z[0] < z[1]):
        raise ValueError(f"{option} {text}: write {form} in m, heights and lengths above 0")
    half = (x[1] - x[0]) / 2.0, HALF_WIDTH, (z[1] - z[0]) / 2.0
    return Box((x[0] + half[0], 0.0, z[0] + half[2]), half)


def _numbers(option: str, text: str, form: str, least: int, most: int) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if not (least <= len(values) <= most and all(map(math.isfinite, values))):
        raise ValueError(f"{option} {text!r:.60}: write {form} in m, numbers with commas between")
    return values
