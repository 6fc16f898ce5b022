"""A robot's file, MJCF or URDF, that faults edit: the numbers and the structure in its text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace

from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import (
    CONFIGURATION_SIZE,
    ONE_DOF,
    VELOCITY_SIZE,
    WORLD,
    Body,
    JointType,
    RobotSpec,
    Symmetric3,
)


class NotHereError(ValueError):
    """The robot has nothing to plant this fault in."""


Numbers = tuple[float, ...]


class RobotFile(ABC):
    """Text of a robot with its rotors as bodies; `links` are named as in the spec, rotors among them.

    Every question about something that is not there raises NotHereError. Placements are in the parent, coms and inertias in the
    link's axes, inertias (xx, xy, xz, yy, yz, zz) about the com.
    """

    def __init__(self, spec: RobotSpec, text: str) -> None:
        self.spec = spec
        self.full = with_rotor_bodies(spec).spec
        self.root = ET.fromstring(text)
        self.storage = True
        """Whether the bodies are still in the spec's order, so that MuJoCo's own arrays can be compared."""

    @property
    def text(self) -> str:
        """The file."""
        return ET.tostring(self.root, encoding="unicode")

    def body(self, link: str) -> Body:
        """The spec's body of a link, or the one that stands for a rotor."""
        for body in self.full.bodies:
            if body.name == link:
                return body
        raise NotHereError(f"robot '{self.spec.name}' has no link '{link}'")

    def rotor_of(self, link: str) -> str | None:
        """Name of the rotor that drives the joint of a link."""
        rotor = self.spec.bodies[self.spec.body_index(link)].rotor if link in {b.name for b in self.spec.bodies} else None
        return rotor.name if rotor else None

    @property
    def read_spec(self) -> RobotSpec:
        """What the file's reader makes its coordinates of: the spec's joints that are in the file, gears and gravity.

        Placements and inertias of this spec are not the file's.
        """
        bodies: list[Body] = []
        kept: set[str] = set()
        for body in self.spec.bodies:
            if self.has(body.name):
                bodies.append(self._read_body(body, kept))
                kept.add(body.name)
        points = tuple(point for point in self.spec.contact_points if point.body in kept)
        x, y, z = self.gravity
        return replace(self.spec, bodies=tuple(bodies), contact_points=points, poses=(), actuators=(), gravity=(x, y, z))

    def _read_body(self, body: Body, kept: set[str]) -> Body:
        kind, parent = self.joint_type(body.name), body.parent
        while parent not in kept and parent != WORLD:
            parent = self.spec.bodies[self.spec.body_index(parent)].parent
        joint = body.joint
        if kind is JointType.FIXED:
            joint = replace(joint, type=kind, axis=None, limits=None, armature=0.0, damping=0.0, friction=0.0)
        elif kind is not joint.type:
            joint = replace(joint, type=kind)
        rotor = body.rotor
        if rotor is not None:
            turns = kind in ONE_DOF and self.has(rotor.name) and self.joint_type(rotor.name) in ONE_DOF
            rotor = replace(rotor, gear_ratio=self.gear(body.name)) if turns else None
        return replace(body, joint=joint, parent=parent, rotor=rotor)

    def has(self, link: str) -> bool:
        """Whether the file has a link."""
        return link in self.links()

    @abstractmethod
    def links(self) -> list[str]:
        """Names of the links of the spec and of rotors that are in the file."""

    @abstractmethod
    def joint_type(self, link: str) -> JointType:
        """Type of the joint above a link."""

    @abstractmethod
    def set_joint_type(self, link: str, kind: JointType) -> None:
        """Makes a hinge a slide, or a moving joint a fixed one."""

    @property
    @abstractmethod
    def gravity(self) -> Numbers:
        """Gravity (m/s^2)."""

    @gravity.setter
    @abstractmethod
    def gravity(self, value: Sequence[float]) -> None: ...

    @abstractmethod
    def mass(self, link: str) -> float:
        """Mass (kg)."""

    @abstractmethod
    def set_mass(self, link: str, value: float) -> None:
        """Writes it."""

    @abstractmethod
    def com(self, link: str) -> Numbers:
        """Com (m)."""

    @abstractmethod
    def set_com(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""

    @abstractmethod
    def rotational(self, link: str) -> Symmetric3:
        """Rotational inertia (kg m^2)."""

    @abstractmethod
    def set_rotational(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""

    @abstractmethod
    def place(self, link: str) -> tuple[Numbers, Numbers]:
        """Position (m) and quaternion wxyz in the parent."""

    @abstractmethod
    def set_place(self, link: str, position: Sequence[float], quaternion: Sequence[float]) -> None:
        """Writes both."""

    @abstractmethod
    def axis(self, link: str) -> Numbers:
        """Axis of the joint above a link."""

    @abstractmethod
    def set_axis(self, link: str, value: Sequence[float]) -> None:
        """Writes it."""

    @abstractmethod
    def armature(self, link: str) -> float:
        """Armature of the joint above a link."""

    @abstractmethod
    def set_armature(self, link: str, value: float) -> None:
        """Writes it."""

    @abstractmethod
    def gear(self, link: str) -> float:
        """Gear ratio of the rotor that drives the joint above a link."""

    @abstractmethod
    def set_gear(self, link: str, value: float) -> None:
        """Writes it."""

    @abstractmethod
    def point(self, name: str) -> Numbers:
        """Position of a contact point on its link."""

    @abstractmethod
    def set_point(self, name: str, value: Sequence[float]) -> None:
        """Writes it."""

    @abstractmethod
    def remove(self, link: str) -> None:
        """Takes a link and all behind it out, with their contact points."""

    @abstractmethod
    def hang(self, link: str, other: str) -> None:
        """Puts a link, with all behind it, on another parent at the same placement."""

    @abstractmethod
    def add(self, name: str, parent: str, mass: float, com: Sequence[float], rotational: Sequence[float]) -> None:
        """A new link fixed in a parent's frame."""

    @abstractmethod
    def exchange(self, one: str, other: str) -> None:
        """Exchanges the names of two links."""

    def behind(self, link: str) -> list[str]:
        """The link and all of the spec's bodies and rotors that hang on it."""
        names = [link]
        for body in self.full.bodies:
            if body.parent in names:
                names.append(body.name)
        return names

    def points_behind(self, link: str) -> list[str]:
        """The contact points on them."""
        carriers = self.behind(link)
        return [point.name for point in self.spec.contact_points if point.body in carriers]


def remaining_places(spec: RobotSpec, read_spec: RobotSpec) -> tuple[list[int], list[int]]:
    """Places in the spec's q and v of the coordinates that the robot in the file still has."""
    moving = {body.name: body.joint.type for body in read_spec.bodies}
    of_q: list[int] = []
    of_v: list[int] = []
    q = v = 0
    for body in spec.bodies:
        q_end, v_end = q + CONFIGURATION_SIZE[body.joint.type], v + VELOCITY_SIZE[body.joint.type]
        if moving.get(body.name, JointType.FIXED) is not JointType.FIXED:
            of_q += range(q, q_end)
            of_v += range(v, v_end)
        q, v = q_end, v_end
    return of_q, of_v


def attribute_text(numbers: Iterable[float]) -> str:
    """Numbers as the file has them: the shortest text that is read back as the same double."""
    return " ".join(repr(float(x)) for x in numbers)


def attribute_numbers(text: str) -> Numbers:
    """The numbers of an attribute."""
    return tuple(float(word) for word in text.split())
