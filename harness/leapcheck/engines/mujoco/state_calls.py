"""A compiled model with its data, and calls of libmujoco's functions on them, run on blocks of states."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import SimpleNamespace

import mujoco

from leapcheck.engines.mujoco.call_table import Call, CallTable, array_names
from leapcheck.engines.mujoco.calls import library
from leapcheck.engines.mujoco.raw import RawNumber
from leapcheck_models.arrays import Floats


class StateCalls:
    """A `model`'s numbers by libmujoco's own functions, in a loop without Python; owns the model and its data.

    One thread at a time; others run meanwhile.
    """

    def __init__(
        self, m: mujoco.MjModel, moves: Sequence[Call], numbers: Mapping[str, RawNumber], arrays: dict[str, Floats]
    ) -> None:
        """Takes the calls that move to a state, the numbers by name, and all `arrays` that neither a block nor a struct holds."""
        self.model, self._d, self._moves, self._numbers, self._arrays = m, mujoco.MjData(m), moves, numbers, arrays
        self._library = library()
        self._addresses = self._fixed_addresses()
        self._tables: dict[tuple[str, ...], CallTable] = {}

    def write(self, names: Sequence[str], blocks: Mapping[str, Floats]) -> None:
        """Writes the numbers of these names; `blocks` are C-contiguous float64: theirs, and those of the states' parts."""
        table = self._table(tuple(sorted(names)), blocks)
        states = len(blocks["q"])
        table.run(self._addresses | {name: block.ctypes.data for name, block in blocks.items()}, states)

    def _table(self, names: tuple[str, ...], blocks: Mapping[str, Floats]) -> CallTable:
        """The program that gives these numbers, kept for the next block."""
        if names not in self._tables:
            program = [*self._moves, *(call for name in names for call in self._numbers[name].calls)]
            row_sizes = {name: math.prod(block.shape[1:]) for name, block in blocks.items()}
            self._tables[names] = CallTable(program, self._library, row_sizes)
        return self._tables[names]

    def _fixed_addresses(self) -> dict[str, int]:
        """Addresses of the structs, of all fields that the calls read or write, and of the arrays, which are kept here."""
        m, d = self.model, self._d
        calls = [*self._moves, *(call for number in self._numbers.values() for call in number.calls)]
        fields = [name for name in array_names(calls) if name.startswith(("m.", "d."))]
        arrays = {name: attrgetter(name)(SimpleNamespace(m=m, d=d)) for name in fields} | self._arrays
        return {"m": m._address, "d": d._address} | {name: array.ctypes.data for name, array in arrays.items()}
