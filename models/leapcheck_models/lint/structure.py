"""Rules on gears, actuators, limits, names, order, feet and gravity."""

import math
import re
from collections.abc import Iterator

from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import CONFIGURATION_SIZE, Actuator, JointType, RobotSpec

# Bounds of what is plausible; crossing one gives a finding, nothing is computed with them.
SLACK = 1e-6  # relative difference of gear ratios and torques that counts as equal
RANGE = 4 * math.pi  # rad
GRAVITY = (9.76, 9.84)  # on the surface of the Earth, m/s^2
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def gears(spec: RobotSpec) -> Iterator[Finding]:
    """Rotor, armature, motor and torque limit of a joint that contradict each other."""
    for body in spec.bodies:
        if not body.rotor:
            continue
        place, ratio = f"joint '{body.joint.name}'", body.rotor.gear_ratio
        if body.joint.armature:
            message = f"armature {body.joint.armature:.4g} and rotor '{body.rotor.name}': the rotor may be counted twice"
            yield Finding("gears", "warning", place, message, "keep one of them, unless the armature is another part")
        if ratio == 0.0:
            yield Finding("gears", "warning", place, "the gear ratio is 0: the rotor never turns", "give the gear ratio")
        elif abs(ratio) < 1.0 and body.joint.type is JointType.REVOLUTE:
            message = f"the gear ratio {ratio:.4g} is below 1: the rotor turns slower than the joint"
            yield Finding("gears", "warning", place, message, f"if the reduction is meant, use {1 / ratio:.4g}")


def actuators(spec: RobotSpec) -> Iterator[Finding]:
    """Actuators that share a joint, cannot push, or do not fit the joint's rotor or their own motor."""
    driven: dict[str, str] = {}
    rotors = {b.joint.name: b.rotor for b in spec.bodies if b.rotor}
    for actuator in spec.actuators:
        place = f"actuator '{actuator.name}'"
        other = driven.setdefault(actuator.joint, actuator.name)
        if other != actuator.name:
            message = f"actuator '{other}' drives the joint '{actuator.joint}' too"
            yield Finding("actuators", "warning", place, message, "keep one of them")
        if actuator.torque_limit == 0.0:
            yield Finding("actuators", "warning", place, "its torque limit is 0", "give its largest torque at the joint")
        rotor = rotors.get(actuator.joint)
        if actuator.motor and rotor and not math.isclose(actuator.motor.gear_ratio, abs(rotor.gear_ratio), rel_tol=SLACK):
            message = (
                f"the motor's gear ratio {actuator.motor.gear_ratio:g} is not that of rotor '{rotor.name}', {rotor.gear_ratio:g}"
            )
            yield Finding("actuators", "warning", place, message, "make them agree")
        yield from _torque(place, actuator)


def _torque(place: str, actuator: Actuator) -> Iterator[Finding]:
    if actuator.motor is None:
        return
    available = actuator.motor.torque_limit * abs(actuator.motor.gear_ratio)
    if actuator.torque_limit > available * (1.0 + SLACK):
        message = f"its torque limit {actuator.torque_limit:g} exceeds the motor's torque times the gear ratio, {available:g}"
        yield Finding("actuators", "warning", place, message, f"use at most {available:g}")


def limits(spec: RobotSpec) -> Iterator[Finding]:
    """Actuated joints without limits, limits wider than two turns, poses outside the limits."""
    actuated = {actuator.joint for actuator in spec.actuators}
    for body in spec.bodies:
        place, joint = f"joint '{body.joint.name}'", body.joint
        if joint.limits is None:
            if joint.name in actuated:
                yield Finding("limits", "note", place, "it is actuated and has no limits", "give them, if it has stops")
        elif joint.type is JointType.REVOLUTE and joint.limits[1] - joint.limits[0] > RANGE:
            message = f"its range is {joint.limits[1] - joint.limits[0]:.4g} rad, more than two turns"
            yield Finding("limits", "note", place, message, "check the unit: rad, not degrees")
    yield from _poses_outside(spec)


