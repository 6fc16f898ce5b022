"""Placements of joints, in one or in all, that are transposed, in the wrong axes or order; contact points elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.judge.belief import Hypothesis, TreeEdit, convention, model_fault
from leapcheck.judge.edits import edit_point
from leapcheck.judge.structure.scope import Scope
from leapcheck_models.spec import JointType
from leapcheck_reference.links import Link
from leapcheck_reference.spatial import Transform, compose, inertia_to_parent
from leapcheck_reference.tree import Tree

KINDS: dict[str, tuple[str, Callable[[Transform], Transform]]] = {
    "transposed": ("the rotation of the placement is transposed: R for R^T", lambda X: Transform(X.R.T, X.p)),
    "child-axes": ("the place of the joint is read in the child's axes", lambda X: Transform(X.R, X.R @ X.p)),
    "turned-place": ("the place of the joint is turned into the child's axes", lambda X: Transform(X.R, X.R.T @ X.p)),
    "inverse": ("the placement is inverted: the parent in the child", lambda X: Transform(X.R.T, -X.R.T @ X.p)),
    "reversed-place": ("the place of the joint has the opposite sign", lambda X: Transform(X.R, -X.p)),
    "unturned": ("the rotation of the placement is left out", lambda X: Transform(np.eye(3), X.p)),
    "unplaced": ("the place of the joint is left out: it is at the parent's origin", lambda X: Transform(X.R, 0.0 * X.p)),
}


def wrong_placements(scope: Scope) -> Iterator[Hypothesis]:
    """Each kind in all joints together, then in each alone."""
    moving = [body for body in scope.spec.bodies if body.joint.type is not JointType.FREE]
    joints = {body.name: body.joint.name for body in moving if body.name in scope.bodies}
    groups = [("all", [body.name for body in moving])] if len(moving) > 1 else []
    for name, bodies in (*groups, *((joint, [body]) for body, joint in joints.items())):
        where = "in every joint" if name == "all" else f"in the joint {name}"
        for kind, (words, change) in KINDS.items():
            yield convention(f"placement-{kind}/{name}", f"{words}, {where}", tree_edit=_edit_placements(change, bodies))
            if name == "all" and any(body.rotor for body in moving):
                both = f"{words}, {where} and for the rotors"
                yield convention(f"placement-{kind}/all (rotors)", both, tree_edit=_edit_placements(change, bodies, rotors=True))
        words = f"the placement is applied on the wrong side of the joint's motion, {where}: it turns with the joint"
        yield convention(f"placement-after-joint/{name}", words, tree_edit=_after_joint(bodies))


def _edit_placements(change: Callable[[Transform], Transform], names: list[str], rotors: bool = False) -> TreeEdit:
    def edit(tree: Tree) -> Tree:
        links = []
        for link in tree.links:
            if link.name in names:
                rotor = link.rotor
                if rotor and rotors:
                    rotor = replace(rotor, placement=change(rotor.placement))
                link = replace(link, placement=change(link.placement), rotor=rotor)
            links.append(link)
        return replace(tree, links=tuple(links))

    return edit


def _after_joint(names: list[str]) -> TreeEdit:
    """The pose X_J(q) X_T for X_T X_J(q): the link's frame is taken before X_T, and what is fixed to the link is moved by it.

    The child's axis is then one of the axes before X_T, which are the parent's at zero.
    """

    def edit(tree: Tree) -> Tree:
        pushed = {i: link.placement for i, link in enumerate(tree.links) if link.name in names}
        links = [_with_late_placement(link, pushed.get(i), pushed.get(link.parent)) for i, link in enumerate(tree.links)]
        points = tuple(
            replace(p, position=pushed[p.link].p + pushed[p.link].R @ p.position) if p.link in pushed else p for p in tree.points
        )
        return replace(tree, links=tuple(links), points=points)

    return edit


def _with_late_placement(link: Link, own: Transform | None, parents: Transform | None) -> Link:
    """A link whose own placement comes after its joint, on a parent that may be such a one."""
    placement, inertia, rotor = link.placement, link.inertia, link.rotor
    if own:
        inertia, placement = inertia_to_parent(own, inertia), Transform(np.eye(3), np.zeros(3))
    if parents:
        placement = compose(parents, placement)
        rotor = rotor and replace(rotor, placement=compose(parents, rotor.placement))
    return replace(link, placement=placement, inertia=inertia, rotor=rotor)


def wrong_points(scope: Scope) -> Iterator[Hypothesis]:
    """Each computed point on every other link at the same coordinates, and in the place of every other point."""
    points = [point for point in scope.spec.contact_points if point.computed]
    for point in (point for point in points if point.name in scope.points):
        for body in scope.spec.bodies:
            if body.name != point.body:
                words = f"the contact point {point.name} is on {body.name} instead of on {point.body}"
                edit = edit_point(point.name, partial(replace, body=body.name))
                yield model_fault(f"point-on-link/{point.name}:{body.name}", words, edit)
        for other in points:
            if other.name != point.name and (other.body, other.position) != (point.body, point.position):
                words = f"the contact point {point.name} is in the place of {other.name}"
                edit = edit_point(point.name, partial(replace, body=other.body, position=other.position))
                yield model_fault(f"point-as/{point.name}:{other.name}", words, edit)
