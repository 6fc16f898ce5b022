"""How wrong an engine is in one quantity at any states, and where on a line between two states it begins to be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import process_time

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.evidence import Evidence, rows_of
from leapcheck.judge.layout import quaternions
from leapcheck.judge.shrinking.mismatch import Budget, Mismatch
from leapcheck.judge.shrinking.shrink import single_robot_maker
from leapcheck.sampling import STATE_PARTS, States, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

CLEAR = 5.0
"""Errors, in units of what rounding explains, from which on an engine is clearly wrong."""

BETWEEN, MOVED = "between", "moved"
"""Kinds of the states on lines, and of those that differ from a right one in one number."""

SMALLEST = 1074
"""Halvings after which the smallest double is left."""

BISECTIONS = 27
"""Halvings between two powers of two: the threshold is then known to eight digits."""

STEP_INSIDE, SHARP_ERROR = 1e-5, 5.0
"""Share of its length by which a line is followed beyond the threshold, and the error, in units of what rounding explains, that a
branch has made by then. A small fault that rounding hides elsewhere has barely changed there: it is still as large as at the
threshold.
"""

SECONDS = 6.0
"""CPU time after which the search ends: only a slow engine takes as long."""


class NoAnswerError(Exception):
    """The engine fails, or its time is up: what depends on the state is not looked for."""


Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Boundaries:
    """Where lines of states cross from wrong to right: n states each at the wrong `start`, just on the wrong side, and just on
    the right side."""

    start: States
    wrong: States
    right: States

    def __len__(self) -> int:
        return len(self.start)

    def join(self, more: Boundaries) -> Boundaries:
        """With more lines."""
        pairs = ((self.start, more.start), (self.wrong, more.wrong), (self.right, more.right))
        return Boundaries(*(join_states(pair) for pair in pairs))


class ErrorProbe:
    """Errors of an engine in one quantity; all states that it was asked are kept, with their errors in units of the allowed."""

    def __init__(self, evidence: Evidence, quantity: str) -> None:
        """Starts with what the evidence holds."""
        self.evidence, self.spec, self.quantity = evidence, evidence.spec, quantity
        self._mismatch = Mismatch(self.spec, single_robot_maker(self.spec, evidence.engine), quantity, Budget())
        self._end = process_time() + SECONDS
        self.states = evidence.states
        self.ratio = evidence.error(quantity, evidence.expected[quantity]) / evidence.allowed[quantity]

    @property
    def is_drawn(self) -> Flags:
        """Which of the states are no points on lines."""
        return np.array([kind != BETWEEN for kind in self.states.kind])

    @property
    def is_clear(self) -> Flags:
        """At which of these the engine is clearly wrong."""
        return self.is_drawn & (self.ratio > CLEAR)

    def errors(self, states: States) -> Floats:
        """Errors (n,) in units of what rounding explains; up to 1 the engine is right. NoAnswerError where it gives none."""
        errors = self._mismatch.errors_at(self.spec, self.evidence.engine, states)
        if errors is None or not np.isfinite(errors.error).all() or process_time() > self._end:
            raise NoAnswerError
        self.states = join_states([self.states, states])
        self.ratio = np.concatenate([self.ratio, errors.ratio])
        return errors.ratio

    def boundaries(self, wrong: States, right: States) -> Boundaries:
        """The crossings of the lines from wrong states to right ones, one each: of those lines alone on which errors set in."""
        low, high = np.full(len(wrong), SMALLEST + 1), np.zeros(len(wrong), dtype=int)
        while (high + 1 < low).any():  # s = 2^-k: wrong at k = low, right at k = high
            middle = np.minimum(np.where(low > SMALLEST, 2 * high + 1, (low + high) // 2), SMALLEST)
            is_wrong = self._share_is_wrong(wrong, right, 0.5 ** middle.astype(float))
            low, high = np.where(is_wrong, middle, low), np.where(is_wrong, high, middle)
        below, above = np.where(low > SMALLEST, 0.0, 0.5 ** low.astype(float)), 0.5 ** high.astype(float)
        for _ in range(BISECTIONS):
            middle = 0.5 * (below + above)
            if ((middle == below) | (middle == above)).all():
                break
            is_wrong = self._share_is_wrong(wrong, right, middle)
            below, above = np.where(is_wrong, middle, below), np.where(is_wrong, above, middle)
        sets_in = self.errors(between(self.spec, wrong, right, (1.0 - STEP_INSIDE) * below)) > SHARP_ERROR
        rows = np.flatnonzero(sets_in).tolist()
        ends = (wrong, between(self.spec, wrong, right, below), between(self.spec, wrong, right, above))
        return Boundaries(*(rows_of(states, rows) for states in ends))

    def _share_is_wrong(self, wrong: States, right: States, share: Floats) -> Flags:
        return self.errors(between(self.spec, wrong, right, share)) > 1.0


def between(spec: RobotSpec, first: States, second: States, share: Floats) -> States:
    """The states at a `share` (n,) of the straight way from some states to others; quaternions have unit length."""
    parts = {part: _mix(getattr(first, part), getattr(second, part), share[:, None]) for part in STATE_PARTS}
    for place in quaternions(spec):
        moved = parts["q"][:, place] != first.q[:, place]
        norm = np.linalg.norm(parts["q"][:, place], axis=1, keepdims=True)
        parts["q"][:, place] = np.where(moved.any(axis=1, keepdims=True), parts["q"][:, place] / norm, first.q[:, place])
    return replace(first, index=np.full(len(share), -1), kind=(BETWEEN,) * len(share), **parts)


def _mix(first: Floats, second: Floats, share: Floats) -> Floats:
    return np.where(share == 1.0, second, first + share * (second - first))
