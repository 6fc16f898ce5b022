"""What a command costs: CPU seconds of all its processes, wall seconds, and how soon it says a word."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from leapcheck.system.process_tree import children
from leapcheck_reference.trace.cache import FOLDER_VARIABLE

ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER: what a command leaves running becomes a child of this process, which can wait for it."""

THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
"""Set by this program for itself; a user's shell does not have it."""


class CommandFailure(RuntimeError):  # noqa: N818 - the table says it instead of a time
    """A command ended with another status than it should; the message has its last words."""


@dataclass(frozen=True, slots=True)
class CommandCost:
    """CPU seconds of all processes, wall seconds, wall seconds until a certain word (None: it never came), the last line."""

    cpu: float
    wall: float
    word: float | None = None
    last_line: str = ""


def command_cost(
    command: Sequence[str],
    folder: Path,
    cache: Path,
    statuses: Collection[int] = (0,),
    words: Sequence[str] = (),
) -> CommandCost:
    """The cost of a command run in a folder with leapcheck's cache in another; CommandFailure for an unexpected status.

    `word` is when the first line came that contains one of the `words`. Every process that the command started has ended
    when this returns; no other child of this process may end meanwhile: its time would count.
    """
    environment = {name: value for name, value in os.environ.items() if name != THREADS_VARIABLE}
    environment[FOLDER_VARIABLE] = str(cache)
    _adopt_orphans()
    others = set(children(os.getpid()))
    before, start, first = _children_cpu(), perf_counter(), None
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, errors="replace", **pipes) as process:  # type: ignore[call-overload]
        lines = []
        for line in process.stdout:
            if first is None and any(word in line for word in words):
                first = perf_counter() - start
            lines.append(line)
    wall = perf_counter() - start
    while left := set(children(os.getpid())) - others:
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if process.returncode not in statuses:
        raise CommandFailure(f"`{' '.join(command)}` ended with status {process.returncode}: {said}")
    return CommandCost(_children_cpu() - before, wall, first, said)


def _children_cpu() -> float:
    """CPU seconds of all children that have been waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
