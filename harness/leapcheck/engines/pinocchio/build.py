"""A robot spec as a Pinocchio model, by Pinocchio's own API or out of a parsed file with the exact values written in."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin

from leapcheck.coordinates.conventions import Place
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, RobotSpec
from leapcheck_models.urdf import urdf_text
from leapcheck_models.validation import rotational_matrix

UNIVERSE = 0
"""Pinocchio's joint number for the world."""


def model_by_api(spec: RobotSpec) -> pin.Model:
    """Model of a robot without geared rotors, joint by joint through Pinocchio's API: any number of roots, any joint type.

    The spec is depth-first, and so are the joints: Pinocchio's algorithms are silently wrong otherwise.
    """
    model = pin.Model()
    model.name = spec.name
    links = {WORLD: (UNIVERSE, pin.SE3.Identity())}
    for body in spec.bodies:
        number, placement = links[body.parent]
        placement = placement * pose(body.placement)
        if body.joint.type is not JointType.FIXED:
            number = model.addJoint(number, joint_model(body), placement, body.joint.name)
            placement = pin.SE3.Identity()
        links[body.name] = (number, placement)
        model.addFrame(pin.Frame(body.name, number, placement, pin.FrameType.BODY))
    return model


def model_of_urdf_text(text: str, floating: bool, gravity: Sequence[float]) -> pin.Model:
    """Model of a URDF text as it stands, with a free joint at its root if `floating`; ValueError where it is refused."""
    try:
        model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    model.gravity = pin.Motion(np.array(gravity, dtype=float), np.zeros(3))
    return model


def joint_model(body: Body) -> pin.JointModel:
    """Pinocchio's joint of a body's joint."""
    joint = body.joint
    if joint.type is JointType.FREE:
        return pin.JointModelFreeFlyer()
    if joint.type is JointType.BALL:
        return pin.JointModelSpherical()
    axis = np.array(joint.axis) / np.linalg.norm(np.array(joint.axis))
    unaligned = pin.JointModelRevoluteUnaligned if joint.type is JointType.REVOLUTE else pin.JointModelPrismaticUnaligned
    return unaligned(axis)


def link_frame(model: pin.Model, link: str) -> pin.Frame:
    """Frame of a link: the number of the moving joint that carries it, and its pose in that joint's frame.

    Links are found by their names, not joints: Pinocchio names the joint above a URDF's floating base itself.
    """
    return model.frames[link_number(model, link)]


def link_number(model: pin.Model, link: str) -> int:
    """Frame number of a link; Pinocchio itself would answer nframes to an unknown name."""
    if not model.existBodyName(link):
        raise EngineError(f"pinocchio: the model has no link '{link}', which the robot has: name it so in the file")
    return int(model.getBodyId(link))


def write_exact_values(spec: RobotSpec, model: pin.Model) -> None:
    """Writes the spec's inertias (fixed links summed onto their joint), armature and gravity into a model.

    NotApplicable for a free joint with armature, which Pinocchio would hold on the base's velocity in its own axes.
    """
    if resisted := base_armature(spec):
        raise NotApplicable(resisted)
    inertias = [pin.Inertia.Zero() for _ in range(model.njoints)]
    armature = np.zeros(model.nv)
    for body in spec.bodies:
        frame = link_frame(model, body.name)
        inertias[frame.parentJoint] += frame.placement.act(rigid_inertia(body.inertia))
        if body.joint.armature:
            dof = model.idx_vs[frame.parentJoint]
            armature[dof : dof + model.nvs[frame.parentJoint]] = body.joint.armature
    for number, inertia in enumerate(inertias):
        model.inertias[number] = inertia
    model.armature = armature
    model.gravity = pin.Motion(np.array(spec.gravity, dtype=float), np.zeros(3))


