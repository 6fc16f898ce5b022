"""Changes of a tree's numbers, part by part: what a fit says of a robot, applicable to others that have these parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.parametric import Part, numbers, places, with_numbers
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class MovedPart:
    """Numbers of one part before and after; the link or point is known by its `name`."""

    kind: str
    name: str
    rotor: bool
    before: Floats
    after: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TreeChange:
    """What becomes of a tree: the parts that moved do so by as much; parts that a tree has not are left."""

    parts: tuple[MovedPart, ...]

    def __call__(self, tree: Tree) -> Tree:
        """The tree with the parts moved."""
        return with_numbers(tree, self.moved_numbers(tree, numbers(tree)))

    def moved_numbers(self, tree: Tree, x: Floats) -> Floats:
        """The numbers x (N,) of a robot with the tree's topology and names after the parts moved."""
        x, where_of = x.copy(), places(tree)
        owners = {("link", link.name): i for i, link in enumerate(tree.links)}
        owners |= {("point", point.name): i for i, point in enumerate(tree.points)}
        for part in self.parts:
            index = owners.get(("point" if part.kind == "point" else "link", part.name), 0 if part.kind == "gravity" else -1)
            where = where_of.get(Part(part.kind, index, part.rotor))
            if where is not None:
                x[where] = _numbers_after(part, x[where])
        return x


def change(tree: Tree, before: Floats, after: Floats) -> TreeChange:
    """The change between two rows of numbers of a tree."""
    return TreeChange(tuple(_moved_parts(tree, before, after)))


def _moved_parts(tree: Tree, before: Floats, after: Floats) -> Iterable[MovedPart]:
    for part, where in places(tree).items():
        if not np.array_equal(before[where], after[where]):
            name = "" if part.kind == "gravity" else (tree.points if part.kind == "point" else tree.links)[part.index].name
            yield MovedPart(part.kind, name, part.rotor, before[where].copy(), after[where].copy())


def _numbers_after(part: MovedPart, numbers: Floats) -> Floats:
    """The numbers of a part moved on: rotations are multiplied, all others added; exactly what was fitted where it was."""
    if np.array_equal(numbers, part.before):
        return part.after
    moved: Floats = numbers + (part.after - part.before)
    if part.kind == "placement":
        R_before, R_after, R = (block[:9].reshape(3, 3) for block in (part.before, part.after, numbers))
        moved[:9] = (R_after @ R_before.T @ R).ravel()
    elif part.kind == "axis":
        moved /= np.linalg.norm(moved)
    return moved
