"""A process and what it has started, as the system tells it: only Linux does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

PROCESSES = Path("/proc")


def threads(pid: int) -> list[Path]:
    """The folders of a process's threads; none where it has ended, or the system does not say."""
    try:
        return list((PROCESSES / str(pid) / "task").iterdir())
    except OSError:
        return []


def children(pid: int) -> list[int]:
    """The children of a process, whichever of its threads started them; none where the system does not say."""
    return [int(child) for thread in threads(pid) for child in content(thread / "children").split()]


def descendants(pid: int) -> Iterator[int]:
    """The process itself, its children, and theirs."""
    yield pid
    for child in children(pid):
        yield from descendants(child)


def content(file: Path) -> bytes:
    """What a file of a process says; empty where the process has ended or belongs to another user."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
