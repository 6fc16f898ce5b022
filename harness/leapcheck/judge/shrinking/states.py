"""The smallest state at which an engine still shows a fault: cheap guesses first, then delta debugging from the worst state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from typing import NamedTuple

import numpy as np

from leapcheck.engines.protocol import Engine
from leapcheck.judge.evidence import rows_of
from leapcheck.judge.shrinking.delta import ddmin
from leapcheck.judge.shrinking.entries import (
    StateEntry,
    complexity,
    count,
    entries,
    places,
    rounded_entries,
    simple_entries,
    states_of,
)
from leapcheck.judge.shrinking.mismatch import SLIGHT, Mismatch
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.spec import RobotSpec

Choice = tuple[StateEntry, ...]

FEW = 3
"""So few entries end the search for a smaller state by guessing."""

GUESSES = 1500
"""States of one block of guesses."""

GOOD, PLAIN_TO_SEE = 0.1, 0.01
"""Share of the original error which a state shows if possible; but a scale-free error of so much is enough."""

STARTS = 3
"""Worst states from which delta debugging starts, one after the other, until few entries are left."""

LIKELY = 12
"""Entries that were in the worst pairs, out of which triples are guessed."""


class Tried(NamedTuple):
    """A choice of entries with its error and what rounding allows there."""

    choice: Choice
    error: float
    allowed: float


class StateSearch:
    """The search for the smallest state of one robot in one engine; all tries are kept."""

    def __init__(self, mismatch: Mismatch, spec: RobotSpec, engine: Engine) -> None:
        """Starts empty."""
        self._mismatch, self._spec, self._engine = mismatch, spec, engine
        self._arguments = QUANTITIES[mismatch.quantity].arguments
        self._tried: dict[Choice, Tried] = {}

    def smallest(self, worst: States) -> States | None:
        """The smallest state found that shows the fault, given some that do, the worst first; None where none does."""
        self._guess([()])
        self._guess([entries(self._spec, pose, self._arguments) for pose in self._poses()])
        simple = [simple_entries(place) for place in places(self._spec, self._arguments)]
        self._guess([(entry,) for same_place in simple for entry in same_place])
        if self._best(1) is None:
            self._guess_pairs(simple, 0)
        if self._best(2) is None:
            self._reduce(worst)
        if self._best(FEW) is None:
            self._guess_pairs(simple, -1)
        if self._best(FEW) is None:
            self._guess_triples()
        best = self._best() or self._best(FEW, slight=True)
        return None if best is None else states_of(self._spec, [best.choice])

    def _guess_pairs(self, simple: Sequence[tuple[StateEntry, ...]], variant: int) -> None:
        """Two entries at a time, each with that one of its simple values."""
        chosen = [same_place[variant] for same_place in _with_all_turns(simple)]
        self._guess(_even_selection(pair for pair in combinations(chosen, 2) if pair[0].place != pair[1].place))

    def _reduce(self, worst: States) -> None:
        """Delta debugging from the worst states."""
        for row in range(min(STARTS, len(worst))):
            start = entries(self._spec, rows_of(worst, [row]), self._arguments)
            if self._first_showing([start]) is not None:
                self._simplify(ddmin(start, self._first_showing))
            if self._best(FEW) is not None:
                return

    def _guess_triples(self) -> None:
        """Three entries at a time, out of those that were in the worst pairs."""
        ranked = sorted((t for t in self._tried.values() if count(t.choice) == 2), key=lambda t: -t.error / t.allowed)
        likely = list(dict.fromkeys(entry for tried in ranked for entry in tried.choice))[:LIKELY]
        self._guess(_even_selection(three for three in combinations(likely, 3) if len({entry.place for entry in three}) == 3))

    def _simplify(self, choice: Choice) -> None:
        """The same entries with simple values: all at once where they are few, else one after the other."""
        options = [(*simple_entries(entry.place)[:3], *rounded_entries(entry)[:2]) for entry in choice]
        if len(choice) <= FEW:
            self._guess(list(islice(product(*options), GUESSES)))
            return
        for i, entry in enumerate(choice):
            simpler = [
                (*choice[:i], other, *choice[i + 1 :]) for other in (*simple_entries(entry.place), *rounded_entries(entry))
            ]
            first = self._first_showing(simpler)
            choice = choice if first is None else simpler[first]

    def _first_showing(self, choices: Sequence[Choice]) -> int | None:
        """The first of some choices that shows the fault."""
        self._guess(choices)
        return next((i for i, choice in enumerate(choices) if self._shows(self._tried[choice])), None)

    def _guess(self, choices: Sequence[Choice]) -> None:
        """Tries what was not tried before, in one block."""
        new = [choice for choice in dict.fromkeys(choices) if choice not in self._tried]
        if new:
            errors = self._mismatch.errors(self._spec, self._engine, states_of(self._spec, new))
            self._tried |= {c: Tried(c, float(e), float(a)) for c, e, a in zip(new, errors.error, errors.allowed, strict=True)}

    def _best(self, at_most: int | None = None, slight: bool = False) -> Tried | None:
        """The choice of fewest entries that shows the fault, clearly or slightly.

        Of several, those with a good part of the original error, then the simplest, then the one with the largest error.
        """
        shown = [t for t in self._tried.values() if (t.error > SLIGHT * t.allowed if slight else self._shows(t))]
        shown = [t for t in shown if at_most is None or count(t.choice) <= at_most]
        good = min(GOOD * self._mismatch.original, PLAIN_TO_SEE)
        return min(shown, key=lambda t: (count(t.choice), t.error < good, complexity(t.choice), -t.error), default=None)

    def _shows(self, tried: Tried) -> bool:
        return bool(self._mismatch.shows(np.array(tried.error), np.array(tried.allowed)))

    def _poses(self) -> Iterator[States]:
        rest = states_of(self._spec, [()])
        return (replace(rest, q=np.array([pose.q])) for pose in self._spec.poses)


def _with_all_turns(simple: Sequence[tuple[StateEntry, ...]]) -> list[tuple[StateEntry, ...]]:
    """The simple values of each place; a body's turns about each axis as if they were places of their own."""
    values: list[tuple[StateEntry, ...]] = []
    for same_place in simple:
        turns = 3 if same_place[0].place.kind == "turn" else 1
        values += [same_place[axis::turns] for axis in range(turns)]
    return values


def _even_selection(choices: Iterable[Choice]) -> list[Choice]:
    """At most `GUESSES` of them, evenly spread."""
    tried = list(choices)
    return tried[:: -(-len(tried) // GUESSES) or 1]
