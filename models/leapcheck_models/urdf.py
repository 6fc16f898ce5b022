"""URDF of a robot (REP-103), for Pinocchio, MuJoCo and ROS; ValueError where URDF cannot hold the robot.

Pure text: equal specs give equal bytes. A floating robot's root link is its base, without a world link: give Pinocchio
`JointModelFreeFlyer()`, add a free joint to the base in MuJoCo's MjSpec. A fixed-base robot's root link is `world`.
"""

import xml.etree.ElementTree as ET
from itertools import chain

from leapcheck_models.least_inertia import LEAST, LEAST_NOTE, holds_least, smallest_moment, with_least_inertia
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.rpy import rpy
from leapcheck_models.spec import (
    ONE_DOF,
    WORLD,
    Actuator,
    Body,
    ContactPoint,
    Inertia,
    JointType,
    Placement,
    RobotSpec,
    Shape,
)
from leapcheck_models.xml_text import comment, document, entries_text, free_name, number, numbers, provenance

UNLIMITED = 1e6
"""Written (rad, m, N m, N, rad/s, m/s) where URDF asks for a limit and the spec has none."""

CONVENTIONS = (
    "SI units (m, kg, s, rad, N); x forward, y left, z up (REP-103); inertias are the true ones, about the com.",
    f"A limit of {number(UNLIMITED)} means that none is known. Contact points are links without mass.",
    "Pinocchio takes joints beside each other in alphabetical order: map them by name.",
)
FLOATING = (
    "The root link is the floating base: Pinocchio wants JointModelFreeFlyer(), MuJoCo add_freejoint() on it (MjSpec); read",
    "without, the base is fixed to the world.",
)
ROTORS = (
    "Rotors are links on the parent of the joint that they drive, their joints mimic it: exact in Pinocchio with mimic=True.",
    "Without that, and in MuJoCo (a soft equality), they are degrees of freedom of their own. Geared joints are revolute, never",
    "continuous: the rotor's angle counts whole turns, and Pinocchio lets only joints of one kind mimic each other.",
)
UNREALISABLE = (
    "No physical body has some inertia here (see the comment beside it). MuJoCo obeys the balanceinertia below and replaces",
    "its principal moments by their mean, which changes the motion (Mini Cheetah: joint accelerations by 6 to 7 %); Pinocchio",
    "takes it as it is. leapcheck writes the true one into MuJoCo's compiled model.",
)


def urdf_obstacles(spec: RobotSpec) -> tuple[str, ...]:
    """Reasons why URDF cannot hold the robot; empty where it can."""
    balls = [f"joint '{b.joint.name}' is a ball joint" for b in spec.bodies if b.joint.type is JointType.BALL]
    roots = [body for body in spec.bodies if body.parent == WORLD]
    free = [f"joint '{b.joint.name}' is free, beside other roots" for b in roots if b.joint.type is JointType.FREE]
    return (*balls, *(free if len(roots) > 1 else ()))


def urdf_text(spec: RobotSpec) -> str:
    """URDF of the robot, rotors as mimic links, with transmissions; ValueError names the joints that URDF does not have."""
    if obstacles := urdf_obstacles(spec):
        raise ValueError(f"robot '{spec.name}' cannot be written as URDF ({'; '.join(obstacles)}): use its MJCF")
    written = with_least_inertia(with_rotor_bodies(spec).spec)
    floating = any(body.joint.type is JointType.FREE for body in spec.bodies)
    root = ET.Element("robot", name=spec.name)
    root.append(_mujoco_extension(spec, written))
    if not floating:
        ET.SubElement(root, "link", name=WORLD)
    driven_by = {body.rotor.name: body for body in spec.bodies if body.rotor}
    joint_names = {body.joint.name for body in written.bodies}
    link_names = {WORLD, *(body.name for body in written.bodies)}
    for body in written.bodies:
        if body.source and body.source != spec.source and body.name not in driven_by:
            root.append(comment(f"{body.name}: {body.source}"))
        root.append(_link(body, written))
        if body.joint.type is not JointType.FREE:
            root.append(_joint(body, spec, driven_by.get(body.name), joint_names))
        for point in (p for p in spec.contact_points if p.body == body.name):
            root.extend(_point(point, link_names, joint_names))
    root.extend(_transmission(actuator, spec) for actuator in spec.actuators)
    return document(root, _header(spec, written, floating), '<?xml version="1.0" encoding="utf-8"?>\n')


