"""Where feet may be set down, and what they have to be lifted over, out of the ground's boxes and gaps."""

from __future__ import annotations

from leapcheck_reference.simulate.terrain import Box, Terrain

EDGE = 0.3
"""Distance that feet keep from an edge where they land, in parts of the trunk's height: 8 cm for Mini Cheetah. In soft contact a
jump falls short by up to as much.
"""
SAME_HEIGHT = 1e-3
"""m"""


def steps(terrain: Terrain) -> tuple[tuple[float, float, float], ...]:
    """(front, end, height) m of each box that stands out of the ground."""
    return tuple((*_span(box), top) for box in terrain.boxes if (top := _top(box)) > SAME_HEIGHT)


def footing(terrain: Terrain, height: float, middle: float, size: float) -> tuple[float, float] | None:
    """(from, to) m along x of the place of that height for feet about `middle` m; None for the open ground.

    `size` m: the trunk's height.
    """
    spans = [_span(box) for box in terrain.boxes if abs(_top(box) - height) < SAME_HEIGHT]
    if not spans:
        return None
    front, end = min(spans, key=lambda span: max(span[0] - middle, middle - span[1], 0.0))
    return front + EDGE * size, end - EDGE * size


def _span(box: Box) -> tuple[float, float]:
    return float(box.centre[0] - box.half[0]), float(box.centre[0] + box.half[0])


def _top(box: Box) -> float:
    return float(box.centre[2] + box.half[2])
