"""A user's Python factory in the process that hosts it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.answers import answers_of
from leapcheck.engines.outside.framing import MARKS, ArrayPlace, Header, MappedFile, read_array_places
from leapcheck.engines.outside.user import FactoryEngine, UserEngine, load_user_engine
from leapcheck.quantities import CANONICAL
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.spec_file import spec_of

KEPT = 4
"""Engines of as many robots are kept: the judge goes back and forth between a robot and a smaller one."""


class PythonServer:
    """Makes the engine of each robot that is greeted with, and asks it state by state."""

    def __init__(self, target: str, name: str) -> None:
        self._target, self._name = target, name
        self._engine: UserEngine | None = None
        self._memory = MappedFile()
        self._engine_of = lru_cache(KEPT)(self._load)

    def hello(self, header: Header) -> Header:
        """What the made engine says of itself; ValueError where it cannot be made."""
        self._memory.path = header["memory"]
        self._engine, hello = self._engine_of(json.dumps(header["robot"]))
        return hello

    def evaluate(self, header: Header) -> None:
        """Fills the answers; EngineError at the first invalid one."""
        assert self._engine is not None
        self._memory.grow(header["memory_bytes"])
        arrays = {place.name: self._array(place) for place in read_array_places(header["arrays"])}
        parts = {part: arrays[part] for part in STATE_PARTS if part in arrays}
        states = States(index=arrays["index"], kind=("",) * header["states"], **parts)
        for number, place in enumerate(read_array_places(header["answers"])):
            self._memory.mark(number)
            self._array(place)[...] = answers_of(self._engine, states, {place.name: place.shape[1:]})[place.name]

    def _load(self, robot: str) -> tuple[UserEngine, Header]:
        engine = load_user_engine(self._target, spec_of(json.loads(robot)), self._name, convert=False)
        hello: Header = {
            "version": engine.version,
            "quantities": [name for name in CANONICAL if name in engine.quantities],
            "memory": True,
            "robots": "any" if isinstance(engine, FactoryEngine) else "one",
            "limits": engine.not_compared,
            "precision": engine.precision,
        }
        if engine.conventions is not None:
            hello["conventions"] = engine.conventions
        return engine.with_progress(self._next), hello

    def _array(self, place: ArrayPlace) -> NDArray[Any]:
        assert self._memory.map is not None
        count = place.bytes // np.dtype(place.dtype).itemsize
        return np.frombuffer(self._memory.map, place.dtype, count, place.offset).reshape(place.shape)

    def _next(self) -> None:
        """Says that the next state is begun."""
        assert self._memory.map is not None
        quantity, row = MARKS.unpack_from(self._memory.map, 0)
        self._memory.mark(quantity, row + 1)
