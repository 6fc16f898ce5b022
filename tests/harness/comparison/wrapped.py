"""Engines as objects: the in-house dynamics under another name, with its answers spoilt on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import DEFAULT
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

Spoil = Callable[[str, Floats, States], Floats]


def unspoilt(_quantity: str, values: Floats, _states: States) -> Floats:
    return values


class Wrapped:
    """Answers as the reference, each passed through `spoil`, a function of the quantity, its values and the states."""

    route = "wrapped"
    version = "0"

    def __init__(self, spec: RobotSpec, spoil: Spoil = unspoilt, quantities: Iterable[str] = DEFAULT, name: str = "own") -> None:
        self.name = name
        self.quantities = frozenset(quantities)
        self._spoil = spoil
        self._inside = ReferenceEngine(spec)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        return {name: self._spoil(name, values, states) for name, values in self._inside.evaluate(states, quantities).items()}


def with_entry(quantity: str, place: tuple[int, ...], change: Callable[[Floats], Floats], index: int | None = None) -> Spoil:
    """Changes one entry of a quantity, at every state or at that of one index alone."""

    def spoil(name: str, values: Floats, states: States) -> Floats:
        if name != quantity:
            return values
        found = values.copy()
        rows = np.arange(len(states)) if index is None else np.flatnonzero(states.index == index)
        found[(rows, *place)] = change(found[(rows, *place)])
        return found

    return spoil
