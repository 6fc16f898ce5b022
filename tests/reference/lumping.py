"""A robot without its fixed joints: each fixed link's inertia, points, rotors and children moved to the link it is fixed to."""

from __future__ import annotations

import dataclasses

import numpy as np

from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, RobotSpec
from leapcheck_models.validation import rotational_matrix
from tests.reference.generic_states import Array, rotation


def without_fixed_joints(spec: RobotSpec) -> RobotSpec:
    """The same robot with its fixed links lumped into their parents; what is fixed to the world is dropped."""
    held: dict[str, tuple[str, Placement]] = {WORLD: (WORLD, Placement())}  # body: the moving link that holds it, and where
    parts: dict[str, list[tuple[Inertia, Placement]]] = {}
    moving: list[Body] = []
    for body in spec.bodies:
        parent, place = held[body.parent]
        at = composed(place, body.placement)
        rotor = body.rotor
        if rotor:
            rotor = dataclasses.replace(rotor, placement=composed(place, rotor.placement))
        if body.joint.type is JointType.FIXED:
            held[body.name] = (parent, at)
            parts.setdefault(parent, []).append((body.inertia, at))
        else:
            held[body.name] = (body.name, Placement())
            moving.append(dataclasses.replace(body, parent=parent, placement=at, rotor=rotor))
    bodies = tuple(dataclasses.replace(b, inertia=together(b.inertia, parts.get(b.name, []))) for b in moving)
    points = tuple(
        dataclasses.replace(p, body=held[p.body][0], position=in_parent(held[p.body][1], p.position))
        for p in spec.contact_points
        if held[p.body][0] != WORLD
    )
    return dataclasses.replace(spec, bodies=bodies, contact_points=points)


def composed(outer: Placement, inner: Placement) -> Placement:
    R, turned = rotation(np.array(outer.quaternion)), rotation(np.array(inner.quaternion))
    w, x, y, z = map(float, (R * turned).as_quat(scalar_first=True))
    return Placement(in_parent(outer, inner.p), (w, x, y, z))


def in_parent(place: Placement, p: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = np.array(place.p) + rotation(np.array(place.quaternion)).apply(p)
    return (float(x), float(y), float(z))


def together(inertia: Inertia, parts: list[tuple[Inertia, Placement]]) -> Inertia:
    """Sum of the link's inertia and of the parts': common com, parallel axes."""
    if not parts:
        return inertia
    pieces = [(inertia.mass, np.array(inertia.com), rotational_matrix(inertia.rotational))]
    for part, place in parts:
        R = rotation(np.array(place.quaternion)).as_matrix()
        pieces.append((part.mass, np.array(in_parent(place, part.com)), R @ rotational_matrix(part.rotational) @ R.T))
    mass = sum(m for m, _, _ in pieces)
    com = sum((m * c for m, c, _ in pieces), np.zeros(3)) / mass
    total: Array = np.zeros((3, 3))
    for m, c, about_com in pieces:
        arm = c - com
        total = total + about_com + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    xx, xy, xz, yy, yz, zz = (float(total[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    x, y, z = map(float, com)
    return Inertia(mass, (x, y, z), (xx, xy, xz, yy, yz, zz))
