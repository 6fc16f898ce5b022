"""Differences of two matched bodies in the same link frame: mass, com, inertia, joint, placement, rotor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from leapcheck.robot_diff.digits import Tolerance
from leapcheck.robot_diff.records import Aspect, RobotDifference
from leapcheck.robot_diff.rigid import moved_inertia, rotation_angle
from leapcheck.robot_diff.wording import change, com_reason, degrees, distance, inertia_reason, vector
from leapcheck_models.arrays import Floats
from leapcheck_models.importing.poses import declared_inertia
from leapcheck_models.rotors import axial_inertia, rotation_matrix
from leapcheck_models.spec import Body, Inertia, Joint, JointType, Rotor, Vector3
from leapcheck_models.validation import rotational_matrix


class Change(NamedTuple):
    """A difference, and the first robot's body with it alone; None where M and h do not depend on it."""

    difference: RobotDifference
    body: Body | None = None


class Pair(NamedTuple):
    """Two matched bodies, the second in the first's link frame; `length` is the robot's reach (m), `made_of` the links fused."""

    ours: Body
    theirs: Body
    names: tuple[str, str]
    joints: tuple[str, str]
    length: float
    tolerance: Tolerance
    made_of: str = ""

    def allows(self, kind: str, difference: float, size: float, arm: float = 0.0) -> bool:
        """Whether a difference is none."""
        return difference <= self.tolerance.of(self.ours.name, kind, size, arm)

    def inertia(self, what: str, message: str, absolute: float, unit: str, size: float, detail: str = "") -> RobotDifference:
        """A difference in a link's inertia."""
        share = absolute / size if size else None
        return RobotDifference(Aspect.DYNAMICS, what, *self.names, message, absolute, unit, share, detail)

    def joint(
        self, aspect: Aspect, what: str, message: str, absolute: float, unit: str, size: float = 0.0, detail: str = ""
    ) -> RobotDifference:
        """A difference in a joint."""
        return RobotDifference(aspect, what, *self.joints, message, absolute, unit, absolute / size if size else None, detail)


def body_changes(pair: Pair) -> Iterator[Change]:
    """All of them, each with the first robot's body as it alone would make it."""
    yield from _inertia_changes(pair)
    yield from _placement_changes(pair)
    yield from _joint_changes(pair)
    yield from _rotor_changes(pair)


def _inertia_changes(pair: Pair) -> Iterator[Change]:
    ours, theirs = pair.ours.inertia, pair.theirs.inertia
    size = max(ours.mass, theirs.mass)
    if not pair.allows("mass", absolute := abs(theirs.mass - ours.mass), size):
        message = change(ours.mass, theirs.mass, "kg")
        yield Change(
            pair.inertia("mass", message, absolute, "kg", size, pair.made_of),
            replace(pair.ours, inertia=replace(ours, mass=theirs.mass)),
        )
    if ours.mass and theirs.mass:
        yield from _com_changes(pair, ours, theirs)
    yield from _rotational_changes(pair, ours, theirs)


def _com_changes(pair: Pair, ours: Inertia, theirs: Inertia) -> Iterator[Change]:
    moved = _norm(np.subtract(theirs.com, ours.com))
    if pair.allows("com", moved, pair.length, _norm(np.array(ours.com))):
        return
    message = f"{distance(moved)} apart{com_reason(ours.com, theirs.com, 1e-3 * pair.length)}"
    detail = f"A {vector(ours.com)}, B {vector(theirs.com)} m, in A's link axes"
    difference = pair.inertia("com", message, moved, "m", 0.0, detail)
    yield Change(difference, replace(pair.ours, inertia=replace(ours, com=theirs.com)))


def _rotational_changes(pair: Pair, ours: Inertia, theirs: Inertia) -> Iterator[Change]:
    a, b = rotational_matrix(ours.rotational), rotational_matrix(theirs.rotational)
    size = max(float(np.trace(a)), float(np.trace(b)))
    worst = float(np.abs(a - b).max())
    steps = pair.tolerance.steps.get(pair.ours.name)
    turned = 2.0 * steps.angle * size if steps and pair.tolerance.share is None else 0.0
    if pair.allows("rotational", max(0.0, worst - turned), size):
        return
    traces = change(float(np.trace(a)), float(np.trace(b)), "kg m^2")
    message = f"an entry differs by {100.0 * worst / size:.3g} % of the trace{inertia_reason(ours, theirs)}"
    moments = [vector(np.linalg.eigvalsh(matrix).tolist()) for matrix in (a, b)]
    detail = f"principal moments A {moments[0]}, B {moments[1]} kg m^2; trace {traces}"
    inertia = declared_inertia(ours.mass, ours.com, theirs.rotational, theirs.source or "the other robot")
    yield Change(pair.inertia("inertia", message, worst, "kg m^2", size, detail), replace(pair.ours, inertia=inertia))


