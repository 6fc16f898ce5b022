"""Bodies attached to the wrong parent, at the same placement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Hypothesis, TreeEdit, model_fault
from leapcheck.judge.edits import subtree
from leapcheck.judge.structure.scope import Scope
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import VELOCITY_SIZE, WORLD, JointType, RobotSpec
from leapcheck_reference.factorization import dense_parent
from leapcheck_reference.tree import Tree

DOF_ROWS = ("bias_force", "gravity_force", "coriolis_force", "forward_dynamics")
"""Quantities whose rows the algorithms put one after another in the order of the links."""

LINK_ROWS = ("cinert", "crb")


def wrong_parents(scope: Scope) -> Iterator[Hypothesis]:
    """Each body on every other parent, another body outside its subtree or the world, that the couplings in M allow."""
    spec = scope.spec
    for body in spec.bodies:
        if body.joint.type is JointType.FREE or body.name not in scope.bodies:
            continue
        below = set(subtree(spec, body.name))
        for other in [WORLD, *(b.name for b in spec.bodies)]:
            if other in below or other == body.parent or not scope.may_hang(body.name, other):
                continue
            hung = "is attached to the world" if other == WORLD else f"is attached to {other}"
            words = f"the body {body.name} {hung} instead of on {body.parent}, at the same placement"
            order = _order(spec, body.name, other)
            yield model_fault(
                f"parent/{body.name}:{other}",
                words,
                tree_edit=hung_on(body.name, other, order),
                answer_edit=None if order == sorted(order) else _in_the_old_order(order),
            )


def hung_on(name: str, other: str, order: list[int]) -> TreeEdit:
    """The edit of a tree that hangs one link on another; the links are then in `order`, each after its parent.

    Every link keeps its place in q and v.
    """

    def edit(tree: Tree) -> Tree:
        places = {link.name: i for i, link in enumerate(tree.links)} | {WORLD: -1}
        parents = [places[other] if link.name == name else link.parent for link in tree.links]
        new = {old: place for place, old in enumerate(order)} | {-1: -1}
        links = tuple(replace(tree.links[old], parent=new[parents[old]]) for old in order)
        points = tuple(replace(point, link=new[point.link]) for point in tree.points)
        return replace(tree, links=links, points=points, dof_parent=dense_parent(tree.nv))

    return edit


def _order(spec: RobotSpec, name: str, other: str) -> list[int]:
    """The links depth-first when one hangs on another: as they are where that will do."""
    parents = [spec.body_index(other) if body.name == name else spec.parent_index(body) for body in spec.bodies]
    if all(parent < i for i, parent in enumerate(parents)):
        return list(range(len(parents)))
    order: list[int] = []
    waiting = [i for i, parent in enumerate(parents) if parent < 0][::-1]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting += [k for k, parent in enumerate(parents) if parent == i][::-1]
    return order


def _in_the_old_order(order: list[int]) -> AnswerEdit:
    """Answers whose rows follow the links, put back into the order of the robot as it should be."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity in LINK_ROWS:
            places = np.array(order)
        elif quantity in DOF_ROWS:
            lengths = [VELOCITY_SIZE[body.joint.type] for body in view.spec.bodies]
            starts = np.cumsum([0, *lengths])
            places = np.concatenate([np.arange(starts[i], starts[i] + lengths[i]) for i in order])
        else:
            return values
        sorted_values = np.empty_like(values)
        sorted_values[:, places] = values
        return sorted_values

    return edit