def base_armature(spec: RobotSpec) -> str:
    """Why Pinocchio cannot hold a robot whose free joint has armature; "" for any other robot."""
    for body in spec.bodies:
        if body.joint.type is JointType.FREE and body.joint.armature:
            return (
                f"joint '{body.joint.name}' is free and has armature {body.joint.armature:g}: MuJoCo's acts on the linear "
                "velocity in world axes, Pinocchio's on that in the base's axes, without w x v"
            )
    return ""


def contact_frames(spec: RobotSpec, model: pin.Model, links: bool) -> list[int]:
    """Frame numbers of the computed contact points, in the spec's order.

    With `links` they are the file's own massless links (URDF); else frames are added on the links that carry the points. The
    sites of an MJCF file are not used: Pinocchio 4.1.0 misplaces them on a link that is fixed to a fixed link.
    """
    points = [point for point in spec.contact_points if point.computed]
    bodies = {body.name for body in spec.bodies}
    if links and not bodies & {point.name for point in points}:  # the file had to rename a point that is called as a link
        return [link_number(model, point.name) for point in points]
    frames = []
    for point in points:
        link = link_frame(model, point.body)
        placement = link.placement * pin.SE3(np.eye(3), np.array(point.position, dtype=float))
        frame = pin.Frame(f"contact point {point.name}", link.parentJoint, placement, pin.FrameType.OP_FRAME)
        frames.append(model.addFrame(frame))
    return frames


def places(spec: RobotSpec, model: pin.Model) -> dict[str, Place]:
    """Where the model keeps each joint, by the spec's name of it; (cos, sin) has one coordinate more than velocities."""
    numbers = {b.joint.name: link_frame(model, b.name).parentJoint for b in spec.bodies if b.joint.type is not JointType.FIXED}
    return {
        name: Place(model.idx_qs[i], model.idx_vs[i], circular=model.nqs[i] == 2 and model.nvs[i] == 1)
        for name, i in numbers.items()
    }


def pose(placement: Placement) -> pin.SE3:
    """Pose of the frame B in A, its quaternion normalised."""
    w, x, y, z = placement.quaternion
    quaternion = pin.Quaternion(w, x, y, z)
    quaternion.normalize()
    return pin.SE3(quaternion.matrix(), np.array(placement.p, dtype=float))


def rigid_inertia(inertia: Inertia) -> pin.Inertia:
    """Pinocchio's inertia of a link: mass, com, rotational inertia about the com.

    The last is set afterwards: the constructor refuses one with a negative moment, which files of users may have.
    """
    rigid = pin.Inertia(inertia.mass, np.array(inertia.com, dtype=float), np.eye(3))
    rigid.inertia = rotational_matrix(inertia.rotational)
    return rigid


def static_potential_energy(model: pin.Model) -> float:
    """Potential energy (J) of what is fixed to the world: constant, and left out by Pinocchio."""
    fixed = model.inertias[UNIVERSE]
    return -float(fixed.mass * (model.gravity.linear @ fixed.lever))


def model_from_urdf(spec: RobotSpec) -> pin.Model:
    """Model of the robot's URDF; a floating base gets the free joint that URDF does not write."""
    text = urdf_text(spec)
    if any(body.joint.type is JointType.FREE for body in spec.bodies):
        return pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    return pin.buildModelFromXML(text)


def model_from_mjcf(spec: RobotSpec) -> pin.Model:
    """Model of the robot's MJCF, rotors as bodies; Pinocchio reads MJCF from files only.

    NotApplicable for a free joint beside other roots: Pinocchio reads the first root body and leaves out the others.
    """
    roots = [body.joint.type for body in spec.bodies if body.parent == WORLD]
    if JointType.FREE in roots and len(roots) > 1:
        raise NotApplicable(f"pinocchio-mjcf: Pinocchio reads one root body of an MJCF file, '{spec.name}' has {len(roots)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(mjcf_text(spec), encoding="utf-8")
        return pin.buildModelFromMJCF(str(path))
