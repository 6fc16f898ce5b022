"""Which changes of the robot's parameters explain what a belief leaves unexplained of an engine's answers."""

from __future__ import annotations

from collections.abc import Collection

from leapcheck.judge.attribution import hypotheses
from leapcheck.judge.attribution.pairs import equal_pair_fits, mixed_fits, pair_fits
from leapcheck.judge.attribution.search import block_fits, single_fits
from leapcheck.judge.attribution.sets import set_fits
from leapcheck.judge.attribution.together import everything
from leapcheck.judge.belief import Belief, Hypothesis


def singles(belief: Belief) -> list[Hypothesis]:
    """All single parameters each of which explains all answers over all states: one class that these do not distinguish.

    The simplest first; none where the belief explains all already or where no single parameter does. `tree_edit` is the exact
    change, `details` its amount.
    """
    fits = single_fits(belief)
    if not fits:
        return []
    spec, tree = belief.spec, belief.tree
    return hypotheses.one_class([hypotheses.single(spec, tree, fit) for fit in fits])


def pairs(belief: Belief) -> list[tuple[Hypothesis, Hypothesis]]:
    """All pairs of single parameters that explain all answers together, the simplest first."""
    spec, tree = belief.spec, belief.tree
    return _simplest_first([hypotheses.pair(spec, tree, fit) for fit in pair_fits(belief)])


def equal_pairs(belief: Belief, names: Collection[str]) -> list[tuple[Hypothesis, Hypothesis]]:
    """Of these pairs those of one of the parameters with these names and any other."""
    spec, tree = belief.spec, belief.tree
    return _simplest_first([hypotheses.pair(spec, tree, fit) for fit in equal_pair_fits(belief, names)])


def mixed_pairs(belief: Belief) -> list[tuple[Hypothesis, Hypothesis]]:
    """All pairs of a block and a single parameter that explain all answers together, the simplest first."""
    spec, tree = belief.spec, belief.tree
    fits = mixed_fits(belief)
    return _simplest_first([hypotheses.block_and_single(block.name, spec, tree, fit) for block, fit in fits])


def _simplest_first(both: list[tuple[Hypothesis, Hypothesis]]) -> list[tuple[Hypothesis, Hypothesis]]:
    """The pairs by their priors, each once."""
    ranked = sorted(both, key=lambda two: two[0].prior + two[1].prior)
    return list({frozenset(h.name for h in two): two for two in reversed(ranked)}.values())[::-1]


def sets(belief: Belief) -> list[tuple[Hypothesis, ...]]:
    """Any inertial parameters that are off together and explain all answers: the sparsest such set, if there is one."""
    spec, tree = belief.spec, belief.tree
    return [hypotheses.several(spec, tree, fit) for fit in set_fits(belief)]


def blocks(belief: Belief) -> list[Hypothesis]:
    """Parameters that belong together (a com, an inertia, a body, a joint's place, all armatures) and so explain all
    answers over all states, fewest first; a body left out or multiplied, and all masses by one factor, are among them.
    """
    fits = block_fits(belief)
    if not fits:
        return []
    spec, tree = belief.spec, belief.tree
    return hypotheses.one_class([hypotheses.block(block.name, spec, tree, fit) for block, fit in fits])


__all__ = ["blocks", "equal_pairs", "everything", "mixed_pairs", "pairs", "sets", "singles"]
