"""The double-double machine compiled for this CPU, with a program to run on batches of states in NumPy layout."""

from __future__ import annotations

import ctypes
import platform
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import prod

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.double_double_blocks import module
from leapcheck_reference.trace.double_double_program import MachineProgram
from leapcheck_reference.trace.native import address, aligned_array

Integers = NDArray[np.int64]

VECTORS = 4
"""Vectors of states in a block; 1, 2 and 4 take 940, 640 and 500 ns per state with AVX-512, 1920, 950 and 860 with AVX2."""

WHOLE, ADDRESS = ctypes.c_int64, ctypes.c_void_p
FUNCTION = ctypes.CFUNCTYPE(None, WHOLE, ADDRESS, ADDRESS, WHOLE, ADDRESS, WHOLE, WHOLE, ADDRESS, ADDRESS, ADDRESS)


class Machine:
    """The compiled machine with one program. Its methods may be called from several threads."""

    def __init__(self, program: MachineProgram) -> None:
        """Takes a program for `lanes()` states in a block."""
        self._program = program
        self._library = _library()
        self._function = FUNCTION(self._library.address("evaluate"))
        self._words = np.array(program.words, dtype=np.int32)
        self._groups = _groups(program)
        self._memory = threading.local()

    def evaluate(self, inputs: Sequence[Floats], outputs: Sequence[Floats]) -> None:
        """Writes the outputs (n, *shape) at the n states of C-ordered inputs (n, *shape).

        Twice as many arrays as the program has outputs are all the high parts, then all the low parts.
        """
        groups = self._groups if len(outputs) == len(self._program.outputs) else self._groups.with_low_parts()
        inputs_table, groups_table = _inputs_table(inputs), groups.table(outputs)
        self._function(
            len(inputs[0]),
            address(self._words),
            self._block_memory(),
            len(inputs_table),
            address(inputs_table),
            self._program.first_input,
            len(groups_table),
            address(groups_table),
            address(groups.places),
            address(groups.signs),
        )

    def _block_memory(self) -> int:
        """Address of this thread's memory of a block, with all that is the same in every block."""
        if not hasattr(self._memory, "array"):
            memory = aligned_array((self._program.size // 8,))
            memory[: 2 * len(self._program.constants)] = np.ravel(self._program.constants)
            for place, *parts in self._program.filled:
                memory[place // 8 :][: 2 * lanes()] = np.repeat(parts, lanes())
            self._memory.array = memory
        return address(self._memory.array)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of numbers as `double_double_blocks.module` wants them.

    `output` (groups,) is the output of each, `first` its first number in a row of it and `count` how many numbers it has;
    there are `outputs` in all.
    """

    output: Integers
    first: Integers
    count: Integers
    places: NDArray[np.int32]
    signs: Floats
    outputs: int

    def with_low_parts(self) -> _Groups:
        """These, and the low parts of the same numbers in as many further outputs."""
        return _Groups(
            np.concatenate([self.output, self.output + self.outputs]),
            np.tile(self.first, 2),
            np.tile(self.count, 2),
            np.concatenate([self.places, self.places + np.int32(8 * lanes())]),
            np.tile(self.signs, (2, 1)),
            2 * self.outputs,
        )

    def table(self, outputs: Sequence[Floats]) -> Integers:
        """For each group the address of its first number, bytes from state to state, count; for C-ordered outputs."""
        rows = np.array([(address(array), array.strides[0]) for array in outputs], dtype=np.int64)[self.output]
        return np.column_stack([rows[:, 0] + 8 * self.first, rows[:, 1], self.count])


def lanes() -> int:
    """States in a block."""
    return VECTORS * native.vector_width()


def _groups(program: MachineProgram) -> _Groups:
    width = native.vector_width()
    sizes = [prod(shape) for shape in program.outputs.values()]
    starts = [0, *accumulate(sizes)]
    cuts = [(k, first, min(width, size - first)) for k, size in enumerate(sizes) for first in range(0, size, width)]
    output, first, count = np.array(cuts, dtype=np.int64).reshape(-1, 3).T.copy()
    places, signs = np.full((len(cuts), width), program.first_input, dtype=np.int32), np.ones((len(cuts), width))
    for row, (k, begin, length) in enumerate(cuts):
        entries = program.entries[starts[k] + begin :][:length]
        places[row, :length], signs[row, :length] = zip(*entries, strict=True)
    return _Groups(output, first, count, places, signs, len(sizes))


def _inputs_table(inputs: Sequence[Floats]) -> Integers:
    """For each number of a state the address of its first state's, and bytes from state to state."""
    rows = [np.arange(array.shape[1]) * [[8], [0]] + [[address(array)], [array.strides[0]]] for array in inputs]
    return np.ascontiguousarray(np.concatenate(rows, axis=1, dtype=np.int64).T)


@lru_cache(maxsize=1)
def _library() -> native.Library:
    """The machine, compiled once for all robots and kept in the user's cache."""

    def make() -> bytes:
        return native.object_code(module(native.vector_width(), lanes(), _has_fma()))

    return native.Library(load_or_make(b"double-double machine" + native.target_key(), make))


def _has_fma() -> bool:
    """Whether this CPU multiplies and adds in one rounding; where not, an FMA would be a slow call of the C library."""
    import llvmlite.binding as llvm

    features: dict[str, bool] = llvm.get_host_cpu_features()
    return bool(features.get("fma")) or platform.machine() in ("arm64", "aarch64")
