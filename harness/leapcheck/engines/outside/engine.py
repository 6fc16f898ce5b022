"""A user's engine in a process of its own behind the engine protocol: what it does wrong is a finding, not the end of the run."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside.canonical import answers_from, prerequisites, states_in
from leapcheck.engines.outside.description import checked_description
from leapcheck.engines.outside.link import IN_FLIGHT, Link, Refused, prefix_engine
from leapcheck.engines.outside.process import Died, EndKind
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck.engines.outside.words import Words
from leapcheck.engines.protocol import PRECISIONS, Answers, is_single_precision
from leapcheck.quantities import QUANTITIES, answer_shape
from leapcheck.sampling import States, with_contact_forces
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

BATCH = 4096
"""States that are sent at once, fewer where their answers are large."""

BATCH_BYTES = 64 << 20

WORDS = {
    EngineKind.LIBRARY: "library with a C ABI",
    EngineKind.PROGRAM: "program over a pipe",
    EngineKind.PYTHON: "Python factory",
}

CRASHES_OF_ONE = 3
"""Crashes in one quantity after which it is given up; a hang, which costs a whole time limit, is enough by itself."""


class OutsideEngine:
    """The client: converts, sends in batches with two in flight, and turns whatever goes wrong into an EngineError."""

    def __init__(self, target: Target, spec: RobotSpec, link: Link | None = None) -> None:
        """Starts the engine and gives it the robot; EngineError in one line where it cannot be used."""
        self._target, self._spec = target, spec
        self._link = link or Link(target)
        self._given_up: dict[str, str] = {}
        self._crashes: Counter[str] = Counter()
        hello = self._link.greet(spec)
        try:
            self._description = checked_description(hello, target, spec)
        except ValueError as error:
            raise EngineError(prefix_engine(target.name, str(error))) from None
        self.name, self.version = target.name, self._description.version
        self.quantities, self.not_compared = self._description.quantities, self._description.not_compared
        self._convention = self._description.convention
        self.declares_convention = self._convention is not None

    @property
    def target(self) -> Target:
        """What the user named."""
        return self._target

    @property
    def convention(self) -> Convention | None:
        """What its answers are converted from; None for the canonical convention."""
        return self._convention

    @property
    def abi(self) -> int:
        """The version of the C ABI by which a library is called; 0 for other engines."""
        return self._description.abi

    @property
    def protocol(self) -> int:
        """The version of the pipe's protocol by which it is asked."""
        return self._link.protocol

    @property
    def dtype(self) -> str:
        """Of its numbers: "<f8" or "<f4"."""
        return self._description.dtype

    @property
    def holds_any_robot(self) -> bool:
        """Whether it takes the robot that it is handed; else it has one of its own."""
        return self._description.any_robot

    @property
    def route(self) -> str:
        """What it is, how the robot came into it, and in which convention it answers."""
        robot = "the spec, handed to it" if self.holds_any_robot else "a robot of its own"
        precision = ", single precision" if is_single_precision(self) else ""
        own = ", in the convention that it declares" if self.declares_convention else ""
        own_name = f" '{self._description.name}'" if self._description.name else ""
        return f"{robot}; {WORDS[self._target.kind]}{own_name} in a process of its own{precision}{own}"

    @property
    def precision(self) -> str:
        """The precision that it declares, or that its description does."""
        return next(name for name, dtype in PRECISIONS.items() if dtype == self.dtype)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is wrong with it besides its answers: it prints on standard output."""
        if not self._link.printed:
            return ()
        where = "prints on standard output, which mixes with the results of whoever calls it"
        return (f"engine '{self.name}': {where} ('{self._link.printed}'): leave it out, or write to standard error",)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical; EngineError where the engine dies, refuses, or gives no numbers."""
        own = prerequisites(self._convention, quantities)
        for name in own:
            if name in self._given_up:
                raise EngineError(self._given_up[name])
        raw = {name: np.empty((len(states), *shape)) for name, shape in self._shapes(own).items()}
        self._link.drain()  # an interrupt may have left answers on their way: they are not those to what is asked here
        try:
            self._fill(raw, states)
        except Refused as error:
            self._link.drain()
            raise EngineError(prefix_engine(self.name, str(error))) from None
        for name, values in raw.items():
            self._check_finite(name, values, states)
        return answers_from(self._convention, states, raw, quantities)

    def submit(self, states: States, quantities: Sequence[str]) -> None:
        """Sends a batch without waiting for its answers; at most two may be in flight."""
        own_states = states_in(self._convention, with_contact_forces(self._spec, states))
        dtype = np.dtype(self.dtype)
        taken = {"q", "v", "tau", *(part for name in quantities for part in QUANTITIES[name].arguments)}
        arrays: dict[str, NDArray[Any]] = {
            name: np.ascontiguousarray(part, dtype=dtype) for name, part in own_states._asdict().items() if name in taken
        }
        arrays["index"] = np.ascontiguousarray(states.index, dtype="<i8")
        self._link.greet(self._spec)
        answers = {name: (len(states), *shape) for name, shape in self._shapes(quantities).items()}
        self._link.submit(arrays, answers, self.dtype)

    def collect(self) -> dict[str, NDArray[Any]]:
        """The oldest batch's answers (n, *shape), of the engine's own precision and convention; valid until two more are sent."""
        return self._link.collect()

    def rebuild(self, spec: RobotSpec) -> OutsideEngine:
        """The engine holding another robot, in the same process; EngineError where it has one robot only."""
        if spec == self._spec:
            return self
        if not self.holds_any_robot:
            raise EngineError(f"engine '{self.name}': holds one robot only: its state alone can be made smaller")
        return OutsideEngine(self._target, spec, self._link)

    def declaring(self, words: Words) -> OutsideEngine:
        """The same engine in the same process, as if it had declared these words, and of frames what it does.

        EngineError where it cannot be converted.
        """
        words = words.over(self._target.words.of_frames)
        return OutsideEngine(replace(self._target, words=words), self._spec, self._link)

    def close(self) -> None:
        """Ends the process."""
        self._link.close()

    def _shapes(self, quantities: Sequence[str]) -> dict[str, tuple[int, ...]]:
        return {name: answer_shape(name, self._spec) for name in quantities}

    def _fill(self, raw: Mapping[str, Floats], states: States) -> None:
        """The engine's answers to all states, batch after batch."""
        size = sum(8 * int(np.prod(values.shape[1:])) for values in raw.values())
        most, names = max(1, min(BATCH, BATCH_BYTES // max(size, 1))), tuple(raw)
        flying: deque[slice] = deque()
        start = 0
        try:
            while start < len(states) or flying:
                while start < len(states) and len(flying) < IN_FLIGHT:
                    flying.append(slice(start, min(start + self._link.batch(names, most), len(states))))
                    start = flying[-1].stop
                    self.submit(states[flying[-1]], names)
                for name, values in self.collect().items():
                    raw[name][flying[0]] = values
                flying.popleft()
        except Died as death:
            self._raise_death(death, states[flying[0]] if flying else states, tuple(raw))

    def _raise_death(self, death: Died, states: States, quantities: Sequence[str]) -> None:
        """Raises the EngineError of a death, with quantity and states narrowed down as far as they are known."""
        quantity, row = self._link.at_mark() if death.kind is not EndKind.GROWTH else ("", -1)
        self._link.forget()
        quantity = quantity or (quantities[0] if len(quantities) == 1 else "")
        if quantity and row < 0 and death.kind is EndKind.CRASH:
            states = self._narrow(states, quantity)
        elif 0 <= row < len(states):
            states = states[row : row + 1]
        failure = EngineError(
            prefix_engine(self.name, f"{death.words} {_where(quantity, quantities, states)}: {death.kind.value}")
        )
        if quantity:
            self._crashes[quantity] += 1
            if death.kind is not EndKind.CRASH or self._crashes[quantity] >= CRASHES_OF_ONE:
                self._given_up[quantity] = str(failure)
        raise failure from death

    def _narrow(self, states: States, quantity: str) -> States:
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
    """What the engine was computing, in words."""
    what = f"{quantity}({', '.join(QUANTITIES[quantity].arguments)})" if quantity else f"one of {', '.join(quantities)}"
    first, last = states.index[0], states.index[-1]
    return f"while answering {what} at state{f's {first} to {last}' if len(states) > 1 else f' {first}'}"
