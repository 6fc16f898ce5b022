"""Slots: the distinct, state-dependent entries of each quantity, in which all participants of a comparison are compared.

The in-house record knows which entries of a quantity are equal (but for a sign) or constant at every state. Every
participant's answer is brought into these slots, in blocks (blocks, slots, lanes) of consecutive states; how far its
other entries are from the slot or the constant that they repeat is kept beside them, one number per quantity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import mass_weights
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.packing import pack, unpack
from leapcheck_reference.trace.symbol import Recorder, Symbol, largest

Symbols = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The slots of one quantity: `place` (shape) of each entry among them, -1 for a constant, and `factor`, its sign or the
    constant; `first` is the flat number of the entry that stands for a slot; `start` the first slot's number among all.
    """

    quantity: str
    start: int
    first: tuple[int, ...]
    place: NDArray[np.int64]
    factor: Floats

    @property
    def range(self) -> slice:
        """Where the quantity's slots are among all."""
        return slice(self.start, self.start + len(self.first))

    @property
    def largest_constant(self) -> float:
        """Largest absolute value of an entry that is the same at every state."""
        constants = np.abs(self.factor[self.place < 0])
        return float(constants.max(initial=0.0))

    @property
    def representatives(self) -> list[tuple[int, ...]]:
        """Indices of one entry for each slot, then of all constant ones."""
        constants = [tuple(int(i) for i in index) for index in np.argwhere(self.place < 0)]
        return [self.entry(slot) for slot in range(len(self.first))] + constants

    def entry(self, slot: int) -> tuple[int, ...]:
        """Indices of the entry that stands for a slot."""
        return tuple(int(i) for i in np.unravel_index(self.first[slot], self.place.shape)) if self.place.ndim else ()


@dataclass(frozen=True, slots=True, eq=False)
class SlotMap:
    """Slots of several quantities one after the other, then for each quantity one number for what is no slot."""

    of: Mapping[str, Slots]

    @property
    def count(self) -> int:
        """Number of slots without the numbers behind them."""
        return sum(len(slots.first) for slots in self.of.values())

    def remainder(self, quantity: str) -> int:
        """Place of the quantity's number for what is no slot."""
        return self.count + list(self.of).index(quantity)

    def as_bytes(self) -> bytes:
        """The map for the cache."""
        arrays = {f"{part} {slots.quantity}": getattr(slots, part) for slots in self.of.values() for part in ("place", "factor")}
        return pack({name: [slots.start, slots.first] for name, slots in self.of.items()}, arrays)

    @classmethod
    def from_bytes(cls, content: bytes) -> SlotMap:
        """The map that `as_bytes` gave."""
        description, arrays = unpack(content)
        return cls(
            {
                name: Slots(name, start, tuple(first), arrays[f"place {name}"], arrays[f"factor {name}"])
                for name, (start, first) in description.items()
            }
        )


def make_slot_map(answers: Mapping[str, Symbols], recorder: Recorder) -> SlotMap:
    """The slots of traced in-house answers (shape) of symbols."""
    of: dict[str, Slots] = {}
    start = 0
    for quantity, entries in answers.items():
        numbers: dict[int, int] = {}
        first: list[int] = []
        place, factor = np.empty(entries.shape, dtype=np.int64), np.empty(entries.shape)
        for flat, (index, entry) in enumerate(np.ndenumerate(entries)):
            symbol = recorder.symbol(entry)
            constant = symbol.number
            if constant is not None:
                place[index], factor[index] = -1, float(constant)
                continue
            place[index] = numbers.setdefault(symbol.node, len(first))
            if place[index] == len(first):
                first.append(flat)
            factor[index] = -1.0 if symbol.negative else 1.0
        of[quantity] = Slots(quantity, start, tuple(first), place, factor)
        start += len(first)
    return SlotMap(of)


def in_slots(slot_map: SlotMap, answers: Mapping[str, Symbols], recorder: Recorder) -> list[Symbol]:
    """Traced answers (shape) brought into slots, and for each quantity the largest deviation of an entry that is none.

    A quantity without an answer leaves zeros. The deviation of an entry of M is scale-free, that of any other is absolute.
    """
    zero = recorder.constant(0.0)
    rest = [_remainder(own, answers[name], recorder) if name in answers else zero for name, own in slot_map.of.items()]
    return slots_alone(slot_map, answers, recorder)[: slot_map.count] + rest


def slots_alone(slot_map: SlotMap, answers: Mapping[str, Symbols], recorder: Recorder) -> list[Symbol]:
    """The slots of answers that are known to have the in-house structure: no deviation is looked for."""
    zero = recorder.constant(0.0)
    result: list[Symbol] = []
    for quantity, slots in slot_map.of.items():
        result += _in_slots(slots, answers[quantity], recorder) if quantity in answers else [zero] * len(slots.first)
    return result + [zero] * len(slot_map.of)


def _in_slots(slots: Slots, answer: Symbols, recorder: Recorder) -> list[Symbol]:
    factors = slots.factor.ravel()
    return [recorder.symbol(answer.flat[flat]) * float(factors[flat]) for flat in slots.first]


def _remainder(slots: Slots, answer: Symbols, recorder: Recorder) -> Symbol:
    """Largest deviation of an entry from the slot or the constant that it repeats in-house."""
    mine = _in_slots(slots, answer, recorder)
    off = []
    for index, entry in np.ndenumerate(answer):
        place, factor = slots.place[index], float(slots.factor[index])
        deviation = recorder.symbol(entry) - (mine[place] * factor if place >= 0 else factor)
        if deviation != 0.0:
            off.append((index, abs(deviation)))
    if off and QUANTITIES[slots.quantity].scale is Scale.DIAGONAL:
        weights = mass_weights([index for index, _ in off], answer)
        return largest([deviation * weight for (_, deviation), weight in zip(off, weights, strict=True)], recorder)
    return largest([deviation for _, deviation in off], recorder)
