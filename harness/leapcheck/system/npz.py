"""Arrays from a .npz that anyone may have written: no code is run, no more memory is allocated than the file can fill."""

from __future__ import annotations

import math
import re
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

ANY = re.compile(".*", re.DOTALL)

LARGEST = 4 << 30
"""Bytes of one array, at most."""

BAD_ARCHIVE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
UNREADABLE = (ValueError, TypeError, KeyError, OSError, EOFError, SyntaxError, tokenize.TokenError, *BAD_ARCHIVE)
"""What a file that is no such archive makes NumPy and zipfile raise."""


def arrays_of(file: Path | IO[bytes], names: re.Pattern[str] = ANY) -> dict[str, NDArray[Any]]:
    """The arrays of a .npz whose names match, by name.

    Raises one of `UNREADABLE` where the file is no .npz, holds pickled objects, or claims to be larger than it is.
    """
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        return {name: _array(archive, entry) for name, entry in entries.items() if names.fullmatch(name)}


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    """One array, whose header must agree with the size of its entry: NumPy would allocate what the header claims."""
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, _, dtype = read_header(file)
        size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject:
            raise ValueError(f"{entry.filename} holds pickled objects")
        if size + file.tell() != entry.file_size or size > LARGEST:
            raise ValueError(f"{entry.filename} says that it holds {size} bytes: it has {entry.file_size}, {LARGEST} may be")
    with archive.open(entry) as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array
