"""A URDF read into a spec by the format's own rules: `read_urdf("my_robot.urdf")`.

What a URDF does not say is decided by rules, and each decision is a finding:

- Base: the root link floats if it, with the links fixed to it, has mass and is not called `world`; else it is fixed. Write
  `my_robot.urdf#floating` or `my_robot.urdf#fixed` to decide yourself.
- Contact points: one at the end of each chain of moving joints (`chain_ends`), until the user chooses others (`feet`).
- A planar joint becomes three joints with links without mass between them: x, y in its plane, then the turn about its axis.
- A joint that mimics another is an exact rotor where it turns a leaf on the same parent; otherwise it stays a degree of
  freedom of its own in M and h, as MuJoCo and Pinocchio have it unless told otherwise, and the tie is a constraint (`couplings`).
"""

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from leapcheck_models.importing import ImportedRobot
from leapcheck_models.importing.chain_ends import contact_points
from leapcheck_models.importing.marks import urdf_marks
from leapcheck_models.importing.poses import product, turn, vector3
from leapcheck_models.importing.urdf_findings import urdf_findings
from leapcheck_models.importing.urdf_records import Link, UrdfJoint, joints, links, touching_shapes
from leapcheck_models.importing.urdf_tree import UrdfTree, base_floats, build_tree
from leapcheck_models.importing.urdf_version import version_findings
from leapcheck_models.importing.xml_file import attribute_floats, read_xml
from leapcheck_models.spec import (
    WORLD,
    Actuator,
    Body,
    Coupling,
    Inertia,
    Joint,
    JointType,
    Placement,
    RobotSpec,
    Rotor,
    Vector3,
)
from leapcheck_models.urdf import UNLIMITED
from leapcheck_models.xml_text import free_name

BASES = ("floating", "fixed")
ONE_JOINT = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.REVOLUTE,
    "prismatic": JointType.PRISMATIC,
    "spherical": JointType.BALL,
    "fixed": JointType.FIXED,
    "floating": JointType.FREE,
}
NO_INERTIA = Inertia(0.0)


def read_urdf(name: str | os.PathLike[str]) -> ImportedRobot:
    """The robot in a URDF file; `#floating` or `#fixed` behind the path says what its base is.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    path, _, base = os.fspath(name).partition("#")
    if base and base not in BASES:
        raise ValueError(f"file '{path}': '#{base:.40}' is no base: write #floating or #fixed behind the path")
    where = f"file '{path}'"
    root = read_xml(path, "robot", "a URDF")
    by_version = tuple(version_findings(root))
    known = links(root, where)
    tree = build_tree(known, joints(root, known, where), where)
    floating = base_floats(tree, base)
    bodies = tuple(_bodies(tree, floating))
    spec = _spec(root.get("name") or Path(path).stem, bodies, tree, where)
    option = root.find("mujoco/option")  # MuJoCo's extension, in which URDF's writers say gravity; the format itself cannot
    spec = replace(spec, gravity=vector3(attribute_floats(where, option, "gravity", spec.gravity)))
    findings = (*by_version, *urdf_findings(root, tree, spec, floating, base_given=bool(base)))
    marks = tuple(urdf_marks(root, lambda link: touching_shapes(link, where)))
    return ImportedRobot(spec, Path(path), "URDF", vetted_text(root), findings, floating, marks=marks)


def vetted_text(root: ET.Element) -> str:
    """The URDF without what refers to other files: geometry of meshes, materials, and what only simulators read."""
    for link in root.findall("link"):
        for use in [*link.findall("visual"), *link.findall("collision")]:
            if use.tag == "visual" or use.find("geometry/mesh") is not None:
                link.remove(use)
    keep = ("link", "joint", "mujoco")
    for element in [child for child in root if child.tag not in keep]:
        root.remove(element)
    for compiler in root.iter("compiler"):
        for key in ("meshdir", "texturedir", "assetdir"):
            compiler.attrib.pop(key, None)
    return ET.tostring(root, encoding="unicode")


def _spec(name: str, bodies: tuple[Body, ...], tree: UrdfTree, where: str) -> RobotSpec:
    """The spec; an error names the file."""
    if not bodies:
        raise ValueError(f"{where}: its only link is the world: add a link and a joint")
    try:
        spec = RobotSpec(
            name,
            bodies,
            actuators=tuple(_actuators(tree, bodies)),
            source=f"URDF {Path(where[6:-1]).name}",
            couplings=tuple(_couplings(tree, bodies)),
        )
        return replace(spec, contact_points=contact_points(spec))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _bodies(tree: UrdfTree, floating: bool) -> Iterator[Body]:
    """Bodies depth-first, children in the order of the file's joints; rotors are left to the joints that they mimic."""
    rotors = {rotor.mimic.joint: rotor for rotor in tree.rotors if rotor.mimic}
    names = {joint.name for joint in tree.joints}
    if tree.root.name != WORLD:
        kind = JointType.FREE if floating else JointType.FIXED
        yield Body(
            tree.root.name, Joint(free_name("root_joint", names), kind), tree.root.inertia or NO_INERTIA, shapes=tree.root.shapes
        )
    for joint in tree.order:
        link = tree.links[joint.child]
        parent = WORLD if joint.type == "floating" else joint.parent
        if joint.type == "planar":
            yield from _planar(joint, link, parent, tree)
        else:
            rotor = rotors.get(joint.name)
            yield Body(
                link.name, _joint(joint), link.inertia or NO_INERTIA, parent,
                Placement() if joint.type == "floating" else joint.placement,
                rotor=_rotor(rotor, tree) if rotor else None, shapes=link.shapes,
            )  # fmt: skip


