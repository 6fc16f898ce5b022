"""A robot as these codes hold it: arrays read from the spec, link by link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck_evidence.score.programs.code.rotation import from_quaternion
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Body, Inertia, RobotSpec


@dataclass(frozen=True, slots=True, eq=False)
class RotorData:
    """A rotor: gear ratio, axis (3,), place R (3, 3), p (3,) in the carrying link, mass, com (3,), I (3, 3) about the com."""

    ratio: float
    axis: Floats
    R: Floats
    p: Floats
    mass: float
    com: Floats
    I: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link: its number, its parent's (-1: the world), its joint, its place R, p in the parent, mass, com, I about the com."""

    number: int
    name: str
    parent: int
    joint: str
    axis: Floats
    R: Floats
    p: Floats
    mass: float
    com: Floats
    I: Floats
    armature: float
    rotor: RotorData | None
    q: slice
    v: slice


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A contact point: the number of its link, and its position (3,) there."""

    link: int
    position: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """Links in an order in which parents come first; gravity (3,) in the world."""

    links: tuple[Link, ...]
    points: tuple[Point, ...]
    gravity: Floats
    nv: int


def read(spec: RobotSpec) -> Robot:
    """The robot of a spec."""
    links: list[Link] = []
    q = v = 0
    for link in spec.bodies:
        q_end, v_end = q + CONFIGURATION_SIZE[link.joint.type], v + VELOCITY_SIZE[link.joint.type]
        links.append(_link(spec, link, len(links), slice(q, q_end), slice(v, v_end)))
        q, v = q_end, v_end
    points = tuple(
        Point(spec.body_index(point.body), np.array(point.position)) for point in spec.contact_points if point.computed
    )
    return Robot(tuple(links), points, np.array(spec.gravity), v)


def _link(spec: RobotSpec, link: Body, number: int, q: slice, v: slice) -> Link:
    return Link(
        number=number,
        name=link.name,
        parent=spec.parent_index(link),
        joint=str(link.joint.type),
        axis=_unit(link.joint.axis or (0.0, 0.0, 1.0)),
        R=_rotation(link.placement.quaternion),
        p=np.array(link.placement.p),
        mass=link.inertia.mass,
        com=np.array(link.inertia.com),
        I=_symmetric(link.inertia),
        armature=link.joint.armature,
        rotor=_rotor(link) if link.rotor else None,
        q=q,
        v=v,
    )


def _rotor(link: Body) -> RotorData:
    rotor = link.rotor
    assert rotor is not None
    return RotorData(
        ratio=rotor.gear_ratio,
        axis=_unit(rotor.axis),
        R=_rotation(rotor.placement.quaternion),
        p=np.array(rotor.placement.p),
        mass=rotor.inertia.mass,
        com=np.array(rotor.inertia.com),
        I=_symmetric(rotor.inertia),
    )


def _unit(axis: tuple[float, float, float]) -> Floats:
    return np.asarray(np.array(axis) / np.linalg.norm(axis))


def _rotation(quaternion: tuple[float, float, float, float]) -> Array:
    return np.asarray(from_quaternion(np.array([quaternion]))[0])


def _symmetric(inertia: Inertia) -> Floats:
    xx, xy, xz, yy, yz, zz = inertia.rotational
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