def _placement_changes(pair: Pair) -> Iterator[Change]:
    """Where the joint stands in the parent, how its link is turned at zero, and its axis in the link."""
    ours, theirs = pair.ours, pair.theirs
    if ours.joint.type is not theirs.joint.type:
        message = f"{ours.joint.type} in A, {theirs.joint.type} in B"
        joint = replace(ours.joint, type=theirs.joint.type)
        yield Change(pair.joint(Aspect.DYNAMICS, "joint type", message, 1.0, "1"), replace(ours, joint=joint))
    if ours.joint.type is JointType.FREE:
        return
    shift = np.subtract(theirs.placement.p, ours.placement.p)
    if not pair.allows("place", _norm(shift), pair.length, _norm(np.array(ours.placement.p))):
        message = f"{distance(_norm(shift))} apart"
        detail = f"A {vector(ours.placement.p)}, B {vector(theirs.placement.p)} m, in the axes of A's parent link"
        placement = replace(ours.placement, p=theirs.placement.p)
        yield Change(
            pair.joint(Aspect.DYNAMICS, "joint place", message, _norm(shift), "m", 0.0, detail),
            replace(ours, placement=placement),
        )
    yield from _turn_changes(pair)
    if ours.joint.axis is not None and theirs.joint.axis is not None:
        yield from _axis_changes(pair, ours.joint.axis, theirs.joint.axis)


def _turn_changes(pair: Pair) -> Iterator[Change]:
    ours, theirs = pair.ours, pair.theirs
    R = rotation_matrix(ours.placement.quaternion).T @ rotation_matrix(theirs.placement.quaternion)
    angle = rotation_angle(R)
    if pair.allows("angle", angle, 1.0):
        return
    axis = ours.joint.axis
    moved = float("inf") if axis is None else _norm(R @ np.array(axis) - np.array(axis))
    if pair.allows("angle", moved, 1.0):
        what, message = "joint zero", f"{degrees(angle)} apart: q = 0 is another pose"
    else:
        tilt = "" if axis is None else f", its axis by {degrees(2.0 * np.arcsin(min(1.0, moved / 2.0)))}"
        what, message = "joint turned", f"by {degrees(angle)} in its parent{tilt}"
    placement = replace(ours.placement, quaternion=theirs.placement.quaternion)
    yield Change(pair.joint(Aspect.DYNAMICS, what, message, angle, "rad"), replace(ours, placement=placement))


def _axis_changes(pair: Pair, a: Vector3, b: Vector3) -> Iterator[Change]:
    apart = _norm(np.subtract(b, a))
    if pair.allows("angle", apart, 1.0):
        return
    reversed_ = apart > 2.0 - 1e-6
    message = "reversed: B's angle counts the other way" if reversed_ else f"turned by {degrees(2.0 * np.arcsin(apart / 2.0))}"
    detail = f"A {vector(a)}, B {vector(b)}, in A's link axes"
    joint = replace(pair.ours.joint, axis=b)
    yield Change(pair.joint(Aspect.DYNAMICS, "joint axis", message, apart, "rad", 0.0, detail), replace(pair.ours, joint=joint))


def _joint_changes(pair: Pair) -> Iterator[Change]:
    """Armature, losses and limits."""
    ours, theirs = pair.ours.joint, pair.theirs.joint
    turns = ours.type is not JointType.PRISMATIC
    units = {
        "armature": "kg m^2" if turns else "kg",
        "damping": "N m s/rad" if turns else "N s/m",
        "stiffness": "N m/rad" if turns else "N/m",
        "springref": "rad" if turns else "m",
    }
    for quantity in ("armature", "damping", "friction", "stiffness", "springref"):
        a, b = getattr(ours, quantity), getattr(theirs, quantity)
        if pair.allows("joint", abs(a - b), max(abs(a), abs(b))):
            continue
        unit = units.get(quantity, "N m" if turns else "N")
        aspect = Aspect.DYNAMICS if quantity == "armature" else Aspect.LOSSES
        difference = pair.joint(aspect, quantity, change(a, b, unit), abs(a - b), unit, max(abs(a), abs(b)))
        body = replace(pair.ours, joint=replace(ours, armature=b)) if quantity == "armature" else None
        yield Change(difference, body)
    yield from _limit_changes(pair, ours, theirs, "rad" if turns else "m")


