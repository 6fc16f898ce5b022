"""MJCF of a robot, for MuJoCo and for every other reader of MJCF; conventions of mujoco_menagerie.

Pure text: equal specs give equal bytes. Poses need no conversion: the canonical q is MuJoCo's qpos.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import Literal, get_args

from leapcheck_models.rotors import with_lumped_rotors, with_rotor_bodies
from leapcheck_models.spec import ONE_DOF, WORLD, Body, ContactPoint, Inertia, Joint, JointType, Placement, RobotSpec, Shape
from leapcheck_models.xml_text import comment, document, entries_text, file_stem, free_name, number, numbers, provenance

Rotors = Literal["bodies", "armature"]
"""How rotors are written: as bodies of their own (exact), or lumped into their parents with armature (the usual shortcut)."""

JOINT_TYPES = {JointType.REVOLUTE: "hinge", JointType.PRISMATIC: "slide", JointType.BALL: "ball"}
JOINT_DEFAULTS = {"damping": "damping", "friction": "frictionloss", "armature": "armature"}
CLASSES = {"main", "joint", "visual", "collision", "foot"}  # "main" is MuJoCo's own

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
NEAREST = (
    "Some inertia here is not the true one, which no physical body has and MuJoCo refuses: the nearest realisable one stands",
    "for it, the true one in a comment beside it. On the Mini Cheetah that changes joint accelerations by about 0.3 %",
    '(balanceinertia="true": by 6 to 7 %). leapcheck writes the true one into the compiled model.',
)


def mjcf_text(spec: RobotSpec, rotors: Rotors = "bodies") -> str:
    """MJCF of the robot without floor or light (see `scene_text`); ValueError for an unknown way to write rotors."""
    if rotors not in get_args(Rotors):
        raise ValueError(f"rotors={rotors!r}: use one of {', '.join(get_args(Rotors))}")
    written = with_rotor_bodies(spec).spec if rotors == "bodies" else with_lumped_rotors(spec)
    class_name = free_name(spec.name, CLASSES)
    root = ET.Element("mujoco", model=spec.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    ET.SubElement(root, "option", gravity=numbers(spec.gravity))
    shared = _shared_defaults(spec if rotors == "bodies" else written)
    root.append(_defaults(class_name, shared))
    root.append(_worldbody(written, {b.rotor.name for b in spec.bodies if b.rotor}, class_name, shared))
    for section in (_equalities(spec, rotors), _actuators(spec), _keyframes(written)):
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
    return lines


def _shared_defaults(spec: RobotSpec) -> dict[str, float]:
    """Passive quantities of the class "joint": those that all hinges and slides share, zeros left out."""
    joints = [body.joint for body in spec.bodies if body.joint.type in ONE_DOF]
    values = {quantity: {getattr(joint, quantity) for joint in joints} for quantity in JOINT_DEFAULTS}
    return {quantity: found.pop() for quantity, found in values.items() if len(found) == 1 and any(found)}


def _defaults(class_name: str, shared: dict[str, float]) -> ET.Element:
    root = ET.Element("default")
    robot = ET.SubElement(root, "default", {"class": class_name})
    ET.SubElement(robot, "site", size="0.005", rgba="0.9 0.2 0.2 1", group="4")
    if shared:
        joint = ET.SubElement(robot, "default", {"class": "joint"})
        ET.SubElement(joint, "joint", {JOINT_DEFAULTS[quantity]: number(value) for quantity, value in shared.items()})
    visual = ET.SubElement(robot, "default", {"class": "visual"})
    ET.SubElement(visual, "geom", contype="0", conaffinity="0", group="2", mass="0", rgba="0.6 0.65 0.7 1")
    collision = ET.SubElement(robot, "default", {"class": "collision"})
    ET.SubElement(collision, "geom", contype="0", conaffinity="1", group="3", mass="0", rgba="0.9 0.6 0.2 0.5")
    foot = ET.SubElement(collision, "default", {"class": "foot"})
    ET.SubElement(foot, "geom", type="sphere", condim="3")
    return root


def _worldbody(spec: RobotSpec, rotors: set[str], class_name: str, shared: dict[str, float]) -> ET.Element:
    """Bodies nested as the tree; in each: inertial, joint, geoms, sites, then its children in the spec's order."""
    worldbody = ET.Element("worldbody")
    elements = {WORLD: worldbody}
    geom_names = {point.name for point in spec.contact_points}
    for body in spec.bodies:
        parent = elements[body.parent]
        if body.source and body.source != spec.source and body.name not in rotors:
            parent.append(comment(f"{body.name}: {body.source}"))
        attributes = {"name": body.name, **_placed(body.placement)}
        if body.parent == WORLD:
            attributes["childclass"] = class_name
        element = elements[body.name] = ET.SubElement(parent, "body", attributes)
        _append_inertial(element, body.inertia)
        _append_joint(element, body.joint, {} if body.name in rotors else shared)
        _append_geoms(element, body, geom_names)
        for point in (p for p in spec.contact_points if p.body == body.name):
            _append_point(element, point, geom_names)
    return worldbody


