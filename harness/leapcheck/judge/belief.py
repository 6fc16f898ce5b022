"""Hypotheses about what an engine does otherwise than it should, and what it would answer if some of them held together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

import numpy as np

import leapcheck_reference as reference
from leapcheck.judge.evidence import Evidence, value
from leapcheck.states import Floats, States, joined
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.tree import Tree

SOLVED_FOR = frozenset({"forward_dynamics", "contact_inertia"})

SHRINKS, NEAR_ROUNDING = 1e4, 1e-8
"""How far the error of what is solved for must fall at least, and how small it must then be."""

CauseClass = Literal["convention", "model", "engine", "round-off"]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What an altered answer may look at: the robot as held, the states as given and as read, and other answers at these."""

    spec: RobotSpec
    states: States
    read: States
    value: Callable[[str], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """One way in which an engine may differ from what it should be; what is None stays as it should be.

    `name` tells it from all others ("quaternion/xyzw", "mass/FR_hip"), `words` are the cause as a clause without a full
    stop. An engine holds another robot (`model`, on the spec; `tree`, on the tree made of it), reads another state
    (`reading`), or answers otherwise (`answering`, with the quantity's name and the values (n, ...) at the state as read;
    it must not write into them, and leaves quantities alone that it does not concern). `prior` ranks hypotheses that explain
    the same, small first; `details` is what more there is to say, e.g. the amounts.
    """

    name: str
    cause_class: CauseClass
    words: str
    model: Callable[[RobotSpec], RobotSpec] | None = None
    tree: Callable[[Tree], Tree] | None = None
    reading: Callable[[RobotSpec, States], States] | None = None
    answering: Callable[[View, str, Floats], Floats] | None = None
    prior: float = 1.0
    details: str = ""


Parts = tuple[Callable[..., Any], ...]
Key = tuple[str, Parts, Parts, Parts]
Made = TypeVar("Made")

Proposal = Callable[["Belief"], Iterable[Hypothesis]]
"""Hypotheses to add to what is believed already: a fixed list, or ones fitted to what is left unexplained."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What an engine would answer to the evidence's questions if all `hypotheses` held: in the order in which they were added.

    Robots and readings are applied first to last, answers likewise.
    """

    evidence: Evidence
    hypotheses: tuple[Hypothesis, ...] = ()
    _made: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def with_(self, hypothesis: Hypothesis) -> Belief:
        """The belief in one more."""
        return self.holding((hypothesis,))

    def holding(self, hypotheses: Sequence[Hypothesis]) -> Belief:
        """The belief in some more."""
        return replace(self, hypotheses=(*self.hypotheses, *hypotheses))

    def at(self, evidence: Evidence) -> Belief:
        """The same belief about other evidence on the same robot."""
        return Belief(evidence, self.hypotheses)

    @property
    def spec(self) -> RobotSpec:
        """The robot as held, but for what only its tree tells."""
        return self._kept(self._parts("model"), lambda: _applied(self._parts("model"), self.evidence.spec))

    @property
    def tree(self) -> Tree:
        """The robot as held."""
        models, trees = self._parts("model"), self._parts("tree")
        return self._kept((models, trees), lambda: _applied(trees, reference.build(self.spec)))

    @property
    def read(self) -> States:
        """The states as read."""

        def states() -> States:
            states = self.evidence.states
            for reading in self._parts("reading"):
                states = reading(self.evidence.spec, states)
            return states

        return self._kept(("read", self._parts("reading")), states)

    def value(self, quantity: str) -> Floats:
        """The value (n, ...) at the states as read, before any answer is altered."""
        key = self.key(quantity)
        if not any(key[1:]) and quantity in self.evidence.expected:
            return self.evidence.expected[quantity]
        return self._kept(key, lambda: _value(quantity, self, self.read))

    def key(self, quantity: str) -> Key:
        """What a value depends on: the quantity, and how robot and state are changed."""
        return quantity, self._parts("model"), self._parts("tree"), self._parts("reading")

    def _parts(self, name: str) -> Parts:
        return tuple(part for hypothesis in self.hypotheses if (part := getattr(hypothesis, name)))

    def _kept(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made before under the key, or is made now: beliefs about the same evidence share it."""
        if key not in self._made:
            self._made[key] = make()
        return cast("Made", self._made[key])

    def predicted(self, quantity: str) -> Floats:
        """What the engine would answer (n, ...)."""
        return self.answered(quantity, self.value(quantity))

    def answered(self, quantity: str, values: Floats) -> Floats:
        """The answer (n, ...) that the altered answers make of values at the states as read."""
        altering = [h.answering for h in self.hypotheses if h.answering]
        if altering:
            view = View(self.spec, self.evidence.states, self.read, self.value)
            for answering in altering:
                values = answering(view, quantity, values)
        return values

    def misfit(self, quantity: str) -> float:
        """How far the found answers are from these, in units of what rounding explains."""
        return self.evidence.misfit(quantity, self.predicted(quantity))

    def explains(self, quantity: str) -> bool:
        """Whether the engine is right to rounding in this quantity if all this is believed.

        What the engine solved for (accelerations, J M^-1 J^T) may be worse by the conditioning of the robot that it holds.
        """
        predicted = self.predicted(quantity)
        if self.evidence.misfit(quantity, predicted) <= 1.0:
            return True
        before, after = self.evidence.worst_error(quantity), self.evidence.worst_error(quantity, predicted)
        return quantity in SOLVED_FOR and after <= NEAR_ROUNDING and after * SHRINKS <= before


def _value(quantity: str, held: Belief, read: States) -> Floats:
    """The value at states as read, or NaN for a robot that has none (a massless link, whose com is asked for) or cannot be."""
    try:
        return value(quantity, held.tree, read)
    except (ZeroDivisionError, ValueError):
        return np.full_like(value(quantity, reference.build(held.evidence.spec), read), np.nan)


def _applied(changes: Iterable[Callable[[Made], Made]], value: Made) -> Made:
    """The value after all changes, first to last."""
    for change in changes:
        value = change(value)
    return value


def tabulate(beliefs: Sequence[Belief], quantity: str) -> None:
    """Fills in a quantity's values of beliefs about the same evidence: those that differ by readings alone share one run."""
    groups: dict[object, dict[Key, Belief]] = {}
    for belief in beliefs:
        key = belief.key(quantity)
        if key not in belief._made:
            groups.setdefault(key[:3], {})[key] = belief
    for members in groups.values():
        first = next(iter(members.values()))
        n = len(first.evidence.states)
        block = _value(quantity, first, joined([belief.read for belief in members.values()]))
        for i, (key, belief) in enumerate(members.items()):
            belief._made[key] = block[i * n : (i + 1) * n]
