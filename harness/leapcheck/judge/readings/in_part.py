"""Functions of an engine that compute with other numbers of the robot than the rest of it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.robot_rows import rows_of_each
from leapcheck.judge.terms.solving import FOLLOWS, consequence
from leapcheck.judge.tree_change import TreeChange
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats


def hypothesis_in_part(
    belief: Belief, name: str, words: str, change: TreeChange, wrong: Sequence[str], prior: float
) -> Hypothesis | None:
    """The hypothesis that some functions alone have the changed numbers; None where that explains no quantity.

    What an engine solves for or multiplies out with these functions' results follows from them.
    """
    x = belief.numbers
    if x is None:
        return None
    moved = change.moved_numbers(belief.tree, x)
    direct = [quantity for quantity in wrong if quantity not in FOLLOWS]
    for possible in (direct, list(wrong)):  # what it solves for may have them too, without the rest

        def fault(scope: Sequence[str], possible: Sequence[str] = possible) -> Hypothesis:
            where = name_list((QUANTITIES[quantity].label for quantity in scope), 8)
            edit = _edit(belief, moved, frozenset(possible) & frozenset(scope), frozenset(scope))
            text, details = f"in {where} alone: {words}", "the engine's other functions have it right"
            return engine_fault(f"{name}:{'+'.join(scope)}", text, answer_edit=edit, prior=prior, details=details)

        trial = belief.plus(engine_fault(name, words, answer_edit=_edit(belief, moved, frozenset(possible), frozenset(wrong))))
        if scope := [quantity for quantity in wrong if trial.explains(quantity)]:
            follows = [quantity for quantity in wrong if quantity in scope or quantity in FOLLOWS]
            return replace(fault(scope), wider=None if follows == scope else fault(follows))
    return None


def _edit(belief: Belief, moved: Floats, direct: frozenset[str], scope: frozenset[str]) -> AnswerEdit:
    """The answers in the scope: computed with other numbers (N,), or following from what is."""
    tree = belief.evidence.tree

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity not in scope:
            return values
        rows = rows_of_each(tree, [moved], [view.read])

        def excess(name: str) -> Floats:
            return np.asarray(rows.pair(name)[0] - view.value(name))

        if quantity in direct:
            return values + excess(quantity)
        changed: Mapping[str, Floats] = {
            name: excess(name) for name in ("mass_matrix", "bias_force", "contact_jacobians") if name in direct
        }
        return consequence(view, quantity, values, changed)

    return edit
