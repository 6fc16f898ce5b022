"""Faults that no answer tells apart: other names under which a change of a number may rightly go.

Derived from mechanics alone. A link that turns about one fixed direction shows of its inertia the moment about it only; a
link at the end of its chain, with nothing on it, may be moved or have its com moved alike where the joint does not matter;
a joint turned about its own axis, or a slide moved along it, counts from another zero.
"""

from __future__ import annotations

import numpy as np

from leapcheck_evidence.score.planting.layout import carriers, rotations
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import WORLD, Body, JointType, RobotSpec

XYZ = "xyz"
PARALLEL = 1e-9
"""Largest sine of an angle between directions called parallel; file numbers are good to 1e-16."""


def as_inertia(spec: RobotSpec, link: str) -> tuple[str, ...]:
    """What a change of an entry of a link's or rotor's inertia may be besides."""
    body = _body(spec, link)
    names: tuple[str, ...] = ()
    if _turns_about_one_direction(spec, body):
        names += (f"inertia(-[xyz]+)?/{link}",)
        if body.parent == WORLD:
            names += (f"armature/{_driven_joint(spec, link)}",)
    return names


def as_armature(spec: RobotSpec, link: str) -> tuple[str, ...]:
    """What a change of the armature of a link's joint may be besides."""
    body = _body(spec, link)
    if body.parent != WORLD or body.joint.type is not JointType.REVOLUTE:
        return ()
    rotors = [b.rotor.name for b in spec.bodies if b.rotor and b.name == link]
    return tuple(f"inertia(-[xyz]+)?/{name}" for name in (link, *rotors))


def as_com(spec: RobotSpec, link: str, direction: Floats) -> tuple[str, ...]:
    """What a move of a link's com along a direction of its axes may be besides: a move of its joint."""
    if link not in {body.name for body in spec.bodies}:
        return ()
    body = _body(spec, link)
    if not _is_bare(spec, body) or not _joint_does_not_matter(body, direction):
        return ()
    return _entry("place", body.joint.name, rotations(np.array(body.placement.quaternion)) @ direction)


def as_place(spec: RobotSpec, link: str, direction: Floats) -> tuple[str, ...]:
    """What a move of a link's joint along a direction of its parent's axes may be besides."""
    body = _body(spec, link)
    names: tuple[str, ...] = ()
    own = rotations(np.array(body.placement.quaternion)).T @ direction
    if body.joint.type is JointType.PRISMATIC and _parallel(np.array(body.joint.axis), own):
        names += (f"offset/{body.joint.name}",)
    if _is_bare(spec, body) and _joint_does_not_matter(body, own):
        names += _entry("com", body.name, own)
    return names


def as_turn(spec: RobotSpec, link: str, direction: Floats) -> tuple[str, ...]:
    """What a turn of a link's joint about a direction of its parent's axes may be besides."""
    body = _body(spec, link)
    own = rotations(np.array(body.placement.quaternion)).T @ direction
    if body.joint.type is JointType.REVOLUTE and _parallel(np.array(body.joint.axis), own):
        return (f"offset/{body.joint.name}",)
    return ()


def _entry(kind: str, of: str, direction: Floats) -> tuple[str, ...]:
    """A vector's name, and that of its entry where the direction is that of a coordinate axis."""
    along = [k for k in range(3) if _parallel(np.eye(3)[k], direction)]
    return (f"{kind}/{of}", *(f"{kind}-{XYZ[k]}/{of}" for k in along))


def _is_bare(spec: RobotSpec, body: Body) -> bool:
    """Whether nothing hangs on a link: no other link, no rotor, no contact point."""
    carried = {b.parent for b in spec.bodies}  # rotors ride on the parents of links
    return body.name not in carried and body.name not in carriers(spec)


def _joint_does_not_matter(body: Body, direction: Floats) -> bool:
    """Whether a shift along a direction of the link's axes is the same before and after the joint's motion."""
    match body.joint.type:
        case JointType.FIXED | JointType.PRISMATIC:
            return True
        case JointType.REVOLUTE:
            return _parallel(np.array(body.joint.axis), direction)
    return False


def _turns_about_one_direction(spec: RobotSpec, body: Body) -> bool:
    """Whether all hinges from the world to a link are parallel, and nothing else turns it."""
    axes, R = [], np.eye(3)
    for link in _chain(spec, body):
        R = R @ rotations(np.array(link.placement.quaternion))
        if link.joint.type in (JointType.FREE, JointType.BALL):
            return False
        if link.joint.type is JointType.REVOLUTE:
            axes.append(R @ np.array(link.joint.axis))
    return bool(axes) and all(_parallel(axes[0], axis) for axis in axes)


def _chain(spec: RobotSpec, body: Body) -> list[Body]:
    """The bodies from the world to a body."""
    chain = [body]
    while chain[0].parent != WORLD:
        chain.insert(0, _body(spec, chain[0].parent))
    return chain


def _body(spec: RobotSpec, name: str) -> Body:
    return next(body for body in with_rotor_bodies(spec).spec.bodies if body.name == name)


def _driven_joint(spec: RobotSpec, link: str) -> str:
    """The joint of a link, or the one that a rotor drives."""
    return next(b.joint.name for b in spec.bodies if link in (b.name, b.rotor.name if b.rotor else ""))


def _parallel(a: Floats, b: Floats) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL
