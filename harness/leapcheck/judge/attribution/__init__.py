"""Which change of the robot's parameters explains what a belief leaves unexplained of an engine's answers."""

from __future__ import annotations

from leapcheck.judge.attribution import hypotheses
from leapcheck.judge.attribution.everything import everything
from leapcheck.judge.attribution.pairs import fitted_mixed, fitted_pairs
from leapcheck.judge.attribution.search import fitted_blocks, fitted_singles
from leapcheck.judge.belief import Belief, Hypothesis


def singles(belief: Belief) -> list[Hypothesis]:
    """All single parameters each of which explains all found answers over all states: one class that these do not tell apart.

    The simplest first; none where the belief explains all already or where no single parameter does. `tree` is the exact
    change, `details` its amount.
    """
    fits = fitted_singles(belief)
    if not fits:
        return []
    spec, tree = belief.spec, belief.tree
    return hypotheses.one_class([hypotheses.single(spec, tree, fit) for fit in fits])


def pairs(belief: Belief) -> list[tuple[Hypothesis, Hypothesis]]:
    """All pairs of single parameters that explain all found answers together; where there are none, of a block and a single
    parameter. The simplest first.
    """
    spec, tree = belief.spec, belief.tree
    found = [hypotheses.pair(spec, tree, fit) for fit in fitted_pairs(belief)]
    found = found or [hypotheses.mixed(block.name, spec, tree, fit) for block, fit in fitted_mixed(belief)]
    ranked = sorted(found, key=lambda two: two[0].prior + two[1].prior)
    return list({frozenset(h.name for h in two): two for two in reversed(ranked)}.values())[::-1]


def blocks(belief: Belief) -> list[Hypothesis]:
    """Parameters that belong together (a com, an inertia, a body, a joint's place, all armatures) and so explain all found
    answers over all states, fewest first; a body left out or multiplied, and all masses by one factor, are among them.
    """
    fits = fitted_blocks(belief)
    if not fits:
        return []
    spec, tree = belief.spec, belief.tree
    return hypotheses.one_class([hypotheses.block(block.name, spec, tree, fit) for block, fit in fits])


__all__ = ["blocks", "everything", "pairs", "singles"]
