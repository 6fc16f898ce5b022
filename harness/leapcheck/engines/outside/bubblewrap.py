"""A command under bubblewrap."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

PROGRAM = "bwrap"
SIGNAL = 128
"""bubblewrap's exit status is this plus the number of the signal that ended the command."""


OPTIONS = (
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/dev/shm", "--setenv", "TMPDIR", "/dev/shm"),
    *("--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--new-session"),
)
"""All files, read-only; a temporary folder in memory; no network; processes, users and capabilities of its own."""


def sandbox_command(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    """A command in a sandbox, in a folder."""
    return (shutil.which(PROGRAM) or PROGRAM, *OPTIONS, "--chdir", os.fspath(folder), "--", *command)
