"""Memory that machine code reads and writes: where it begins, and where an array lies."""

from __future__ import annotations

import ctypes
from math import prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ALIGNMENT = 64
"""Bytes of the widest vector: stores that do not straddle two cache lines are twice as fast."""


def aligned(shape: tuple[int, ...]) -> Floats:
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
