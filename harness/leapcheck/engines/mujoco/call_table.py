"""A library's own C functions, called from a table in a loop over the states of a block, by machine code.

A program is a list of calls, made for one state after the other. Its arguments are integers and addresses: of an array that
stays where it is, or of the state's own row of a block array. Only functions of at most six integers and pointers that return
nothing (or nothing of interest) can be called: C hands all these over in the same way, in registers, so that one small loop of
machine code, the same for every robot, can run any program. It is compiled by llvmlite once and kept on disk.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make

Records = NDArray[np.int64]
"""(calls, 16): function, six arguments, number of arguments; then by how much each of these grows from state to state."""

MOST_ARGUMENTS = 6
ARITY = MOST_ARGUMENTS + 1
WIDTH = MOST_ARGUMENTS + 2
NUMBER_SIZE = 8

RUN_CALLS = """
define void @run_calls(ptr %records, i64 %calls, i64 %states) {
entry:
  %end = getelementptr [16 x i64], ptr %records, i64 %calls
  br label %state
state:
  %i = phi i64 [ 0, %entry ], [ %next_i, %state_done ]
  br label %call
call:
  %record = phi ptr [ %records, %state ], [ %next_record, %call ]
  %function_at = getelementptr i64, ptr %record, i64 0
  %at_0 = getelementptr i64, ptr %record, i64 1
  %at_1 = getelementptr i64, ptr %record, i64 2
  %at_2 = getelementptr i64, ptr %record, i64 3
  %at_3 = getelementptr i64, ptr %record, i64 4
  %at_4 = getelementptr i64, ptr %record, i64 5
  %at_5 = getelementptr i64, ptr %record, i64 6
  %growth_at = getelementptr i64, ptr %record, i64 8
  %function = load ptr, ptr %function_at, align 8
  %argument_0 = load i64, ptr %at_0, align 8
  %argument_1 = load i64, ptr %at_1, align 8
  %argument_2 = load i64, ptr %at_2, align 8
  %argument_3 = load i64, ptr %at_3, align 8
  %argument_4 = load i64, ptr %at_4, align 8
  %argument_5 = load i64, ptr %at_5, align 8
  call void %function(i64 %argument_0, i64 %argument_1, i64 %argument_2, i64 %argument_3, i64 %argument_4, i64 %argument_5)
  %values = load <8 x i64>, ptr %record, align 8
  %growth = load <8 x i64>, ptr %growth_at, align 8
  %grown = add <8 x i64> %values, %growth
  store <8 x i64> %grown, ptr %record, align 8
  %next_record = getelementptr [16 x i64], ptr %record, i64 1
  %last = icmp eq ptr %next_record, %end
  br i1 %last, label %state_done, label %call
state_done:
  %next_i = add i64 %i, 1
  %finished = icmp eq i64 %next_i, %states
  br i1 %finished, label %done, label %state
done:
  ret void
}
"""
"""The loop; it adds to the records as it goes, and needs at least one call and one state."""


class Address(NamedTuple):
    """Address within an array of float64: so many numbers behind its begin, or behind that of the state's row."""

    array: str
    offset: int


Argument = int | str | Address
"""An integer (0 is also the null pointer), an array by its name, or a place within it."""


class Call(NamedTuple):
    """One call of a C function of that name."""

    function: str
    arguments: tuple[Argument, ...]


def call(function: str, *arguments: Argument) -> Call:
    """The call, written as it stands in C."""
    if len(arguments) > MOST_ARGUMENTS:
        raise ValueError(f"{function}: {len(arguments)} arguments: at most {MOST_ARGUMENTS} can be handed over in registers")
    return Call(function, arguments)


class CallTable:
    """A program made ready to run on blocks of states."""

    def __init__(self, calls: Sequence[Call], functions: Callable[[str], int], row_sizes: Mapping[str, int]) -> None:
        """Takes the address of each function by name, and how many numbers a row has of each array that has one per state."""
        self._names = array_names(calls)
        number = {name: 1 + k for k, name in enumerate(self._names)}
        self._slots = np.zeros((len(calls), WIDTH), dtype=np.intp)  # 0: no array, address 0
        self._fixed = np.zeros((len(calls), 2, WIDTH), dtype=np.int64)
        for row, (function, arguments) in enumerate(calls):
            self._fixed[row, 0, 0], self._fixed[row, 0, ARITY] = functions(function), len(arguments)
            for column, argument in enumerate(arguments, 1):
                name = _array(argument)
                self._slots[row, column] = number[name] if name else 0
                self._fixed[row, :, column] = _offset(argument), NUMBER_SIZE * row_sizes.get(name, 0)
        self._run = native_runner()

    def run(self, addresses: Mapping[str, int], states: int) -> None:
        """Makes the calls for so many states; `addresses` of all arrays, in memory that the caller keeps alive."""
        if states and len(self._fixed):
            known = np.array([0, *(addresses[name] for name in self._names)], dtype=np.int64)
            records = self._fixed.copy()
            records[:, 0] += known[self._slots]
            self._run(records.reshape(-1, 2 * WIDTH), states)


@lru_cache(maxsize=1)
def native_runner() -> Callable[[Records, int], None]:
    """The loop in machine code; the interpreter's lock is free while it runs."""
    code = load_or_make(b"run_calls" + RUN_CALLS.encode() + native.target_key(), lambda: native.object_code(RUN_CALLS))
    library = native.Library(code)
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    function = prototype(library.address("run_calls"))

    def run(records: Records, states: int, _keep: native.Library = library) -> None:
        function(records.ctypes.data, len(records), states)

    return run


def array_names(calls: Sequence[Call]) -> tuple[str, ...]:
    """Names of the arrays that the calls point into, sorted."""
    names = {_array(argument) for item in calls for argument in item.arguments}
    return tuple(sorted(names - {""}))


def runs(indices: Sequence[int]) -> list[tuple[int, int, int]]:
    """(place, first, length) of each stretch of consecutive numbers: one copy fetches it."""
    stretches: list[tuple[int, int, int]] = []
    for place, index in enumerate(indices):
        if stretches and index == stretches[-1][1] + stretches[-1][2]:
            stretches[-1] = (*stretches[-1][:2], stretches[-1][2] + 1)
        else:
            stretches.append((place, index, 1))
    return stretches


def _array(argument: Argument) -> str:
    """Name of the array that an argument points into; empty for an integer."""
    if isinstance(argument, Address):
        return argument.array
    return argument if isinstance(argument, str) else ""


def _offset(argument: Argument) -> int:
    """What is added to the array's address: bytes, or the integer itself."""
    if isinstance(argument, Address):
        return NUMBER_SIZE * argument.offset
    return argument if isinstance(argument, int) else 0
