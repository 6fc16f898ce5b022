"""Memory shared with a child process: a file without a name where the system has such, else one in the temporary folder."""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
import weakref
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.outside.framing import FIRST_ARRAY, MARKS, ArrayPlace


class SharedMemory:
    """Bytes that this process and its child see at once. It only grows; arrays made before stay valid."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            self._file, self.path = os.memfd_create("leapcheck", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), ""
            # An engine that made it shorter would end this process by SIGBUS at the next touch.
            fcntl.fcntl(self._file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        else:
            self._file, self.path = tempfile.mkstemp(prefix="leapcheck-")
        self._close = weakref.finalize(self, _close_file, self._file, self.path)
        self.size = 0
        self.grow(FIRST_ARRAY)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """File descriptors that the child must inherit."""
        return () if self.path else (self._file,)

    @property
    def address(self) -> str:
        """The path under which the child opens it."""
        return self.path or f"/dev/fd/{self._file}"

    def grow(self, size: int) -> None:
        """Makes it at least `size` bytes long; OSError where there is no room for them."""
        if size <= self.size:
            return
        if self.path and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._file, 0, size)  # a full disk is an error here, not a crash at the first touch
        else:
            os.ftruncate(self._file, size)
        self._map, self.size = mmap.mmap(self._file, size), size

    def array(self, place: ArrayPlace) -> NDArray[Any]:
        """The array that lies there."""
        count = place.bytes // np.dtype(place.dtype).itemsize
        return np.frombuffer(self._map, place.dtype, count, place.offset).reshape(place.shape)

    def clear_marks(self) -> None:
        """Makes it unknown where the engine is."""
        MARKS.pack_into(self._map, 0, -1, -1)

    def marks(self) -> tuple[int, int]:
        """Numbers of the quantity and of the state that the engine says it is at; -1 where it says nothing."""
        quantity, state = MARKS.unpack_from(self._map, 0)
        return quantity, state

    def close(self) -> None:
        """Gives the memory back as soon as no array needs it."""
        self._close()


def _close_file(file: int, path: str) -> None:
    with suppress(OSError):
        os.close(file)
    if path:
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - also at the end of the interpreter
