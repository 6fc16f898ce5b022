"""What happens to the terms of a textbook's form, row by row: nothing, or a step towards something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from leapcheck_models.arrays import Array, Floats

Place = tuple[str, int]
"""A term's key and the number of its element: link, joint, rotor or contact point."""

Change = Mapping[Place, float]
"""By place how far the term there is moved: see `Changes`."""


@dataclass(frozen=True, slots=True)
class Changes:
    """By place the amounts (n,) by which the term there is moved towards its alternative; 0 leaves it, 1 puts the other there."""

    amounts: Mapping[Place, Floats] = field(default_factory=dict)

    def apply(self, term: str, element: int, value: Array, alternative: Array | float = 0.0) -> Array:
        """The term's value (n, ...), moved; by default towards zero: amount 1 leaves it out, 2 turns its sign, 1/2 halves it."""
        amount = self.amounts.get((term, element))
        if amount is None:
            return value
        rows = np.flatnonzero(amount)  # few: each row is a state of one change, and a change moves few terms
        kept, other = value[rows], np.broadcast_to(alternative, value.shape)[rows]
        moved: Array = np.array(value, dtype=np.result_type(value, other))
        moved[rows] = kept + amount[rows].reshape(-1, *(1,) * (value.ndim - 1)) * (other - kept)
        return moved


UNCHANGED = Changes()
"""Every term as it is."""
