"""Frames, the messages between leapcheck and an engine in another process; PROTOCOL.md beside this file describes them.

A frame is 16 bytes (the letters LEAP, the length of the header, the length of the payload), a header in JSON, and a payload:
arrays one behind the other, each where the header says. Needs the standard library alone.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterable
from typing import IO, Any, NamedTuple

MAGIC = b"LEAP"
PREFIX = struct.Struct("<4sIQ")
ALIGNMENT = 64
"""Each array begins at a multiple of so many bytes."""

MARKS = struct.Struct("<qq")
"""At the start of shared memory: number of the quantity in the request, and of the state, that the engine is at; -1 unknown."""

FIRST_ARRAY = 4096
"""Where arrays begin in shared memory; the page before them belongs to the engine's marks."""

ITEM_BYTES = {"<f8": 8, "<f4": 4, "<i8": 8}

PROTOCOL = 2
"""The newest version of the protocol; a program may also speak an earlier one."""

Header = dict[str, Any]


class MappedFile:
    """Shared memory in the engine's process: the file that a hello names, mapped as far as it has grown."""

    def __init__(self) -> None:
        self.path = ""
        self.map: mmap.mmap | None = None

    def grow(self, size: int) -> mmap.mmap:
        """The map, of at least so many bytes."""
        if self.map is None or len(self.map) < size:
            file = os.open(self.path, os.O_RDWR)
            try:
                self.map = mmap.mmap(file, size)
            finally:
                os.close(file)
        return self.map

    def mark(self, quantity: int, row: int = -1) -> None:
        """Says which quantity, and which state, is being answered: read by leapcheck after a crash."""
        assert self.map is not None
        MARKS.pack_into(self.map, 0, quantity, row)


class ArrayPlace(NamedTuple):
    """An array: `dtype` is "<f8", "<f4" or "<i8", `offset` counts bytes from the start of the payload or of shared memory."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def bytes(self) -> int:
        """Its length."""
        length = ITEM_BYTES[self.dtype]
        for side in self.shape:
            length *= side
        return length


def array_places(arrays: Iterable[tuple[str, str, tuple[int, ...]]], start: int = 0) -> tuple[list[ArrayPlace], int]:
    """Where arrays of (name, dtype, shape) lie one behind the other from `start`, and where they end."""
    slots = []
    for name, dtype, shape in arrays:
        slots.append(ArrayPlace(name, dtype, shape, start))
        start += -(-slots[-1].bytes // ALIGNMENT) * ALIGNMENT
    return slots, start


def read_array_places(rows: Iterable[Iterable[Any]]) -> list[ArrayPlace]:
    """The places that a header lists, as [name, dtype, shape, offset] each."""
    return [ArrayPlace(str(name), str(dtype), tuple(map(int, shape)), int(offset)) for name, dtype, shape, offset in rows]


def frame_bytes(header: Header, payload_bytes: int = 0) -> bytes:
    """A frame up to its payload."""
    text = json.dumps(header).encode()
    return PREFIX.pack(MAGIC, len(text), payload_bytes) + text


def read_frame(stream: IO[bytes]) -> tuple[Header, bytearray]:
    """The next frame of a stream that blocks; EOFError where the stream ends."""
    magic, header_bytes, payload_bytes = PREFIX.unpack(_exactly(stream, PREFIX.size))
    if magic != MAGIC:
        raise ValueError(f"a frame begins with {magic!r}: it must begin with {MAGIC!r}")
    header = json.loads(_exactly(stream, header_bytes))
    return header, _exactly(stream, payload_bytes)


def write_frame(stream: IO[bytes], header: Header, payload: bytes | bytearray | memoryview = b"") -> None:
    """One frame on a stream that blocks."""
    stream.write(frame_bytes(header, len(payload)))
    if payload:
        stream.write(payload)
    stream.flush()


def _exactly(stream: IO[bytes], count: int) -> bytearray:
    slots = bytearray(count)
    view, done = memoryview(slots), 0
    while done < count:
        part = stream.readinto(view[done:])  # type: ignore[attr-defined]
        if not part:
            raise EOFError("the stream has ended")
        done += part
    return slots
