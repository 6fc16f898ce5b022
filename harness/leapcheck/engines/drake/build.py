"""A robot spec as a Drake MultibodyPlant, body by body through its API, with the exact numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    Frame,
    Joint,
    PrismaticJoint,
    QuaternionFloatingJoint,
    RevoluteJoint,
    RigidBody,
    SpatialInertia,
    UnitInertia,
    WeldJoint,
)

from leapcheck.coordinates.conventions import Place
from leapcheck.engines.errors import NotApplicable
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import ONE_DOF, WORLD, Body, Inertia, JointType, RobotSpec
from leapcheck_models.validation import rotational_matrix


def plant_by_api(spec: RobotSpec) -> MultibodyPlant:
    """Finalized plant, in continuous time, of a robot without geared rotors: any number of roots, any joint type.

    An armature is the rotor inertia of an actuator with gear ratio 1. A ball joint is a floating joint: see `conventions`.
    """
    plant = MultibodyPlant(time_step=0.0)
    links: dict[str, RigidBody] = {WORLD: plant.world_body()}
    for body in spec.bodies:
        links[body.name] = plant.AddRigidBody(body.name, spatial_inertia(body))
        joint = plant.AddJoint(_joint(body, _parent_frame(plant, links[body.parent], body), links[body.name].body_frame()))
        if body.joint.armature and body.joint.type not in ONE_DOF:
            raise NotApplicable(
                f"drake: joint '{body.joint.name}' is {body.joint.type} and has armature: only joints of one dof may"
            )
        if body.joint.armature:
            actuator = plant.AddJointActuator(f"armature of {body.joint.name}", joint)
            actuator.set_default_rotor_inertia(body.joint.armature)
            actuator.set_default_gear_ratio(1.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array(spec.gravity, dtype=float))
    plant.Finalize()
    return plant


def places(spec: RobotSpec, plant: MultibodyPlant) -> dict[str, Place]:
    """Where the plant keeps each joint that moves, by name; velocities count from the first velocity."""
    joint_places = {}
    for name in (body.joint.name for body in spec.bodies if body.joint.type is not JointType.FIXED):
        joint = plant.GetJointByName(name)
        joint_places[name] = Place(joint.position_start(), joint.velocity_start())
    return joint_places


def spatial_inertia(body: Body) -> SpatialInertia:
    """Drake's inertia of a link about its origin; NotApplicable for a link that turns heavily without a mass."""
    inertia = body.inertia
    if inertia.mass == 0.0:
        if any(inertia.rotational):
            raise NotApplicable(f"drake: link '{body.name}' has a rotational inertia without a mass, which Drake cannot hold")
        return SpatialInertia.Zero()
    unit = _about_origin(inertia) / inertia.mass
    moments = UnitInertia(*(unit[i, i] for i in range(3)), unit[0, 1], unit[0, 2], unit[1, 2])
    return SpatialInertia(inertia.mass, np.array(inertia.com, dtype=float), moments, skip_validity_check=True)


def _about_origin(inertia: Inertia) -> NDArray[np.float64]:
    """Rotational inertia (3, 3) about the link's origin."""
    c = np.array(inertia.com, dtype=float)
    about_origin: NDArray[np.float64] = rotational_matrix(inertia.rotational) + inertia.mass * (
        (c @ c) * np.eye(3) - np.outer(c, c)
    )
    return about_origin


def _parent_frame(plant: MultibodyPlant, parent: RigidBody, body: Body) -> Frame:
    """Frame on the parent in which the link's frame stands when its joint is at zero; a free body moves in the world's."""
    if body.joint.type is JointType.FREE:
        return parent.body_frame()
    pose = RigidTransform(RotationMatrix(rotation_matrix(body.placement.quaternion)), np.array(body.placement.p, dtype=float))
    return plant.AddFrame(FixedOffsetFrame(f"leapcheck: place of {body.name}", parent.body_frame(), pose))


def _joint(body: Body, parent: Frame, child: Frame) -> Joint:
    joint = body.joint
    match joint.type:
        case JointType.FREE | JointType.BALL:
            return QuaternionFloatingJoint(joint.name, parent, child)
        case JointType.REVOLUTE:
            return RevoluteJoint(joint.name, parent, child, np.array(joint.axis))
        case JointType.PRISMATIC:
            return PrismaticJoint(joint.name, parent, child, np.array(joint.axis))
        case JointType.FIXED:
            return WeldJoint(joint.name, parent, child, RigidTransform())
