"""A user's Python factory in the process that hosts it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.outside.framing import MARKS, Header, Place, read_places
from leapcheck.engines.protocol import Engine
from leapcheck.engines.user import CANONICAL, user_engine
from leapcheck.plugins import made_by
from leapcheck.states import States
from leapcheck_models.spec_file import spec_of

KEPT = 4
"""Engines of as many robots are kept: the judge goes back and forth between a robot and a smaller one."""


class PythonServer:
    """Makes the engine of each robot that is greeted with, and asks it state by state."""

    def __init__(self, what: str, name: str) -> None:
        self._what, self._name = what, name
        self._engine: Engine | None = None
        self._memory: mmap | None = None
        self._path = ""
        self._hello_of = lru_cache(KEPT)(self._made)

    def hello(self, header: Header) -> Header:
        """What the made engine says of itself; ValueError where it cannot be made."""
        self._path = header["memory"]
        self._engine, said = self._hello_of(json.dumps(header["robot"]))
        return said

    def evaluate(self, header: Header) -> None:
        """Fills the answers; EngineError at the first that is none."""
        assert self._engine is not None
        self._map(header["memory_bytes"])
        given = {place.name: self._array(place) for place in read_places(header["arrays"])}
        states = States(given["q"], given["v"], given["tau"], given["index"], ("",) * header["states"])
        for number, place in enumerate(read_places(header["answers"])):
            self._mark(number, -1)
            found = np.asarray(self._engine.evaluate(states, (place.name,))[place.name])
            if found.shape != place.shape:
                raise ValueError(f"{place.name} gave the shape {found.shape}: return an array of shape {place.shape}")
            self._array(place)[...] = found

    def _made(self, robot: str) -> tuple[Engine, Header]:
        spec = spec_of(json.loads(robot))
        made, module = made_by(self._what, f"engine '{self._name}'", "my_dynamics:engine", spec)
        version = str(getattr(module, "__version__", "-"))
        engine: Engine
        if hasattr(made, "evaluate") and hasattr(made, "quantities"):
            engine = made
            version = str(getattr(made, "version", version))
        else:
            engine = user_engine(made, spec, self._name, version).watched(self._next)
        conventions = made.get("conventions") if isinstance(made, Mapping) else getattr(made, "conventions", None)
        quantities = [name for name in CANONICAL if name in engine.quantities]
        said = {"version": version, "quantities": quantities, "memory": True, "robots": "any"}
        return engine, {**said, "conventions": conventions} if conventions is not None else said

    def _map(self, size: int) -> None:
        if self._memory is None or len(self._memory) < size:
            file = os.open(self._path, os.O_RDWR)
            try:
                self._memory = mmap(file, size)
            finally:
                os.close(file)

    def _array(self, place: Place) -> NDArray[Any]:
        assert self._memory is not None
        count = place.bytes // np.dtype(place.dtype).itemsize
        return np.frombuffer(self._memory, place.dtype, count, place.offset).reshape(place.shape)

    def _mark(self, quantity: int, row: int) -> None:
        assert self._memory is not None
        MARKS.pack_into(self._memory, 0, quantity, row)

    def _next(self) -> None:
        """Says that the next state is begun."""
        assert self._memory is not None
        quantity, row = MARKS.unpack_from(self._memory, 0)
        self._mark(quantity, row + 1)
