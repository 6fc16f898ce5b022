"""Functions of an engine that compute with another robot than the rest of it does: other numbers, or no exact rotors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.judge import attribution
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault, tabulate
from leapcheck.judge.dictionary.inertias import inertia_readings
from leapcheck.judge.dictionary.model import armature, placements, rotors
from leapcheck.judge.robot_rows import rows_of_each, value
from leapcheck.judge.terms.excess import ordinary
from leapcheck.judge.terms.solving import FOLLOWS, consequence
from leapcheck.judge.tree_change import TreeChange
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES, QuantityGroup
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_reference.tree import Tree

MOST_IN_PART, MOST_NUMBERS = 2, 4
"""Wrong quantities at most in which a number alone is sought, and numbers that are tried."""

NUMBER_PRIOR = 3.0
"""Of a wrong number in some functions alone."""

PRIOR = 2.2
"""Of another treatment of all rotors by some functions: likelier than several numbers or terms that come to the same."""


RobotValues = Callable[[States], Callable[[str], Floats]]
"""What a robot gives at some states, quantity by quantity: (n, ...)."""


def changed_robot(belief: Belief, change: TreeChange) -> RobotValues | None:
    """The belief's robot with changed numbers; None where it has not the evidence's topology."""
    x, tree = belief.numbers, belief.evidence.tree
    if x is None:
        return None
    moved = change.moved_numbers(belief.tree, x)

    def values(read: States) -> Callable[[str], Floats]:
        rows = rows_of_each(tree, [moved], [read])
        return lambda name: rows.pair(name)[0]

    return values


def hypothesis_in_part(
    belief: Belief, name: str, words: str, robot: RobotValues | None, wrong: Sequence[str], prior: float
) -> Hypothesis | None:
    """The hypothesis that some functions alone compute with another robot; None where that explains no quantity.

    What an engine solves for or multiplies out with these functions' results follows from them.
    """
    if robot is None:
        return None
    direct = [quantity for quantity in wrong if quantity not in FOLLOWS]
    for possible in (direct, list(wrong)):  # what it solves for may have them too, without the rest

        def fault(scope: Sequence[str], possible: Sequence[str] = possible) -> Hypothesis:
            where = name_list((QUANTITIES[quantity].label for quantity in scope), 8)
            edit = _edit(robot, frozenset(possible) & frozenset(scope), frozenset(scope))
            text, details = f"in {where} alone: {words}", "the engine's other functions have it right"
            return engine_fault(f"{name}:{'+'.join(scope)}", text, answer_edit=edit, prior=prior, details=details)

        trial = belief.plus(engine_fault(name, words, answer_edit=_edit(robot, frozenset(possible), frozenset(wrong))))
        if scope := [quantity for quantity in wrong if trial.explains(quantity)]:
            follows = [quantity for quantity in wrong if quantity in scope or quantity in FOLLOWS]
            return replace(fault(scope), wider=None if follows == scope else fault(follows))
    return None


def rotors_in_part(belief: Belief) -> Iterator[Hypothesis]:
    """Rotors that some functions alone lump into armatures, leave out, or turn the other way."""
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    if not wrong or any(QUANTITIES[name].in_mujoco_coordinates for name in wrong):
        return
    few = belief.about(belief.evidence.at_states(ordinary(belief, wrong)))
    for whole in rotors(few):
        edited = few.plus(replace(whole, answer_edit=None)).tree
        if in_part := hypothesis_in_part(few, f"{whole.name}-in-part", whole.words, _other_robot(edited), wrong, PRIOR):
            yield in_part


def numbers_in_part(belief: Belief) -> Iterator[Hypothesis]:
    """A number of the robot, several of one body, or a reading of them, that some functions alone have wrong.

    Told by what is no core quantity, where little else is wrong.
    """
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    direct = [name for name in wrong if QUANTITIES[name].group not in (QuantityGroup.CORE, QuantityGroup.MUJOCO)]
    if not direct or len(wrong) > MOST_IN_PART:
        return
    alone = Belief(belief.evidence.of_quantities(direct[:1]), belief.hypotheses)
    few = belief.about(belief.evidence.at_states(ordinary(belief, wrong)))
    yield from _readings_in_part(few, direct[0], wrong)
    with np.errstate(all="ignore"):  # a search for one number in other quantities than it is told by may run away
        numbers = (attribution.singles(alone) or attribution.blocks(alone))[:MOST_NUMBERS]
    for number in numbers:
        if isinstance(number.tree_edit, TreeChange):
            robot = changed_robot(belief, number.tree_edit)
            if in_part := hypothesis_in_part(few, f"{number.name}-in-part", number.words, robot, wrong, NUMBER_PRIOR):
                yield in_part


def _readings_in_part(few: Belief, quantity: str, wrong: Sequence[str]) -> Iterator[Hypothesis]:
    """What the dictionary says of armatures, placements and inertias, in some functions alone."""
    family = [h for proposal in (armature, placements, inertia_readings) for h in proposal(few)]
    beliefs = [few.plus(h) for h in family]
    tabulate(beliefs, quantity)
    for whole, trial in zip(family, beliefs, strict=True):
        if trial.explains(quantity):
            robot = _other_robot(few.plus(replace(whole, answer_edit=None)).tree)
            if in_part := hypothesis_in_part(few, f"{whole.name}-in-part", whole.words, robot, wrong, whole.prior + 0.5):
                yield in_part


def _other_robot(tree: Tree) -> RobotValues:
    return lambda read: lambda name: value(name, tree, read)


def _edit(robot: RobotValues, direct: frozenset[str], scope: frozenset[str]) -> AnswerEdit:
    """The answers in the scope: computed with another robot, or following from what is."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity not in scope:
            return values
        its = robot(view.read)

        def excess(name: str) -> Floats:
            other, own = its(name), view.value(name)
            return np.asarray(other - own) if other.shape == own.shape else np.zeros_like(own)  # parameters of other bodies

        if quantity in direct:
            return values + excess(quantity)
        changed: Mapping[str, Floats] = {
            name: excess(name) for name in ("mass_matrix", "bias_force", "contact_jacobians") if name in direct
        }
        return consequence(view, quantity, values, changed)

    return edit
