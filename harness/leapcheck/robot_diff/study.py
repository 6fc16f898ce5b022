"""Two robots compared: matched, brought into the same link frames, told apart part by part, each difference tried alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.robot_diff.bodies import Change, Pair, body_changes
from leapcheck.robot_diff.digits import Steps, Tolerance
from leapcheck.robot_diff.effects import DifferenceEffects
from leapcheck.robot_diff.frames import second_in_frames_of_first
from leapcheck.robot_diff.matching import Pairs, matched_bodies
from leapcheck.robot_diff.notes import frame_notes, name_notes, order_notes
from leapcheck.robot_diff.outside import drive_differences, point_differences, shape_differences, touching_shapes
from leapcheck.robot_diff.reading import DiffInput
from leapcheck.robot_diff.records import Aspect, Effect, MatchedJoint, RobotDifference
from leapcheck.robot_diff.rigid import MovingParts, moving_parts, reach
from leapcheck.robot_diff.ties import matching, tie_differences
from leapcheck.robot_diff.wording import vector
from leapcheck_models.spec import WORLD, Body, JointType, RobotSpec

NO_EFFECT = 1e-9
"""Change of M and h, in their scales, that is none."""

PLACES = ("joint place", "joint zero", "joint turned")


@dataclass(frozen=True, slots=True)
class DiffResult:
    """Differences, those of physics first and each group by what it does to M and h; joints matched; all differences at once."""

    differences: tuple[RobotDifference, ...]
    joints: tuple[MatchedJoint, ...]
    total: Effect | None


def difference_of(first: DiffInput, second: DiffInput, tolerance: float | None = None) -> DiffResult:
    """What differs between two robots; `tolerance` is a share of each number's size, None for what both print."""
    welds, base = _base_difference(first.spec, second.spec)
    parts = moving_parts(first.spec, welds), moving_parts(second.spec, welds)
    pairs, joints = matched_bodies(parts[0].spec, parts[1].spec)
    differences = [*base, *_gravity_difference(first.spec, second.spec), *_lone_joints(first.spec, second.spec, parts, pairs)]
    others = set(pairs.values())
    lone = (
        [*welds, *(body.name for body in parts[0].spec.bodies if body.name not in pairs)],
        [*welds, *(body.name for body in parts[1].spec.bodies if body.name not in others)],
    )
    parts = moving_parts(first.spec, lone[0]), moving_parts(second.spec, lone[1])
    if not joints:
        return DiffResult(tuple(differences), (), None)
    ours = parts[0].spec
    theirs, frames = second_in_frames_of_first(ours, parts[1].spec, pairs)
    steps = {name: _steps(name, first, parts[0]) + _steps(pairs[name], second, parts[1]) for name in pairs if name != WORLD}
    effects = DifferenceEffects(ours)
    made_of = {name: _made_of(name, pairs[name], (first.spec, second.spec), parts) for name in steps}
    compared = _Compared(ours, theirs, parts[1].spec, pairs, effects, made_of)
    loose = list(compared.changes(Tolerance(tolerance, steps)))
    differences = [_with_gravity_effect(difference, ours, theirs, effects) for difference in differences]
    differences += loose
    differences += compared.outside(Tolerance(tolerance, steps))
    match = matching(parts, theirs, pairs, frames, reach(ours), tolerance)
    differences += tie_differences(first.ties, second.ties, match)
    if first.own_points and second.own_points:
        differences += point_differences(ours, theirs, reach(ours))
    total = effects.of(replace(theirs, actuators=()))
    fine = list(compared.changes(Tolerance(), evaluate=False))
    known = any(difference.effect for difference in differences)
    differences += _digits_note(len(fine) - len(loose), tolerance, None if known else total)
    # a free joint's name is often the reader's own
    roots = {body.joint.name for body in ours.bodies if body.joint.type is JointType.FREE}
    differences += [
        *frame_notes(ours, pairs, frames),
        *name_notes([joint for joint in joints if joint.first not in roots]),
        *order_notes(ours, parts[1].spec, pairs),
    ]
    return DiffResult(tuple(sorted(differences, key=_rank)), tuple(joints), total)


def _rank(difference: RobotDifference) -> tuple[int, float]:
    return list(Aspect).index(difference.aspect), -difference.size


@dataclass(frozen=True, slots=True)
class _Compared:
    """Both robots in the first's frames and names; `named` is the second with its own names."""

    ours: RobotSpec
    theirs: RobotSpec
    named: RobotSpec
    pairs: Pairs
    effects: DifferenceEffects
    made_of: dict[str, str]

    def couples(self, tolerance: Tolerance) -> Iterator[tuple[int, Pair]]:
        """Pairs of bodies with their names."""
        length = reach(self.ours)
        for i, (one, other) in enumerate(zip(self.ours.bodies, self.theirs.bodies, strict=True)):
            called = self.named.bodies[self.named.body_index(self.pairs[one.name])]
            joints = one.joint.name, called.joint.name
            yield i, Pair(one, other, (one.name, called.name), joints, length, tolerance, self.made_of[one.name])

    def changes(self, tolerance: Tolerance, evaluate: bool = True) -> Iterator[RobotDifference]:
        """Differences of bodies, with what each does alone."""
        for i, pair in self.couples(tolerance):
            for one in body_changes(pair):
                yield self._with_effect(i, one) if evaluate else one.difference

    def _with_effect(self, i: int, one: Change) -> RobotDifference:
        if one.body is None:
            return one.difference
        effect = self.effects.of(_with_body(self.ours, i, one.body))
        difference = replace(one.difference, effect=effect)
        if one.difference.what in PLACES and one.body.parent == WORLD and difference.size < NO_EFFECT:
            return replace(
                difference, aspect=Aspect.FRAMES, message=f"{difference.message}: where the base stands, without effect"
            )
        return difference

    def outside(self, tolerance: Tolerance) -> Iterator[RobotDifference]:
        """Differences of drives and shapes."""
        both_drive = bool(self.ours.actuators and self.theirs.actuators)
        shapes = touching_shapes(self.ours), touching_shapes(self.theirs)
        for _, pair in self.couples(tolerance):
            joint = pair.ours.joint.name
            drives = [[a for a in spec.actuators if a.joint == joint] for spec in (self.ours, self.theirs)]
            yield from drive_differences(pair, drives[0], drives[1], both_drive)
            yield from shape_differences(pair, *(of_robot[pair.ours.name] for of_robot in shapes))


