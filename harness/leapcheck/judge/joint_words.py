"""Sets of joints and dofs in words: limbs and sides where they are whole, names else."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from leapcheck.entries import dof_names
from leapcheck.judge.layout import limb_places, places
from leapcheck.judge.words import name_list
from leapcheck_models.spec import JointType, RobotSpec

MOST_NAMES = 8

SIDES = (("front", 0, 1.0), ("hind", 0, -1.0), ("left", 1, 1.0), ("right", 1, -1.0))
"""A side, the coordinate of a limb's place on its root that tells it, and its sign there."""


def limbs_of(spec: RobotSpec) -> dict[int, list[int]]:
    """The bodies with joints that move, of each limb, by the number of its first body; roots belong to none."""
    links = limb_places(spec.parent_index(body) for body in spec.bodies)
    limbs: dict[int, list[int]] = {}
    for i, (body, link) in enumerate(zip(spec.bodies, links, strict=True)):
        if link.depth and body.joint.type is not JointType.FIXED:
            limbs.setdefault(link.limb, []).append(i)
    return limbs


def joints_in_words(spec: RobotSpec, bodies: Collection[int]) -> str:
    """The joints of some bodies: "all joints", "all joints of the left limbs (...)", or their names."""
    chosen, limbs = set(bodies), limbs_of(spec)
    moving = {i for i, body in enumerate(spec.bodies) if body.joint.type not in (JointType.FIXED, JointType.FREE)}
    if chosen == moving and len(chosen) > 1:
        return "all joints"
    whole = [limb for limb, members in limbs.items() if set(members) <= chosen]
    if len(chosen) > 1 and whole and chosen == {i for limb in whole for i in limbs[limb]}:
        return f"all joints of {_limbs_in_words(spec, whole, limbs)}"
    return name_list((spec.bodies[i].joint.name for i in sorted(chosen)), MOST_NAMES)


def dofs_in_words(spec: RobotSpec, flags: NDArray[np.bool_]) -> str:
    """Some of the canonical dofs: whole joints by the joints' words, parts of a base or ball by the dofs' names."""
    names, parts, joints = dof_names(spec), [], []
    for place in places(spec):
        wrong = flags[place.v]
        if place.joint.type is JointType.FREE and wrong.all():
            parts.append(f"the base {spec.bodies[place.body].name}")
        elif place.joint.type is not JointType.FREE and len(wrong) and wrong.all():
            joints.append(place.body)
        else:
            parts += [names[place.v.start + int(k)] for k in np.flatnonzero(wrong)]
    parts = [name_list(parts, MOST_NAMES)] if parts else []
    return " and ".join([*parts, *([joints_in_words(spec, joints)] if joints else [])])


def _limbs_in_words(spec: RobotSpec, chosen: Sequence[int], limbs: Collection[int]) -> str:
    firsts = name_list((spec.bodies[limb].name for limb in chosen), MOST_NAMES)
    for word, axis, sign in SIDES:
        side = [limb for limb in limbs if sign * spec.bodies[limb].placement.p[axis] > 0.0]
        if sorted(side) == sorted(chosen) and 1 < len(side) < len(limbs):
            return f"the {word} limbs (from {firsts} on)"
    return f"the limb{'s' * (len(chosen) > 1)} from {firsts} on"
