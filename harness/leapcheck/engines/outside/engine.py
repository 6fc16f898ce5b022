"""A user's engine in a process of its own behind the engine protocol: what it does wrong is a finding, not the end of the run."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.conventions import Floats
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.canonical import canonical, in_own_coordinates, needed
from leapcheck.engines.outside.link import IN_FLIGHT, Link, Refused, prefixed
from leapcheck.engines.outside.process import Died
from leapcheck.engines.outside.said import said
from leapcheck.engines.outside.target import Target
from leapcheck.engines.outside.words import Words
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import QUANTITIES, sizes
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

BATCH = 4096
"""States that are sent at once, fewer where their answers are large."""

BATCH_BYTES = 64 << 20

CRASHES_OF_ONE = 3
"""After so many crashes in one quantity it is not asked for any more; after a hang, which costs a whole time limit, at once."""


class OutsideEngine:
    """The client: converts, sends in batches with two in flight, and turns whatever goes wrong into an EngineError."""

    def __init__(self, at: Target, spec: RobotSpec, link: Link | None = None) -> None:
        """Starts the engine and gives it the robot; EngineError in one line where it cannot be used."""
        self._at, self._spec = at, spec
        self._link = link or Link(at)
        self._given_up: dict[str, str] = {}
        self._crashes: Counter[str] = Counter()
        hello = self._link.held(spec)
        try:
            self._said = said(hello, at, spec)
        except ValueError as error:
            raise EngineError(prefixed(at.name, str(error))) from None

    @property
    def name(self) -> str:
        """As it was named on the command line."""
        return self._at.name

    @property
    def version(self) -> str:
        """What it says its version is; "-" where it says nothing."""
        return self._said.version

    @property
    def route(self) -> str:
        """What it is, how the robot came into it, and in which convention it answers."""
        kind = {"library": "library with a C ABI", "program": "program over a pipe", "python": "Python factory"}[self._at.kind]
        robot = "the spec, handed to it" if self._said.any_robot else "a robot of its own"
        precision = ", single precision" if self._said.dtype == "<f4" else ""
        own = "" if self._said.convention is None else ", in the convention that it declares"
        called = f" '{self._said.name}'" if self._said.name else ""
        return f"{robot}; {kind}{called} in a process of its own{precision}{own}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is wrong with it besides its answers: it prints on standard output."""
        if not self._link.printed:
            return ()
        where = "prints on standard output, which mixes with the results of whoever calls it"
        return (f"engine '{self.name}': {where} ('{self._link.printed}'): leave it out, or write to standard error",)

    @property
    def declares_convention(self) -> bool:
        """Whether its functions are in a convention other than the canonical one."""
        return self._said.convention is not None

    @property
    def quantities(self) -> frozenset[str]:
        """The quantities that it says it answers."""
        return self._said.quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical; EngineError where the engine dies, refuses, or gives no numbers."""
        own = needed(self._said.convention, quantities)
        for name in own:
            if name in self._given_up:
                raise EngineError(self._given_up[name])
        raw = {name: np.empty((len(states), *shape)) for name, shape in self._shapes(own).items()}
        try:
            self._fill(raw, states)
        except Refused as error:
            self._link.drain()
            raise EngineError(prefixed(self.name, str(error))) from None
        for name, values in raw.items():
            self._check_finite(name, values, states)
        return canonical(self._said.convention, states, raw, quantities)

    def submit(self, states: States, quantities: Sequence[str]) -> None:
        """Sends a batch without waiting for its answers; at most two may be in flight."""
        at = in_own_coordinates(self._said.convention, states)
        dtype = np.dtype(self._said.dtype)
        arrays: dict[str, NDArray[Any]] = {
            name: np.ascontiguousarray(part, dtype=dtype) for name, part in zip(("q", "v", "tau"), at, strict=True)
        }
        arrays["index"] = np.ascontiguousarray(states.index, dtype="<i8")
        self._link.held(self._spec)
        answers = {name: (len(states), *shape) for name, shape in self._shapes(quantities).items()}
        self._link.submit(arrays, answers, self._said.dtype)

    def collect(self) -> dict[str, NDArray[Any]]:
        """The oldest batch's answers (n, *shape), of the engine's own precision and convention; valid until two more are sent."""
        return self._link.collect()

    def remade(self, spec: RobotSpec) -> OutsideEngine:
        """The engine holding another robot, in the same process; EngineError where it has one robot only."""
        if spec == self._spec:
            return self
        if not self._said.any_robot:
            raise EngineError(f"engine '{self.name}': holds one robot only: its state alone can be made smaller")
        return OutsideEngine(self._at, spec, self._link)

    def declaring(self, words: Words) -> OutsideEngine:
        """The same engine in the same process, as if it had declared these words; EngineError where it cannot be converted."""
        return OutsideEngine(replace(self._at, words=words), self._spec, self._link)

    def close(self) -> None:
        """Ends the process."""
        self._link.close()

    def _shapes(self, quantities: Sequence[str]) -> dict[str, tuple[int, ...]]:
        shapes = {}
        for name in quantities:
            shape = QUANTITIES[name].shape
            shapes[name] = shape(sizes(self._spec)) if shape else ()
        return shapes

    def _fill(self, raw: Mapping[str, Floats], states: States) -> None:
        """The engine's answers to all states, batch after batch."""
        size = sum(8 * int(np.prod(values.shape[1:])) for values in raw.values())
        batch = max(1, min(BATCH, BATCH_BYTES // max(size, 1)))
        parts = deque(slice(start, min(start + batch, len(states))) for start in range(0, len(states), batch))
        flying: deque[slice] = deque()
        try:
            while parts or flying:
                while parts and len(flying) < IN_FLIGHT:
                    flying.append(parts.popleft())
                    self.submit(states[flying[-1]], tuple(raw))
                for name, values in self.collect().items():
                    raw[name][flying[0]] = values
                flying.popleft()
        except Died as death:
            self._mourn(death, states[flying[0]] if flying else states, tuple(raw))

    def _mourn(self, death: Died, states: States, quantities: Sequence[str]) -> None:
        """Raises the EngineError that tells a death, with quantity and states as narrow as they are known."""
        quantity, row = self._link.at_mark() if death.kind != "growth" else ("", -1)
        self._link.forget()
        quantity = quantity or (quantities[0] if len(quantities) == 1 else "")
        if quantity and row < 0 and death.kind == "crash":
            states = self._narrowed(states, quantity)
        elif 0 <= row < len(states):
            states = states[row : row + 1]
        told = EngineError(prefixed(self.name, f"{death.words} {_where(quantity, quantities, states)}: {_remedy(death.kind)}"))
        if quantity:
            self._crashes[quantity] += 1
            if death.kind != "crash" or self._crashes[quantity] >= CRASHES_OF_ONE:
                self._given_up[quantity] = str(told)
        raise told from death

    def _narrowed(self, states: States, quantity: str) -> States:
        """The fewest of the states at which the engine dies again, by halves; all where it dies at neither half."""
        while len(states) > 1:
            half = len(states) // 2
            dying = next(filter(partial(self._dies, quantity), (states[:half], states[half:])), None)
            if dying is None:
                return states
            states = dying
        return states

    def _dies(self, quantity: str, states: States) -> bool:
        try:
            self.submit(states, (quantity,))
            self.collect()
        except Died:
            self._link.forget()
            return True
        except (EngineError, Refused):
            return False
        return False

    def _check_finite(self, name: str, values: Floats, states: States) -> None:
        """EngineError at the first number that is NaN or infinite."""
        if np.isfinite(values).all():
            return
        row, *place = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
        number = values[(row, *place)]
        call = f"{name}({', '.join(QUANTITIES[name].arguments)}) at state {states.index[row]}"
        raise EngineError(
            f"engine '{self.name}': {call} gave {number} at entry {tuple(place)}: return finite numbers, or leave it out"
        )


def _where(quantity: str, quantities: Sequence[str], states: States) -> str:
    """What the engine was at, in words."""
    what = f"{quantity}({', '.join(QUANTITIES[quantity].arguments)})" if quantity else f"one of {', '.join(quantities)}"
    first, last = states.index[0], states.index[-1]
    return f"while answering {what} at state{f's {first} to {last}' if len(states) > 1 else f' {first}'}"


def _remedy(kind: str) -> str:
    if kind == "hang":
        return "correct it, leave the quantity out, or allow it a longer timeout in a .toml"
    if kind == "growth":
        return "let it free what it takes, or allow it more memory in a .toml"
    if kind == "rubbish":
        return "write all else to standard error"
    return "correct it, or leave the quantity out"