def _placed(placement: Placement) -> dict[str, str]:
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


def _shape(shape: Shape) -> dict[str, str]:
    """Attributes of a shape; MuJoCo's sizes are half lengths, its radii whole."""
    whole = {"box": 0, "sphere": 1, "capsule": 1, "cylinder": 1}[shape.kind]
    size = (*shape.size[:whole], *(length / 2 for length in shape.size[whole:]))
    return {"type": shape.kind, "size": numbers(size), **_placed(shape.placement)}


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
    """Motors whose control is the torque (or force) at the joint."""
    section = ET.Element("actuator")
    for actuator in spec.actuators:
        attributes = {"name": actuator.name, "joint": actuator.joint}
        if actuator.torque_limit > 0.0:
            attributes["ctrlrange"] = numbers((-actuator.torque_limit, actuator.torque_limit))
        else:
            attributes["gear"] = "0"  # MuJoCo takes no empty range
        ET.SubElement(section, "motor", attributes)
    return section


def _keyframes(spec: RobotSpec) -> ET.Element:
    section = ET.Element("keyframe")
    for pose in spec.poses:
        ET.SubElement(section, "key", name=pose.name, qpos=numbers(pose.q))
    return section


def scene_text(spec: RobotSpec) -> str:
    """MJCF scene that includes the robot's file: sky, light and a checkered floor at z = 0, or below a fixed-base robot."""
    root = ET.Element("mujoco", model=f"{spec.name} scene")
    ET.SubElement(root, "include", file=f"{file_stem(spec)}.xml")
    visual = ET.SubElement(root, "visual")
    ET.SubElement(visual, "headlight", diffuse="0.6 0.6 0.6", ambient="0.3 0.3 0.3", specular="0 0 0")
    ET.SubElement(visual, "rgba", haze="0.15 0.25 0.35 1")
    ET.SubElement(visual, "global", azimuth="120", elevation="-20")
    asset = ET.SubElement(root, "asset")
    sky = {"type": "skybox", "builtin": "gradient", "rgb1": "0.3 0.5 0.7", "rgb2": "0 0 0", "width": "512", "height": "3072"}
    ET.SubElement(asset, "texture", sky)
    checker = {"type": "2d", "name": "floor", "builtin": "checker", "mark": "edge", "width": "300", "height": "300"}
    ET.SubElement(asset, "texture", {**checker, "rgb1": "0.2 0.3 0.4", "rgb2": "0.1 0.2 0.3", "markrgb": "0.8 0.8 0.8"})
    ET.SubElement(asset, "material", name="floor", texture="floor", texuniform="true", texrepeat="5 5", reflectance="0.2")
    worldbody = ET.SubElement(root, "worldbody")
    ET.SubElement(worldbody, "light", name="sun", pos="0 0 3", dir="0 0 -1", directional="true")
    floor = {"name": free_name("floor", {p.name for p in spec.contact_points}), "type": "plane", "size": "0 0 0.05"}
    ET.SubElement(worldbody, "geom", {**floor, "material": "floor", "pos": numbers((0.0, 0.0, -_depth(spec)))})
    return document(root, [*provenance(spec), "Robot, floor, sky and light: open this file in the viewer."])


def _depth(spec: RobotSpec) -> float:
    """Depth of the floor (m, whole tenths): 0 if the base is free, else out of the robot's reach."""
    if any(body.joint.type is JointType.FREE for body in spec.bodies):
        return 0.0
    reach = {WORLD: 0.0}
    for body in spec.bodies:
        extent = [math.hypot(*shape.placement.p) + sum(shape.size) for shape in body.shapes]
        extent += [math.hypot(*p.position) + p.radius for p in spec.contact_points if p.body == body.name]
        reach[body.name] = reach[body.parent] + math.hypot(*body.placement.p) + max(extent, default=0.0)
    return math.ceil(10 * max(reach.values())) / 10
