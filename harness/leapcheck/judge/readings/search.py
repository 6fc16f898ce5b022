"""Which bodies' numbers are read in which wrong way: effects on several bodies add up, so one solve tells any set of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from leapcheck.judge.attribution.words import words as change_words
from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.edits import subtree
from leapcheck.judge.readings.fit import Movable, fit, group_fit
from leapcheck.judge.readings.in_part import changed_robot, hypothesis_in_part
from leapcheck.judge.readings.ways import ALONG_CHAINS, FACTORS, WAYS, Way
from leapcheck.judge.structure.bodies import massless_subtree_words
from leapcheck.judge.terms.excess import Excess, excess_of, excess_of_inverse_dynamics, ordinary
from leapcheck.judge.tree_change import MovedPart, TreeChange
from leapcheck.judge.words import name_list, number_words
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.parametric import places
from leapcheck_reference.tree import Tree

TELLING = (
    *("mass_matrix", "gravity_force", "bias_force", "coriolis_force", "kinetic_energy", "potential_energy"),
    *("contact_positions", "contact_jacobians"),
)
"""Quantities that a reading is fitted to, what tells most first; for ways along chains the last come first."""

SAME = 1e-12
"""Share of the largest number below which a way changes nothing."""

MOST_NAMES = 16

PRIOR, PRIOR_IN_PART = 2.5, 2.8
"""Of a reading by the whole engine, and by some of its functions."""


def readings(belief: Belief) -> Iterator[Hypothesis]:
    """Each way with the bodies on which it explains what the first telling quantity has too much, in what it explains."""
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    yield from _readings(belief, wrong, wrong)


def readings_in(belief: Belief, quantity: str) -> Iterator[Hypothesis]:
    """Each way with the bodies on which it alone explains one quantity, whatever else is wrong too."""
    yield from _readings(belief, [name for name in belief.evidence.quantities if not belief.explains(name)], [quantity])


def _readings(belief: Belief, wrong: Sequence[str], telling: Sequence[str]) -> Iterator[Hypothesis]:
    """The readings fitted to the telling ones of what is wrong, in what they explain of it."""
    x, few = belief.numbers, belief.about(belief.evidence.at_states(ordinary(belief, telling)))
    if x is None or not wrong or any(QUANTITIES[name].in_mujoco_coordinates for name in wrong):
        return
    for ways, order in ((WAYS, TELLING), (ALONG_CHAINS, TELLING[::-1])):
        excesses = _telling_excesses(few, telling, order)
        for way in ways if excesses else ():
            if members := _movable(belief.tree, x, way):
                add_up = ways is WAYS
                if amounts := (fit if add_up else group_fit)(few, x, way, members, excesses):
                    yield from _hypothesis(belief, way, members, amounts, wrong)


def _movable(tree: Tree, x: Floats, way: Way) -> list[Movable]:
    """The bodies whose numbers the way changes."""
    members = []
    for part, where in places(tree).items():
        if part.kind == way.kind and part.rotor == way.rotor:
            link, before = tree.links[part.index], x[where].copy()
            after = way.read(before)
            if np.abs(after - before).max() > SAME * np.abs(before).max():
                rotor = link.rotor
                members.append(Movable(rotor.name if part.rotor and rotor else link.name, link.name, part, before, after))
    return members


def _telling_excesses(few: Belief, wrong: Sequence[str], order: Sequence[str]) -> list[Excess]:
    """The excess of the first quantity that is wrong, and of the potential energy: it shows bodies that move nothing.

    Of inverse dynamics where only accelerations are wrong.
    """
    names = [name for name in order if name in wrong]
    chosen = dict.fromkeys([*names[:1], *(name for name in names if name == "potential_energy")])
    excesses = [excess_of(few, name) for name in chosen]
    if list(wrong) == ["forward_dynamics"]:
        excesses.append(excess_of_inverse_dynamics(few))
    return [excess for excess in excesses if excess]


def _hypothesis(
    belief: Belief, way: Way, members: Sequence[Movable], amounts: Mapping[int, float], wrong: Sequence[str]
) -> Iterator[Hypothesis]:
    """The hypothesis about the whole engine where that explains all, else about those of its functions that it explains."""
    owners = [members[k].link for k in amounts]
    change = TreeChange(
        tuple(
            MovedPart(
                way.kind, owner, way.rotor, members[k].before, members[k].before + amount * (members[k].after - members[k].before)
            )
            for owner, (k, amount) in zip(owners, amounts.items(), strict=True)
        )
    )
    names = [members[k].name for k in amounts]
    (amount,) = set(amounts.values())
    kind = f"{'rotor' if way.rotor else 'link'}{'s' if len(names) > 1 else ''}"
    words = way.words.format(f"{kind} {name_list(names, MOST_NAMES)}")
    if way.scales:
        words += (
            f" {FACTORS.get(amount) or f'is multiplied by {number_words(1.0 + amount)}'}: {change_words(belief.spec, change)}"
        )
    name = f"reading-{way.name}/{'+'.join(names)}"
    if way.name == "scaled" and amount == -1.0 and len(names) > 1 and names == subtree(belief.spec, names[0]):
        name, words = massless_subtree_words(names[0], names)
    whole = model_fault(name, words, tree_edit=change, prior=PRIOR)
    if all(belief.plus(whole).explains(quantity) for quantity in belief.evidence.quantities):
        yield whole
    elif in_part := hypothesis_in_part(belief, name, words, changed_robot(belief, change), wrong, PRIOR_IN_PART):
        yield in_part
