"""leapcheck as a user runs it: a command in a process of its own, and what it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from leapcheck.system.process_tree import PROCESSES, content

MARK = "LEAPCHECK_SOAK_FOLDER"
"""Environment variable by which the processes of a case are told from others."""

LOG = "commands.log"
"""What a case's commands printed."""

PATIENCE = 3600.0
"""Seconds after which a command counts as hanging; the longest takes a minute on an idle core, and a soak gets the last of it."""

GRACE = 10.0
"""Seconds that processes which were told to end may take."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended: its words, exit status, and what it printed."""

    words: tuple[str, ...]
    status: int
    out: str
    err: str

    def problem(self, allowed: Collection[int]) -> str:
        """What is wrong with how it ended, in one line; empty where nothing is."""
        said = " / ".join(self.err.split("\n")[-4:])
        if "Traceback (most recent call last)" in self.err + self.out:
            return f"{self.text}: a traceback: {said:.400}"
        if self.status not in allowed:
            return f"{self.text}: exit status {self.status}: {said:.400} {self.out:.200}"
        lines = self.err.strip().splitlines()
        if self.status == 2 and not (lines and lines[-1].startswith("leapcheck: ")) and "report: " not in self.out:
            return f"{self.text}: status 2 without a reason: {said:.400}"
        return ""

    @property
    def text(self) -> str:
        """The command."""
        return f"leapcheck {' '.join(self.words)}"


def begin(folder: Path, words: Sequence[str], more: Mapping[str, str] = {}) -> subprocess.Popen[str]:
    """A leapcheck command that runs in `folder`, in a session of its own, with scratch files in `folder`/tmp."""
    scratch = folder / "tmp"
    scratch.mkdir(exist_ok=True)
    environment = os.environ | {MARK: str(folder), "TMPDIR": str(scratch), "COLUMNS": "200", **more}
    return subprocess.Popen(
        [sys.executable, "-m", "leapcheck", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def end_of(folder: Path, process: subprocess.Popen[str], words: Sequence[str]) -> Ended:
    """How it ends; one that hangs is killed, with a status of its own (-9)."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"\nhung for {PATIENCE:g} s"
    with (folder / LOG).open("a", encoding="utf-8", errors="replace") as file:
        file.write(f"leapcheck {' '.join(words)}\n{out}\n{err}\nexit status {process.returncode}\n\n")
    return Ended(tuple(words), process.returncode, out, err)


def run(folder: Path, words: Sequence[str], more: Mapping[str, str] = {}) -> Ended:
    """The command from its begin to its end; see `begin`."""
    return end_of(folder, begin(folder, words, more), words)


def leftovers(folder: Path) -> str:
    """Processes and scratch files of the case that are still there, in one line; empty where there are none."""
    deadline = time.monotonic() + GRACE
    while (left := [*_processes(folder)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    names = [content(PROCESSES / str(pid) / "cmdline").replace(b"\0", b" ").decode(errors="replace") for pid in left]
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    files = [path.name for path in (folder / "tmp").glob("*") if not path.name.startswith("pymp-")]
    hidden = [str(path.relative_to(folder)) for path in folder.rglob(".leapcheck-*")]
    return "; ".join([*(f"process left: {name:.120}" for name in names), *(f"file left: {name}" for name in files + hidden)])


def _processes(folder: Path) -> Iterator[int]:
    """Processes of the case that live: its mark is in their environment."""
    wanted = f"{MARK}={folder}\0".encode()
    for place in PROCESSES.glob("[0-9]*"):
        if int(place.name) != os.getpid() and wanted in content(place / "environ"):
            yield int(place.name)
