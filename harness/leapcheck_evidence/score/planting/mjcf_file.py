"""MJCF under edit."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from leapcheck_evidence.score.planting.robot_file import NotHereError, Numbers, RobotFile, attribute_numbers, attribute_text
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import JointType, RobotSpec, Symmetric3

TYPES = {"hinge": JointType.REVOLUTE, "slide": JointType.PRISMATIC, "ball": JointType.BALL}


class MjcfFile(RobotFile):
    """MJCF with the rotors as bodies; a massless body around the roots is taken out, as MuJoCo's reader does.

    `unwritable` are inertias that MuJoCo's compiler refuses: they stand beside the file and are written after it.
    """

    def __init__(self, spec: RobotSpec) -> None:
        super().__init__(spec, mjcf_text(spec))
        self._worldbody = self._of(self.root, "worldbody")
        self.unwritable = {b.name: b.inertia.rotational for b in self.full.bodies if not b.inertia.realisable}
        names = {body.name for body in self.full.bodies}
        for keyframes in self.root.findall("keyframe"):  # poses of the whole robot: no file that lacks a joint could keep them
            self.root.remove(keyframes)
        for wrapper in [body for body in self._worldbody.findall("body") if body.get("name") not in names]:
            self._worldbody.remove(wrapper)
            self._worldbody.extend(wrapper.findall("body"))

    def links(self) -> list[str]:
        """Names of the links in the file."""
        return [body.get("name", "") for body in self._worldbody.iter("body")]

    def joint_type(self, link: str) -> JointType:
        """Of the joint above a link."""
        element = self._link(link)
        if element.find("freejoint") is not None:
            return JointType.FREE
        joint = element.find("joint")
        return JointType.FIXED if joint is None else TYPES[joint.get("type", "hinge")]

    def set_joint_type(self, link: str, kind: JointType) -> None:
        """A slide, or none at all."""
        joint = self._joint(link)
        if kind is JointType.FIXED:
            self._link(link).remove(joint)
            for parent in self.root.iter("actuator"):
                for motor in [m for m in parent if m.get("joint") == joint.get("name")]:
                    parent.remove(motor)
            for parent in self.root.iter("equality"):
                for tie in [t for t in parent if joint.get("name") in (t.get("joint1"), t.get("joint2"))]:
                    parent.remove(tie)
        else:
            joint.set("type", next(name for name, child in TYPES.items() if child is kind))

    @property
    def gravity(self) -> Numbers:
        """As the option says."""
        return attribute_numbers(self._of(self.root, "option").get("gravity", ""))

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        self._of(self.root, "option").set("gravity", attribute_text(value))

    def mass(self, link: str) -> float:
        """As written."""
        return float(self._inertial(link).get("mass", ""))

    def set_mass(self, link: str, value: float) -> None:
        """Writes it."""
        self._inertial(link).set("mass", repr(value))

    def com(self, link: str) -> Numbers:
        """As written."""
        return attribute_numbers(self._inertial(link).get("pos", ""))

    def set_com(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""
        self._inertial(link).set("pos", attribute_text(value))

    def rotational(self, link: str) -> Symmetric3:
        """As written, or as it is to be written after the compiler."""
        if link in self.unwritable:
            return self.unwritable[link]
        inertial = self._inertial(link)
        if (diagonal := inertial.get("diaginertia")) is not None:
            xx, yy, zz = attribute_numbers(diagonal)
            return (xx, 0.0, 0.0, yy, 0.0, zz)
        xx, yy, zz, xy, xz, yz = attribute_numbers(inertial.get("fullinertia", ""))
        return (xx, xy, xz, yy, yz, zz)

    def set_rotational(self, link: str, value: Sequence[float]) -> None:
        """Writes it as a full inertia."""
        xx, xy, xz, yy, yz, zz = value
        if link in self.unwritable:
            self.unwritable[link] = (xx, xy, xz, yy, yz, zz)
            return
        inertial = self._inertial(link)
        inertial.attrib.pop("diaginertia", None)
        inertial.set("fullinertia", attribute_text((xx, yy, zz, xy, xz, yz)))

    def place(self, link: str) -> tuple[Numbers, Numbers]:
        """Attributes pos and quat."""
        element = self._link(link)
        return attribute_numbers(element.get("pos", "0 0 0")), attribute_numbers(element.get("quat", "1 0 0 0"))

    def set_place(self, link: str, position: Sequence[float], quaternion: Sequence[float]) -> None:
        """Writes both."""
        self._link(link).set("pos", attribute_text(position))
        self._link(link).set("quat", attribute_text(quaternion))

    def axis(self, link: str) -> Numbers:
        """As written."""
        return attribute_numbers(self._joint(link).get("axis", "0 0 1"))

    def set_axis(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""
        self._joint(link).set("axis", attribute_text(value))

    def armature(self, link: str) -> float:
        """As written at the joint, or in the class of joints."""
        joint = self._joint(link)
        shared = "0"
        if joint.get("class") == "joint":
            shared = next(d for d in self.root.iter("default") if d.get("class") == "joint")[0].get("armature", "0")
        return float(joint.get("armature", shared))

    def set_armature(self, link: str, value: float) -> None:
        """Writes it at the joint."""
        self._joint(link).set("armature", repr(value))

    def gear(self, link: str) -> float:
        """Out of the equality that ties the rotor to the joint."""
        return attribute_numbers(self._tie(link).get("polycoef", ""))[1]

    def set_gear(self, link: str, value: float) -> None:
        """Writes it there."""
        self._tie(link).set("polycoef", attribute_text((0.0, value, 0.0, 0.0, 0.0)))

    def point(self, name: str) -> Numbers:
        """Of the site."""
        return attribute_numbers(self._site(name).get("pos", "0 0 0"))

    def set_point(self, name: str, value: Sequence[float]) -> None:
        """Writes it."""
        self._site(name).set("pos", attribute_text(value))

    def remove(self, link: str) -> None:
        """With actuators and equalities."""
        element, self.storage = self._link(link), False
        joints = {joint.get("name") for joint in element.iter("joint")}
        self._above(link).remove(element)
        for kind, keys in (("actuator", ("joint",)), ("equality", ("joint1", "joint2"))):
            for section in self.root.iter(kind):
                for entry in [e for e in section if joints & {e.get(key) for key in keys}]:
                    section.remove(entry)

    def hang(self, link: str, other: str) -> None:
        """By moving its element into another."""
        element = self._link(link)
        onto, self.storage = self._link(other), False
        if onto in list(element.iter("body")):
            raise NotHereError(f"'{other}' hangs on '{link}'")
        self._above(link).remove(element)
        onto.append(element)

    def add(self, name: str, parent: str, mass: float, com: Sequence[float], rotational: Sequence[float]) -> None:
        """A body without a joint."""
        body = ET.SubElement(self._link(parent), "body", name=name)
        ET.SubElement(body, "inertial", pos=attribute_text(com), mass=repr(mass), fullinertia="")
        self.set_rotational(name, rotational)
        self.storage = False

    def exchange(self, one: str, other: str) -> None:
        """Of the elements' names."""
        first, second = self._link(one), self._link(other)
        first.set("name", other)
        second.set("name", one)
        for table in (self.unwritable,):
            moved = {{one: other, other: one}.get(name, name): value for name, value in table.items()}
            table.clear()
            table.update(moved)
        self.storage = False

    @staticmethod
    def _of(element: ET.Element, tag: str) -> ET.Element:
        child = element.find(tag)
        if child is None:
            raise NotHereError(f"no <{tag}> in <{element.tag} {element.get('name', '')}>")
        return child

    def _link(self, link: str) -> ET.Element:
        for body in self._worldbody.iter("body"):
            if body.get("name") == link:
                return body
        raise NotHereError(f"no link '{link}'")

    def _above(self, link: str) -> ET.Element:
        element = self._link(link)
        return next(parent for parent in self._worldbody.iter() if element in list(parent))

    def _inertial(self, link: str) -> ET.Element:
        return self._of(self._link(link), "inertial")

    def _joint(self, link: str) -> ET.Element:
        return self._of(self._link(link), "joint")

    def _tie(self, link: str) -> ET.Element:
        rotor = self.rotor_of(link)
        for tie in self.root.findall("equality/joint"):
            if tie.get("name") == rotor:
                return tie
        raise NotHereError(f"no rotor drives the joint of '{link}'")

    def _site(self, name: str) -> ET.Element:
        for site in self._worldbody.iter("site"):
            if site.get("name") == name:
                return site
        raise NotHereError(f"no contact point '{name}'")
