"""MJCF of a robot, for MuJoCo and for every other reader of MJCF; conventions of mujoco_menagerie.

Pure text: equal specs give equal bytes. Poses need no conversion: the canonical q is MuJoCo's qpos.
"""

import math
import xml.etree.ElementTree as ET
from typing import Literal, get_args

from leapcheck_models.least_inertia import LEAST_NOTE, holds_least, with_least_inertia
from leapcheck_models.mjcf_constraints import append_constraints, append_loop_sites
from leapcheck_models.rotors import with_lumped_rotors, with_rotor_bodies
from leapcheck_models.spec import (
    ONE_DOF,
    WORLD,
    Body,
    ContactPoint,
    ControlLaw,
    Inertia,
    Joint,
    JointType,
    Placement,
    RobotSpec,
    Shape,
)
from leapcheck_models.xml_text import comment, document, entries_text, free_name, number, numbers, provenance

Rotors = Literal["bodies", "armature"]
"""How rotors are written: as bodies of their own (exact), or lumped into their parents with armature (the usual shortcut)."""

JOINT_TYPES = {JointType.REVOLUTE: "hinge", JointType.PRISMATIC: "slide", JointType.BALL: "ball"}
JOINT_DEFAULTS = {
    "damping": "damping",
    "friction": "frictionloss",
    "armature": "armature",
    "stiffness": "stiffness",
    "springref": "springref",
}
CLASSES = {"main", "joint", "visual", "skeleton", "collision", "foot"}  # "main" is MuJoCo's own

SHORTEST_STICK = 1e-6
"""m; MuJoCo refuses a capsule between points that coincide."""

CONVENTIONS = (
    "SI units (m, kg, s, rad, N); x forward, y left, z up; quaternions w x y z; inertias about the com, in link axes.",
    "qpos is in the order of the file: free joint (position, quaternion), then one number per hinge or slide.",
    "Parts of the robot do not touch each other (collision geoms have contype 0): they meet the floor and other objects.",
)
ROTOR_BODIES = (
    "Rotors are bodies on the parent of the joint that they drive, each tied to it by a joint equality.",
    "The equality is for plain simulation; leapcheck does not use it: it projects with the constant gear matrix, which is exact.",
)
ROTOR_ARMATURE = (
    "Rotors are lumped into the links that carry them, plus armature (gear ratio)^2 x axial inertia: an approximation, it",
    "leaves out their coupling to the joints before them and their gyroscopic torques.",
)
COMMON_ROOT = (
    "The roots stand in a fixed body without mass, because Pinocchio reads a file's first body alone, and takes it for the world",
    "if it has no joint.",
)
SEVERAL_ROOTS = (
    "Pinocchio reads the first body alone, with what hangs on it: this file has more than one, and one of them is free.",
)
NEAREST = (
    "Some inertia here is not the true one, which no physical body has and MuJoCo refuses: the nearest realisable one stands",
    "for it, the true one in a comment beside it. On the Mini Cheetah that changes joint accelerations by about 0.3 %",
    '(balanceinertia="true": by 6 to 7 %). leapcheck writes the true one into the compiled model.',
)


