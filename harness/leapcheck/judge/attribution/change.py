"""A fitted change of a robot's numbers as something that any tree with the same parts may undergo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leapcheck.states import Floats
from leapcheck_reference.trace.parametric import Part, numbers, places, with_numbers
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """Numbers of one part before and after; the link or point is known by its `name`."""

    kind: str
    name: str
    rotor: bool
    before: Floats
    after: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What becomes of a tree: the parts that moved do so by as much; parts that a tree has not are left."""

    parts: tuple[Moved, ...]

    def __call__(self, tree: Tree) -> Tree:
        """The tree with the parts moved."""
        x, at = numbers(tree), places(tree)
        owners = {("link", link.name): i for i, link in enumerate(tree.links)}
        owners |= {("point", point.name): i for i, point in enumerate(tree.points)}
        for part in self.parts:
            index = owners.get(("point" if part.kind == "point" else "link", part.name), 0 if part.kind == "gravity" else -1)
            where = at.get(Part(part.kind, index, part.rotor))
            if where is not None:
                x[where] = _composed(part, x[where])
        return with_numbers(tree, x)


def change(tree: Tree, before: Floats, after: Floats) -> Change:
    """The change between two rows of numbers of a tree."""
    return Change(tuple(_moved(tree, before, after)))


def _moved(tree: Tree, before: Floats, after: Floats) -> Iterable[Moved]:
    for part, where in places(tree).items():
        if not np.array_equal(before[where], after[where]):
            name = "" if part.kind == "gravity" else (tree.points if part.kind == "point" else tree.links)[part.index].name
            yield Moved(part.kind, name, part.rotor, before[where].copy(), after[where].copy())


def _composed(part: Moved, held: Floats) -> Floats:
    """The numbers of a part moved on: rotations are multiplied, all others added; exactly what was fitted where it was."""
    if np.array_equal(held, part.before):
        return part.after
    moved: Floats = held + (part.after - part.before)
    if part.kind == "placement":
        R_before, R_after, R = (block[:9].reshape(3, 3) for block in (part.before, part.after, held))
        moved[:9] = (R_after @ R_before.T @ R).ravel()
    elif part.kind == "axis":
        moved /= np.linalg.norm(moved)
    return moved
