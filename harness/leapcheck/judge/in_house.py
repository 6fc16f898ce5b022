"""In-house values at any states, with their expected rounding, by the programs of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.comparison.engine_set import quantity_groups
from leapcheck.comparison.in_house import InHouse
from leapcheck.comparison.slots import Slots
from leapcheck.judge.evidence import rows_of
from leapcheck.quantities import CANONICAL
from leapcheck.sampling import STATE_PARTS, States, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec


class InHouseValues(NamedTuple):
    """Values (n, *shape) of a quantity, and the scale-free rounding (n,) to expect of them."""

    values: Floats
    rounding: Floats


class InHouseAnswers:
    """What the in-house side answers about one robot."""

    def __init__(self, spec: RobotSpec, sides: Iterable[InHouse] = ()) -> None:
        """Takes the in-house sides that are ready; those of a comparison of all canonical quantities are made where needed."""
        self.spec = spec
        self._sides = tuple(sides)

    def evaluate(self, states_of: Mapping[str, States]) -> dict[str, InHouseValues]:
        """Each quantity at its own states; a program runs once, over the states of all its quantities."""
        answers: dict[str, InHouseValues] = {}
        for side in self._sides_for(states_of):
            if names := [name for name in side.quantities if name in states_of and name not in answers]:
                states, rows = distinct(join_states([states_of[name] for name in names]))
                values = side(states)
                for name in names:
                    own, rows = rows[: len(states_of[name])], rows[len(states_of[name]) :]
                    entries = _all_entries(values.slots, side.slot_map.of[name], own)
                    answers[name] = InHouseValues(entries, values.rounding[name][own])
        return answers

    def _sides_for(self, quantities: Iterable[str]) -> tuple[InHouse, ...]:
        """The sides that are ready, and those that quantities are missing from them."""
        missing = set(quantities) - {name for side in self._sides for name in side.quantities}
        groups = [group for group in quantity_groups(self.spec, CANONICAL) if not missing.isdisjoint(group)] if missing else []
        return (*self._sides, *(InHouse(self.spec, group, compile_code=False) for group in groups))


def distinct(states: States) -> tuple[States, NDArray[np.intp]]:
    """The states that differ, each once, and for each state the row where it is among them."""
    blocks = np.concatenate([getattr(states, part) for part in STATE_PARTS], axis=1)
    _, first, rows = np.unique(blocks, axis=0, return_index=True, return_inverse=True)
    return rows_of(states, [int(i) for i in first]), rows.reshape(-1)


def _all_entries(slots: Floats, entries: Slots, rows: NDArray[np.intp]) -> Floats:
    """All entries (n, *shape) of a quantity in some rows of blocks of slots."""
    count = len(entries.first)
    by_slot = slots[:, entries.range].swapaxes(0, 1).reshape(count, slots.shape[0] * slots.shape[2])[:, rows]
    values = np.concatenate([by_slot, np.ones((1, len(rows)))])[entries.place]  # a constant has place -1: a row of ones
    return np.ascontiguousarray(np.moveaxis(values * entries.factor[..., None], -1, 0))