def _header(spec: RobotSpec, written: RobotSpec, floating: bool) -> list[str]:
    lines = [*provenance(spec), *CONVENTIONS]
    if floating:
        lines += FLOATING
    if len(written.bodies) > len(spec.bodies):
        lines += ROTORS
    if not all(body.inertia.realisable for body in written.bodies):
        lines += UNREALISABLE
    if holds_least(written):
        lines.append(LEAST_NOTE)
    if any(body.joint.armature for body in spec.bodies):
        lines.append("URDF has no word for armature: it stands in comments, and a reader must add it to the joints.")
    if any(body.joint.stiffness for body in spec.bodies):
        lines.append("URDF has no word for springs: they stand in comments, and a reader must add them to the joints.")
    return lines


def _mujoco_extension(spec: RobotSpec, written: RobotSpec) -> ET.Element:
    """What MuJoCo needs beyond URDF; inertias are balanced only in robots where one is not realisable."""
    extension = ET.Element("mujoco")
    compiler = ET.SubElement(extension, "compiler", fusestatic="false", discardvisual="false", inertiafromgeom="false")
    if not all(body.inertia.realisable for body in written.bodies):
        compiler.set("balanceinertia", "true")
    ET.SubElement(extension, "option", gravity=numbers(spec.gravity))
    return extension


def _link(body: Body, spec: RobotSpec) -> ET.Element:
    """Link with its inertial and shapes; feet are spheres of the link, so that no mass can be made of a point's link."""
    link = ET.Element("link", name=body.name)
    _append_inertial(link, body.inertia)
    feet = [p for p in spec.contact_points if p.body == body.name and p.radius > 0.0]
    spheres = [Shape("sphere", (point.radius,), Placement(point.position), collides=True) for point in feet]
    shapes = [*body.shapes, *spheres]
    uses = chain((("visual", s) for s in shapes), (("collision", s) for s in shapes if s.collides))
    for use, shape in uses:
        element = ET.SubElement(link, use)
        _append_origin(element, shape.placement)
        _append_geometry(element, shape)
    return link


def _append_inertial(link: ET.Element, inertia: Inertia) -> None:
    if inertia.mass == 0.0 and not any(inertia.rotational):
        return
    if not inertia.realisable:
        text = f"the true inertia, but no physical body has it: {entries_text(inertia.rotational)} kg m^2 ({inertia.source})"
        link.append(comment(text))
    entries = inertia.rotational
    if inertia.nearest is not None and smallest_moment(entries) < LEAST:  # a negative one is refused, balanced or not
        entries = inertia.nearest
    inertial = ET.SubElement(link, "inertial")
    _append_origin(inertial, Placement(inertia.com))
    ET.SubElement(inertial, "mass", value=number(inertia.mass))
    axes = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    ET.SubElement(inertial, "inertia", dict(zip(axes, map(number, entries), strict=True)))


def _append_origin(element: ET.Element, placement: Placement) -> None:
    ET.SubElement(element, "origin", xyz=numbers(placement.p), rpy=numbers(rpy(placement.quaternion)))


def _append_geometry(element: ET.Element, shape: Shape) -> None:
    """Box, sphere or cylinder; a capsule becomes the cylinder between its caps."""
    geometry = ET.SubElement(element, "geometry")
    if shape.kind == "box":
        ET.SubElement(geometry, "box", size=numbers(shape.size))
    elif shape.kind == "sphere":
        ET.SubElement(geometry, "sphere", radius=number(shape.size[0]))
    else:
        ET.SubElement(geometry, "cylinder", radius=number(shape.size[0]), length=number(shape.size[1]))


