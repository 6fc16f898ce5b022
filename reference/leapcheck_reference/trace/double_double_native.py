"""The double-double machine compiled for this CPU."""

from __future__ import annotations

import platform
from functools import lru_cache

from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.double_double_machine import interpreter
from leapcheck_reference.trace.machine import Machine
from leapcheck_reference.trace.machine_batches import module
from leapcheck_reference.trace.machine_program import MachineProgram

VECTORS = 4
"""Vectors of states in a block; 1, 2 and 4 take 940, 640 and 500 ns per state with AVX-512, 1810, 1530 and 1200 with AVX2."""

CHUNK_VECTORS = {8: 4, 4: 2, 2: 4}
"""Vectors that an instruction works on at a time, by their width: the 16 registers of AVX2 hold the values of two."""


def double_double_machine(program: MachineProgram, width: int | None = None) -> Machine:
    """The machine with a program for `lanes(width)` states in a block, in vectors of `width`, by default the widest."""
    width = width or native.vector_width()
    return Machine(program, _library(width), lanes(width), width)


def double_double_module(width: int, fused: bool) -> str:
    """IR of the machine for vectors of `width` states, with or without FMA."""
    return module(interpreter(lanes(width), CHUNK_VECTORS[width] * width, fused), width, lanes(width), parts=2)


def lanes(width: int | None = None) -> int:
    """States in a block."""
    return VECTORS * (width or native.vector_width())


@lru_cache(maxsize=3)
def _library(width: int) -> native.Library:
    """The machine, compiled once for all robots and kept in the user's cache."""

    def make() -> bytes:
        return native.object_code(double_double_module(width, _has_fma()), width)

    return native.Library(load_or_make(b"double-double machine %d" % width + native.target_key(width), make))


def _has_fma() -> bool:
    """Whether this CPU multiplies and adds in one rounding; where not, an FMA would be a slow call of the C library."""
    import llvmlite.binding as llvm

    features: dict[str, bool] = llvm.get_host_cpu_features()
    return bool(features.get("fma")) or platform.machine() in ("arm64", "aarch64")
