"""Gear ratios of any set of joints, each off by a factor of its own: a rotor's effects are quadratic in its ratio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from leapcheck.judge.attribution.words import words as change_words
from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.readings.fit import values_of
from leapcheck.judge.readings.in_part import changed_robot, hypothesis_in_part
from leapcheck.judge.terms.excess import Excess, excess_of, ordinary
from leapcheck.judge.tree_change import MovedPart, TreeChange
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.parametric import Part, places
from leapcheck_reference.tree import Tree

TELLING = ("mass_matrix", "bias_force", "coriolis_force", "kinetic_energy")
"""Quantities that ratios are fitted to, what tells most first."""

NEAR = 1e-6
"""Relative change of a ratio below which it is right."""

PER_RATIO = 3
"""Equations wanted for each ratio, of two unknowns."""

PRIOR, PRIOR_IN_PART = 2.6, 2.9


def gear_readings(belief: Belief) -> Iterator[Hypothesis]:
    """The gear ratios that explain what the first telling quantity has too much."""
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    x, tree = belief.numbers, belief.tree
    parts = [part for part in places(tree) if part.kind == "gear"]
    telling = next((name for name in TELLING if name in wrong), None)
    if x is None or telling is None or not parts or belief.edits_answers:
        return
    few = belief.about(belief.evidence.at_states(ordinary(belief, wrong)))
    excess = excess_of(few, telling)
    if excess and (factors := _factors(few, x, parts, excess)):
        yield from _hypothesis(belief, x, factors, wrong)


def _factors(few: Belief, x: Floats, parts: Sequence[Part], excess: Excess) -> dict[Part, float] | None:
    """By what each wrong ratio is multiplied: off = sum of a (s^2 - 1) + b (s - 1), by effects at s = 2 and s = -1."""
    robots = np.array([_multiplied(few.tree, x, {part: s}) for s in (2.0, -1.0) for part in parts])
    plain, near = values_of(few, x[None], excess.quantity), excess.near.ravel()
    twice, turned = np.split((values_of(few, robots, excess.quantity) - plain).reshape(len(robots), -1) / near, 2)
    b = -0.5 * turned
    columns, off = np.concatenate([(twice - b) / 3.0, b]), excess.off.ravel() / near
    shown = np.flatnonzero(np.einsum("km,km->k", columns, columns) > 1.0)
    if not np.isfinite(columns).all() or not len(shown) or len(off) < PER_RATIO * len(parts):
        return None
    amounts = np.zeros(len(columns))
    amounts[shown] = np.linalg.lstsq(columns[shown].T, off, rcond=1e-12)[0]
    squares, singles = np.split(amounts, 2)
    linear = np.isin(np.arange(len(parts)) + len(parts), shown)
    s = np.where(linear, 1.0 + singles, np.sqrt(np.maximum(1.0 + squares, 0.0)))
    factors = {part: float(factor) for part, factor in zip(parts, s, strict=True) if abs(factor - 1.0) > NEAR}
    if not factors:
        return None
    left = values_of(few, _multiplied(few.tree, x, factors)[None], excess.quantity)[0] - plain[0] - excess.off
    return factors if np.abs(left / excess.near).max() <= 1.0 else None


def _multiplied(tree: Tree, x: Floats, factors: Mapping[Part, float]) -> Floats:
    """All numbers (N,) with some ratios multiplied."""
    moved, where = x.copy(), places(tree)
    for part, factor in factors.items():
        moved[where[part]] *= factor
    return moved


def _hypothesis(belief: Belief, x: Floats, factors: Mapping[Part, float], wrong: Sequence[str]) -> Iterator[Hypothesis]:
    tree, where = belief.tree, places(belief.tree)
    joints = {body.name: body.joint.name for body in belief.spec.bodies}
    moved, names = [], []
    for part, factor in factors.items():
        owner, before = tree.links[part.index].name, x[where[part]].copy()
        names.append(joints.get(owner, owner))
        moved.append(MovedPart("gear", owner, True, before, factor * before))
    name, change = f"reading-gear/{'+'.join(names)}", TreeChange(tuple(moved))
    words = change_words(belief.spec, change)
    whole = model_fault(name, words, tree_edit=change, prior=PRIOR)
    if all(belief.plus(whole).explains(quantity) for quantity in belief.evidence.quantities):
        yield whole
    elif in_part := hypothesis_in_part(belief, name, words, changed_robot(belief, change), wrong, PRIOR_IN_PART):
        yield in_part
