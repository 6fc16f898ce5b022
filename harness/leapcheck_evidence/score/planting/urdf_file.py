"""URDF under edit."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from scipy.spatial.transform import Rotation

from leapcheck_evidence.score.planting.robot_file import NotHereError, Numbers, RobotFile, attribute_numbers, attribute_text
from leapcheck_models.rpy import rpy
from leapcheck_models.spec import WORLD, JointType, RobotSpec, Symmetric3
from leapcheck_models.urdf import urdf_obstacles, urdf_text

AXES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
TYPES = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.REVOLUTE,
    "prismatic": JointType.PRISMATIC,
    "fixed": JointType.FIXED,
}


class UrdfFile(RobotFile):
    """URDF with the rotors as links; what URDF cannot express (armature, gravity) is kept beside it, for its reader to set."""

    def __init__(self, spec: RobotSpec) -> None:
        if obstacles := urdf_obstacles(spec):
            raise NotHereError("; ".join(obstacles))
        super().__init__(spec, urdf_text(spec))
        names = {body.name for body in self.full.bodies}
        if names & {point.name for point in spec.contact_points}:
            raise NotHereError("a contact point is called as a link")
        self._gravity: Numbers = spec.gravity
        self._armature = {body.name: body.joint.armature for body in self.full.bodies}

    def links(self) -> list[str]:
        """Names of the links in the file that are no contact points."""
        names = {body.name for body in self.full.bodies}
        return [link.get("name", "") for link in self.root.findall("link") if link.get("name") in names]

    def joint_type(self, link: str) -> JointType:
        """Of the joint above a link; the root of a floating robot has none in the file."""
        self._link(link)
        for joint in self.root.findall("joint"):
            if _end(joint, "child") == link:
                return TYPES[joint.get("type", "")]
        return JointType.FREE

    def set_joint_type(self, link: str, kind: JointType) -> None:
        """Writes the word for it."""
        joint = self._joint(link)
        joint.set("type", str(kind))
        if kind is JointType.PRISMATIC and joint.find("limit") is None:
            ET.SubElement(joint, "limit", lower="-1e6", upper="1e6", effort="1e6", velocity="1e6")
        if kind is JointType.FIXED:
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)

    @property
    def gravity(self) -> Numbers:
        """As the reader sets it."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        self._gravity = tuple(value)

    def mass(self, link: str) -> float:
        """As written."""
        return float(self._part(link, "mass").get("value", ""))

    def set_mass(self, link: str, value: float) -> None:
        """Writes it."""
        self._part(link, "mass").set("value", repr(value))

    def com(self, link: str) -> Numbers:
        """As written."""
        return attribute_numbers(self._part(link, "origin").get("xyz", "0 0 0"))

    def set_com(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""
        self._part(link, "origin").set("xyz", attribute_text(value))

    def rotational(self, link: str) -> Symmetric3:
        """As written; the inertial's own axes are the link's."""
        inertia = self._part(link, "inertia")
        xx, xy, xz, yy, yz, zz = (float(inertia.get(axis, "")) for axis in AXES)
        return (xx, xy, xz, yy, yz, zz)

    def set_rotational(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""
        for axis, entry in zip(AXES, value, strict=True):
            self._part(link, "inertia").set(axis, repr(float(entry)))

    def place(self, link: str) -> tuple[Numbers, Numbers]:
        """The joint's origin; its roll, pitch and yaw as a quaternion."""
        origin = self._origin(link)
        x, y, z, w = Rotation.from_euler("xyz", attribute_numbers(origin.get("rpy", "0 0 0"))).as_quat()
        return attribute_numbers(origin.get("xyz", "0 0 0")), (float(w), float(x), float(y), float(z))

    def set_place(self, link: str, position: Sequence[float], quaternion: Sequence[float]) -> None:
        """Writes the origin; the angles only where the turn is another, which keeps them exact."""
        origin = self._origin(link)
        origin.set("xyz", attribute_text(position))
        if tuple(quaternion) != self.place(link)[1]:
            w, x, y, z = quaternion
            origin.set("rpy", attribute_text(rpy((w, x, y, z))))

    def axis(self, link: str) -> Numbers:
        """As written."""
        return attribute_numbers(self._axis(link).get("xyz", ""))

    def set_axis(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""
        self._axis(link).set("xyz", attribute_text(value))

    def armature(self, link: str) -> float:
        """As the reader sets it."""
        self._joint(link)
        return self._armature[link]

    def set_armature(self, link: str, value: float) -> None:
        """For the reader."""
        self._joint(link)
        self._armature[link] = value

    def gear(self, link: str) -> float:
        """The multiplier of the rotor's mimic joint."""
        return float(self._mimic(link).get("multiplier", ""))

    def set_gear(self, link: str, value: float) -> None:
        """Writes it there."""
        self._mimic(link).set("multiplier", repr(value))

    def point(self, name: str) -> Numbers:
        """Origin of the point's fixed joint."""
        return attribute_numbers(self._origin(name).get("xyz", "0 0 0"))

    def set_point(self, name: str, value: Sequence[float]) -> None:
        """Writes it."""
        self._origin(name).set("xyz", attribute_text(value))

    def remove(self, link: str) -> None:
        """With every link and joint behind it."""
        self._link(link)
        gone = {link}
        while more := {_end(j, "child") for j in self.root.findall("joint") if _end(j, "parent") in gone} - gone:
            gone |= more
        for element in [e for e in self.root.findall("link") if e.get("name") in gone]:
            self.root.remove(element)
        joints = [j for j in self.root.findall("joint") if _end(j, "child") in gone]
        names = {joint.get("name") for joint in joints}
        for joint in joints:
            self.root.remove(joint)
        for mimicking in [j for j in self.root.findall("joint") if j.find("mimic") is not None]:
            mimic = mimicking.find("mimic")
            if mimic is not None and mimic.get("joint") in names:
                mimicking.remove(mimic)
        for transmission in self.root.findall("transmission"):
            if {joint.get("name") for joint in transmission.findall("joint")} & names:
                self.root.remove(transmission)

    def hang(self, link: str, other: str) -> None:
        """By the joint's parent."""
        self._link(other)
        if other in self.behind(link):
            raise NotHereError(f"'{other}' hangs on '{link}'")
        parent = self._joint(link).find("parent")
        assert parent is not None
        parent.set("link", other)

    def add(self, name: str, parent: str, mass: float, com: Sequence[float], rotational: Sequence[float]) -> None:
        """A link on a fixed joint."""
        self._link(parent)
        inertial = ET.SubElement(ET.SubElement(self.root, "link", name=name), "inertial")
        ET.SubElement(inertial, "origin", xyz=attribute_text(com), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=repr(mass))
        ET.SubElement(inertial, "inertia", dict(zip(AXES, map(repr, map(float, rotational)), strict=True)))
        joint = ET.SubElement(self.root, "joint", name=f"{name}_fixed_joint", type="fixed")
        ET.SubElement(joint, "parent", link=parent)
        ET.SubElement(joint, "child", link=name)

    def exchange(self, one: str, other: str) -> None:
        """In links and joints alike."""
        renamed = {one: other, other: one}
        for link in self.root.findall("link"):
            link.set("name", renamed.get(link.get("name", ""), link.get("name", "")))
        for end in [*self.root.findall("joint/parent"), *self.root.findall("joint/child")]:
            end.set("link", renamed.get(end.get("link", ""), end.get("link", "")))
        self._armature[one], self._armature[other] = self._armature[other], self._armature[one]

    def _link(self, link: str) -> ET.Element:
        for element in self.root.findall("link"):
            if element.get("name") == link and link != WORLD:
                return element
        raise NotHereError(f"no link '{link}'")

    def _joint(self, link: str) -> ET.Element:
        for joint in self.root.findall("joint"):
            if _end(joint, "child") == link:
                return joint
        raise NotHereError(f"no joint above '{link}'")

    def _origin(self, link: str) -> ET.Element:
        return self._of(self._joint(link), "origin")

    def _axis(self, link: str) -> ET.Element:
        return self._of(self._joint(link), "axis")

    def _part(self, link: str, tag: str) -> ET.Element:
        return self._of(self._of(self._link(link), "inertial"), tag)

    def _mimic(self, link: str) -> ET.Element:
        rotor = self.rotor_of(link)
        if rotor is None:
            raise NotHereError(f"no rotor drives the joint of '{link}'")
        return self._of(self._joint(rotor), "mimic")

    @staticmethod
    def _of(element: ET.Element, tag: str) -> ET.Element:
        child = element.find(tag)
        if child is None:
            raise NotHereError(f"no <{tag}> in <{element.tag} {element.get('name', '')}>")
        return child


def _end(joint: ET.Element, tag: str) -> str:
    end = joint.find(tag)
    return "" if end is None else end.get("link", "")
