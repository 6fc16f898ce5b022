"""What an engine answers when it is asked again: one failing quantity, or a few failing states, must not cost the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from leapcheck.engines.answers import Shapes, answers_of
from leapcheck.engines.errors import EngineError
from leapcheck.engines.protocol import Engine
from leapcheck.sampling import States

MOST_CALLS = 40
"""Calls in which the states are sought at which an engine fails in one quantity; what they leave open counts as failing."""

SHARE = 0.5
"""Share of the states that a quantity must leave to the others; one that answers fewer is left out."""


class EngineFailure(NamedTuple):
    """The first failure of an engine in one quantity, and the rows of the states at which it does not answer it."""

    message: str
    rows: tuple[int, ...]


class Answerable(NamedTuple):
    """The `rows` of the states at which an engine answers all of `quantities`, and its failures by quantity."""

    rows: list[int]
    quantities: tuple[str, ...]
    failures: Mapping[str, EngineFailure]


def answerable(engine: Engine, states: States, shapes: Shapes) -> Answerable:
    """What can be asked of an engine that fails on something: quantities that it answers at most of the states, and where."""
    failures: dict[str, EngineFailure] = {}
    for name, shape in shapes.items():
        calls = _Calls(engine, {name: shape})
        rows = calls.failing_rows(states, 0)
        if calls.message:
            failures[name] = EngineFailure(calls.message, tuple(rows))
    left, quantities = set(range(len(states))), list[str]()
    for name in sorted(shapes, key=lambda name: len(failures[name].rows) if name in failures else 0):
        answered = left.difference(failures[name].rows if name in failures else ())
        if len(answered) >= max(1.0, SHARE * len(states)):
            left = answered
            quantities.append(name)
    return Answerable(sorted(left), tuple(name for name in shapes if name in quantities), failures)


class _Calls:
    """Calls of an engine for one quantity, counted; the first message of a failure is kept."""

    def __init__(self, engine: Engine, shapes: Shapes) -> None:
        self._engine, self._shapes = engine, shapes
        self._left = MOST_CALLS
        self.message = ""

    def failing_rows(self, states: States, first: int) -> list[int]:
        """Rows, counted from `first`, at which it fails: by halves."""
        if self._left > 0 and self._answers(states):
            return []
        if len(states) == 1 or self._left <= 0:
            return list(range(first, first + len(states)))
        half = len(states) // 2
        return [*self.failing_rows(states[:half], first), *self.failing_rows(states[half:], first + half)]

    def _answers(self, states: States) -> bool:
        self._left -= 1
        try:
            answers_of(self._engine, states, self._shapes)
        except EngineError as error:
            self.message = self.message or str(error)
            return False
        return True
