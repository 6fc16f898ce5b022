"""Rules that every `RobotSpec` keeps; each error names the robot, the element and the right form."""

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from leapcheck_models.elements import (
    CONFIGURATION_SIZE,
    ONE_DOF,
    WORLD,
    Actuator,
    Body,
    ContactPoint,
    ControlLaw,
    Inertia,
    Joint,
    JointType,
    Placement,
    Pose,
    Rotor,
    Shape,
    Symmetric3,
    Vector3,
)

UNIT_TOLERANCE = 1e-9
"""How far from 1 the norm of an axis or a quaternion may lie; every user normalises what is left."""

REALISABLE_TOLERANCE = 1e-12
"""Slack on the triangle inequality and on positive definiteness, relative to the trace: rounding of the eigenvalues."""

SHAPE_SIZES = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2}
MAX_NAME = 200


def validate(
    name: str,
    bodies: tuple[Body, ...],
    contact_points: tuple[ContactPoint, ...],
    actuators: tuple[Actuator, ...],
    poses: tuple[Pose, ...],
    gravity: Vector3,
) -> None:
    """Raises ValueError at the first broken rule: names, numbers, order, joints, inertias, points, actuators, poses."""
    _name("robot spec", "the robot", name)
    where = f"robot '{name}'"
    check_numbers(where, "gravity", gravity, 3)
    check_unique(where, "body", (b.name for b in bodies), reserved=(WORLD,))
    check_unique(where, "joint", (b.joint.name for b in bodies))
    check_unique(where, "body or rotor", [*(b.name for b in bodies), *(b.rotor.name for b in bodies if b.rotor)])
    check_unique(where, "contact point", (p.name for p in contact_points))
    check_unique(where, "actuator", (a.name for a in actuators))
    check_unique(where, "pose", (p.name for p in poses))
    _order(where, bodies)
    for body in bodies:
        _body(f"{where}, body '{body.name}'", body)
    for point in contact_points:
        _contact_point(f"{where}, contact point '{point.name}'", point, bodies)
    for actuator in actuators:
        _actuator(f"{where}, actuator '{actuator.name}'", actuator, bodies)
    for pose in poses:
        _pose(f"{where}, pose '{pose.name}'", pose, bodies)


def rotational_matrix(entries: Symmetric3) -> np.ndarray:
    """Symmetric 3x3 matrix of (xx, xy, xz, yy, yz, zz)."""
    xx, xy, xz, yy, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def realisability_deficit(entries: Symmetric3) -> float:
    """How far (kg m^2) an inertia about the com is from being one of a physical body; <= 0 when it is one.

    The largest of -(smallest principal moment) and (largest moment - sum of the other two): the smallest eigenvalue of
    the 4x4 pseudo-inertia is negative exactly then (Wensing, Kim and Slotine 2018).
    """
    moments = np.linalg.eigvalsh(rotational_matrix(entries))
    return float(max(-moments[0], moments[2] - moments[0] - moments[1]))


@lru_cache(maxsize=1024)
def is_realisable(entries: Symmetric3) -> bool:
    """Whether an inertia about the com is one of a physical body, up to the rounding of its eigenvalues."""
    return realisability_deficit(entries) <= REALISABLE_TOLERANCE * abs(entries[0] + entries[3] + entries[5])


def nearest_realisable(entries: Symmetric3) -> Symmetric3:
    """Realisable inertia nearest (Frobenius norm) to one that misses the triangle inequality; the same if it does not.

    Keeps the principal axes and shifts each moment by a third of the deficit. Assumes the moments positive.
    """
    moments, axes = np.linalg.eigh(rotational_matrix(entries))
    deficit = moments[2] - moments[0] - moments[1]
    if deficit > 0.0:
        moments = moments + deficit / 3.0 * np.array([1.0, 1.0, -1.0])
    m = (axes * moments) @ axes.T
    return (float(m[0, 0]), float(m[0, 1]), float(m[0, 2]), float(m[1, 1]), float(m[1, 2]), float(m[2, 2]))


def _name(where: str, what: str, name: object) -> None:
    if not isinstance(name, str) or not name or len(name) > MAX_NAME or not name.isprintable():
        raise ValueError(f"{where}: {what} has the name {name!r:.40}: use 1 to {MAX_NAME} printable characters")


def check_numbers(where: str, what: str, values: Any, size: int) -> None:
    """ValueError unless `values` is a tuple of so many finite numbers."""
    if not isinstance(values, tuple) or len(values) != size:
        raise ValueError(f"{where}: {what} is {values!r:.80}: give a tuple of {size} numbers")
    for value in values:
        check_number(where, what, value)