def mjcf_text(spec: RobotSpec, rotors: Rotors = "bodies") -> str:
    """MJCF of the robot without floor or light (see scene.py); ValueError for an unknown way to write rotors."""
    if rotors not in get_args(Rotors):
        raise ValueError(f"rotors={rotors!r}: use one of {', '.join(get_args(Rotors))}")
    written = with_least_inertia(with_rotor_bodies(spec).spec if rotors == "bodies" else with_lumped_rotors(spec))
    class_name = free_name(spec.name, CLASSES)
    root = ET.Element("mujoco", model=spec.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    ET.SubElement(root, "option", gravity=numbers(spec.gravity))
    shared = _shared_defaults(spec if rotors == "bodies" else written)
    root.append(_defaults(class_name, shared))
    worldbody, elements = _worldbody(written, {b.rotor.name for b in spec.bodies if b.rotor}, class_name, shared)
    root.append(worldbody)
    equalities = _equalities(spec, rotors)
    append_constraints(equalities, spec, append_loop_sites(elements | {WORLD: worldbody}, spec))
    for section in (equalities, _actuators(spec), _keyframes(written)):
        if len(section):
            root.append(section)
    return document(root, _header(spec, written, rotors))


def _header(spec: RobotSpec, written: RobotSpec, rotors: Rotors) -> list[str]:
    has_rotors = any(body.rotor for body in spec.bodies)
    lines = provenance(spec, f" -r {rotors}" if has_rotors else "")
    lines += CONVENTIONS
    if has_rotors:
        lines += ROTOR_BODIES if rotors == "bodies" else ROTOR_ARMATURE
    if not all(body.inertia.realisable for body in written.bodies):
        lines += NEAREST
    if holds_least(written):
        lines.append(LEAST_NOTE)
    if _has_common_root(written):
        lines += COMMON_ROOT
    elif sum(body.parent == WORLD for body in written.bodies) > 1:
        lines += SEVERAL_ROOTS
    return lines


def _shared_defaults(spec: RobotSpec) -> dict[str, float]:
    """Passive quantities of the class "joint": those that all hinges and slides share, zeros left out."""
    joints = [body.joint for body in spec.bodies if body.joint.type in ONE_DOF]
    values = {quantity: {getattr(joint, quantity) for joint in joints} for quantity in JOINT_DEFAULTS}
    return {quantity: shared.pop() for quantity, shared in values.items() if len(shared) == 1 and any(shared)}


def _defaults(class_name: str, shared: dict[str, float]) -> ET.Element:
    root = ET.Element("default")
    robot = ET.SubElement(root, "default", {"class": class_name})
    ET.SubElement(robot, "site", size="0.005", rgba="0.9 0.2 0.2 1", group="4")
    if shared:
        joint = ET.SubElement(robot, "default", {"class": "joint"})
        ET.SubElement(joint, "joint", {JOINT_DEFAULTS[quantity]: number(value) for quantity, value in shared.items()})
    visual = ET.SubElement(robot, "default", {"class": "visual"})
    ET.SubElement(visual, "geom", contype="0", conaffinity="0", group="2", rgba="0.6 0.65 0.7 1")
    skeleton = ET.SubElement(visual, "default", {"class": "skeleton"})
    ET.SubElement(skeleton, "geom", type="capsule", size="0.01")
    collision = ET.SubElement(robot, "default", {"class": "collision"})
    ET.SubElement(collision, "geom", contype="0", conaffinity="1", group="3", rgba="0.9 0.6 0.2 0.5")
    foot = ET.SubElement(collision, "default", {"class": "foot"})
    ET.SubElement(foot, "geom", type="sphere", condim="3")
    return root


def _worldbody(
    spec: RobotSpec, rotors: set[str], class_name: str, shared: dict[str, float]
) -> tuple[ET.Element, dict[str, ET.Element]]:
    """Bodies nested as the tree, and each by its name; in each: inertial, joint, geoms, sites, then its children."""
    worldbody = ET.Element("worldbody")
    elements = {WORLD: _common_root(worldbody, spec)}
    geom_names = {point.name for point in spec.contact_points}
    for body in spec.bodies:
        parent = elements[body.parent]
        if body.source and body.source != spec.source and body.name not in rotors:
            parent.append(comment(f"{body.name}: {body.source}"))
        attributes = {"name": body.name, **_placement(body.placement)}
        if body.parent == WORLD:
            attributes["childclass"] = class_name
        element = elements[body.name] = ET.SubElement(parent, "body", attributes)
        _append_inertial(element, body.inertia)
        _append_joint(element, body.joint, {} if body.name in rotors else shared)
        _append_geoms(element, body, geom_names)
        if not body.shapes and body.name not in rotors:
            children = [b for b in spec.bodies if b.parent == body.name and b.name not in rotors]
            _append_skeleton(element, body, children, geom_names)
        for point in (p for p in spec.contact_points if p.body == body.name):
            _append_point(element, point, geom_names)
    return worldbody, elements


def _common_root(worldbody: ET.Element, spec: RobotSpec) -> ET.Element:
    """Where root bodies are put: in a fixed body without mass if they are several and none is free, else in the world.

    A lone fixed root too: Pinocchio takes a file's first body for the world if it has no joint, and loses its placement.
    """
    if not _has_common_root(spec):
        return worldbody
    root = ET.SubElement(worldbody, "body", name=free_name("base", {body.name for body in spec.bodies}))
    _append_inertial(root, Inertia(0.0))
    return root


def _has_common_root(spec: RobotSpec) -> bool:
    joints = [body.joint.type for body in spec.bodies if body.parent == WORLD]
    return JointType.FREE not in joints and (len(joints) > 1 or joints == [JointType.FIXED])


def _placement(placement: Placement) -> dict[str, str]:
    """Attributes pos and quat; left out where they are MuJoCo's defaults."""
    attributes = {}
    if any(placement.p):
        attributes["pos"] = numbers(placement.p)
    if placement.quaternion != (1.0, 0.0, 0.0, 0.0):
        attributes["quat"] = numbers(placement.quaternion)
    return attributes


def _append_inertial(element: ET.Element, inertia: Inertia) -> None:
    entries = inertia.rotational
    if inertia.nearest is not None and not inertia.realisable:
        text = f"not the true inertia, which no physical body has: {entries_text(entries)} kg m^2 ({inertia.source})"
        element.append(comment(text))
        entries = inertia.nearest
    xx, xy, xz, yy, yz, zz = entries
    attributes = {"pos": numbers(inertia.com), "mass": number(inertia.mass)}
    if xy == xz == yz == 0.0:
        attributes["diaginertia"] = numbers((xx, yy, zz))
    else:
        attributes["fullinertia"] = numbers((xx, yy, zz, xy, xz, yz))
    ET.SubElement(element, "inertial", attributes)


def _append_joint(element: ET.Element, joint: Joint, shared: dict[str, float]) -> None:
    """The joint; hinges and slides that share defaults name their class and write what differs from it."""
    if joint.type is JointType.FREE:
        if joint.armature:
            ET.SubElement(element, "joint", name=joint.name, type="free", armature=number(joint.armature))
        else:
            ET.SubElement(element, "freejoint", name=joint.name)
    if joint.type not in JOINT_TYPES:
        return
    attributes = {"name": joint.name}
    if joint.type in ONE_DOF and shared:
        attributes["class"] = "joint"
    if joint.type is not JointType.REVOLUTE:
        attributes["type"] = JOINT_TYPES[joint.type]
    if joint.axis is not None:
        attributes["axis"] = numbers(joint.axis)
    if joint.limits is not None:
        attributes["range"] = numbers(joint.limits)
    for quantity, attribute in JOINT_DEFAULTS.items():
        if getattr(joint, quantity) != shared.get(quantity, 0.0):
            attributes[attribute] = number(getattr(joint, quantity))
    ET.SubElement(element, "joint", attributes)


def _append_geoms(element: ET.Element, body: Body, names: set[str]) -> None:
    """One geom to look at for each shape, and one more to touch where the shape collides."""
    for i, shape in enumerate(body.shapes):
        for use in ("visual", "collision") if shape.collides else ("visual",):
            name = free_name(f"{body.name}_{use}_{i}", names)
            names.add(name)
            ET.SubElement(element, "geom", {"name": name, "class": use, **_shape(shape)})


def _append_skeleton(element: ET.Element, body: Body, children: list[Body], names: set[str]) -> None:
    """Sticks to look at where a body has no shape: to its children's joints, or to its com at the end of a chain."""
    for i, end in enumerate([child.placement.p for child in children] or [body.inertia.com]):
        if math.hypot(*end) > SHORTEST_STICK:
            name = free_name(f"{body.name}_skeleton_{i}", names)
            names.add(name)
            ET.SubElement(element, "geom", {"name": name, "class": "skeleton", "fromto": numbers((0.0, 0.0, 0.0, *end))})


def _shape(shape: Shape) -> dict[str, str]:
    """Attributes of a shape; MuJoCo's sizes are half lengths, its radii whole."""
    whole = {"box": 0, "sphere": 1, "capsule": 1, "cylinder": 1}[shape.kind]
    size = (*shape.size[:whole], *(length / 2 for length in shape.size[whole:]))
    return {"type": shape.kind, "size": numbers(size), **_placement(shape.placement)}


def _append_point(element: ET.Element, point: ContactPoint, names: set[str]) -> None:
    """The site of a contact point; where it has a radius, a sphere of the same name to touch and one to look at."""
    position = {"pos": numbers(point.position)}
    if point.radius > 0.0:
        size = {"size": number(point.radius)}
        seen = free_name(f"{point.name}_visual", names)
        names.add(seen)
        ET.SubElement(element, "geom", {"name": seen, "class": "visual", "type": "sphere", **size, **position})
        ET.SubElement(element, "geom", {"name": point.name, "class": "foot", **size, **position})
    ET.SubElement(element, "site", {"name": point.name, **position})


def _equalities(spec: RobotSpec, rotors: Rotors) -> ET.Element:
    """Rotor angle = gear ratio x joint coordinate, for rotors that are bodies."""
    section = ET.Element("equality")
    for body in spec.bodies if rotors == "bodies" else ():
        if body.rotor is not None:
            polynomial = numbers((0.0, body.rotor.gear_ratio, 0.0, 0.0, 0.0))
            names = {"name": body.rotor.name, "joint1": f"{body.rotor.name}_joint", "joint2": body.joint.name}
            ET.SubElement(section, "joint", {**names, "polycoef": polynomial})
    return section


def _actuators(spec: RobotSpec) -> ET.Element:
    """The control laws, by default motors whose control is the torque (or force) at the joint."""
    section = ET.Element("actuator")
    for law in spec.laws:
        ET.SubElement(section, "general", _law(law))
    for actuator in spec.actuators if not spec.laws else ():
        attributes = {"name": actuator.name, "joint": actuator.joint}
        if actuator.torque_limit > 0.0:
            attributes["ctrlrange"] = numbers((-actuator.torque_limit, actuator.torque_limit))
        else:
            attributes["gear"] = "0"  # MuJoCo takes no empty range
        ET.SubElement(section, "motor", attributes)
    return section


def _law(law: ControlLaw) -> dict[str, str]:
    attributes = {"name": law.name, "joint": law.joint, "gear": number(law.gear), "gainprm": number(law.gain)}
    if any(law.bias):
        attributes |= {"biastype": "affine", "biasprm": numbers(law.bias)}
    for attribute, limits in (("ctrl", law.control_limits), ("force", law.force_limits)):
        if limits is not None:
            attributes |= {f"{attribute}limited": "true", f"{attribute}range": numbers(limits)}
    return attributes


def _keyframes(spec: RobotSpec) -> ET.Element:
    section = ET.Element("keyframe")
    for pose in spec.poses:
        ET.SubElement(section, "key", name=pose.name, qpos=numbers(pose.q))
    return section
