"""A file that appears whole or not at all: who reads it sees the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file beside its place, on the disk, then moves it there; OSError where that fails, with nothing left behind."""
    handle, scratch = tempfile.mkstemp(prefix=".leapcheck-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(scratch).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)  # mkstemp's own is for one user alone
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
