"""Differences of closed loops and coupled joints: which tie what, where, and by which law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from leapcheck.robot_diff.frames import Frames
from leapcheck.robot_diff.matching import Pairs
from leapcheck.robot_diff.records import Aspect, RobotDifference
from leapcheck.robot_diff.rigid import MovingParts, in_frame, inverse
from leapcheck.robot_diff.wording import distance, vector
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import WORLD, Body, Coupling, Loop, RobotSpec, Vector3

EQUAL = 1e-6
"""Share of a length or a coefficient that counts as equal where the user gives none."""


class Ties(NamedTuple):
    """Closed loops and coupled joints of a robot."""

    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()


def ties_of(spec: RobotSpec, tree: RobotSpec) -> Ties:
    """The loops of a robot, and the couplings between joints that its tree without geared rotors still has."""
    joints = {body.joint.name for body in tree.bodies} | {""}
    return Ties(spec.loops, tuple(c for c in spec.couplings if {c.joint, c.leader} <= joints))


@dataclass(frozen=True, slots=True)
class Matching:
    """How the second robot is laid over the first: names of its bodies and joints there, link frames, signs of its joints."""

    parts: tuple[MovingParts, MovingParts]
    bodies: Mapping[str, str]
    joints: Mapping[str, str]
    signs: Mapping[str, float]
    frames: Frames
    length: float
    share: float


def matching(
    parts: tuple[MovingParts, MovingParts], theirs: RobotSpec, pairs: Pairs, frames: Frames, length: float, share: float | None
) -> Matching:
    """The matching of two robots; `theirs` is the second in the frames and with the names of the first."""
    ours, named = parts[0].spec, parts[1].spec
    joints, signs = dict[str, str](), dict[str, float]()
    for one, moved in zip(ours.bodies, theirs.bodies, strict=True):
        joints[named.bodies[named.body_index(pairs[one.name])].joint.name] = one.joint.name
        signs[one.joint.name] = -1.0 if np.dot(_direction(one), _direction(moved)) < 0.0 else 1.0
    bodies = {other: one for one, other in pairs.items()}
    return Matching(parts, bodies, joints, signs, frames, length, EQUAL if share is None else share)


def _direction(body: Body) -> Floats:
    """The joint's axis in the parent's axes; zeros where it has none."""
    direction: Floats = rotation_matrix(body.placement.quaternion) @ np.array(body.joint.axis or (0.0, 0.0, 0.0))
    return direction


def tie_differences(first: Ties, second: Ties, match: Matching) -> Iterator[RobotDifference]:
    """Of loops, then of couplings."""
    yield from _loop_differences([_on_parts(loop, match.parts[0]) for loop in first.loops], _their_loops(second, match), match)
    yield from _coupling_differences(first.couplings, [_named_as_first(c, match) for c in second.couplings], match.share)


def _on_parts(loop: Loop, parts: MovingParts) -> Loop:
    """A loop between moving parts instead of links."""
    (body1, frame1), (body2, frame2) = parts.carriers[loop.body1], parts.carriers[loop.body2]
    point1, point2 = in_frame(frame1, loop.point1), in_frame(frame2, loop.point2)
    return replace(loop, body1=body1, point1=point1, body2=body2, point2=point2)


def _their_loops(ties: Ties, match: Matching) -> list[Loop]:
    """The second robot's loops with the first's names of bodies, in its link frames; unmatched bodies keep their names."""

    def placement_in_first(body: str, point: Vector3) -> tuple[str, Vector3]:
        return match.bodies.get(body, f"{body} of B"), in_frame(inverse(match.frames[body]), point)

    moved = []
    for loop in (_on_parts(loop, match.parts[1]) for loop in ties.loops):
        (body1, point1), (body2, point2) = (
            placement_in_first(loop.body1, loop.point1),
            placement_in_first(loop.body2, loop.point2),
        )
        moved.append(replace(loop, body1=body1, point1=point1, body2=body2, point2=point2))
    return moved


def _loop_differences(ours: list[Loop], theirs: list[Loop], match: Matching) -> Iterator[RobotDifference]:
    left = list(theirs)
    for loop in ours:
        like = [other for other in left if {other.body1, other.body2} == {loop.body1, loop.body2}]
        if not like:
            yield _lone_loop(loop, "A")
            continue
        nearest = min((_same_way(loop, other) for other in like), key=lambda other: max(_gaps(loop, other)))
        left.remove(next(other for other in like if other.name == nearest.name))
        yield from _pair_of_loops(loop, nearest, match)
    yield from (_lone_loop(loop, "B") for loop in left)


def _pair_of_loops(ours: Loop, theirs: Loop, match: Matching) -> Iterator[RobotDifference]:
    if ours.type is not theirs.type:
        message = f"{ours.type} in A, {theirs.type} in B ({_bodies(ours)})"
        yield RobotDifference(Aspect.CONSTRAINTS, "kind of a loop", ours.name, theirs.name, message, 1.0, "1")
    ends = ((ours.body1, ours.point1, theirs.point1), (ours.body2, ours.point2, theirs.point2))
    for (body, a, b), gap in zip(ends, _gaps(ours, theirs), strict=True):
        if gap > match.share * match.length:
            detail = f"A {vector(a)}, B {vector(b)} m, in A's link axes"
            message = f"{distance(gap)} apart on {body}"
            yield RobotDifference(Aspect.CONSTRAINTS, "end of a loop", ours.name, theirs.name, message, gap, "m", None, detail)


def _lone_loop(loop: Loop, who: str) -> RobotDifference:
    message = f"a {loop.type} of {_bodies(loop)} in {who} alone: {'B' if who == 'A' else 'A'} is open there"
    names = (loop.name, "") if who == "A" else ("", loop.name)
    return RobotDifference(Aspect.CONSTRAINTS, "closed loop", *names, message, 1.0, "1")


def _bodies(loop: Loop) -> str:
    return " and ".join("the world" if body == WORLD else body for body in (loop.body1, loop.body2))


def _same_way(loop: Loop, other: Loop) -> Loop:
    """The other loop with its ends in the order of this one's."""
    if other.body1 == loop.body1:
        return other
    return replace(other, body1=other.body2, point1=other.point2, body2=other.body1, point2=other.point1)