def check_number(where: str, what: str, value: Any, at_least: float = -math.inf) -> None:
    """ValueError unless `value` is a finite number of at least so much."""
    if type(value) is float and at_least <= value < math.inf and value > -math.inf:
        return  # nearly all are: judging a defect makes hundreds of robots
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < at_least:
        bound = "" if at_least == -math.inf else f" of at least {at_least:g}"
        raise ValueError(f"{where}: {what} is {value!r:.80}: give a finite number{bound}")


def _unit(where: str, what: str, values: Any, size: int) -> None:
    check_numbers(where, what, values, size)
    norm = math.hypot(*values)
    if abs(norm - 1.0) > UNIT_TOLERANCE:
        raise ValueError(f"{where}: {what} has norm {norm:.12g}: divide it by its norm, so that it is a unit vector")


def check_unique(where: str, what: str, names: Iterable[str], reserved: tuple[str, ...] = ()) -> None:
    """ValueError for a name that is none, reserved, or given twice."""
    seen: set[str] = set()
    for name in names:
        _name(where, f"a {what}", name)
        if name in reserved:
            raise ValueError(f"{where}: a {what} is called '{name}', which is reserved: choose another name")
        if name in seen:
            raise ValueError(f"{where}: two elements ({what}) are called '{name}': names must be unique")
        seen.add(name)


def _order(where: str, bodies: tuple[Body, ...]) -> None:
    """Parents exist, no cycle, depth-first: each parent is the body just before or one of that body's ancestors."""
    parents = {b.name: b.parent for b in bodies}
    open_chain: list[str] = [WORLD]
    for body in bodies:
        if body.parent != WORLD and body.parent not in parents:
            raise ValueError(f"{where}, body '{body.name}': parent {body.parent!r:.80} does not exist: add it first")
        ancestor, steps = body.parent, 0
        while ancestor != WORLD and ancestor in parents:
            ancestor, steps = parents[ancestor], steps + 1
            if steps > len(bodies):
                raise ValueError(f"{where}, body '{body.name}': its parents form a cycle: every chain must end at '{WORLD}'")
        if body.parent not in open_chain:
            raise ValueError(
                f"{where}, body '{body.name}': wrong order: its parent '{body.parent}' is neither the body before it nor "
                "an ancestor of that one: list bodies depth-first, each subtree whole before the next"
            )
        del open_chain[open_chain.index(body.parent) + 1 :]
        open_chain.append(body.name)


def _body(where: str, body: Body) -> None:
    _joint(where, body.joint)
    _placement(where, "placement", body.placement)
    if body.joint.type is JointType.FREE and (body.parent != WORLD or body.placement != Placement()):
        raise ValueError(
            f"{where}: a free joint stands only at a root, with the identity as placement: "
            f"let the parent be '{WORLD}' and put the base's place into a pose"
        )
    _inertia(where, body.inertia)
    if body.rotor is not None:
        _rotor(where, body.rotor, body.joint)
    for shape in body.shapes:
        _shape(where, shape)


def _joint(where: str, joint: Joint) -> None:
    if not isinstance(joint.type, JointType):
        raise ValueError(f"{where}: unknown joint type {joint.type!r}: use one of {', '.join(JointType)}")
    what = f"joint '{joint.name}'"
    if joint.type in ONE_DOF:
        if joint.axis is None:
            raise ValueError(f"{where}: {what} is {joint.type} and has no axis: give a unit vector in link axes")
        _unit(where, f"the axis of {what}", joint.axis, 3)
    elif joint.axis is not None:
        raise ValueError(f"{where}: {what} is {joint.type} and has an axis: leave it out")
    for quantity in ("armature", "damping", "friction", "stiffness", "springref"):
        value = getattr(joint, quantity)
        check_number(where, f"the {quantity} of {what}", value, -math.inf if quantity == "springref" else 0.0)
        if value and (joint.type is JointType.FIXED if quantity == "armature" else joint.type not in ONE_DOF):
            carriers = "joints that move" if quantity == "armature" else "1-dof joints"
            raise ValueError(f"{where}: {what} is {joint.type} and has {quantity}: only {carriers} carry it")
    if joint.limits is not None:
        check_numbers(where, f"limits of {what}", joint.limits, 2)
        if joint.type not in ONE_DOF or joint.limits[0] >= joint.limits[1]:
            raise ValueError(f"{where}: limits of {what} are {joint.limits}: give (lower, upper), lower < upper, 1-dof only")


def _placement(where: str, what: str, placement: Placement) -> None:
    check_numbers(where, f"p of the {what}", placement.p, 3)
    _unit(where, f"the quaternion of the {what}", placement.quaternion, 4)


