"""What happens to the terms of a textbook's form, row by row: nothing, or a step towards something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Array, Floats

Place = tuple[str, int]
"""A term's key and the number of its element: link, joint, rotor or contact point."""

Rows = slice | NDArray[np.intp]
"""Rows of a block of states."""

Alternative = Array | float | Callable[[Rows], Array]
"""What is put in the place of a term: of all rows, or what makes it for some of them, as few rows are moved."""

Change = Mapping[Place, float]
"""By place how far the term there is moved: see `Changes`."""


@dataclass(frozen=True, slots=True)
class Changes:
    """By place the amounts (n,) by which the term there is moved towards its alternative; 0 leaves it, 1 puts the other there."""

    amounts: Mapping[Place, Floats] = field(default_factory=dict)
    _rows: dict[Place, NDArray[np.intp]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def apply(self, term: str, element: int, value: Array, alternative: Alternative = 0.0) -> Array:
        """The term's value (n, ...), moved; by default towards zero: amount 1 leaves it out, 2 turns its sign, 1/2 halves it."""
        place = term, element
        amount = self.amounts.get(place)
        if amount is None:
            return value
        if place not in self._rows:
            self._rows[place] = np.flatnonzero(amount)
        rows = self._rows[place]  # few: each row is a state of one change, and a change moves few terms
        kept = value[rows]
        if callable(alternative):
            other = np.broadcast_to(alternative(rows), kept.shape)
        else:
            other = np.broadcast_to(alternative, value.shape)[rows]
        moved: Array = np.array(value, dtype=np.result_type(value, other))
        moved[rows] = kept + amount[rows].reshape(-1, *(1,) * (value.ndim - 1)) * (other - kept)
        return moved

    def tile(self, k: int) -> Changes:
        """The same for k blocks of the rows, one after the other."""
        return Changes({place: np.tile(amount, k) for place, amount in self.amounts.items()})


UNCHANGED = Changes()
"""Every term as it is."""
