"""LLVM IR to machine code for this CPU, through llvmlite: no compiler is needed at run time."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

if TYPE_CHECKING:
    import llvmlite.binding as llvm

SCHEDULER = "--misched=ilpmin"
"""Of LLVM's schedulers the one that keeps fewest values alive in long straight-line code: 10 % faster than the default."""


class Library:
    """Loaded machine code; keeps it in memory as long as it lives."""

    def __init__(self, object_code: bytes) -> None:
        """Takes what `object_code` returned, on the same kind of CPU."""
        binding = _binding()
        # The engine owns its target machine and frees it: each needs one of its own.
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target_machine())
        self._engine.add_object_file(binding.ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        """Address of a function of the code, for ctypes."""
        return int(self._engine.get_function_address(function))


def object_code(ir: str) -> bytes:
    """Machine code of a module in LLVM's text form, optimised for this CPU; RuntimeError where the text is wrong."""
    module = _binding().parse_assembly(ir)
    module.verify()
    code: bytes = _target_machine().emit_object(module)
    return code


@lru_cache(maxsize=1)
def target_key() -> bytes:
    """What compiled code depends on besides its source: CPU, its features, llvmlite and LLVM."""
    import llvmlite

    binding = _binding()
    cpu = (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    return repr((llvmlite.__version__, binding.llvm_version_info, SCHEDULER, *cpu)).encode()


@lru_cache(maxsize=1)
def vector_width() -> int:
    """Doubles in the widest vector of this CPU: 8 with AVX-512, 4 with AVX2, else 2."""
    features: dict[str, bool] = _binding().get_host_cpu_features()
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx2") else 2


@lru_cache(maxsize=1)
def _binding() -> Any:
    """llvmlite's binding, made ready for this machine."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.set_option("leapcheck", SCHEDULER)
    return binding


def _target_machine() -> llvm.TargetMachine:
    binding = _binding()
    features = binding.get_host_cpu_features().flatten()
    if vector_width() == 8:
        features += ",-prefer-256-bit"  # LLVM's default for many CPUs with AVX-512
    target = binding.Target.from_default_triple()
    return target.create_target_machine(cpu=binding.get_host_cpu_name(), features=features, opt=2, jit=True)


ALIGNMENT = 64
"""Bytes of the widest vector: stores that do not straddle two cache lines are twice as fast."""


def aligned_array(shape: tuple[int, ...]) -> Floats:
    """Uninitialised C-ordered array of doubles that begins at a cache line."""
    size = 8 * prod(shape)
    memory = np.empty(size + ALIGNMENT, dtype=np.uint8)
    start = -address(memory) % ALIGNMENT
    return memory[start : start + size].view(np.float64).reshape(shape)


def address(array: NDArray[np.generic]) -> int:
    """Address of an array's first number."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]  # a sixth of the time, for what may be written to
    except (TypeError, ValueError):
        return int(array.__array_interface__["data"][0])
