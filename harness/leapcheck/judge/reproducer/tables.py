"""A reproducer's robot and state: tables of plain numbers by the names of links, and the text of the model file."""

from __future__ import annotations

import dataclasses
import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any

import numpy as np

from leapcheck.coordinates.conventions import QUATERNION_JOINTS, has_rotors
from leapcheck_models.arrays import Floats
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, WORLD, Body, JointType, RobotSpec, Vector3, as_json
from leapcheck_models.urdf import urdf_text

LinkRow = tuple[str, tuple[float, ...], tuple[int, ...], float]
"""A link that a joint moves: its name; its joint's coordinates in an engine's convention; for each velocity of the joint in
that engine the canonical dof behind it, and the factor between both."""

InertiaRow = tuple[str, float, tuple[float, ...], tuple[float, ...]]
"""A link's name, mass, com and rotational inertia (xx, xy, xz, yy, yz, zz)."""


UNNEEDED = ("equality", "actuator", "keyframe")
"""Sections of an MJCF file on which none of the quantities depends."""


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot with rotors as bodies, and what a template may ask of it."""

    spec: RobotSpec
    full: RobotSpec

    @property
    def nv(self) -> int:
        """Number of canonical dofs."""
        return self.spec.nv

    @property
    def is_free(self) -> bool:
        """Whether a free joint is among the joints."""
        return any(body.joint.type is JointType.FREE for body in self.spec.bodies)

    @property
    def is_square(self) -> bool:
        """Whether the engine has as many dofs as the robot: no rotors."""
        return not has_rotors(self.spec)

    @property
    def has_fixed_links(self) -> bool:
        """Whether anything is fixed to the world."""
        return any(body.parent == WORLD and body.joint.type is JointType.FIXED for body in self.spec.bodies)

    @property
    def armatures(self) -> list[tuple[str, float]]:
        """Link and armature of each joint that has armature."""
        return [(body.name, float(body.joint.armature)) for body in self.full.bodies if body.joint.armature]


def robot(spec: RobotSpec) -> Robot:
    """The robot for an engine with rotors as bodies."""
    return Robot(spec, with_rotor_bodies(spec).spec if has_rotors(spec) else spec)


def link_rows(spec: RobotSpec, q: Floats, scalar_last: bool) -> list[LinkRow]:
    """The links that joints move, for canonical q (nq,): MuJoCo's coordinates, or Pinocchio's with the scalar last."""
    full, gears = with_rotor_bodies(spec)
    coordinates = with_rotor_coordinates(spec, q)
    rows: list[LinkRow] = []
    at_q = at_v = 0
    for body in full.bodies:
        kind = body.joint.type
        of_q, of_v = slice(at_q, at_q + CONFIGURATION_SIZE[kind]), slice(at_v, at_v + VELOCITY_SIZE[kind])
        at_q, at_v = of_q.stop, of_v.stop
        if kind is JointType.FIXED:
            continue
        dofs = [int(np.flatnonzero(row)[0]) if row.any() else 0 for row in gears[of_v]]
        ratio = float(gears[of_v][0, dofs[0]])
        if kind is JointType.FREE:
            dofs = [*dofs[3:], *dofs[:3]]
        rows.append((body.name, _coordinates(kind, coordinates[of_q], scalar_last), tuple(dofs), ratio))
    return rows


def inertia_rows(full: RobotSpec, but_plain: bool) -> list[InertiaRow]:
    """The inertias of all links; `but_plain`: but those whose rotational inertia is diagonal and realisable."""
    return [
        (body.name, float(body.inertia.mass), tuple(map(float, body.inertia.com)), tuple(map(float, body.inertia.rotational)))
        for body in full.bodies
        if not (but_plain and _is_plain(body))
    ]


def point_rows(spec: RobotSpec) -> list[tuple[str, str, tuple[float, ...]]]:
    """Name, link and position of each computed contact point."""
    computed = [point for point in spec.contact_points if point.computed]
    return [(point.name, point.body, tuple(map(float, point.position))) for point in computed]


def body_rows(full: RobotSpec) -> list[tuple[object, ...]]:
    """Name, parent, position, quaternion xyzw, name of the joint, its kind and its axis, () where it has none, of each link."""
    return [
        (
            body.name,
            body.parent,
            tuple(map(float, body.placement.p)),
            tuple(np.roll(body.placement.quaternion, -1).tolist()),
            body.joint.name,
            str(body.joint.type),
            _unit(body.joint.axis) if body.joint.axis else (),
        )
        for body in full.bodies
    ]


def robot_record(spec: RobotSpec) -> dict[str, Any]:
    """The spec as its JSON has it, without the sources of its figures."""
    bodies = tuple(dataclasses.replace(body, source="") for body in spec.bodies)
    record: dict[str, Any] = json.loads(as_json(dataclasses.replace(spec, bodies=bodies, source="", description="")))
    return record


def _unit(axis: Vector3) -> tuple[float, ...]:
    """The axis as the adapter passes it on."""
    return tuple(map(float, np.array(axis) / np.linalg.norm(axis)))


def _coordinates(kind: JointType, values: Floats, scalar_last: bool) -> tuple[float, ...]:
    """A joint's coordinates with a unit quaternion, its scalar where the engine expects it."""
    numbers = values.copy()
    if kind in QUATERNION_JOINTS:
        quaternion = numbers[-4:]
        quaternion /= np.sqrt(np.sum(quaternion * quaternion))
        numbers[-4:] = np.roll(quaternion, -1) if scalar_last else quaternion
    return tuple(map(float, numbers))


def _is_plain(body: Body) -> bool:
    _, xy, xz, _, yz, _ = body.inertia.rotational
    return body.inertia.realisable and not (xy or xz or yz)


def short_mjcf(spec: RobotSpec, full: RobotSpec, with_common_root: bool) -> str:
    """MJCF of the robot, rotors as bodies, without comments, geoms and what only a simulation needs.

    `with_common_root`: with the massless body around the roots that Pinocchio needs; MuJoCo's adapter does without.
    """
    root = ET.fromstring(mjcf_text(spec))
    for section in UNNEEDED:
        for element in root.findall(section):
            root.remove(element)
    for parent in list(root.iter()):
        for geom in parent.findall("geom"):
            parent.remove(geom)
        for of_class in [c for c in parent.findall("default") if c.get("class") in ("visual", "collision")]:
            parent.remove(of_class)
    links = {body.name for body in full.bodies}
    for worldbody in root.findall("worldbody"):
        for wrapper in [body for body in worldbody.findall("body") if body.get("name") not in links and not with_common_root]:
            worldbody.remove(wrapper)
            worldbody.extend(wrapper.findall("body"))
    return _indent(root)


def short_urdf(spec: RobotSpec) -> str:
    """URDF of the robot without comments, shapes and transmissions."""
    root = ET.fromstring(urdf_text(spec))
    for parent in list(root.iter()):
        for element in [e for e in parent if e.tag in ("visual", "collision", "transmission")]:
            parent.remove(element)
    return _indent(root)


def _indent(root: ET.Element) -> str:
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"