def _poses_outside(spec: RobotSpec) -> Iterator[Finding]:
    for pose in spec.poses:
        start = 0
        for body in spec.bodies:
            joint = body.joint
            if joint.limits and not joint.limits[0] <= pose.q[start] <= joint.limits[1]:
                message = f"joint '{joint.name}' is at {pose.q[start]:.6g}, outside its limits {joint.limits}"
                yield Finding("limits", "warning", f"pose '{pose.name}'", message, "correct the pose or the limits")
            start += CONFIGURATION_SIZE[joint.type]


def names(spec: RobotSpec) -> Iterator[Finding]:
    """Names that file formats mangle, and names that differ only in case or punctuation."""
    for kind, of_kind in _names(spec).items():
        seen: dict[str, str] = {}
        yield from _mangled(kind, [name for name in of_kind if not PLAIN_NAME.fullmatch(name)])
        for name in of_kind:
            place = f"{kind} '{name}'"
            other = seen.setdefault(re.sub(r"[\W_]", "", name).casefold(), name)
            if other != name:
                message = f"its name differs from '{other}' only in case or punctuation"
                yield Finding("names", "warning", place, message, "choose names that nobody confuses")


def _mangled(kind: str, names: list[str]) -> Iterator[Finding]:
    """One finding for all names of a kind that file formats mangle."""
    if not names:
        return
    plain = re.sub("[^A-Za-z0-9_]+", "_", names[0])
    others = f"; {len(names) - 1} more {kind} names are like it" if len(names) > 1 else ""
    message = f"its name is more than ASCII letters, digits and underscores, or begins with a digit{others}"
    remedy = f"call it '{'_' if plain[0].isdigit() else ''}{plain}': ROS names, paths and XML want it so"
    yield Finding("names", "warning", f"{kind} '{names[0]}'", message, remedy)


def order(spec: RobotSpec) -> Iterator[Finding]:
    """Sibling joints out of alphabetical order, which readers of URDF put them into."""
    siblings: dict[str, list[str]] = {}
    for body in spec.bodies:
        siblings.setdefault(body.parent, []).append(body.joint.name)
    for parent, joints in siblings.items():
        if joints != sorted(joints):
            message = f"joints {', '.join(joints)} are not in alphabetical order: URDF readers permute them"
            yield Finding("order", "note", f"children of '{parent}'", message, "match joints by name, never by place")


def feet(spec: RobotSpec) -> Iterator[Finding]:
    """A floating robot without a foot; feet without radius or left out of the contact quantities."""
    marked = [point for point in spec.contact_points if point.is_foot]
    floating = any(body.joint.type is JointType.FREE for body in spec.bodies)
    if floating and len(spec.bodies) > 1 and not marked:
        yield Finding("feet", "note", f"robot '{spec.name}'", "it floats and has no foot", "mark contact points with is_foot")
    for point in marked:
        place = f"contact point '{point.name}'"
        if point.radius == 0.0:
            message = "a foot of radius 0: a simulator has nothing to land on"
            yield Finding("feet", "note", place, message, "give the radius of its sphere")
        if not point.computed:
            yield Finding("feet", "warning", place, "a foot that is left out of the contact quantities", "set computed=True")


def gravity(spec: RobotSpec) -> Iterator[Finding]:
    """Gravity other than the Earth's, straight down along z."""
    x, y, z = spec.gravity
    if x == y == 0.0 and GRAVITY[0] <= -z <= GRAVITY[1]:
        return
    place, upward = f"robot '{spec.name}'", z > 0.0
    message = f"gravity is {spec.gravity} m/s^2" + (": upward, and z is up" if upward else "")
    yield Finding("gravity", "warning" if upward else "note", place, message, "use (0, 0, -9.81), unless it is meant so")


def _names(spec: RobotSpec) -> dict[str, list[str]]:
    """Names by kind of element; rotors become bodies, so they share one kind with them."""
    return {
        "robot": [spec.name],
        "body": [b.name for b in spec.bodies] + [b.rotor.name for b in spec.bodies if b.rotor],
        "joint": [b.joint.name for b in spec.bodies],
        "contact point": [p.name for p in spec.contact_points],
        "actuator": [a.name for a in spec.actuators],
        "pose": [p.name for p in spec.poses],
    }
