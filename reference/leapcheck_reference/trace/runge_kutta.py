"""A step by the classical Runge-Kutta method in one call: machine code that calls a compiled program at each stage.

Called from Python, a stage takes some ten times as long as the program alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.compiled_program import CompiledProgram
from leapcheck_reference.trace.llvm import hexadecimal, loop
from leapcheck_reference.trace.native import address

STAGES = ((0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0))
"""(a, b) of each stage: it is where the rates of the stage before lead in a dt, and its own rates have the weight b."""

POINTERS = ("evaluate", "inputs", "outputs", "start", "moved", "rates", "mean", "conditions")
SIZES = ("moving", "rated", "asked")
FIELDS = len(POINTERS + SIZES)
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p)


class WholeStep(NamedTuple):
    """Where a step leads (n,), the mean (m,) of its stages' rates, and the rates (m,) of the last one."""

    moved: Floats
    mean: Floats
    last: Floats


class RungeKuttaStep:
    """A step of one state, bound to the arrays of a compiled program.

    The program has an input "moved" (n,), and answers "rates" (m,), of which the first n are those of `moved`, and "conditions",
    all positive where the rates hold.
    """

    def __init__(self, program: CompiledProgram, inputs: Mapping[str, Floats], answers: Mapping[str, Floats]) -> None:
        """`inputs` and `answers` by name hold a vector of states, of which the first one counts."""
        moved, rates, conditions = inputs["moved"][0], answers["rates"][0], answers["conditions"][0]
        self._start, self._made = np.zeros_like(moved), WholeStep(moved, np.zeros_like(rates), rates)
        self._call = program.machine_call(inputs, answers)
        arrays = (self._start, moved, rates, self._made.mean, conditions)
        sizes = (len(moved), len(rates), len(conditions))
        self._table = (ctypes.c_int64 * FIELDS)(*self._call.addresses, *map(address, arrays), *sizes)
        self._alive = arrays
        self._run, self._library = _code()

    def __call__(self, start: Floats, dt: float) -> WholeStep | None:
        """The step of `dt` from `start` (n,), in arrays that the next one overwrites; None where a condition is not met at one of
        its stages. The program's other inputs are what its arrays hold.
        """
        self._start[:] = start
        return self._made if self._run(self._table, dt, self._call.scratch()) else None


@lru_cache(maxsize=1)
def _code() -> tuple[Callable[..., bool], native.Library]:
    """The compiled step, and the library that has to live as long as it."""
    ir = _module()
    library = native.Library(load_or_make(ir.encode() + native.target_key(), lambda: native.object_code(ir)))
    return FUNCTION(library.address("runge_kutta")), library


def _module() -> str:
    """LLVM IR of `runge_kutta(table, dt, scratch)`: NumPy's operations in the same order, for the same bits."""
    return "\n".join(
        [
            "define zeroext i1 @runge_kutta(ptr %table, double %dt, ptr %scratch) {",
            *(_field(number, name) for number, name in enumerate(POINTERS + SIZES)),
            "  %met = alloca i64",
            loop("none", "%rated", "  %none.at = getelementptr double, ptr %mean, i64 %none\n  store double 0.0, ptr %none.at"),
            *(line for number, (a, b) in enumerate(STAGES) for line in _stage(number, a, b)),
            _sums("last", "%moving", "moved", "start", "%dt", "mean"),
            "  ret i1 true",
            "refused:",
            "  ret i1 false",
            "}",
        ]
    )


def _field(number: int, name: str) -> str:
    kind = "ptr" if name in POINTERS else "i64"
    return f"  %{name}.field = getelementptr i64, ptr %table, i64 {number}\n  %{name} = load {kind}, ptr %{name}.field"


def _stage(number: int, a: float, b: float) -> Iterator[str]:
    go, ask, add = f"go{number}", f"ask{number}", f"add{number}"
    yield f"  %step{number} = fmul double %dt, {hexadecimal(a)}"
    yield _sums(go, "%moving", "moved", "start", f"%step{number}", "rates" if number else "mean")  # which is zero so far
    yield "  call void %evaluate(ptr %inputs, ptr %outputs, ptr %scratch, i64 1)"
    yield "  store i64 0, ptr %met"
    yield loop(ask, "%asked", _count_positive(ask))
    yield f"  %all{number} = load i64, ptr %met\n  %right{number} = icmp eq i64 %all{number}, %asked"
    yield f"  br i1 %right{number}, label %held{number}, label %refused\nheld{number}:"
    yield _sums(add, "%rated", "mean", "mean", hexadecimal(b), "rates")


def _count_positive(i: str) -> str:
    return (
        f"  %{i}.at = getelementptr double, ptr %conditions, i64 %{i}\n  %{i}.value = load double, ptr %{i}.at\n"
        f"  %{i}.is = fcmp ogt double %{i}.value, 0.0\n  %{i}.one = zext i1 %{i}.is to i64\n"
        f"  %{i}.before = load i64, ptr %met\n  %{i}.after = add i64 %{i}.before, %{i}.one\n  store i64 %{i}.after, ptr %met"
    )


def _sums(i: str, count: str, result: str, first: str, factor: str, second: str) -> str:
    """result = first + factor * second, number by number."""
    return loop(
        i,
        count,
        f"  %{i}.first.at = getelementptr double, ptr %{first}, i64 %{i}\n  %{i}.first = load double, ptr %{i}.first.at\n"
        f"  %{i}.second.at = getelementptr double, ptr %{second}, i64 %{i}\n  %{i}.second = load double, ptr %{i}.second.at\n"
        f"  %{i}.product = fmul double {factor}, %{i}.second\n  %{i}.sum = fadd double %{i}.first, %{i}.product\n"
        f"  %{i}.at = getelementptr double, ptr %{result}, i64 %{i}\n  store double %{i}.sum, ptr %{i}.at",
    )
