"""Standard output and error of the command line: what no reader takes any longer is dropped, and the command goes on."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO


class OutputFile(io.FileIO):
    """Bytes to a file or a pipe; what cannot be written is dropped, and the first `error` kept unless only the reader left."""

    error: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Writes the data; returns how much was written or dropped."""
        try:
            return super().write(data)
        except OSError as error:
            if not isinstance(error, BrokenPipeError):  # `leapcheck robots | head` is no error
                self.error = self.error or error
            return memoryview(data).nbytes


def replace_streams() -> None:
    """Makes `sys.stdout` and `sys.stderr` outlive their readers, for the rest of the process."""
    sys.stdout, sys.stderr = _stream(sys.stdout), _stream(sys.stderr)


def output_error() -> OSError | None:
    """What went wrong when standard output was written; None where nothing did, or where the streams were not replaced."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.error if isinstance(raw, OutputFile) else None


def _stream(stream: TextIO | None) -> TextIO:
    if stream is None:  # closed by the caller: `leapcheck robots >&-`
        return Path(os.devnull).open("w", encoding="utf-8")
    raw = OutputFile(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True)
