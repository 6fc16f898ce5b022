"""A program that speaks the protocol of user's engines and calls a C library: what `leapcheck_evidence.bench.outside` times.

With --memory as second argument it works in shared memory.
"""

from __future__ import annotations

import ctypes
import sys

from leapcheck.engines.outside.framing import Header, read_array_places, read_frame, write_frame
from leapcheck.engines.outside.library import LibraryServer


def main(path: str, memory: str = "") -> None:
    """Answers until there are no more requests."""
    server, out = LibraryServer(path), bytearray()
    while True:
        try:
            header, payload = read_frame(sys.stdin.buffer)
        except EOFError:
            return
        if header["ask"] == "hello":
            write_frame(sys.stdout.buffer, {**server.hello(header), "memory": bool(memory)})
        elif memory:
            server.evaluate(header)
            write_frame(sys.stdout.buffer, {})
        else:
            out = out if len(out) == header["answer_bytes"] else bytearray(header["answer_bytes"])
            _evaluate(server, header, payload, out)
            write_frame(sys.stdout.buffer, {}, out)


def _evaluate(server: LibraryServer, header: Header, payload: bytearray, out: bytearray) -> None:
    """Calls the library on the arrays of a payload."""
    start, end = (ctypes.addressof(ctypes.c_char.from_buffer(block)) for block in (payload, out))
    given = {place.name: start + place.offset for place in read_array_places(header["arrays"])}
    for place in read_array_places(header["answers"]):
        server.call(place.name, header["states"], given, end + place.offset)


if __name__ == "__main__":
    main(*sys.argv[1:])