def _with_body(spec: RobotSpec, i: int, body: Body) -> RobotSpec:
    return replace(spec, bodies=(*spec.bodies[:i], body, *spec.bodies[i + 1 :]), actuators=())


def _steps(name: str, robot: DiffInput, parts: MovingParts) -> Steps:
    """What the links of a part print, together; a part's angles count for what it carries too."""
    spec = parts.spec
    parent = spec.bodies[spec.body_index(name)].parent
    fused = [member for member in parts.members[parent] if member != parent]
    steps = [robot.steps.get(member, Steps()) for member in parts.members[name]]
    moving = sum((replace(one, place=0.0, limits=0.0) for one in steps[1:]), steps[0])
    carrier = sum((robot.steps.get(member, Steps()) for member in fused), Steps())
    return replace(moving, place=moving.place + carrier.place, angle=moving.angle + carrier.angle)


def _made_of(one: str, other: str, specs: tuple[RobotSpec, RobotSpec], parts: tuple[MovingParts, MovingParts]) -> str:
    """Which links with mass a part is made of, where that is more than one in either robot."""
    words = []
    for who, name, spec, of_robot in zip("AB", (one, other), specs, parts, strict=True):
        masses = {member: spec.bodies[spec.body_index(member)].inertia.mass for member in of_robot.members[name]}
        words.append(f"{who}: " + " + ".join(f"{member} {mass:.4g}" for member, mass in masses.items() if mass))
    return "; ".join(words) if any(" + " in word for word in words) else ""


def _base_difference(first: RobotSpec, second: RobotSpec) -> tuple[list[str], list[RobotDifference]]:
    """Where one floats and the other is fixed: the bases to hold at zero for what follows, and the difference."""
    free = [[body for body in spec.bodies if body.joint.type is JointType.FREE] for spec in (first, second)]
    if bool(free[0]) == bool(free[1]):
        return [], []
    base = (free[0] or free[1])[0]
    who, other = ("A", "B") if free[0] else ("B", "A")
    message = (
        f"floats in {who}, is fixed to the world in {other}: held at zero for what follows (behind a .urdf, #fixed or #floating "
        "decides)"
    )
    names = [body.name for body in free[0] or free[1]]
    return names, [RobotDifference(Aspect.DYNAMICS, "base", base.name, "", message, 0.0, "1")]


def _gravity_difference(first: RobotSpec, second: RobotSpec) -> Iterator[RobotDifference]:
    apart = float(np.linalg.norm(np.subtract(second.gravity, first.gravity)))
    size = float(np.linalg.norm(first.gravity))
    if apart > 1e-9 * max(size, 1.0):
        message = f"{vector(first.gravity)} in A, {vector(second.gravity)} m/s^2 in B"
        share = apart / size if size else None
        yield RobotDifference(Aspect.GRAVITY, "gravity", first.name, second.name, message, apart, "m/s^2", share)


def _with_gravity_effect(
    difference: RobotDifference, ours: RobotSpec, theirs: RobotSpec, effects: DifferenceEffects
) -> RobotDifference:
    if difference.aspect is not Aspect.GRAVITY:
        return difference
    return replace(difference, effect=effects.of(replace(ours, gravity=theirs.gravity)))


def _lone_joints(
    first: RobotSpec, second: RobotSpec, parts: tuple[MovingParts, MovingParts], pairs: Pairs
) -> Iterator[RobotDifference]:
    """Joints that move in one robot only."""
    others = set(pairs.values())
    for who, other, of_robot in (("A", second, parts[0]), ("B", first, parts[1])):
        for body in of_robot.spec.bodies:
            if body.name in (pairs if who == "A" else others):
                continue
            fixed = {b.joint.name for b in other.bodies} | {b.name for b in other.bodies}
            there = "it is fixed or of another kind in" if {body.joint.name, body.name} & fixed else "it is missing in"
            behind = sum(b.inertia.mass for b in of_robot.spec.bodies if b.name == body.name)
            message = (
                f"{body.joint.type} joint in {who} alone, it moves {behind:.4g} kg; {there} {'B' if who == 'A' else 'A'}: "
                "held at zero for what follows"
            )
            name = body.joint.name
            yield RobotDifference(
                Aspect.DYNAMICS, "joint", name if who == "A" else "", name if who == "B" else "", message, 1.0, "1"
            )


def _digits_note(count: int, tolerance: float | None, effect: Effect | None) -> Iterator[RobotDifference]:
    if count > 0:
        why = "the digits that the files print" if tolerance is None else f"the tolerance, {tolerance:g} of their size"
        message = f"{count} differ by less than {why}"
        yield RobotDifference(Aspect.DIGITS, "numbers", "", "", message, float(count), "1", effect=effect)
