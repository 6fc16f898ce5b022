"""The line to an engine in a process of its own: started when needed, started again when it has died, batches in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.framing import ALIGNMENT, FIRST_ARRAY, PROTOCOL, ArrayPlace, Header, array_places, frame_bytes
from leapcheck.engines.outside.launch import greeting, launch
from leapcheck.engines.outside.memory import SharedMemory
from leapcheck.engines.outside.process import GIB, Child, Died, EndKind
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck_models.spec import RobotSpec

STARTING_SECONDS = 120.0
"""What an engine may take at least to hold a robot: it may have to compile."""

FIRST = 64
"""States of the first batch of some quantities, by which it is measured how many can be asked for at once."""

SHARE = 0.1
"""Share of the time limit that a batch should take: a machine that is ten times as slow as before ends no engine."""

MOST_DEATHS = 60
"""An engine that has died so often is not started again."""

IN_FLIGHT = 2
"""Batches that an engine may have before it at once."""

Arrays = dict[str, NDArray[Any]]


class Refused(Exception):  # noqa: N818 - an answer, in words
    """The engine says that it cannot answer; the message is its own."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request in flight: what was asked, and where its answers will lie."""

    quantities: tuple[str, ...]
    answers: tuple[ArrayPlace, ...]
    states: int


class Link:
    """Owns the child process of one engine; a request is sent with `submit` and its answers are taken with `collect`."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._child: Child | None = None
        self._memory: SharedMemory | None = None
        self._hello: Header = {}
        self._robot: RobotSpec | None = None
        self.printed = ""
        self._flying: deque[PendingRequest] = deque()
        self._slots = [(0, 0)] * IN_FLIGHT
        self._turn = self._deaths = 0
        self._has_limit = self._hangs = False
        self.protocol = PROTOCOL
        self._seconds_per_state: dict[tuple[str, ...], float] = {}

    def greet(self, spec: RobotSpec) -> Header:
        """What the engine says of itself, holding that robot; EngineError where it cannot."""
        if self._child is not None and (spec is self._robot or spec == self._robot):
            return self._hello
        if self._flying:
            raise RuntimeError(f"engine '{self.target.name}': a robot is given while answers are awaited: collect them first")
        if self._deaths > MOST_DEATHS:
            raise EngineError(f"engine '{self.target.name}': has died {self._deaths} times: it is not started again")
        try:
            self._hello = self._answer_to_greeting(spec, self.protocol)
        except EngineError:
            if self.target.kind is not EngineKind.PROGRAM or self.protocol == 1 or self._hangs:
                raise
            with suppress(EngineError):  # a program of version 1 may refuse what it does not know
                self._hello, self.protocol = self._answer_to_greeting(spec, 1), 1
            if self.protocol != 1:
                raise
        self._robot = spec
        return self._hello

    def _answer_to_greeting(self, spec: RobotSpec, version: int) -> Header:
        """The answer to the hello of one version of the protocol; EngineError where there is none."""
        if self._child is None:
            self._start()
        assert self._memory is not None
        self._robot = None
        seconds = max(self.target.timeout, STARTING_SECONDS)
        try:
            self._send(frame_bytes(greeting(spec, self._memory.address, version)), (), seconds)
            header, _ = self._receive(seconds)
        except Died as death:
            self._hangs = death.kind is EndKind.HANG
            raise EngineError(
                f"engine '{self.target.name}': {death.words} when it was given the robot: run it by hand"
            ) from death
        if "error" in header:
            raise EngineError(prefix_engine(self.target.name, str(header["error"])))
        return header

    def submit(self, arrays: Mapping[str, NDArray[Any]], quantities: Mapping[str, tuple[int, ...]], dtype: str) -> None:
        """Sends a request for quantities of these shapes; `arrays` must be C-contiguous. At most `IN_FLIGHT` at once."""
        if len(self._flying) >= IN_FLIGHT:
            raise RuntimeError(f"engine '{self.target.name}': {IN_FLIGHT} batches are in flight: collect one first")
        shared = self._hello.get("memory") is True
        rows = [(name, np.dtype(array.dtype).str, array.shape) for name, array in arrays.items()]
        start = self._slot(rows, quantities, dtype) if shared else 0
        given, end = array_places(rows, start)
        answers, last = array_places([(name, dtype, shape) for name, shape in quantities.items()], end if shared else 0)
        header: Header = {
            "ask": "evaluate",
            "quantities": list(quantities),
            "states": len(arrays["q"]),
            "arrays": [list(place) for place in given],
            "answers": [list(place) for place in answers],
            "answer_bytes": 0 if shared else last,
        }
        parts: list[bytes | memoryview] = []
        if shared:
            assert self._memory is not None
            header["memory_bytes"] = self._memory.size
            for place in given:
                self._memory.array(place)[...] = arrays[place.name]
            for place in answers:  # what the engine leaves out at its first or last state must not be an earlier request's answer
                if place.bytes:
                    self._memory.array(place).reshape(place.shape[0], -1)[[0, -1], -1] = np.nan
        else:
            for place in given:
                parts += [arrays[place.name].data, bytes(-place.bytes % ALIGNMENT)]
        self._flying.append(PendingRequest(tuple(quantities), tuple(answers), len(arrays["q"])))
        self._send(frame_bytes(header, 0 if shared else end), parts, self.target.timeout * len(self._flying))

    def collect(self) -> Arrays:
        """The answers to the oldest request in flight; in shared memory they stay until the one after the next is sent.

        Raises Died where the engine has ended, and Refused where it says that it cannot.
        """
        request = self._flying[0]
        header, payload = self._receive(self.target.timeout)
        assert self._child is not None
        self._seconds_per_state[request.quantities] = self._child.seconds / max(request.states, 1)
        if not self._has_limit:
            self._has_limit = True
            self._child.limit_growth(self.target.memory * GIB)
        self._flying.popleft()
        if "error" in header:
            raise Refused(str(header["error"]))
        if self._hello.get("memory") is True:
            assert self._memory is not None
            return {place.name: self._memory.array(place) for place in request.answers}
        self._check_shapes(header, request)
        expected = array_places([(p.name, p.dtype, p.shape) for p in request.answers])[1]
        if len(payload) != expected:
            shapes = ", ".join(f"{place.name} {place.shape}" for place in request.answers)
            raise Refused(f"answered with {len(payload)} bytes where {shapes} take {expected}: fill all that is asked for")
        flat = np.frombuffer(payload, np.uint8)
        return {p.name: flat[p.offset : p.offset + p.bytes].view(p.dtype).reshape(p.shape) for p in request.answers}

    def batch(self, quantities: tuple[str, ...], most: int) -> int:
        """How many states of some quantities to ask for at once, by what the last batch took; at least 1 and at most so many."""
        seconds = self._seconds_per_state.get(quantities)
        return min(most, FIRST) if seconds is None else int(min(most, max(1.0, SHARE * self.target.timeout / max(seconds, 1e-9))))

    def _progress(self) -> object:
        """Where the engine says that it is."""
        return None if self._memory is None else self._memory.marks()

    def at_mark(self) -> tuple[str, int]:
        """Quantity and row of the state that the engine says it is at; "" and -1 where it says nothing."""
        if self._memory is None or not self._flying:
            return "", -1
        quantity, row = self._memory.marks()
        names = self._flying[0].quantities
        return (names[quantity], row) if 0 <= quantity < len(names) else ("", -1)

    def drain(self) -> None:
        """Takes the answers in flight and forgets them; ends the engine where it dies on them."""
        while self._flying:
            try:
                self.collect()
            except Refused:
                continue
            except Died:
                self.forget()

    def forget(self) -> None:
        """Ends the process and whatever is in flight; the next request starts it again."""
        self._flying.clear()
        if self._child is not None:
            self._child.kill()
        self._child, self._robot = None, None

    def close(self) -> None:
        """Lets the process go."""
        if self._child is not None:
            self._child.close()
        self._child, self._robot = None, None

    def _start(self) -> None:
        self._memory = self._memory or SharedMemory()
        self._has_limit = False
        self._child = launch(self.target, self._memory.descriptors)

    def _send(self, start: bytes, parts: Sequence[bytes | memoryview], seconds: float) -> None:
        assert self._child is not None
        if self._memory is not None and len(self._flying) <= 1:
            self._memory.clear_marks()
        try:
            self._child.send([start, *parts], seconds, self._progress)
        except Died:
            self._deaths += 1
            self._child = None
            raise
        except BaseException:  # Ctrl-C in the middle of a frame
            self.forget()
            raise

    def _receive(self, seconds: float) -> tuple[Header, memoryview]:
        assert self._child is not None
        try:
            header, payload = self._child.receive(seconds, self._progress)
        except Died:
            self._deaths += 1
            self._child = None
            raise
        except BaseException:
            self.forget()
            raise
        self.printed = self.printed or str(header.get("printed", ""))
        return header, payload

    def _slot(
        self, rows: Sequence[tuple[str, str, tuple[int, ...]]], quantities: Mapping[str, tuple[int, ...]], dtype: str
    ) -> int:
        """Where the next request's arrays begin in shared memory: requests take turns, so that no answer is written over."""
        assert self._memory is not None
        need = array_places([*rows, *((name, dtype, shape) for name, shape in quantities.items())])[1]
        start, size = self._slots[self._turn]
        if need > size:
            start = max(self._memory.size, FIRST_ARRAY)
            size = -(-need // 4096) * 4096
            self._memory.grow(start + size)
            self._slots[self._turn] = (start, size)
        self._turn = (self._turn + 1) % IN_FLIGHT
        return start

    def _check_shapes(self, header: Header, request: PendingRequest) -> None:
        """Refused where the engine's own list of its answers, which it may leave out, is not what was requested."""
        if "arrays" not in header:
            return
        try:
            listed = {str(name): (str(dtype), tuple(map(int, shape))) for name, dtype, shape, *_ in header["arrays"]}
        except (TypeError, ValueError):
            raise Refused("its list of arrays cannot be read: give [name, dtype, shape, offset] for each") from None
        for place in request.answers:
            if place.name not in listed:
                raise Refused(f"{place.name} is missing in its answer: give it, or do not list it among the quantities")
            if listed[place.name] != (place.dtype, place.shape):
                dtype, shape = listed[place.name]
                raise Refused(f"{place.name} gave {dtype} of shape {shape}: give {place.dtype} of shape {place.shape}")


def prefix_engine(name: str, text: str) -> str:
    """An engine's words in one line that begins with its name."""
    start, line = f"engine '{name}': ", " ".join(text.split())
    return line if line.startswith(start) else start + line
