"""LLVM IR to machine code for this CPU, through llvmlite: no compiler is needed at run time."""

from __future__ import annotations

import ctypes
import os
import re
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

if TYPE_CHECKING:
    import llvmlite.binding as llvm

WIDTH_VARIABLE = "LEAPCHECK_VECTOR_WIDTH"
"""Environment variable that sets the doubles in a vector, and with them the instruction set, below what the CPU has."""

SCHEDULER = "--misched=ilpmin"
"""Of LLVM's schedulers the one that keeps fewest values alive in long straight-line code: 10 % faster than the default."""

THOROUGH, QUICK = 2, 1
"""LLVM's levels of optimisation. At the lower one straight-line code is compiled in a quarter less time; it is as fast, but for
large programs, which are 1 % slower.
"""


class Library:
    """Loaded machine code; keeps it in memory as long as it lives."""

    def __init__(self, object_code: bytes) -> None:
        """Takes what `object_code` returned, on the same kind of CPU."""
        binding = _binding()
        # The engine owns its target machine and frees it: each needs one of its own.
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target_machine())
        self.add(object_code)

    def add(self, object_code: bytes) -> None:
        """More code, which may call what is there."""
        self._engine.add_object_file(_binding().ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        """Address of a function of the code, for ctypes."""
        return int(self._engine.get_function_address(function))


def object_code(ir: str, width: int | None = None, level: int = THOROUGH) -> bytes:
    """Machine code of a module in LLVM's text form, optimised for this CPU; RuntimeError where the text is wrong.

    It has no instructions for vectors of more than `width` doubles, by default `vector_width()`.
    """
    module = _binding().parse_assembly(ir)
    module.verify()
    code: bytes = _target_machine(width, level).emit_object(module)
    return code


@lru_cache(maxsize=4)
def target_key(width: int | None = None) -> bytes:
    """What compiled code depends on besides its source: CPU, the features and the width in use, llvmlite and LLVM."""
    import llvmlite

    binding = _binding()
    cpu = (binding.get_host_cpu_name(), _features(width), width or vector_width())
    return repr((llvmlite.__version__, binding.llvm_version_info, SCHEDULER, *cpu)).encode()


@lru_cache(maxsize=1)
def vector_width() -> int:
    """Doubles in the widest vector to use: 8 with AVX-512, 4 with AVX2, else 2; fewer where $LEAPCHECK_VECTOR_WIDTH says so."""
    features: dict[str, bool] = _binding().get_host_cpu_features()
    widest = 8 if features.get("avx512f") else 4 if features.get("avx2") else 2
    chosen = os.environ.get(WIDTH_VARIABLE, "8")
    if chosen not in ("2", "4", "8"):
        raise ValueError(f"{WIDTH_VARIABLE}={chosen}: give 2, 4 or 8, or leave it unset")
    return min(widest, int(chosen))


@lru_cache(maxsize=1)
def _binding() -> Any:
    """llvmlite's binding, made ready for this machine."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.set_option("leapcheck", SCHEDULER)
    return binding


def _target_machine(width: int | None = None, level: int = THOROUGH) -> llvm.TargetMachine:
    binding = _binding()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(cpu=binding.get_host_cpu_name(), features=_features(width), opt=level, jit=True)


def _features(width: int | None) -> str:
    """This CPU's features, less those of vectors of more than `width` doubles (None: of any)."""
    features: str = _binding().get_host_cpu_features().flatten()
    if (width or vector_width()) == 8:
        return features + ",-prefer-256-bit"  # LLVM's default for many CPUs with AVX-512
    return re.sub(r"\+(avx512|avx10|evex512|amx)", r"-\1", features)


ALIGNMENT = 64
"""Bytes of the widest vector: stores that do not straddle two cache lines are twice as fast."""


def aligned_array(shape: tuple[int, ...]) -> Floats:
    """Uninitialised C-ordered array of doubles that begins at a cache line."""
    size = prod(shape)
    memory = np.empty(size + ALIGNMENT // 8)  # NumPy's own memory begins at a whole double
    start = -address(memory) % ALIGNMENT // 8
    return memory[start : start + size].reshape(shape)


def address(array: NDArray[np.generic]) -> int:
    """Address of an array's first number."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]  # a sixth of the time, for what may be written to
    except (TypeError, ValueError):
        return int(array.__array_interface__["data"][0])
