"""A Pinocchio model as a robot spec: the tree of its joints, each with the inertia that it carries.

Links that are fixed to a joint's link are already summed onto it by Pinocchio, so a link is named after the joint's body frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin

from leapcheck_models.importing.chain_ends import contact_points
from leapcheck_models.importing.poses import declared_inertia, entries, unit_quaternion, vector3
from leapcheck_models.spec import ONE_DOF, WORLD, Actuator, Body, Inertia, Joint, JointType, Placement, Pose, RobotSpec
from leapcheck_models.spec_file import MAX_NUMBER
from leapcheck_models.xml_text import free_name

REVOLUTE = ("RX", "RY", "RZ", "RUBX", "RUBY", "RUBZ", "RevoluteUnaligned", "RevoluteUnboundedUnaligned")
PRISMATIC = ("PX", "PY", "PZ", "PrismaticUnaligned")
KINDS: dict[str, JointType] = {
    **dict.fromkeys(REVOLUTE, JointType.REVOLUTE),
    **dict.fromkeys(PRISMATIC, JointType.PRISMATIC),
    "Spherical": JointType.BALL,
    "FreeFlyer": JointType.FREE,
}
"""Kind of joint in a spec by Pinocchio's name of it."""

NUMBERS = ("armature", "rotorInertia", "rotorGearRatio", "damping", "friction")
"""Numbers of the model for each degree of freedom, all of which must be finite."""


def spec_of_model(model: pin.Model) -> RobotSpec:
    """The robot in a Pinocchio model; ValueError in one line that names the joint where a spec cannot hold it.

    A joint's armature is the model's, or where that is zero its rotor inertia times the square of its gear ratio: the same
    thing said in two ways. Frames are left out; contact points are put at the ends of the chains.
    """
    name = model.name or "pinocchio_model"
    where = f"Pinocchio model '{name}'"
    for field in NUMBERS:
        if not np.all(np.abs(getattr(model, field)) <= MAX_NUMBER):
            raise ValueError(f"{where}: {field} holds a number beyond {MAX_NUMBER:g}: give finite numbers")
    if np.any(model.gravity.angular):
        raise ValueError(f"{where}: its gravity has an angular part, which no robot description holds: set it to zero")
    order = list(_depth_first(model, 0))
    names = _link_names(model, order)
    bodies = [Body(names[i], _joint(model, i, where), *_mounting(model, i, names, where)) for i in order]
    if model.inertias[0].mass:  # of what is fixed to the world
        still = free_name("fixed_to_world", {*names.values()})
        bodies.insert(0, Body(still, Joint(f"{still}_joint", JointType.FIXED), _inertia(model, 0, where)))
    gravity, source = vector3(model.gravity.linear), f"Pinocchio model {name}"
    try:
        spec = RobotSpec(name, tuple(bodies), (), tuple(_actuators(model, order)), tuple(_poses(model, order)), gravity, source)
        return replace(spec, contact_points=contact_points(spec))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _depth_first(model: pin.Model, parent: int) -> Iterator[int]:
    """Numbers of the joints behind one, each followed by those behind it."""
    for i in range(1, model.njoints):
        if model.parents[i] == parent:
            yield i
            yield from _depth_first(model, i)


def _link_names(model: pin.Model, order: list[int]) -> dict[int, str]:
    """A unique name for the link of each joint: that of the body frame at the joint, else the joint's with `_link`."""
    names: dict[int, str] = {}
    frames = [f for f in model.frames if f.type == pin.FrameType.BODY and f.placement.isIdentity()]
    for i in order:
        named = next((frame.name for frame in frames if frame.parentJoint == i), f"{model.names[i]}_link")
        names[i] = free_name(named, {WORLD, *names.values()})
    return names


