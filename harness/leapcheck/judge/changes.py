"""Parameters of a tree that a fit may change, each as a function (tree, amount) -> tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leapcheck.judge.fit import Change
from leapcheck_reference.rotation import quaternion_rotation
from leapcheck_reference.scalar import Array
from leapcheck_reference.spatial import RigidInertia, Transform
from leapcheck_reference.tree import Link, Tree

TEN = 10
"""Numbers of a rigid body's inertia: mass, first moment (3), rotational inertia about the link's origin (6)."""

SIX = tuple((i, j) for i in range(3) for j in range(i, 3))


def armature_change(link: int) -> Change:
    """Of a joint's armature."""
    return lambda tree, amount: _with_link(tree, link, replace(tree.links[link], armature=tree.links[link].armature + amount))


def gravity_change(direction: Array) -> Change:
    """Of gravity along a direction (3,)."""
    return lambda tree, amount: replace(tree, gravity=tree.gravity + amount * direction)


def inertia_changes(link: int, rotor: bool = False) -> list[Change]:
    """Of the ten numbers of a link's inertia, or of its joint's rotor's."""
    return [_inertia_change(link, k, rotor) for k in range(TEN)]


def inertia_factor_change(link: int) -> Change:
    """Of all ten numbers of a link's inertia by one share."""

    def change(tree: Tree, amount: float) -> Tree:
        held, factor = tree.links[link].inertia, 1.0 + amount
        return _with_link(tree, link, replace(tree.links[link], inertia=scaled_inertia(held, factor)))

    return change


def masses_change(tree: Tree, amount: float) -> Tree:
    """Of all masses and inertias, of links and rotors, by one share; armature and gravity stay."""
    links = []
    for link in tree.links:
        rotor = replace(link.rotor, inertia=scaled_inertia(link.rotor.inertia, 1.0 + amount)) if link.rotor else None
        links.append(replace(link, inertia=scaled_inertia(link.inertia, 1.0 + amount), rotor=rotor))
    return replace(tree, links=tuple(links))


def scaled_inertia(inertia: RigidInertia, factor: float) -> RigidInertia:
    """The inertia of a body of the same shape and another density."""
    return RigidInertia(factor * inertia.mass, factor * inertia.mc, factor * inertia.I)


def rotational_changes(link: int, rotor: bool = False) -> list[Change]:
    """Of a link's rotational inertia alone, at the same mass and com."""
    return inertia_changes(link, rotor)[TEN - len(SIX) :]


def placement_changes(link: int) -> list[Change]:
    """Of the pose of a link's joint in the parent: position (3), m, and rotation vector in the parent's axes (3), rad."""
    return [_placement_change(link, axis, turns) for turns in (False, True) for axis in range(3)]


def axis_changes(link: int) -> list[Change]:
    """Of a joint's axis, turned about the link's x, y and z."""
    return [_axis_change(link, axis) for axis in range(3)]


def point_changes(point: int) -> list[Change]:
    """Of a contact point's position on its link."""
    return [_point_change(point, axis) for axis in range(3)]


def _with_link(tree: Tree, i: int, link: Link) -> Tree:
    return replace(tree, links=(*tree.links[:i], link, *tree.links[i + 1 :]))


def _inertia_change(i: int, k: int, rotor: bool) -> Change:
    def change(tree: Tree, amount: float) -> Tree:
        link = tree.links[i]
        if not rotor:
            return _with_link(tree, i, replace(link, inertia=_inertia(link.inertia, k, amount)))
        assert link.rotor is not None
        return _with_link(tree, i, replace(link, rotor=replace(link.rotor, inertia=_inertia(link.rotor.inertia, k, amount))))

    return change


def _inertia(inertia: RigidInertia, k: int, amount: float) -> RigidInertia:
    if k == 0:
        return replace(inertia, mass=inertia.mass + amount)
    if k < 4:
        return replace(inertia, mc=inertia.mc + amount * np.eye(3)[k - 1])
    i, j = SIX[k - 4]
    unit = np.zeros((3, 3))
    unit[i, j] = unit[j, i] = amount
    return replace(inertia, I=inertia.I + unit)


def _placement_change(i: int, axis: int, turns: bool) -> Change:
    def change(tree: Tree, amount: float) -> Tree:
        X = tree.links[i].placement
        unit = np.eye(3)[axis]
        moved = Transform(_turn(axis, amount) @ X.R, X.p) if turns else Transform(X.R, X.p + amount * unit)
        return _with_link(tree, i, replace(tree.links[i], placement=moved))

    return change


def _axis_change(i: int, axis: int) -> Change:
    def change(tree: Tree, amount: float) -> Tree:
        link, R = tree.links[i], _turn(axis, amount)
        S = np.vstack([R @ link.S[:3], R @ link.S[3:]])
        return _with_link(tree, i, replace(link, axis=R @ link.axis, S=S))

    return change


def _point_change(k: int, axis: int) -> Change:
    def change(tree: Tree, amount: float) -> Tree:
        point = tree.points[k]
        moved = replace(point, position=point.position + amount * np.eye(3)[axis])
        return replace(tree, points=(*tree.points[:k], moved, *tree.points[k + 1 :]))

    return change


def _turn(axis: int, angle: float) -> Array:
    """Rotation (3, 3) about a coordinate axis."""
    quaternion = np.zeros(4)
    quaternion[0], quaternion[1 + axis] = np.cos(angle / 2.0), np.sin(angle / 2.0)
    return quaternion_rotation(quaternion)
