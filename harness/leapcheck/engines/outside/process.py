"""A child process that answers frames: never waited for longer than agreed, its end reported in words."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from uuid import uuid4

import numpy as np

from leapcheck.engines.outside.bubblewrap import PROGRAM, SIGNAL
from leapcheck.engines.outside.family import FAMILY, bytes_of_tree, end_family
from leapcheck.engines.outside.framing import MAGIC, PREFIX, Header
from leapcheck.engines.outside.patience import Patience

Progress = Callable[[], object]
"""Returns what changes when an engine gets on."""

PIPE_BYTES = 1 << 20
"""Size of the pipes where the system lets us choose: fewer turns for large blocks."""

MOST_HEADER_BYTES = 16 << 20
SHOWN = 60
GIB = 1 << 30
LOOK_SECONDS = 0.02
"""How often a child that is waited for is looked at."""

ENDING_SECONDS = 2.0
"""How long a child whose input has ended may take to go."""


class EndKind(Enum):
    """Ways in which a child ends before its time, each with the remedy."""

    CRASH = "correct it, or leave the quantity out"
    HANG = "correct it, leave the quantity out, or allow it a longer timeout in a .toml"
    GROWTH = "let it free what it takes, or allow it more memory in a .toml"
    GARBAGE = "write all else to standard error"


class Died(Exception):  # noqa: N818 - an end, reported in words
    """The child has ended: `words` say how."""

    def __init__(self, kind: EndKind, words: str) -> None:
        super().__init__(words)
        self.kind, self.words = kind, words


class Child:
    """A process and the frames that travel to and from it."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], inherited: Sequence[int]) -> None:
        """Starts it; OSError where there is no such program. In a session of its own: Ctrl-C is for this process alone."""
        family = uuid4().hex
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**environment, FAMILY: family},
            pass_fds=tuple(inherited),
            start_new_session=True,
            bufsize=0,
        )
        self._exit = os.pidfd_open(self._process.pid) if hasattr(os, "pidfd_open") else None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        self.close = weakref.finalize(self, _end_process, self._process, self._exit, family)
        for pipe in (self._to, self._from):
            os.set_blocking(pipe, False)
            if sys.platform == "linux":
                with suppress(OSError):
                    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._outgoing: deque[memoryview] = deque()
        self._start = bytearray()
        self._header: Header | None = None
        self._payload, self._filled = memoryview(b""), 0
        self._frames: deque[tuple[Header, memoryview]] = deque()
        self._first_bytes, self._most_growth = 0, 0.0
        self._moved, self._patience = 0, Patience(self._process.pid)

    def send(self, parts: Sequence[bytes | memoryview], seconds: float, progress: Progress = lambda: None) -> None:
        """Hands over a frame in parts; answers that come meanwhile are kept. Died where it does not take it in time.

        The time, also that of `receive`, is the process's own (`patience`), and begins anew with each byte and whenever what
        `progress` returns changes.
        """
        self._outgoing += [memoryview(part).cast("B") for part in parts if len(part)]
        self._pump(lambda: not self._outgoing, seconds, progress)

    def receive(self, seconds: float, progress: Progress = lambda: None) -> tuple[Header, memoryview]:
        """The next frame's header and payload; Died where there is none in time."""
        self._pump(lambda: bool(self._frames), seconds, progress)
        return self._frames.popleft()

    @property
    def seconds(self) -> float:
        """What the last `send` or `receive` took, by the process's own clock; to be asked at once."""
        return self._patience.total()

    def limit_growth(self, most_bytes: float) -> None:
        """From now on it is ended where it, with its own children, grows by more bytes; only Linux tells."""
        self._first_bytes, self._most_growth = bytes_of_tree(self._process.pid), most_bytes

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self.close()

    def _pump(self, done: Callable[[], bool], seconds: float, progress: Progress) -> None:
        """Writes and reads whatever can be, until it is done."""
        patience = self._patience = Patience(self._process.pid)
        while not done():
            patience.progress((progress(), self._moved))
            ready = select.poll()
            ready.register(self._from, select.POLLIN)
            if self._outgoing:
                ready.register(self._to, select.POLLOUT)
            if self._exit is not None:
                ready.register(self._exit, select.POLLIN)
            pipes = [pipe for pipe, _ in ready.poll(LOOK_SECONDS * 1e3)]
            self._check_growth()
            if not pipes and patience.idle() >= seconds:
                self.kill()
                raise Died(EndKind.HANG, f"gave no answer within {seconds:g} s and was ended")
            if self._from in pipes:
                self._read()
            elif self._exit in pipes:  # a child of its own may keep the pipe open
                raise self._end()
            if self._to in pipes:
                self._write()

    def _check_growth(self) -> None:
        """Died where it has grown by more than it may: a leak must not end the run."""
        grown = bytes_of_tree(self._process.pid) - self._first_bytes if self._most_growth else 0
        if grown > self._most_growth:
            self.kill()
            raise Died(EndKind.GROWTH, f"had grown by {grown / GIB:.2g} GiB since its first answer and was ended")

    def _write(self) -> None:
        try:
            count = os.writev(self._to, list(self._outgoing)[:16])
        except BlockingIOError:
            return
        except BrokenPipeError:  # what it wrote before its end is still to be read, and says more
            self._outgoing.clear()
            return
        self._moved += count
        while count and self._outgoing:
            first = self._outgoing.popleft()
            if count < len(first):
                self._outgoing.appendleft(first[count:])
            count -= min(count, len(first))

    def _read(self) -> None:
        """Reads what is there: into the payload where one is under way, else the start of a frame."""
        try:
            if self._header is not None:
                count = os.readv(self._from, [self._payload[self._filled :]])
                self._filled += count
            else:
                chunk = os.read(self._from, 65536)
                count = len(chunk)
                self._start += chunk
        except BlockingIOError:
            return
        if count == 0:
            raise self._end()
        self._moved += count
        while self._parse_header() and self._finish_frame():
            pass

    def _parse_header(self) -> bool:
        """Whether the header of a frame is there; what came behind it is the beginning of its payload."""
        if self._header is not None:
            return True
        start = self._start
        if not start[: len(MAGIC)] or not MAGIC.startswith(start[: len(MAGIC)]):
            if start:
                raise self._garbage()
            return False
        if len(start) < PREFIX.size:
            return False
        _, header_bytes, payload_bytes = PREFIX.unpack_from(start)
        if header_bytes > MOST_HEADER_BYTES:
            raise self._garbage()
        behind = PREFIX.size + header_bytes
        if len(start) < behind:
            return False
        try:
            header = json.loads(start[PREFIX.size : behind])
            payload = np.empty(payload_bytes, np.uint8).data  # not written twice, as a bytearray is
        except (ValueError, MemoryError, OverflowError, RecursionError):
            raise self._garbage() from None
        if not isinstance(header, dict):
            raise self._garbage()
        self._filled = min(len(start) - behind, payload_bytes)
        payload[: self._filled] = start[behind : behind + self._filled]
        self._header, self._payload, self._start = header, payload, start[behind + self._filled :]
        return True

    def _finish_frame(self) -> bool:
        """Whether the whole payload is there; the frame is then kept."""
        if self._header is None or self._filled < len(self._payload):
            return False
        self._frames.append((self._header, self._payload))
        self._header = None
        return True

    def _garbage(self) -> Died:
        shown = bytes(self._start[:SHOWN].partition(MAGIC)[0] or self._start[:SHOWN])
        self.kill()
        return Died(EndKind.GARBAGE, f"wrote {shown!r} to its standard output where a frame of the protocol should begin")

    def _end(self) -> Died:
        """How the process ended, after its output has."""
        try:
            status = self._process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return Died(EndKind.CRASH, "closed its standard output")
        self.close()
        if status > SIGNAL and Path(str(self._process.args[0])).name == PROGRAM:  # type: ignore[index]
            status = SIGNAL - status
        if status >= 0:
            return Died(EndKind.CRASH, f"ended with exit status {status}")
        names = {int(number): number.name for number in signal.Signals}
        return Died(EndKind.CRASH, f"crashed with {names.get(-status, f'signal {-status}')}")


def _end_process(process: subprocess.Popen[bytes], exit_handle: int | None, family: str) -> None:
    """Ends a child, which goes when its input ends or is made to go, and then whatever it has started and left."""
    for stream in (process.stdin, process.stdout):
        if stream:
            with suppress(OSError):
                stream.close()
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if exit_handle is not None:
        os.close(exit_handle)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    end_family(family)