def _gaps(a: Loop, b: Loop) -> tuple[float, float]:
    return float(np.linalg.norm(np.subtract(b.point1, a.point1))), float(np.linalg.norm(np.subtract(b.point2, a.point2)))


def _named_as_first(coupling: Coupling, match: Matching) -> Coupling:
    """A coupling of the second robot with the first's names, about axes that point as the first's do."""
    joint, leader = (match.joints.get(name, name) for name in (coupling.joint, coupling.leader))
    sign, leading = match.signs.get(joint, 1.0), match.signs.get(leader, 1.0)
    coefficients = tuple(sign * leading**k * c for k, c in enumerate(coupling.coefficients))
    return replace(coupling, joint=joint, leader=leader, coefficients=coefficients)


def _coupling_differences(ours: tuple[Coupling, ...], theirs: list[Coupling], share: float) -> Iterator[RobotDifference]:
    left = list(theirs)
    for coupling in ours:
        key = {coupling.joint, coupling.leader}
        other = next((one for one in left if {one.joint, one.leader} == key), None)
        if other is None:
            yield _lone_coupling(coupling, "A")
            continue
        left.remove(other)
        same_way = other if other.joint == coupling.joint else _solved_for_leader(other)
        a, b = coupling.coefficients, same_way.coefficients
        apart = max(abs(x - y) for x, y in zip_longest(a, b, fillvalue=0.0))
        size = max(*map(abs, a), *map(abs, b))
        if apart > share * size:
            message = f"{_law(coupling)} in A, {_law(same_way)} in B"
            yield RobotDifference(
                Aspect.CONSTRAINTS, "coupled joint", coupling.joint, other.name, message, apart, "1", apart / size
            )
    yield from (_lone_coupling(coupling, "B") for coupling in left)


def _solved_for_leader(coupling: Coupling) -> Coupling:
    """x = (q - c_0) / c_1 of q = c_0 + c_1 x; any other law as it is."""
    match coupling.coefficients:
        case (c0, c1) if c1:
            return replace(coupling, joint=coupling.leader, leader=coupling.joint, coefficients=(-c0 / c1, 1.0 / c1))
        case _:
            return coupling


def _lone_coupling(coupling: Coupling, who: str) -> RobotDifference:
    message = f"tied in {who} alone: {_law(coupling)}; free in {'B' if who == 'A' else 'A'}"
    names = (coupling.joint, "") if who == "A" else ("", coupling.joint)
    return RobotDifference(Aspect.CONSTRAINTS, "coupled joint", *names, message, 1.0, "1")


def _law(coupling: Coupling) -> str:
    terms = [f"{c:.6g}" + (f" {coupling.leader}" if k else "") + (f"^{k}" if k > 1 else "") for k, c in _nonzero(coupling)]
    return f"{coupling.joint} = {' + '.join(terms) or '0'}"


def _nonzero(coupling: Coupling) -> list[tuple[int, float]]:
    return [(k, c) for k, c in enumerate(coupling.coefficients) if c]
