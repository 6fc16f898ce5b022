"""Inertias of links or rotors taken for others: products, axes, the place of the com, and the point that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leapcheck.judge.attribution.moves import central, com, ten
from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.layout import link_groups
from leapcheck.judge.tree_change import MovedPart, TreeChange
from leapcheck.judge.words import name_list
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.parametric import numbers, places

OFF_DIAGONAL = 1.0 - np.eye(3)

MOST_NAMES = 12

SAME = 1e-12
"""Share of the largest number below which a reading changes nothing."""

Reading = Callable[[float, Floats, Floats], Floats]
"""Ten numbers of a body out of its mass, com (3,) and inertia about the com (3, 3)."""


def _parallel_axis(mass: float, c: Floats) -> Floats:
    """What a mass at c adds to an inertia about the origin (3, 3)."""
    return mass * ((c @ c) * np.eye(3) - np.outer(c, c))


def _with_axes(*order: int) -> Reading:
    return lambda mass, c, I: ten(mass, c, I[np.ix_(order, order)])


WAYS: dict[str, tuple[str, Reading]] = {
    "products-sign": (
        "the products of inertia of {} have the opposite sign",
        lambda m, c, I: ten(m, c, I - 2.0 * OFF_DIAGONAL * I),
    ),
    "products-left-out": ("the products of inertia of {} are left out", lambda m, c, I: ten(m, c, I - OFF_DIAGONAL * I)),
    "about-origin": (
        "the rotational inertia about the com of {} is taken as about the link's origin: the parallel-axis term is missing",
        lambda m, c, I: ten(m, c, I - _parallel_axis(m, c)),
    ),
    "parallel-axis-twice": (
        "the parallel-axis term of {} is counted twice",
        lambda m, c, I: ten(m, c, I + _parallel_axis(m, c)),
    ),
    "com-left-out": ("the com of {} is left out: taken to be at the link's origin", lambda m, c, I: ten(m, 0.0 * c, I)),
    "first-moment-left-out": (
        "the first moment m c of {} is left out, the parallel-axis term is not",
        lambda m, c, I: ten(m, 0.0 * c, I + _parallel_axis(m, c)),
    ),
    "exchanged-xy": ("the axes x and y of the rotational inertia of {} are exchanged", _with_axes(1, 0, 2)),
    "exchanged-yz": ("the axes y and z of the rotational inertia of {} are exchanged", _with_axes(0, 2, 1)),
    "exchanged-xz": ("the axes x and z of the rotational inertia of {} are exchanged", _with_axes(2, 1, 0)),
}
"""How inertias are read."""


def inertia_readings(belief: Belief) -> Iterator[Hypothesis]:
    """Each way of reading inertias wrongly, of single links or rotors, of those alike in their limbs, of limbs, of all."""
    tree = belief.evidence.tree
    x, where = numbers(tree), places(tree)
    links, parents = [link.name for link in tree.links], [link.parent for link in tree.links]
    for (way, (words, reading)), rotor in ((way, rotor) for way in WAYS.items() for rotor in (False, True)):
        moved: dict[str, MovedPart] = {}
        for part, place in where.items():
            if part.kind == "inertia" and part.rotor == rotor:
                own = x[place]
                read = reading(float(own[0]), com(own), central(own))
                if np.abs(read - own).max() > SAME * np.abs(own).max():
                    name = links[part.index]
                    moved[name] = MovedPart("inertia", name, rotor, own.copy(), read)
        shown = (
            {name: rotors.name for name, link in zip(links, tree.links, strict=True) if (rotors := link.rotor)} if rotor else {}
        )
        shared: dict[bytes, set[str]] = {}  # the same numbers are one constant of the code
        for name, change in moved.items():
            shared.setdefault(np.abs(change.before).tobytes(), set()).add(name)
        groups = [*link_groups(links, parents, moved), *map(frozenset, shared.values())]
        for group in dict.fromkeys(groups):
            members = [shown.get(name, name) for name in moved if name in group]
            every = len(group) == len(moved) > 1
            who = f"all {'rotors' if rotor else 'links'}" if every else name_list(members, MOST_NAMES)
            of = f"all{' rotors' * rotor}" if every else "+".join(members)
            edit = TreeChange(tuple(part for name, part in moved.items() if name in group))
            prior = 1.6 if len(group) == 1 else 2.5
            yield model_fault(f"inertia-{way}/{of}", words.format(who), tree_edit=edit, prior=prior)
