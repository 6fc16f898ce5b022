"""A programmer's right dynamics with a branch that is wrong: in some states, or after some calls.

It shares nothing with the judge: states are misread one by one, and numbers spoilt one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, kernel

Change = Callable[[Floats], Floats]
QUANTITIES = ("bias_force", "gravity_force")


class Branching:
    """Reads some states as others (`q`, `v`), or spoils an answer (`spoil` of its name, the state, the numbers)."""

    name = "branching"
    version = "0"
    route = "right but for a branch"
    quantities = frozenset(QUANTITIES)

    def __init__(
        self,
        spec: RobotSpec,
        q: Change = lambda q: q,
        v: Change = lambda v: v,
        spoil: Callable[[str, Floats, Floats, Floats], Floats] = lambda _name, _q, _v, values: values,
    ) -> None:
        self._right = kernel(build(spec), QUANTITIES, compile_code=False)  # the judge asks a thousand times
        self._q, self._v, self._spoil = q, v, spoil

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Answers at the states as it reads them, spoilt row by row."""
        right = self._right(np.array([self._q(q) for q in states.q]), np.array([self._v(v) for v in states.v]))
        return {
            name: np.array([self._spoil(name, *row) for row in zip(states.q, states.v, right[name], strict=True)])
            for name in quantities
        }


def spoilt(
    spec: RobotSpec,
    only: str,
    is_wrong: Callable[[Floats, Floats], Any],
    change: Change = lambda x: 1.01 * x,
) -> Branching:
    """One answer is changed in some states."""
    return Branching(spec, spoil=lambda name, q, v, values: change(values) if name == only and is_wrong(q, v) else values)


def on(i: int, change: Callable[[float], float]) -> Change:
    """A change of one coordinate alone."""

    def replaced(x: Floats) -> Floats:
        return np.concatenate([x[:i], [change(x[i])], x[i + 1 :]])

    return replaced


class Remembering:
    """An engine whose answers to a block depend on what it was asked before.

    `answer(right, states, calls)` takes a function of states that gives the truth, the states, and how many states were asked
    before.
    """

    name = "remembering"
    version = "0"
    route = "right but for what it remembers"
    quantities = frozenset(QUANTITIES)

    def __init__(self, spec: RobotSpec, answer: Callable[[Callable[[States], Floats], States, int], Floats]) -> None:
        self._right, self._answer = ReferenceEngine(spec), answer
        self.calls = dict.fromkeys(QUANTITIES, 0)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Gravity is right; the bias force is as `answer` says."""
        answers = self._right.evaluate(states, quantities)
        if "bias_force" in answers:
            answers["bias_force"] = self._answer(self._bias_force, states, self.calls["bias_force"])
            self.calls["bias_force"] += len(states)
        return answers

    def _bias_force(self, states: States) -> Floats:
        return self._right.evaluate(states, ("bias_force",))["bias_force"]


def before(block: Floats, lag: int = 1) -> Floats:
    """The rows of a block moved down: each is that of the state before, the first stay."""
    return np.concatenate([block[:lag], block[:-lag]]) if lag < len(block) else block
