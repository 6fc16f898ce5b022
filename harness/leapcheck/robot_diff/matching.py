"""Which joint of one robot is which of the other: by name, where that fits the trees, else by shape."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import numpy as np

from leapcheck.robot_diff.records import MatchedJoint
from leapcheck.robot_diff.rigid import reach
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import WORLD, Body, RobotSpec

FILLERS = frozenset(("link", "joint", "body", "frame", "jnt", "j", "l", "robot", "motor", "actuator"))
"""Words of a name that say what kind of element it is."""

SIDES = {"front": "F", "fore": "F", "hind": "H", "rear": "H", "back": "H", "left": "L", "right": "R"}
LEGS = {
    **dict.fromkeys(("fl", "lf"), "FL"), **dict.fromkeys(("fr", "rf"), "FR"),
    **dict.fromkeys(("rl", "lr", "hl", "lh", "bl"), "HL"), **dict.fromkeys(("rr", "hr", "rh", "br"), "HR"),
}  # fmt: skip
"""One spelling of the four legs, and of sides."""

Pairs = dict[str, str]
"""Bodies of the second robot by those of the first; the world is matched with the world."""


def matched_bodies(first: RobotSpec, second: RobotSpec) -> tuple[Pairs, list[MatchedJoint]]:
    """Pairs of bodies of two robots without fixed joints, with the same ancestry in both, and by what each was matched."""
    pairs: Pairs = {WORLD: WORLD}
    by: dict[str, str] = {}
    for one, other in _same_names(first, second):
        bodies = first.bodies[first.body_index(one)], second.bodies[second.body_index(other)]
        if _same_coordinates(*bodies) and _fits(one, other, pairs, first, second):
            pairs[one], by[one] = other, "name"
    for one, other in _same_shapes(first, second, pairs):
        pairs[one], by[one] = other, "shape"
    joints = {spec: {body.name: body.joint.name for body in spec.bodies} for spec in (first, second)}
    matches = [MatchedJoint(joints[first][one], joints[second][pairs[one]], by[one]) for one in joints[first] if one in by]
    return pairs, matches


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in one spelling: "FL_hip_joint", "front-left hip" and "LF.Hip" give the same."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    words = [LEGS.get(part.lower(), SIDES.get(part.lower(), part.lower())) for part in parts]
    text = " ".join(word for word in words if word not in FILLERS)
    return tuple(re.sub(r"\b([FH]) ([LR])\b", r"\1\2", re.sub(r"\b([LR]) ([FH])\b", r"\2\1", text)).split())


def plain_names(names: Sequence[str]) -> list[str]:
    """Each name in one spelling, without the words that all of them share (the robot's name in front)."""
    words = [words_of(name) for name in names]
    common = set(words[0]).intersection(*words[1:]) if len(words) > 1 else set()
    return [" ".join(word for word in of_name if word not in common) for of_name in words]


def _same_names(first: RobotSpec, second: RobotSpec) -> Iterator[tuple[str, str]]:
    """Bodies whose joints, or who themselves, have the same name, in the order of the first robot; exact names first."""
    exact = [[body.joint.name for body in spec.bodies] for spec in (first, second)]
    links = [[body.name for body in spec.bodies] for spec in (first, second)]
    for ours, theirs in ((exact[0], exact[1]), (links[0], links[1])):
        yield from _equal(first, second, ours, theirs)
    for names in (exact, links):
        yield from _equal(first, second, plain_names(names[0]), plain_names(names[1]))


def _equal(first: RobotSpec, second: RobotSpec, ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of bodies whose names are equal, not empty, and unique in both robots."""
    counts = Counter(ours), Counter(theirs)
    places = {name: j for j, name in enumerate(theirs)}
    for i, name in enumerate(ours):
        if name and counts[0][name] == counts[1].get(name) == 1:
            yield first.bodies[i].name, second.bodies[places[name]].name


def _ancestors(spec: RobotSpec, name: str) -> list[str]:
    chain = []
    while name != WORLD:
        name = spec.bodies[spec.body_index(name)].parent
        chain.append(name)
    return chain


def _fits(one: str, other: str, pairs: Pairs, first: RobotSpec, second: RobotSpec) -> bool:
    """Whether both are free to be matched, and every matched body stands before, behind or beside both alike."""
    if one in pairs or other in pairs.values():
        return False
    above = set(_ancestors(first, one)), set(_ancestors(second, other))
    return all(
        (a in above[0]) == (b in above[1]) and (a == WORLD or (one in _ancestors(first, a)) == (other in _ancestors(second, b)))
        for a, b in pairs.items()
    )


def _same_shapes(first: RobotSpec, second: RobotSpec, pairs: Pairs) -> Iterator[tuple[str, str]]:
    """Pairs of what names leave over: children of matched bodies, put together at the least cost; grows `pairs` top-down."""
    from scipy.optimize import linear_sum_assignment

    for one in (WORLD, *(body.name for body in first.bodies)):
        if one not in pairs:
            continue
        ours = [b for b in first.bodies if b.parent == one and b.name not in pairs]
        theirs = [b for b in second.bodies if b.parent == pairs[one] and b.name not in pairs.values()]
        costs = np.array([[_cost(a, b, first, second) for b in theirs] for a in ours]).reshape(len(ours), len(theirs))
        for i, j in zip(*linear_sum_assignment(costs), strict=True):
            if _fits(ours[i].name, theirs[j].name, pairs, first, second) and _same_coordinates(ours[i], theirs[j]):
                yield ours[i].name, theirs[j].name


def _same_coordinates(a: Body, b: Body) -> bool:
    return (a.joint.axis is None) == (b.joint.axis is None) and (a.joint.axis is not None or a.joint.type is b.joint.type)


def _cost(a: Body, b: Body, first: RobotSpec, second: RobotSpec) -> float:
    """How unlike two bodies on matched parents are: type, what hangs on them, where, along what axis, mass, and name."""
    cost = 4.0 * (a.joint.type is not b.joint.type) + 2.0 * abs(_size_behind(first, a) - _size_behind(second, b))
    cost += float(np.linalg.norm(np.subtract(a.placement.p, b.placement.p))) / reach(first)
    if a.joint.axis is not None and b.joint.axis is not None:
        along = (rotation_matrix(a.placement.quaternion) @ a.joint.axis) @ (
            rotation_matrix(b.placement.quaternion) @ b.joint.axis
        )
        cost += 0.3 * (1.0 - abs(float(along)))
    masses = a.inertia.mass, b.inertia.mass
    cost += 2.0 * abs(masses[0] - masses[1]) / (max(masses) or 1.0)  # the one number that no choice of frame changes
    names = [" ".join(words_of(body.joint.name)) for body in (a, b)]
    return cost + 1.0 - SequenceMatcher(None, names[0], names[1]).ratio()


def _size_behind(spec: RobotSpec, body: Body) -> int:
    """Number of bodies that the body carries."""
    return sum(body.name in _ancestors(spec, other.name) for other in spec.bodies)