def _joint(model: pin.Model, i: int, where: str) -> Joint:
    joint, name = model.joints[i], model.names[i]
    kind, short = KINDS.get(_type(joint)), _type(joint)
    if kind is None:
        remedy = "build it of revolute and prismatic joints"
        raise ValueError(f"{where}: joint '{name}' is of type {short}, which no robot description holds: {remedy}")
    dofs = slice(joint.idx_v, joint.idx_v + joint.nv)
    rotors = model.rotorInertia[dofs] * model.rotorGearRatio[dofs] ** 2
    armature = np.where(model.armature[dofs] != 0.0, model.armature[dofs], rotors)
    if kind not in ONE_DOF:
        if (kind is JointType.FREE and armature.any()) or np.ptp(armature):
            raise ValueError(
                f"{where}: joint '{name}' is of type {short} and has the armatures {armature.tolist()}: "
                "a ball joint's must be equal, and a free joint's zero (Pinocchio's acts without w x v)"
            )
        return Joint(name, kind, armature=float(armature[0]))
    data = joint.createData()
    joint.calc(data, pin.neutral(model))
    linear, angular = np.reshape(data.S, (2, 3))
    axis = vector3(angular if kind is JointType.REVOLUTE else linear)
    limits = None
    if joint.nq == 1:
        low, high = float(model.lowerPositionLimit[joint.idx_q]), float(model.upperPositionLimit[joint.idx_q])
        limits = (low, high) if -MAX_NUMBER <= low < high <= MAX_NUMBER else None
    damping, friction = (max(0.0, float(values[joint.idx_v])) for values in (model.damping, model.friction))
    return Joint(name, kind, axis, limits, float(armature[0]), damping, friction)


def _type(joint: pin.JointModel) -> str:
    return str(joint.shortname().removeprefix("JointModel"))


def _mounting(model: pin.Model, i: int, names: dict[int, str], where: str) -> tuple[Inertia, str, Placement]:
    """Inertia, parent and placement of a joint's link; ValueError for a free joint that does not stand at the world's origin."""
    parent, placement = int(model.parents[i]), model.jointPlacements[i]
    if KINDS[_type(model.joints[i])] is JointType.FREE and (parent or not placement.isIdentity()):
        raise ValueError(f"{where}: free joint '{model.names[i]}' does not stand at the world's origin: put it there")
    quaternion = pin.Quaternion(placement.rotation).coeffs()[[3, 0, 1, 2]]
    return (
        _inertia(model, i, where),
        names.get(parent, WORLD),
        Placement(vector3(placement.translation), unit_quaternion(quaternion)),
    )


def _inertia(model: pin.Model, i: int, where: str) -> Inertia:
    inertia = model.inertias[i]
    numbers = np.array([inertia.mass, *inertia.lever, *inertia.inertia.ravel()])
    if not np.all(np.abs(numbers) <= MAX_NUMBER):
        raise ValueError(f"{where}: the inertia behind joint '{model.names[i]}' is not finite: correct it")
    return declared_inertia(float(inertia.mass), vector3(inertia.lever), entries(inertia.inertia), where)


def _actuators(model: pin.Model, order: list[int]) -> Iterator[Actuator]:
    """A drive for every joint of one dof whose effort is limited."""
    for joint in (model.joints[i] for i in order):
        effort, speed = float(model.effortLimit[joint.idx_v]), float(model.velocityLimit[joint.idx_v])
        if KINDS[_type(joint)] in ONE_DOF and 0.0 < effort <= MAX_NUMBER:
            name = model.names[joint.id]
            yield Actuator(name, name, effort, speed if 0.0 < speed <= MAX_NUMBER else None)


def _poses(model: pin.Model, order: list[int]) -> Iterator[Pose]:
    """The reference configurations, in canonical coordinates."""
    for item in model.referenceConfigurations:
        values = item.data()
        q: list[float] = []
        for joint in (model.joints[i] for i in order):
            own = [float(x) for x in values[joint.idx_q : joint.idx_q + joint.nq]]
            if joint.nq == 2:  # (cos, sin)
                q.append(math.atan2(own[1], own[0]))
            else:
                q += own if joint.nq == 1 else [*own[:-4], *unit_quaternion([own[-1], *own[-4:-1]])]
        yield Pose(str(item.key()), tuple(q))
