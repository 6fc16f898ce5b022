"""An engine's process and all that it starts: how much memory they take, and their end.

They are known by a variable in their environment, which what an engine starts inherits, even in a session of its own. Only
Linux tells either; elsewhere the group of the process is all that is ended.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from time import monotonic, sleep

from leapcheck.system.process_tree import PROCESSES, content, descendants

FAMILY = "LEAPCHECK_ENGINE_FAMILY"
"""Name of the variable; its value is the family's own."""

PAGE = os.sysconf("SC_PAGE_SIZE")
ENDING_SECONDS = 2.0
"""How long they are ended again and again: one may start another meanwhile."""


def end_family(family: str) -> None:
    """Ends all of them but this process."""
    mark = f"{FAMILY}={family}".encode()
    end = monotonic() + ENDING_SECONDS
    while (
        members := [pid for pid in _other_processes() if mark in content(PROCESSES / str(pid) / "environ")]
    ) and monotonic() < end:
        for pid in members:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        sleep(0.001)


def bytes_of_tree(pid: int) -> int:
    """Bytes of memory that a process and its descendants have for themselves; 0 where the system does not say."""
    words = [content(PROCESSES / str(member) / "statm").split() for member in descendants(pid)]
    return PAGE * sum(int(own[1]) - int(own[2]) for own in words if own)


def _other_processes() -> list[int]:
    """All but this one and the first: in a sandbox that is bubblewrap's own, which nothing in the sandbox can end."""
    try:
        return [int(name) for name in os.listdir(PROCESSES) if name.isdigit() and int(name) not in (1, os.getpid())]  # noqa: PTH208
    except OSError:
        return []
