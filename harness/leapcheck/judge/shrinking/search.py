"""The state at which an engine is most wrong: an evolution strategy from the worst of many random states."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from leapcheck.engines.protocol import Engine
from leapcheck.judge.evidence import rows_of
from leapcheck.judge.shrinking.entries import EntryPlace, places
from leapcheck.judge.shrinking.mismatch import Budget, Make, Mismatch, at_rest
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.sampling import STATE_PARTS, UNIT, States, generated_states, join_states
from leapcheck_models.spec import RobotSpec

PARENTS, CHILDREN = 8, 16
"""States that live on, and changed copies of each in a generation."""

STEPS = (1.0, 0.3, 0.1, 0.03, 0.01)
"""Sizes of changes, in units of `RANGES`, tried side by side: none has to be adapted."""

RANGES = {"turn": 1.0, "angle": 1.0, "q": 1.0, "v": 10.0, "tau": 100.0, "vdot": 100.0, "contact_forces": 100.0}
"""Angles in rad; largest position (m), velocity (rad/s, m/s) and torque (N m, N) that are looked at."""

VANISHING = 0.1
"""Share of its median size below which a quantity nearly vanishes: its scale-free error says little there."""


class LargestError(NamedTuple):
    """A block of the one state with the largest scale-free `error` found, and the largest one at the start."""

    state: States
    error: float
    random_error: float


def largest_mismatch(
    spec: RobotSpec, make: Make, quantity: str, seed: int, budget: Budget = Budget(2500), start: States | None = None
) -> LargestError:
    """The state, within usual speeds and distances, at which the engine that `make` makes is most wrong.

    The states at the `start`, by default a unit of random ones, then an evolution strategy that changes a few coordinates at a
    time and keeps the best of parents and children (Schwefel 1995, Evolution and Optimum Seeking, chapter 5). Equal seeds give
    equal states, but for an engine so slow that the budget's time ends the search. ValueError where the engine cannot be made
    or asked.
    """
    mismatch = Mismatch(spec, make, quantity, budget)
    engine = mismatch.engine(spec)
    if engine is None:
        raise ValueError(f"the engine cannot be built for robot '{spec.name}' again, or does not answer {quantity}")
    search = _Evolution(mismatch, spec, engine, seed, generated_states(spec, UNIT, seed, 0) if start is None else start)
    random_error = search.best
    while mismatch.remaining >= PARENTS * CHILDREN:
        search.generation()
    return LargestError(rows_of(search.parents, [0]), search.best, random_error)


class _Evolution:
    """The states that live on, the worst first, with their errors."""

    def __init__(self, mismatch: Mismatch, spec: RobotSpec, engine: Engine, seed: int, start: States) -> None:
        """Begins with the worst of some states."""
        self._mismatch, self._spec, self._engine = mismatch, spec, engine
        self._rng = np.random.default_rng(seed)
        arguments = QUANTITIES[mismatch.quantity].arguments
        self._places = places(spec, arguments)
        block = self._within_range(at_rest(start, arguments))
        errors = mismatch.errors(spec, engine, block)
        vanishing = QUANTITIES[mismatch.quantity].scale is Scale.LARGEST
        self._least_size = VANISHING * float(np.median(errors.size)) if vanishing else 0.0
        self.parents, self._errors = block, np.where(errors.size >= self._least_size, errors.error, 0.0)
        self._select()

    @property
    def best(self) -> float:
        """The largest error."""
        return float(self._errors[0])

    def generation(self) -> None:
        """Children of the parents, and the worst of all live on."""
        children = self._within_range(
            self._mutate(rows_of(self.parents, np.repeat(np.arange(len(self.parents)), CHILDREN).tolist()))
        )
        errors = self._mismatch.errors(self._spec, self._engine, children)
        self.parents = join_states([self.parents, children])
        self._errors = np.concatenate([self._errors, np.where(errors.size >= self._least_size, errors.error, 0.0)])
        self._select()

    def _select(self) -> None:
        order = [int(i) for i in np.argsort(-self._errors, kind="stable")[:PARENTS]]
        self.parents, self._errors = rows_of(self.parents, order), self._errors[order]

    def _mutate(self, states: States) -> States:
        """Copies with each coordinate changed at a chance that is its row's own, and by a step that is too."""
        n, rng = len(states), self._rng
        parts = {part: getattr(states, part).copy() for part in STATE_PARTS}
        step = rng.choice(STEPS, n)
        chance = 1.0 / rng.integers(1, len(self._places) + 1, n)
        for place in self._places:
            width = 4 if place.kind == "turn" else 1
            chosen = rng.uniform(size=n) < chance
            where = slice(place.start, place.start + width)
            parts[place.part][:, where] += chosen[:, None] * step[:, None] * _range(place) * rng.standard_normal((n, width))
        return replace(states, index=np.full(n, -1), kind=("searched",) * n, **parts)

    def _within_range(self, states: States) -> States:
        """The states with unit quaternions, and every number within its range."""
        parts = {part: getattr(states, part).copy() for part in STATE_PARTS}
        for place in self._places:
            block = parts[place.part]
            if place.kind == "turn":
                four = block[:, place.start : place.start + 4]
                four /= np.linalg.norm(four, axis=1, keepdims=True)
            elif place.kind == "number":
                np.clip(block[:, place.start], -_range(place), _range(place), out=block[:, place.start])
        return replace(states, **parts)


def _range(place: EntryPlace) -> float:
    return RANGES[place.kind if place.kind != "number" else place.part]
