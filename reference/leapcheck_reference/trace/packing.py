"""Arrays and a description as bytes, and back: the content of the cache's files, which hold nothing that runs when it is read."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64
"""Bytes to which each array is aligned."""

KINDS = frozenset({"<f8", "<i8", "<i4", "|u1"})
"""What an array may hold."""


def pack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A description that JSON can write, and arrays of the kinds above, as bytes."""
    blocks = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    layout = {name: [block.dtype.str, block.shape] for name, block in blocks.items()}
    head = json.dumps([description, layout]).encode() + b"\n"
    parts = [_padded(head), *(_padded(block.tobytes()) for block in blocks.values())]
    return b"".join(parts)


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `pack` was given; the arrays cannot be written to. ValueError for bytes that it did not make."""
    end = content.find(b"\n") + 1
    description, layout = json.loads(content[:end])
    arrays: dict[str, NDArray[Any]] = {}
    place = _whole(end)
    for name, (kind, shape) in layout.items():
        if kind not in KINDS:
            raise ValueError(f"'{name}' is an array of {kind}, which is no number")
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(content, dtype=kind, count=count, offset=place).reshape(shape)
        place += _whole(arrays[name].nbytes)
    return description, arrays


def _padded(part: bytes) -> bytes:
    return part.ljust(_whole(len(part)), b"\0")


def _whole(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
