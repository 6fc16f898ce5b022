"""Hypotheses about what an engine does differently, and what it would answer if several of them held together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

import leapcheck_reference as reference
from leapcheck.comparison.participants import SOLVED_HERE
from leapcheck.engines.answers import NOT_UNIQUE
from leapcheck.engines.protocol import precision_ratio
from leapcheck.judge.draws import draws_of
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.robot_rows import MOST_ROWS, rows_of_each, value
from leapcheck.judge.tree_change import TreeChange
from leapcheck.quantities import PARAMETER_COUNT, QUANTITIES, QuantityGroup
from leapcheck.records import CauseClass
from leapcheck.sampling import States, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.coriolis import coriolis_normal_form
from leapcheck_reference.trace.parametric import numbers, topology
from leapcheck_reference.tree import Tree, tree_parts

SOLVED_FOR = SOLVED_HERE | {"operational_inertia_inverse"}
"""Quantities that an engine gets by solving with M: their error may exceed rounding by the conditioning of M."""

SHRINKS, NEAR_ROUNDING = 1e4, 1e-8
"""Such a quantity is explained where its error falls by at least this factor, to at most this scale-free error."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerView:
    """What an answer edit may read: the engine's robot, the states as given and as the engine reads them, other quantities.

    `value` is right for that robot at the states as read; `faults` are the edits that come before this one.
    """

    spec: RobotSpec
    states: States
    read: States
    value: Callable[[str], Floats]
    faults: tuple[AnswerEdit, ...] = ()

    def engine_value(self, quantity: str) -> Floats:
        """What the engine itself has computed of a quantity (n, ...), with its earlier faults: what it goes on with."""
        return self.with_faults(quantity, self.value(quantity))

    def with_faults(self, quantity: str, values: Floats) -> Floats:
        """Values (n, ...) of the quantity after the faults, each of which sees the ones before it."""
        for i, fault in enumerate(self.faults):
            values = fault(replace(self, faults=self.faults[:i]), quantity, values)
        return values


