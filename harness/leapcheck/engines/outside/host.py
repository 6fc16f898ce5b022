"""The process that holds a user's C library or Python factory: `python -m leapcheck.engines.outside.host KIND WHAT NAME`.

Whatever the user's code prints goes to standard error. The process ends when its input ends, and when its parent is gone.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from time import sleep
from typing import IO, Protocol

from leapcheck.engines.outside.framing import Header, read_frame, write_frame


class Server(Protocol):
    """What answers the requests of the protocol, in shared memory."""

    def hello(self, header: Header) -> Header:
        """The answer to a greeting; an exception is sent as an error."""

    def evaluate(self, header: Header) -> None:
        """Writes the answers; an exception is sent as an error."""


def serve(requests: IO[bytes], answers: IO[bytes], server: Server) -> None:
    """Answers until there are no more requests."""
    while True:
        try:
            header, _ = read_frame(requests)
        except EOFError:
            return
        try:
            answer = server.hello(header) if header["ask"] == "hello" else _evaluated(server, header)
        except Exception as error:  # the user's code may raise anything
            answer = {"error": " ".join(str(error).split()) or type(error).__name__}
        write_frame(answers, answer)


def _evaluated(server: Server, header: Header) -> Header:
    server.evaluate(header)
    return {}


def main(kind: str, what: str, name: str) -> None:
    """Serves the library or the factory `what`, which is called `name`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is told; writing its memory to a file takes seconds
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what the user's code prints must not stand between the frames
    sys.stdout = sys.stderr
    server: Server
    if kind == "library":
        from leapcheck.engines.outside.library import LibraryServer

        server = LibraryServer(what)
    else:
        from leapcheck.engines.outside.python_server import PythonServer

        server = PythonServer(what, name)
    serve(sys.stdin.buffer, answers, server)


def _end_with_parent(parent: int) -> None:
    """Ends this process within a second of its parent's end: code that hangs never sees that its input has ended."""
    while os.getppid() == parent:
        sleep(1.0)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
