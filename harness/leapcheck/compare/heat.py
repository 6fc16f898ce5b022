"""The largest difference of each entry of M for each pair of engines, over the first states of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from leapcheck.compare.in_house import Values
from leapcheck.compare.slots import Slots
from leapcheck.compare.tally import NEAR, SAMPLE, Row, base_distance
from leapcheck.states import Floats, States
from leapcheck_models.spec import RobotSpec


def heat(
    spec: RobotSpec, at: Slots, values: Values, states: States, sides: Sequence[Floats], pairs: Mapping[Row, tuple[int, int]]
) -> dict[Row, Floats]:
    """Largest scale-free error (2, nv, nv) of each entry of M near the origin, then far from it; -1 where no state was seen.

    `sides` are the engines' slots. Entries that are the same at every state are left at 0: see `figures`.
    """
    distance, first = base_distance(spec, states), states.index < SAMPLE
    told = (first & (distance <= NEAR), first & (distance > NEAR))
    return {row: np.array([_largest(at, values, sides[i], sides[j], which) for which in told]) for row, (i, j) in pairs.items()}


def _largest(at: Slots, values: Values, a: Floats, b: Floats, told: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    """Largest scale-free error (nv, nv) of each entry over the states told; -1 where there is none."""
    if not told.any():
        return np.full(at.place.shape, -1.0)
    if values.weights is None or not at.first:
        return np.zeros(at.place.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(a[:, at.range] - b[:, at.range]) * values.weights
    largest = off.swapaxes(0, 1).reshape(off.shape[1], -1)[:, : len(told)][:, told].max(axis=1)
    return np.where(at.place < 0, 0.0, np.where(np.isnan(largest), np.inf, largest)[at.place])
