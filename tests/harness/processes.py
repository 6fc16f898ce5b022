"""Processes as tests see them: whether one is there, and waiting for something to happen."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def alive(process: int) -> bool:
    """Whether a process is there and no zombie: not every container's first process takes its orphans away."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(value: Callable[[], T | None], seconds: float = 30.0) -> T:
    """The function's first value that is not None; an OSError or ValueError means "not yet"."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if (present := value()) is not None:
                return present
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    raise AssertionError(f"nothing came within {seconds:g} s")
