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
from leapcheck_reference.trace.largest_differences import largest_differences


def differences(
    in_house: InHouse, values: Values, names: Sequence[str], slots: Sequence[Floats], pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Scale-free and absolute errors (quantities, pairs, n)."""
    n = len(values.scale[names[0]])
    places = [in_house.slot_map.remainder(name) for name in names]
    remainders = np.stack([side[:, places].swapaxes(0, 1).reshape(len(names), -1)[:, :n] for side in slots])
    rest = np.stack([np.maximum(remainders[i], remainders[j]) for i, j in pairs], axis=1)
    apart = largest_differences(slots, [in_house.slot_map.of[name].range for name in names], pairs)[:, :, :n]
    absolute = np.maximum(apart, rest)
    error = absolute / np.stack([values.scale[name] for name in names])[:, None]
    for k, name in enumerate(names):
        if QUANTITIES[name].scale is Scale.DIAGONAL:  # its remainder is scale-free, as its weights make its slots
            weighted = largest_differences(slots, [in_house.slot_map.of[name].range], pairs, values.weights)[0, :, :n]
            error[k], absolute[k] = np.maximum(weighted, rest[k]), apart[k]
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
    apart = largest_differences(turned[:-1], [slice(0, len(chosen) // lanes)], pairs, turned[-1])
    largest = apart.reshape(len(pairs), -1, lanes).max(axis=2)
    return np.where(entries.place < 0, 0.0, np.where(np.isnan(largest), np.inf, largest)[:, entries.place])