def _inertia(where: str, inertia: Inertia) -> None:
    check_number(where, "the mass", inertia.mass, at_least=0.0)
    check_numbers(where, "the com", inertia.com, 3)
    check_numbers(where, "the rotational inertia (xx, xy, xz, yy, yz, zz)", inertia.rotational, 6)
    if inertia.realisable:
        if not is_realisable(inertia.rotational):
            raise ValueError(
                f"{where}: no physical body has this rotational inertia (misses by "
                f"{realisability_deficit(inertia.rotational):.3g} kg m^2): correct it, "
                "or say realisable=False with its source and the nearest realisable one"
            )
        return
    if not inertia.source or inertia.nearest is None:
        raise ValueError(f"{where}: an inertia with realisable=False must give its source and the nearest realisable one")
    check_numbers(where, "the nearest realisable inertia", inertia.nearest, 6)
    if not is_realisable(inertia.nearest):
        raise ValueError(f"{where}: the inertia given as nearest realisable is not realisable either: correct it")


def _rotor(where: str, rotor: Rotor, joint: Joint) -> None:
    if joint.type not in ONE_DOF:
        raise ValueError(f"{where}: rotor '{rotor.name}' is on a {joint.type} joint: rotors drive revolute or prismatic ones")
    check_number(where, f"the gear ratio of rotor '{rotor.name}'", rotor.gear_ratio)
    _placement(where, f"placement of rotor '{rotor.name}'", rotor.placement)
    _unit(where, f"the axis of rotor '{rotor.name}'", rotor.axis, 3)
    _inertia(f"{where}, rotor '{rotor.name}'", rotor.inertia)


def _shape(where: str, shape: Shape) -> None:
    if not isinstance(shape.kind, str) or shape.kind not in SHAPE_SIZES:
        raise ValueError(f"{where}: unknown shape {shape.kind!r:.80}: use one of {', '.join(SHAPE_SIZES)}")
    check_numbers(where, f"the size of a {shape.kind}", shape.size, SHAPE_SIZES[shape.kind])
    _placement(where, f"placement of a {shape.kind}", shape.placement)
    if min(shape.size) <= 0.0:
        raise ValueError(f"{where}: the size of a {shape.kind} is {shape.size}: lengths are positive")


def validate_laws(name: str, bodies: tuple[Body, ...], laws: tuple[ControlLaw, ...]) -> None:
    """ValueError for a control law of no hinge or slide, or with numbers that are none."""
    check_unique(f"robot '{name}'", "control law", (law.name for law in laws))
    joints = {b.joint.name: b.joint.type for b in bodies}
    for law in laws:
        where = f"robot '{name}', control law '{law.name}'"
        if joints.get(law.joint) not in ONE_DOF:
            raise ValueError(f"{where}: {law.joint!r:.80} is no revolute or prismatic joint of this robot: name one")
        for what in ("gear", "gain"):
            check_number(where, f"the {what}", getattr(law, what))
        check_numbers(where, "the bias", law.bias, 3)
        for what in ("control_limits", "force_limits"):
            if (limits := getattr(law, what)) is not None:
                check_numbers(where, f"the {what}", limits, 2)
                if limits[0] > limits[1]:
                    raise ValueError(f"{where}: the {what} are {limits}: give (lower, upper)")


def _contact_point(where: str, point: ContactPoint, bodies: tuple[Body, ...]) -> None:
    if point.body not in {b.name for b in bodies}:
        raise ValueError(f"{where}: body {point.body!r:.80} does not exist: name a body of this robot")
    check_numbers(where, "the position", point.position, 3)
    check_number(where, "the radius", point.radius, at_least=0.0)


def _actuator(where: str, actuator: Actuator, bodies: tuple[Body, ...]) -> None:
    joints = {b.joint.name: b.joint.type for b in bodies}
    if joints.get(actuator.joint) not in ONE_DOF:
        raise ValueError(f"{where}: {actuator.joint!r:.80} is no revolute or prismatic joint of this robot: name one")
    check_number(where, "the torque limit", actuator.torque_limit, at_least=0.0)
    if actuator.speed_limit is not None:
        check_number(where, "the speed limit", actuator.speed_limit, at_least=0.0)
    if actuator.motor is not None:
        for quantity in ("gear_ratio", "torque_constant", "resistance", "voltage", "torque_limit"):
            value = getattr(actuator.motor, quantity)
            check_number(where, f"the motor's {quantity.replace('_', ' ')}", value, at_least=0.0)
            if value == 0.0:
                raise ValueError(f"{where}: the motor's {quantity.replace('_', ' ')} is 0: give a positive number")


def _pose(where: str, pose: Pose, bodies: tuple[Body, ...]) -> None:
    check_numbers(where, "q", pose.q, sum(CONFIGURATION_SIZE[body.joint.type] for body in bodies))
    start = 0
    for body in bodies:
        kind = body.joint.type
        if kind in (JointType.FREE, JointType.BALL):
            end = start + CONFIGURATION_SIZE[kind]
            _unit(where, f"the quaternion of joint '{body.joint.name}'", pose.q[end - 4 : end], 4)
        start += CONFIGURATION_SIZE[kind]
