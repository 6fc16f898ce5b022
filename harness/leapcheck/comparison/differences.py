"""Differences between participants: the largest of each quantity at every state, and of each entry of M over a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leapcheck.comparison.in_house import InHouse, Values
from leapcheck.comparison.slots import Slots
from leapcheck.comparison.tally import SAMPLE
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import NEAR, base_distance
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.largest_differences import EntryRange, largest_differences, weighted_differences


def differences(
    in_house: InHouse, values: Values, names: Sequence[str], slots: Sequence[Floats], pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Scale-free and absolute errors (quantities, pairs, n)."""
    n, slot_map = len(values.scale[names[0]]), in_house.slot_map
    ranges = {name: EntryRange(slot_map.of[name].range, slot_map.remainder(name)) for name in names}
    plain = [name for name in names if QUANTITIES[name].scale is not Scale.DIAGONAL]
    apart = dict(zip(plain, largest_differences(slots, [ranges[name] for name in plain], pairs), strict=True))
    error, absolute = np.empty((2, len(names), len(pairs), n))
    for k, name in enumerate(names):
        if name in apart:
            absolute[k] = apart[name][:, :n]
            np.divide(absolute[k], values.scale[name], out=error[k])
        else:
            entries, weighted = weighted_differences(slots, ranges[name], pairs, values.weights)
            absolute[k], error[k] = entries[:, :n], weighted[:, :n]
    return error, absolute


def heat(
    spec: RobotSpec, entries: Slots, values: Values, states: States, sides: Sequence[Floats], pairs: Sequence[tuple[int, int]]
) -> Floats:
    """Largest scale-free error (pairs, 2, nv, nv) of each entry of M near the origin, then far from it; -1 where no state was
    seen.

    `sides` are the engines' slots. Entries that are the same at every state are left at 0.
    """
    distance, first = base_distance(spec, states), states.index < SAMPLE
    groups = (first & (distance <= NEAR), first & (distance > NEAR))
    return np.stack([_by_entry(entries, values, sides, pairs, which) for which in groups], axis=1)


def _by_entry(
    entries: Slots, values: Values, sides: Sequence[Floats], pairs: Sequence[tuple[int, int]], among: NDArray[np.bool_]
) -> Floats:
    """Largest scale-free error (pairs, nv, nv) of each entry over some states; -1 where there is none.

    The pass that finds the largest over entries finds the largest over states where entries and blocks of states change places.
    """
    shape, lanes = (len(pairs), *entries.place.shape), sides[0].shape[-1]
    if not among.any():
        return np.full(shape, -1.0)
    if not entries.first:
        return np.zeros(shape)
    chosen = np.flatnonzero(among)
    chosen = np.pad(chosen, (0, -len(chosen) % lanes), mode="edge")
    turned = [
        part.swapaxes(0, 1).reshape(part.shape[1], -1).take(chosen, axis=1).reshape(part.shape[1], -1, lanes)
        for part in (*(side[:, entries.range] for side in sides), values.weights)
    ]
    _, apart = weighted_differences(turned[:-1], EntryRange(slice(0, len(chosen) // lanes)), pairs, turned[-1])
    largest = apart.reshape(len(pairs), -1, lanes).max(axis=2)
    return np.where(entries.place < 0, 0.0, np.where(np.isnan(largest), np.inf, largest)[:, entries.place])
