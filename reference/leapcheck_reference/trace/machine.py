"""A compiled machine with a program to run on batches of states: in NumPy layout, or as vectors of states."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.native import address, aligned_array
from leapcheck_reference.trace.rows import pieces

Integers = NDArray[np.int64]

WHOLE, ADDRESS = ctypes.c_int64, ctypes.c_void_p
SHARED = (None, WHOLE, ADDRESS, ADDRESS, WHOLE, ADDRESS, WHOLE)
ROWS = ctypes.CFUNCTYPE(*SHARED, WHOLE, ADDRESS, ADDRESS, ADDRESS)
VECTORS = ctypes.CFUNCTYPE(*SHARED, WHOLE, ADDRESS, ADDRESS, ADDRESS)


class Machine:
    """A machine's code with one program. Its methods may be called from several threads."""

    def __init__(self, program: MachineProgram, library: native.Library, lanes: int, width: int) -> None:
        """Takes a program for `lanes` states in a block, and the code of the machine that runs it in vectors of `width`."""
        self._program, self._library, self._lanes, self._width = program, library, lanes, width
        self._words = address(program.words)
        self._rows, self._vectors = ROWS(library.address("evaluate_rows")), VECTORS(library.address("evaluate_vectors"))
        self._groups: dict[int, _Groups] = {}
        self._memory = threading.local()

    def evaluate(self, inputs: Sequence[Floats], outputs: Sequence[Floats]) -> None:
        """Writes the outputs (n, *shape) at the n states of C-ordered inputs (n, *shape).

        Twice as many arrays as the program has outputs are all the first parts, then all the second parts.
        """
        groups = self._groups.get(len(outputs))
        if groups is None:
            groups = self._groups[len(outputs)] = self._groups_for(len(outputs))
        table = groups.table(outputs)
        self._call(self._rows, inputs, (len(table), address(table), *groups.addresses))

    def _groups_for(self, outputs: int) -> _Groups:
        """The groups of the program's outputs, or of as many first and second parts."""
        groups = _groups(self._program, self._width)
        return groups if outputs == len(self._program.outputs) else groups.with_second_parts(8 * self._lanes)

    def evaluate_vectors(self, inputs: Sequence[Floats], results: Floats) -> None:
        """Writes the first part of all entries as vectors of states, (-(-n // width), entries, width), aligned; the last vector
        is filled up with the last state.
        """
        program = self._program
        last = (len(program.entry_places), address(program.entry_places), address(program.entry_signs), address(results))
        self._call(self._vectors, inputs, last)

    def _call(self, function: Callable[..., None], inputs: Sequence[Floats], last: tuple[int, ...]) -> None:
        table = _inputs_table(inputs)
        shared = (self._words, self._block_memory(), len(table), address(table), self._program.first_input)
        function(len(inputs[0]), *shared, *last)

    def _block_memory(self) -> int:
        """Address of this thread's memory of a block, with all that is the same in every block."""
        if not hasattr(self._memory, "array"):
            program, lanes = self._program, self._lanes
            memory = aligned_array((program.size // 8,))
            memory[: program.constants.size] = program.constants.ravel()
            for place, parts in zip(program.filled_places.tolist(), program.filled, strict=True):
                memory[place // 8 :][: lanes * len(parts)] = np.repeat(parts, lanes)
            self._memory.array, self._memory.address = memory, address(memory)
        return int(self._memory.address)


class _Groups:
    """Groups of numbers as `machine_batches.module` wants them."""

    def __init__(
        self, output: Integers, first: Integers, count: Integers, places: NDArray[np.int32], signs: Floats, outputs: int
    ) -> None:
        """`output` (groups,) is the output of each, `first` its first number in a row of it and `count` how many numbers it has;
        there are `outputs` in all.
        """
        self._output, self._outputs, self._places, self._signs = output, outputs, places, signs
        self._pieces = np.column_stack([8 * first, np.zeros_like(first), count])
        self.addresses = (address(places), address(signs))

    def with_second_parts(self, distance: int) -> _Groups:
        """These, and the second parts of the same numbers, so many bytes behind, in as many further outputs."""
        return _Groups(
            np.concatenate([self._output, self._output + self._outputs]),
            np.tile(self._pieces[:, 0] // 8, 2),
            np.tile(self._pieces[:, 2], 2),
            np.concatenate([self._places, self._places + np.int32(distance)]),
            np.tile(self._signs, (2, 1)),
            2 * self._outputs,
        )

    def table(self, outputs: Sequence[Floats]) -> Integers:
        """For each group the address of its first number, bytes from state to state, count; for C-ordered outputs."""
        table = self._pieces.copy()
        rows = [(address(array), array.strides[0]) for array in outputs]
        table[:, :2] += np.array(rows, dtype=np.int64).reshape(-1, 2)[self._output]
        return table


def _groups(program: MachineProgram, width: int) -> _Groups:
    sizes = [prod(shape) for shape in program.outputs.values()]
    cuts = [(k, piece.first, piece.width) for k, size in enumerate(sizes) for piece in pieces(size, width)]
    output, first, count = np.array(cuts, dtype=np.int64).reshape(-1, 3).T.copy()
    starts = np.cumsum([0, *sizes])[output] + first
    # Behind the end of a short group its first number stands again: it is read, and not written.
    behind = np.arange(width)
    entries = starts[:, None] + np.where(behind < count[:, None], behind, 0)
    return _Groups(output, first, count, program.entry_places[entries], program.entry_signs[entries], len(sizes))


def _inputs_table(inputs: Sequence[Floats]) -> Integers:
    """For each number of a state the address of its first state's, and bytes from state to state."""
    given = [array for array in inputs if len(array)]
    which, offsets = _places_in_a_state(tuple(array[0].size for array in given))
    table = np.array([(address(array), array.strides[0]) for array in given], dtype=np.int64).reshape(-1, 2)[which]
    table[:, 0] += offsets
    return table


@lru_cache(maxsize=64)
def _places_in_a_state(sizes: tuple[int, ...]) -> tuple[Integers, Integers]:
    """For each number of a state which input of these sizes it is in, and how many bytes behind the input's first number."""
    offsets = [np.zeros(0, dtype=np.int64), *(8 * np.arange(size) for size in sizes)]
    return np.repeat(np.arange(len(sizes)), sizes), np.concatenate(offsets)
