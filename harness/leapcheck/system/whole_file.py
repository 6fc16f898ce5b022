"""A file that appears whole or not at all: who reads it sees the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: bytes | str) -> None:
    """Writes a file, text as UTF-8; OSError where that fails, with nothing left behind."""
    with whole_file(path) as scratch:
        scratch.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A scratch path beside the file, with the same ending, for whatever writes by path: moved to its place when left.

    The content is on the disk before it is moved. Where the block raises, nothing is left behind.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=".leapcheck-", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise naming(error, path) from error
    os.close(handle)
    scratch = Path(name)
    try:
        yield scratch
        with scratch.open("rb+") as file:
            os.fsync(file.fileno())
        scratch.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)  # mkstemp's own is for one user alone
        scratch.replace(path)
    except BaseException as error:
        scratch.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise naming(error, path) from error
        raise


def naming(error: OSError, path: Path) -> OSError:
    """The system's error with the file that was to be written: not its scratch, nor none, as where a disk is full."""
    return error if error.errno is None else OSError(error.errno, error.strerror, str(path))