SpecEdit = Callable[[RobotSpec], RobotSpec]
TreeEdit = Callable[[Tree], Tree]
StateEdit = Callable[[RobotSpec, States], States]
AnswerEdit = Callable[[AnswerView, str, Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """One way in which an engine may differ from the truth; an edit that is None changes nothing.

    `name` is unique and stable ("quaternion/xyzw", "mass/FR_hip"); `words` state the cause as a clause without a full stop.
    The engine has another robot (`spec_edit`, or `tree_edit` on the tree built from the spec), reads other states
    (`state_edit`), or changes its answers (`answer_edit`: takes the quantity's name and its values (n, ...) at the states as
    read; must not write into them, and returns quantities unchanged that it does not concern). Of hypotheses that explain the
    same, the one with the smallest `prior` comes first. `details` adds e.g. the amounts. `wider` is the same fault also in
    quantities that it concerns but does not explain alone: others may be in these, too.
    """

    name: str
    words: str
    spec_edit: SpecEdit | None = None
    tree_edit: TreeEdit | None = None
    state_edit: StateEdit | None = None
    answer_edit: AnswerEdit | None = None
    prior: float = 1.0
    details: str = ""
    wider: Hypothesis | None = None
    cause_class: CauseClass = field(kw_only=True)


convention = partial(Hypothesis, cause_class=CauseClass.CONVENTION)
model_fault = partial(Hypothesis, cause_class=CauseClass.MODEL)
engine_fault = partial(Hypothesis, cause_class=CauseClass.ENGINE)
rounding_fault = partial(Hypothesis, cause_class=CauseClass.ROUND_OFF)

Parts = tuple[Callable[..., Any], ...]
Key = tuple[str, Parts, Parts, Parts]
T = TypeVar("T")

Proposal = Callable[["Belief"], Iterable[Hypothesis]]
"""Hypotheses to add to a belief: a fixed list, or ones fitted to what the belief leaves unexplained."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What an engine would answer to the questions of the evidence if all `hypotheses` held; edits apply first to last."""

    evidence: Evidence
    hypotheses: tuple[Hypothesis, ...] = ()
    _cache: dict[Hashable, object] = field(default_factory=dict, repr=False)
    _robots: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def plus(self, *hypotheses: Hypothesis) -> Belief:
        """The belief with more hypotheses; it shares the cache."""
        return replace(self, hypotheses=(*self.hypotheses, *hypotheses))

    def about(self, evidence: Evidence) -> Belief:
        """The same hypotheses for other evidence on the same robot."""
        return Belief(evidence, self.hypotheses, _robots=self._robots)

    def with_own_rounding(self) -> Belief:
        """The same hypotheses for evidence that allows as much rounding as the engine's robot explains, where that is more."""
        evidence = self.evidence
        draws, ratio = draws_of(self.spec, self.tree, self.read), precision_ratio(evidence.engine)
        allowed = {q: np.fmax(own, ratio * draws.allowed_error(q)) for q, own in evidence.allowed.items()}
        return self.about(replace(evidence, allowed=allowed))

    @property
    def spec(self) -> RobotSpec:
        """The engine's robot, without the tree edits."""
        edits = self._parts("spec_edit")
        return self._robot_once(edits, lambda: _apply(edits, self.evidence.spec))

    @property
    def tree(self) -> Tree:
        """The engine's robot."""
        return self._tree(self._parts("tree_edit"))

    def _tree(self, edits: Parts) -> Tree:
        """The robot with some of the tree edits."""
        of_spec = self._parts("spec_edit")
        if not (edits or of_spec):
            return self.evidence.tree
        return self._robot_once((of_spec, edits), lambda: _apply(edits, self._tree(())) if edits else reference.build(self.spec))

    @property
    def numbers(self) -> Floats | None:
        """All numbers (N,) of the engine's robot; None where it differs from the right one in more than these."""
        return self._numbers(self._parts("tree_edit"))

    def _numbers(self, edits: Parts) -> Floats | None:
        """The same with some of the tree edits."""
        return self._robot_once(("numbers", self._parts("spec_edit"), edits), lambda: self._numbers_anew(edits))

    def _numbers_anew(self, edits: Parts) -> Floats | None:
        if edits and isinstance(edits[-1], TreeChange):  # spares a tree
            x = self._numbers(edits[:-1])
            return None if x is None else edits[-1].moved_numbers(self.evidence.tree, x)
        try:
            of_spec = self._parts("spec_edit")
            tree = tree_parts(self.spec) if of_spec and not edits else self._tree(edits)
        except (ZeroDivisionError, ValueError):  # an impossible robot
            return None
        return numbers(tree) if topology(tree) == topology(self.evidence.tree) else None

    @property
    def read(self) -> States:
        """The states as the engine reads them."""

        def states() -> States:
            states = self.evidence.states
            for edit in self._parts("state_edit"):
                states = edit(self.evidence.spec, states)
            return states

        return self._once(("read", self._parts("state_edit")), states)

    def value(self, quantity: str) -> Floats:
        """The value (n, ...) for the engine's robot at the states as read, before the answer edits."""
        key = self.key(quantity)
        if not any(key[1:]) and quantity in self.evidence.expected:
            return self.evidence.expected[quantity]
        return self._once(key, lambda: _value(quantity, self, self.read))

    def key(self, quantity: str) -> Key:
        """What a value depends on: the quantity and the edits of robot and states."""
        return quantity, self._parts("spec_edit"), self._parts("tree_edit"), self._parts("state_edit")

    def _parts(self, name: str) -> Parts:
        return tuple(part for hypothesis in self.hypotheses if (part := getattr(hypothesis, name)))

    def once_as_read(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is made once for this robot and these states as it reads them, whatever becomes of the answers."""
        edits = (self._parts("spec_edit"), self._parts("tree_edit"), self._parts("state_edit"))
        return self._robot_once((key, edits, self.evidence.states.index.tobytes()), make)

    def _robot_once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached robot; all beliefs about a robot share it."""
        if key not in self._robots:
            self._robots[key] = make()
        return cast("T", self._robots[key])

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached value; beliefs about the same evidence share the cache."""
        if key not in self._cache:
            self._cache[key] = make()
        return cast("T", self._cache[key])

    def prediction(self, quantity: str) -> Floats:
        """What the engine would answer (n, ...)."""
        if quantity == NOT_UNIQUE and self.hypotheses:  # an engine's own is taken for Christoffel's, and compared as it is read
            return coriolis_normal_form(self.edit_answer(quantity, self.value("christoffel_matrix")), self.evidence.states.v)
        return self.edit_answer(quantity, self.value(quantity))

    @property
    def edits_answers(self) -> bool:
        """Whether any of the hypotheses changes answers."""
        return any(h.answer_edit for h in self.hypotheses)

    def edit_answer(self, quantity: str, values: Floats, view: AnswerView | None = None) -> Floats:
        """Values (n, ...) of the quantity after all answer edits: a convention is what becomes of the engine's own results."""
        edits = [(h.answer_edit, h.cause_class is CauseClass.CONVENTION) for h in self.hypotheses if h.answer_edit]
        if not edits:
            return values
        view = view or AnswerView(self.spec, self.evidence.states, self.read, self.value)
        view = replace(view, faults=tuple(edit for edit, is_convention in edits if not is_convention))
        values = view.with_faults(quantity, values)
        for convention in (edit for edit, is_convention in edits if is_convention):
            values = convention(view, quantity, values)
        return values

    def misfit(self, quantity: str) -> float:
        """The largest error of the prediction in units of what rounding explains."""
        return self.evidence.misfit(quantity, self.prediction(quantity))

    def explains(self, quantity: str) -> bool:
        """Whether the prediction equals the engine's answer to rounding, or as nearly as M's conditioning allows."""
        predicted = self.prediction(quantity)
        return self.evidence.misfit(quantity, predicted) <= 1.0 or is_solved(self.evidence, quantity, predicted)


def is_solved(evidence: Evidence, quantity: str, predicted: Floats) -> bool:
    """Whether the error of what an engine solves for has come down as far as the conditioning of M allows."""
    before, after = evidence.worst_error(quantity), evidence.worst_error(quantity, predicted)
    return quantity in SOLVED_FOR and after <= NEAR_ROUNDING and after * SHRINKS <= before


def _value(quantity: str, belief: Belief, read: States) -> Floats:
    """The value at states as read; NaN where the robot has none (the com of a massless link) or is impossible."""
    try:
        if (x := belief.numbers) is not None:
            return _of_numbers(belief, x, read, quantity)
        return _of_all_bodies(quantity, belief, value(quantity, belief.tree, read))
    except (ZeroDivisionError, ValueError):
        return np.full_like(_of_numbers(belief, numbers(belief.evidence.tree), read, quantity), np.nan)


def _of_all_bodies(quantity: str, belief: Belief, values: Floats) -> Floats:
    """Columns of parameters (n, ..., bodies) of the right robot's bodies: zero for those that the engine's robot has not."""
    if QUANTITIES[quantity].group is not QuantityGroup.REGRESSORS:
        return values
    own, right = _bodies(belief.tree), _bodies(belief.evidence.tree)
    columns = np.zeros((*values.shape[:-1], len(right), PARAMETER_COUNT))
    by_body = values.reshape(*values.shape[:-1], len(own), PARAMETER_COUNT)
    for i, body in enumerate(right):
        if body in own:
            columns[..., i, :] = by_body[..., own.index(body), :]
    return columns.reshape(*values.shape[:-1], -1)


def _bodies(tree: Tree) -> list[tuple[str, bool]]:
    """Links, then rotors, by the names of their links."""
    return [*((link.name, False) for link in tree.links), *((link.name, True) for link in tree.links if link.rotor)]


def _of_numbers(belief: Belief, x: Floats, read: States, quantity: str) -> Floats:
    """The value (n, ...) of a robot with the evidence's topology and other numbers x (N,)."""
    return rows_of_each(belief.evidence.tree, [x], [read]).pair(quantity)[0]


def _apply(edits: Iterable[Callable[[T], T]], value: T) -> T:
    for edit in edits:
        value = edit(value)
    return value


def tabulate(beliefs: Sequence[Belief], quantity: str) -> None:
    """Fills in the values of one quantity for beliefs about the same evidence, those with the robot's topology in one run.

    Of other robots those that differ only in states share a run.
    """
    known: dict[Key, Belief] = {}
    x_of: dict[Key, Floats] = {}
    groups: dict[object, dict[Key, Belief]] = {}
    for belief in beliefs:
        key = belief.key(quantity)
        if key not in belief._cache and key not in known:
            if (x := belief.numbers) is not None:
                known[key], x_of[key] = belief, x
            else:
                groups.setdefault(key[:3], {})[key] = belief
    for members in groups.values():
        first = next(iter(members.values()))
        _fill(members, _value(quantity, first, join_states([belief.read for belief in members.values()])))
    parts = list(known.items())
    step = max(1, MOST_ROWS // max(1, len(beliefs[0].evidence.states))) if beliefs else 1
    for i in range(0, len(parts), step):
        some = dict(parts[i : i + step])
        rows = rows_of_each(beliefs[0].evidence.tree, [x_of[key] for key in some], [belief.read for belief in some.values()])
        _fill(some, rows.pair(quantity)[0])


def _fill(members: Mapping[Key, Belief], block: Floats) -> None:
    """Puts the values of some beliefs, one after the other in a block, where they are looked up."""
    for (key, belief), own in zip(members.items(), np.split(block, len(members)), strict=True):
        belief._cache[key] = own