def _limit_changes(pair: Pair, ours: Joint, theirs: Joint, unit: str) -> Iterator[Change]:
    if ours.limits is None or theirs.limits is None:
        if ours.limits is not theirs.limits:
            limits, with_them, without = (ours.limits, "A", "B") if ours.limits else (theirs.limits, "B", "A")
            message = f"{vector(limits or ())} {unit} in {with_them}, none in {without}"
            yield Change(pair.joint(Aspect.LIMITS, "limits", message, 0.0, unit))
        return
    size = max(abs(x) for x in (*ours.limits, *theirs.limits))
    for what, a, b in zip(("lower limit", "upper limit"), ours.limits, theirs.limits, strict=True):
        if pair.allows("limits", abs(a - b), size):
            continue
        degree = 180.0 / np.pi
        ratio = abs(b / a) if a else 0.0
        hint = next(
            (
                f": {who} has degrees for rad"
                for who, r in (("B", ratio), ("A", ratio and 1 / ratio))
                if abs(r / degree - 1) < 2e-3
            ),
            "",
        )
        yield Change(pair.joint(Aspect.LIMITS, what, change(a, b, unit) + hint, abs(a - b), unit, size))


def _rotor_changes(pair: Pair) -> Iterator[Change]:
    ours, theirs = pair.ours.rotor, pair.theirs.rotor
    if ours is None or theirs is None:
        if ours is not theirs:
            rotor = ours or theirs
            assert rotor is not None
            who = "A" if ours else "B"
            message = f"only {who} has the rotor '{rotor.name}', {rotor.inertia.mass:.4g} kg, gear ratio {rotor.gear_ratio:.4g}"
            difference = pair.joint(Aspect.DYNAMICS, "rotor", message, rotor.inertia.mass, "kg")
            yield Change(difference, replace(pair.ours, rotor=theirs))
        return
    yield from _geared_changes(pair, ours, theirs)


def _geared_changes(pair: Pair, ours: Rotor, theirs: Rotor) -> Iterator[Change]:
    """Gear ratio, mass, com, inertia and spin axis of the rotors, in the axes of the parent link."""
    along = [rotation_matrix(rotor.placement.quaternion) @ rotor.axis for rotor in (ours, theirs)]
    sign = -1.0 if float(along[0] @ along[1]) < 0.0 else 1.0  # the opposite axis with the opposite ratio is the same rotor
    ratio = sign * theirs.gear_ratio
    size = max(abs(ours.gear_ratio), abs(ratio))
    if not pair.allows("joint", abs(ours.gear_ratio - ratio), size):
        difference = pair.joint(
            Aspect.DYNAMICS,
            "gear ratio",
            change(ours.gear_ratio, ratio, "rad/rad"),
            abs(ours.gear_ratio - ratio),
            "rad/rad",
            size,
        )
        yield Change(difference, replace(pair.ours, rotor=replace(ours, gear_ratio=ratio)))
    inertias = [moved_inertia(rotor.inertia, rotor.placement) for rotor in (ours, theirs)]
    a, b = (rotational_matrix(inertia.rotational) for inertia in inertias)
    trace = max(float(np.trace(a)), float(np.trace(b)))
    misses = {
        "rotor mass": (abs(inertias[0].mass - inertias[1].mass), inertias[0].mass, "kg"),
        "rotor com": (_norm(np.subtract(inertias[0].com, inertias[1].com)), pair.length, "m"),
        "rotor inertia": (float(np.abs(a - b).max()), trace, "kg m^2"),
        "rotor axis": (_norm(along[0] - sign * along[1]), 1.0, "rad"),
    }
    for what, (absolute, scale, unit) in misses.items():
        if not pair.allows("joint", absolute, scale):
            message = f"{absolute:.4g} {unit} apart"
            if what == "rotor inertia":
                message += f"; about its axis {change(axial_inertia(ours), axial_inertia(theirs), 'kg m^2')}"
            if what == "rotor mass":
                message = change(inertias[0].mass, inertias[1].mass, "kg")
            difference = pair.joint(Aspect.DYNAMICS, what, message, absolute, unit, scale)
            yield Change(difference, replace(pair.ours, rotor=_rotor_with(what, ours, theirs, ratio)))


def _rotor_with(what: str, ours: Rotor, theirs: Rotor, ratio: float) -> Rotor:
    """The first rotor with one thing of the second's, which needs the second's frame for all but the mass."""
    if what == "rotor mass":
        return replace(ours, inertia=replace(ours.inertia, mass=theirs.inertia.mass))
    sign = 1.0 if ratio == theirs.gear_ratio else -1.0
    return replace(
        theirs, name=ours.name, gear_ratio=sign * ours.gear_ratio, inertia=replace(theirs.inertia, mass=ours.inertia.mass)
    )


def _norm(vector: Floats) -> float:
    return float(np.sqrt((np.asarray(vector) ** 2).sum()))
