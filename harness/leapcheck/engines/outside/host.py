"""The process that holds a user's C library or Python factory: `python -m leapcheck.engines.outside.host KIND WHAT NAME`.

What the user's code prints on standard output is passed on to standard error and reported with the next answer. The process ends
when its input ends, and when its parent is gone.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from time import sleep
from typing import IO, Protocol

from leapcheck.engines.outside.family import FAMILY, end_family
from leapcheck.engines.outside.framing import Header, read_frame, write_frame

MOST_PRINTED = 80
"""Characters of a printed line that are reported."""


class Server(Protocol):
    """What answers the requests of the protocol, in shared memory."""

    def hello(self, header: Header) -> Header:
        """The answer to a greeting; an exception is sent as an error."""

    def evaluate(self, header: Header) -> None:
        """Writes the answers; an exception is sent as an error."""


class Printed:
    """What is printed on standard output from now on: kept from between the frames."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - for as long as the process lives
        self._flush = ctypes.CDLL(None).fflush
        os.dup2(self._file.fileno(), 1)

    def take(self) -> str:
        """The first line since the last time, empty where nothing was printed; all of it goes to standard error."""
        with suppress(AttributeError, ValueError, OSError):  # the user's code may have closed or replaced it
            sys.stdout.flush()
        self._flush(None)  # what C keeps back
        if not os.fstat(self._file.fileno()).st_size:
            return ""
        self._file.seek(0)
        content = self._file.read()
        self._file.seek(0)
        self._file.truncate()
        with suppress(AttributeError, ValueError, OSError):
            sys.stderr.buffer.write(content)
            sys.stderr.flush()
        return content.decode("utf-8", "replace").strip().partition("\n")[0][:MOST_PRINTED] or "an empty line"


def serve(requests: IO[bytes], answers: IO[bytes], server: Server, printed: Printed) -> None:
    """Answers until there are no more requests."""
    own_process = os.getpid()
    while True:
        try:
            header, _ = read_frame(requests)
        except EOFError:
            return
        try:
            answer = server.hello(header) if header["ask"] == "hello" else _evaluate(server, header)
        except BaseException as error:  # the user's code may raise anything; Ctrl-C does not come here
            answer = {"error": " ".join(str(error).split()) or type(error).__name__}
        if os.getpid() != own_process:  # a copy of this process, which the user's code made and let go on
            os._exit(0)
        if printed_line := printed.take():
            answer = {**answer, "printed": printed_line}
        write_frame(answers, answer)


def _evaluate(server: Server, header: Header) -> Header:
    server.evaluate(header)
    return {}


def main(kind: str, what: str, name: str) -> None:
    """Serves the library or the factory `what`, which is called `name`."""
    family = os.environ[FAMILY]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is reported; writing its memory to a file takes seconds
    threading.Thread(target=_end_with_parent, args=(os.getppid(), family), daemon=True).start()
    # Under numbers of their own: the user's code may close or replace standard input and output.
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    printed = Printed()
    server: Server
    if kind == "library":
        from leapcheck.engines.outside.library import LibraryServer

        server = LibraryServer(what)
    else:
        from leapcheck.engines.outside.python_server import PythonServer

        server = PythonServer(what, name)
    with suppress(OSError):  # the user's code may have closed what requests come by: its end is told, not where this saw it
        serve(requests, answers, server, printed)
    end_family(family)


def _end_with_parent(parent: int, family: str) -> None:
    """Ends this process, and what it started, within a second of its parent's end: code that hangs never sees that its input has
    ended.
    """
    while os.getppid() == parent:
        sleep(1.0)
    end_family(family)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