def _joint(joint: UrdfJoint) -> Joint:
    kind = ONE_JOINT[joint.type]
    if kind not in (JointType.REVOLUTE, JointType.PRISMATIC):
        return Joint(joint.name, kind)
    limits = joint.limits if joint.type != "continuous" else None
    if limits and (limits[0] >= limits[1] or limits == (-UNLIMITED, UNLIMITED)):
        limits = None
    return Joint(joint.name, kind, joint.axis, limits, damping=joint.damping, friction=joint.friction)


def _planar(joint: UrdfJoint, link: Link, parent: str, tree: UrdfTree) -> Iterator[Body]:
    """Two slides and a turn, massless links between them: of several joints on a link only the last carries it."""
    links, names = set(tree.links), {other.name for other in tree.joints}
    placement = joint.placement
    for letter, axis in zip("xy", plane(joint.axis), strict=True):
        name = free_name(f"{link.name}_{letter}", links)
        yield Body(
            name, Joint(free_name(f"{joint.name}_{letter}", names), JointType.PRISMATIC, axis), NO_INERTIA, parent, placement
        )
        parent, placement = name, Placement()
    yield Body(
        link.name, Joint(joint.name, JointType.REVOLUTE, joint.axis), link.inertia or NO_INERTIA, parent, shapes=link.shapes
    )


def plane(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors that span the plane and make a right-handed frame with its normal; x and y for z."""
    if normal == (0.0, 0.0, 1.0):
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    n = np.array(normal)
    least = np.eye(3)[int(np.abs(n).argmin())]
    first = np.cross(least, n)
    first /= np.sqrt((first * first).sum())
    return vector3(first), vector3(np.cross(n, first))


def _rotor(joint: UrdfJoint, tree: UrdfTree) -> Rotor:
    """The rotor that a mimicking leaf is; its offset turns the frame at angle zero."""
    assert joint.mimic is not None
    placement = product(joint.placement, Placement((0.0, 0.0, 0.0), turn(joint.axis, joint.mimic.offset)))
    inertia = tree.links[joint.child].inertia or NO_INERTIA
    return Rotor(joint.child, joint.mimic.multiplier, inertia, placement, joint.axis)


def _couplings(tree: UrdfTree, bodies: tuple[Body, ...]) -> Iterator[Coupling]:
    """The mimics that are no rotors, as constraints between joints that are both there."""
    one_dof = {body.joint.name for body in bodies if body.joint.axis is not None}
    for joint in tree.order:
        if joint.mimic and {joint.name, joint.mimic.joint} <= one_dof and joint.name != joint.mimic.joint:
            yield Coupling(joint.name, joint.name, joint.mimic.joint, (joint.mimic.offset, joint.mimic.multiplier))


def _actuators(tree: UrdfTree, bodies: tuple[Body, ...]) -> Iterator[Actuator]:
    """A drive for every joint with an effort limit; limits that stand for "none" give none."""
    one_dof = {body.joint.name for body in bodies if body.joint.axis is not None}
    for joint in tree.order:
        if joint.name in one_dof and joint.type != "planar" and 0.0 < joint.effort < UNLIMITED:
            speed = joint.velocity if 0.0 < joint.velocity < UNLIMITED else None
            yield Actuator(joint.name, joint.name, joint.effort, speed)
