"""Placements of joints applied in the wrong order, transposed or in the wrong axes: in all joints, or in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import Hypothesis
from leapcheck.judge.structure.scope import Scope
from leapcheck_models.spec import JointType
from leapcheck_reference.spatial import Transform, composed, inertia_to_parent
from leapcheck_reference.tree import Link, Tree

KINDS: dict[str, tuple[str, Callable[[Transform], Transform]]] = {
    "transposed": ("the rotation of the placement is transposed: R for R^T", lambda X: Transform(X.R.T, X.p)),
    "child-axes": ("the place of the joint is read in the child's axes", lambda X: Transform(X.R, X.R @ X.p)),
    "turned-place": ("the place of the joint is turned into the child's axes", lambda X: Transform(X.R, X.R.T @ X.p)),
    "inverse": ("the placement is inverted: the parent in the child", lambda X: Transform(X.R.T, -X.R.T @ X.p)),
    "reversed-place": ("the place of the joint has the opposite sign", lambda X: Transform(X.R, -X.p)),
    "unturned": ("the rotation of the placement is left out", lambda X: Transform(np.eye(3), X.p)),
    "unplaced": ("the place of the joint is left out: it stands in the parent's origin", lambda X: Transform(X.R, 0.0 * X.p)),
}


def wrong_placements(scope: Scope) -> Iterator[Hypothesis]:
    """Each kind in all joints together, then in each alone."""
    moving = [body for body in scope.spec.bodies if body.joint.type is not JointType.FREE]
    joints = {body.name: body.joint.name for body in moving if body.name in scope.bodies}
    groups = [("all", [body.name for body in moving])] if len(moving) > 1 else []
    for name, bodies in (*groups, *((joint, [body]) for body, joint in joints.items())):
        where = "in every joint" if name == "all" else f"in the joint {name}"
        for kind, (words, change) in KINDS.items():
            yield Hypothesis(f"placement-{kind}/{name}", "convention", f"{words}, {where}", tree=_changed(change, bodies))
            if name == "all" and any(body.rotor for body in moving):
                both = f"{words}, {where} and for the rotors"
                yield Hypothesis(f"placement-{kind}/all (rotors)", "convention", both, tree=_changed(change, bodies, rotors=True))
        words = f"the placement is applied on the wrong side of the joint's motion, {where}: it turns with the joint"
        yield Hypothesis(f"placement-after-joint/{name}", "convention", words, tree=_after_joint(bodies))


def _changed(change: Callable[[Transform], Transform], names: list[str], rotors: bool = False) -> Callable[[Tree], Tree]:
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


def _after_joint(names: list[str]) -> Callable[[Tree], Tree]:
    """The pose X_J(q) X_T for X_T X_J(q): the link's frame is taken before X_T, and what is fixed to the link is moved by it.

    The child's axis is then one of the axes before X_T, which are the parent's at zero.
    """

    def edit(tree: Tree) -> Tree:
        pushed = {i: link.placement for i, link in enumerate(tree.links) if link.name in names}
        links = [_pushed(link, pushed.get(i), pushed.get(link.parent)) for i, link in enumerate(tree.links)]
        points = tuple(
            replace(p, position=pushed[p.link].p + pushed[p.link].R @ p.position) if p.link in pushed else p for p in tree.points
        )
        return replace(tree, links=tuple(links), points=points)

    return edit


def _pushed(link: Link, own: Transform | None, parents: Transform | None) -> Link:
    """A link whose own placement comes after its joint, on a parent that may be such a one."""
    placement, inertia, rotor = link.placement, link.inertia, link.rotor
    if own:
        inertia, placement = inertia_to_parent(own, inertia), Transform(np.eye(3), np.zeros(3))
    if parents:
        placement = composed(parents, placement)
        rotor = rotor and replace(rotor, placement=composed(parents, rotor.placement))
    return replace(link, placement=placement, inertia=inertia, rotor=rotor)
