"""Pinocchio's model of a spec's links, built through its API joint by joint: the tests' own oracle, rotors left out.

Velocities are Pinocchio's ([v; w] for a free joint, quaternions xyzw); q and v have the spec's layout otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec
from leapcheck_models.validation import rotational_matrix


def se3(placement: Placement) -> Any:
    return pin.SE3(rotation_matrix(placement.quaternion), np.array(placement.p))


def pin_inertia(inertia: Inertia) -> Any:
    return pin.Inertia(inertia.mass, np.array(inertia.com), rotational_matrix(inertia.rotational))


def joint_model(joint: Joint) -> Any:
    if joint.type is JointType.REVOLUTE:
        return pin.JointModelRevoluteUnaligned(np.array(joint.axis))
    if joint.type is JointType.PRISMATIC:
        return pin.JointModelPrismaticUnaligned(np.array(joint.axis))
    return pin.JointModelFreeFlyer() if joint.type is JointType.FREE else pin.JointModelSpherical()


def pin_model(spec: RobotSpec) -> tuple[Any, dict[str, tuple[int, Any]]]:
    """Model, and for each body its joint's number and its placement on it (not the identity for fixed bodies)."""
    model = pin.Model()
    model.gravity.linear = np.array(spec.gravity)
    frames: dict[str, tuple[int, Any]] = {"world": (0, pin.SE3.Identity())}
    for body in spec.bodies:
        parent, on_parent = frames[body.parent]
        placement = on_parent * se3(body.placement)
        if body.joint.type is JointType.FIXED:
            frames[body.name] = (parent, placement)
        else:
            number = model.addJoint(parent, joint_model(body.joint), placement, body.joint.name)
            frames[body.name] = (number, pin.SE3.Identity())
            model.armature[model.idx_vs[number]] = body.joint.armature
        number, on_joint = frames[body.name]
        model.appendBodyToJoint(number, pin_inertia(body.inertia), on_joint)
    return model, frames


def configuration(model: Any, rng: np.random.Generator) -> np.ndarray:
    """Generic q: base and joints moved from neutral by a random velocity."""
    return pin.integrate(model, pin.neutral(model), rng.uniform(-2.0, 2.0, model.nv))


def mass_matrix(model: Any, q: np.ndarray) -> np.ndarray:
    M = pin.crba(model, model.createData(), q)
    return np.triu(M) + np.triu(M, 1).T
