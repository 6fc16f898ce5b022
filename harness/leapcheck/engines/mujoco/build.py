"""A robot spec as a compiled MuJoCo model: out of MJCF or URDF, with the exact values written in."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates.conventions import Place
from leapcheck.engines.errors import EngineError
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import VELOCITY_SIZE, Body, JointType, RobotSpec
from leapcheck_models.urdf import urdf_text
from leapcheck_models.validation import rotational_matrix

ROUNDING = 4 * np.finfo(float).eps
"""Compiled inertias that differ by less, relative to their trace, are left alone: writing one rounds as much."""

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def model_from_mjcf(spec: RobotSpec, full: RobotSpec) -> mujoco.MjModel:
    """Compiled model of the robot's MJCF, rotors as bodies, with exact values; its bodies are in the order of `full`."""
    m = mujoco.MjModel.from_xml_string(_without_common_root(mjcf_text(spec), {body.name for body in full.bodies}))
    numbers = body_numbers(full, m)
    if numbers != sorted(numbers):
        raise EngineError(f"mujoco: the bodies of '{full.name}' are compiled in another order: write them in the spec's order")
    write_exact_values(full, m)
    return m


def model_of_text(text: str) -> mujoco.MjModel:
    """Compiled model of an MJCF text as it stands; ValueError where MuJoCo refuses it."""
    return mujoco.MjModel.from_xml_string(text)


def model_from_urdf(spec: RobotSpec, full: RobotSpec) -> mujoco.MjModel:
    """Compiled model of the robot's URDF with exact values.

    MuJoCo takes a URDF's root link as fixed: a floating base gets its free joint here. Contact points are links of the
    file; a site stands on each.
    """
    description = mujoco.MjSpec.from_string(urdf_text(spec))
    for body in (b for b in spec.bodies if b.joint.type is JointType.FREE):
        description.body(body.name).add_freejoint(name=body.joint.name)
    bodies = {body.name for body in full.bodies}
    for point in (p for p in spec.contact_points if p.computed):
        if point.name in bodies:  # the file had to rename a point that is called as a link
            description.body(point.body).add_site(name=point.name, pos=point.position)
        else:
            description.body(point.name).add_site(name=point.name)
    m = description.compile()
    write_exact_values(full, m)
    return m


def write_exact_values(full: RobotSpec, m: mujoco.MjModel) -> None:
    """Writes the spec's masses, coms, inertias, armature, springs and gravity into a compiled model and refreshes its constants.

    Needed for inertias that MuJoCo refuses or rounds (its principal axes were good to 1e-8 only before 3.14), and for what a URDF
    has no word for.
    """
    joint_places = places(full, m)
    for body in full.bodies:
        _write_inertia(m, _id(m, mujoco.mjtObj.mjOBJ_BODY, body.name), body)
        if body.joint.type is not JointType.FIXED:
            dof = joint_places[body.joint.name].v
            m.dof_armature[dof : dof + VELOCITY_SIZE[body.joint.type]] = body.joint.armature
        if body.joint.stiffness:
            joint = int(m.dof_jntid[joint_places[body.joint.name].v])
            m.jnt_stiffness[joint], m.qpos_spring[m.jnt_qposadr[joint]] = body.joint.stiffness, body.joint.springref
    m.opt.gravity[:] = full.gravity
    mujoco.mj_setConst(m, mujoco.MjData(m))


def places(full: RobotSpec, m: mujoco.MjModel) -> dict[str, Place]:
    """Where the model keeps each joint, by the spec's name of it; found by the link, whose name every file keeps."""
    joint_places = {}
    for body in (b for b in full.bodies if b.joint.type is not JointType.FIXED):
        joint = m.body_jntadr[_id(m, mujoco.mjtObj.mjOBJ_BODY, body.name)]
        joint_places[body.joint.name] = Place(int(m.jnt_qposadr[joint]), int(m.jnt_dofadr[joint]))
    return joint_places


def _without_common_root(text: str, links: set[str]) -> str:
    """The file without the massless body around its roots, where it has one, as Pinocchio wants it.

    MuJoCo's spatial quantities refer to the com of a root's subtree: that body would make one tree of several.
    """
    root = ET.fromstring(text)
    for worldbody in root.findall("worldbody"):
        for wrapper in [body for body in worldbody.findall("body") if body.get("name") not in links]:
            worldbody.remove(wrapper)
            worldbody.extend(wrapper.findall("body"))
    return ET.tostring(root, encoding="unicode")


def body_numbers(full: RobotSpec, m: mujoco.MjModel) -> list[int]:
    """Numbers of the spec's bodies, in the spec's order; a file may hold more (the links of contact points in a URDF)."""
    return [_id(m, mujoco.mjtObj.mjOBJ_BODY, body.name) for body in full.bodies]


def contact_sites(full: RobotSpec, m: mujoco.MjModel) -> list[int]:
    """Site numbers of the computed contact points, in the spec's order."""
    return [_id(m, mujoco.mjtObj.mjOBJ_SITE, point.name) for point in full.contact_points if point.computed]


def _id(m: mujoco.MjModel, kind: mujoco.mjtObj, name: str) -> int:
    number = mujoco.mj_name2id(m, kind, name)
    if number < 0:
        element = kind.name.removeprefix("mjOBJ_").lower()
        raise EngineError(f"mujoco: the compiled model has no {element} '{name}': give it the spec's name in the file")
    return int(number)


def _write_inertia(m: mujoco.MjModel, b: int, body: Body) -> None:
    """True mass, com and inertia of one body, where the compiled ones differ beyond rounding."""
    m.body_mass[b] = body.inertia.mass
    com, true = np.array(body.inertia.com, dtype=float), rotational_matrix(body.inertia.rotational)
    compiled = _rotational(m, b)
    allowed = ROUNDING * np.trace(true) * (true != np.diag(np.diag(true))).any()  # a diagonal inertia can be written exactly
    if np.array_equal(m.body_ipos[b], com) and np.abs(compiled - true).max() <= allowed:
        return
    moments, quaternion = _principal(true)
    if m.body_simple[b] and (com.any() or not np.array_equal(quaternion, IDENTITY)):
        raise EngineError(f"mujoco: body '{body.name}' was compiled as simple but is not: write its true inertia into the file")
    m.body_ipos[b], m.body_iquat[b], m.body_inertia[b] = com, quaternion, moments
    if not m.body_simple[b]:
        m.body_sameframe[b] = 0  # body and inertial frame no longer coincide as the compiler saw them


def _rotational(m: mujoco.MjModel, b: int) -> NDArray[np.float64]:
    """Compiled inertia of a body about its com in body axes."""
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, m.body_iquat[b])
    R = axes.reshape(3, 3)
    matrix: NDArray[np.float64] = (R * m.body_inertia[b]) @ R.T
    return matrix


def _principal(true: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Principal moments and quaternion of the principal axes; the link's own axes where the matrix is diagonal."""
    if not np.any(true - np.diag(np.diag(true))):
        return np.diag(true), IDENTITY
    moments, axes = np.linalg.eigh(true)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(axes).ravel())
    mujoco.mju_normalize4(quaternion)
    return moments, quaternion
