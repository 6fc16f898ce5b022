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
"""Vectors of states in a block; 1, 2 and 4 take 940, 640 and 500 ns per state with AVX-512, 1920, 950 and 860 with AVX2."""


def double_double_machine(program: MachineProgram) -> Machine:
    """The machine with a program for `lanes()` states in a block."""
    return Machine(program, _library(), lanes())


def double_double_module(width: int, fused: bool) -> str:
    """IR of the machine for vectors of `width` states, with or without FMA."""
    return module(interpreter(VECTORS * width, fused), width, VECTORS * width, parts=2)


def lanes() -> int:
    """States in a block."""
    return VECTORS * native.vector_width()


@lru_cache(maxsize=1)
def _library() -> native.Library:
    """The machine, compiled once for all robots and kept in the user's cache."""

    def make() -> bytes:
        return native.object_code(double_double_module(native.vector_width(), _has_fma()))

    return native.Library(load_or_make(b"double-double machine" + native.target_key(), make))


def _has_fma() -> bool:
    """Whether this CPU multiplies and adds in one rounding; where not, an FMA would be a slow call of the C library."""
    import llvmlite.binding as llvm

    features: dict[str, bool] = llvm.get_host_cpu_features()
    return bool(features.get("fma")) or platform.machine() in ("arm64", "aarch64")