def _joint(body: Body, spec: RobotSpec, driven: Body | None, names: set[str]) -> ET.Element:
    """Joint above a link; `driven` is the body whose joint it mimics, where the link is a rotor."""
    joint = body.joint
    name = joint.name
    if driven is not None and name < driven.joint.name:  # a mimic joint must come after the joint that it mimics
        name = free_name(f"{driven.joint.name}_rotor", names)
        names.add(name)
    geared = driven is not None or any(b.rotor for b in spec.bodies if b.name == body.name)
    unbounded = joint.type is JointType.REVOLUTE and joint.limits is None and not geared
    element = ET.Element("joint", name=name, type="continuous" if unbounded else str(joint.type))
    ET.SubElement(element, "parent", link=body.parent)
    ET.SubElement(element, "child", link=body.name)
    _append_origin(element, body.placement)
    if joint.type not in ONE_DOF or joint.axis is None:
        return element
    if joint.armature:
        element.append(comment(f"armature {number(joint.armature)} {'kg m^2' if joint.type is JointType.REVOLUTE else 'kg'}"))
    if joint.stiffness:
        units = ("N m/rad", "rad") if joint.type is JointType.REVOLUTE else ("N/m", "m")
        text = f"spring of {number(joint.stiffness)} {units[0]}, at rest at {number(joint.springref)} {units[1]}"
        element.append(comment(text))
    ET.SubElement(element, "axis", xyz=numbers(joint.axis))
    lower, upper = joint.limits or (-UNLIMITED, UNLIMITED)
    limits = {} if unbounded else {"lower": number(lower), "upper": number(upper)}
    if limits or any(a.joint == joint.name for a in spec.actuators):
        ET.SubElement(element, "limit", {**limits, **_drive_limits(joint.name, spec)})
    ET.SubElement(element, "dynamics", damping=number(joint.damping), friction=number(joint.friction))
    if driven is not None and driven.rotor is not None:
        multiplier = number(driven.rotor.gear_ratio)
        ET.SubElement(element, "mimic", joint=driven.joint.name, multiplier=multiplier, offset="0")
    return element


def _drive_limits(joint: str, spec: RobotSpec) -> dict[str, str]:
    """Largest effort (N m, N) of all actuators of a joint together, and the lowest of their speed limits."""
    actuators = [a for a in spec.actuators if a.joint == joint]
    effort = sum(a.torque_limit for a in actuators) if actuators else UNLIMITED
    speed = min((a.speed_limit for a in actuators if a.speed_limit is not None), default=UNLIMITED)
    return {"effort": number(effort), "velocity": number(speed)}


def _point(point: ContactPoint, link_names: set[str], joint_names: set[str]) -> list[ET.Element]:
    """Contact point as a link without mass of the point's name, on a fixed joint `<point>_fixed`."""
    link = free_name(point.name, link_names)
    joint = free_name(f"{point.name}_fixed", joint_names)
    link_names.add(link)
    joint_names.add(joint)
    element = ET.Element("joint", name=joint, type="fixed")
    ET.SubElement(element, "parent", link=point.body)
    ET.SubElement(element, "child", link=link)
    _append_origin(element, Placement(point.position))
    return [ET.Element("link", name=link), element]


def _transmission(actuator: Actuator, spec: RobotSpec) -> ET.Element:
    """ROS transmission; its reduction is the rotor's gear ratio, else the motor's, else 1."""
    rotors = [body.rotor for body in spec.bodies if body.joint.name == actuator.joint and body.rotor]
    reduction = rotors[0].gear_ratio if rotors else actuator.motor.gear_ratio if actuator.motor else 1.0
    element = ET.Element("transmission", name=actuator.name)
    ET.SubElement(element, "type").text = "transmission_interface/SimpleTransmission"
    joint = ET.SubElement(element, "joint", name=actuator.joint)
    ET.SubElement(joint, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
    drive = ET.SubElement(element, "actuator", name=actuator.name)
    ET.SubElement(drive, "mechanicalReduction").text = number(reduction)
    return element
