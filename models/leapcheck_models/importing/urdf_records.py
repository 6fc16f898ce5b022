"""The links and joints of a URDF as records: what its elements say, each number checked, nothing put together yet."""

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, replace

from leapcheck_models.importing.poses import declared_inertia, rotate_inertia, rpy_quaternion, unit_quaternion, vector3
from leapcheck_models.importing.urdf_version import QUATERNION
from leapcheck_models.importing.xml_file import MAX_LIMIT, attribute_floats, required_attribute
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Inertia, Placement, Shape, Vector3

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")
"""The words of the format, and one that MuJoCo adds to it."""

SIZES = {
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
}
"""How many numbers each attribute of a shape has; `length` is that of the straight part."""

MAX_LINKS = 2000
UNIT_AXIS = 1e-6
"""An axis whose norm is farther from 1 is worth a finding; readers divide by it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its inertia (None where the file gives none), its simple shapes that touch, and how many meshes it has.

    `lacks_mass`: it has an <inertial> without <mass>, which counts as none.
    """

    name: str
    inertia: Inertia | None
    shapes: tuple[Shape, ...]
    meshes: tuple[str, ...]
    geometries: int
    lacks_mass: bool


@dataclass(frozen=True, slots=True)
class Mimic:
    """angle = multiplier x the angle of `joint` + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint; `axis` has unit length, `axis_norm` is what the file gave.

    `unknown_leader` is the joint that it mimics where the file has no such joint; `mimic` is None then.
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Placement
    axis: Vector3
    axis_norm: float
    limits: tuple[float, float] | None
    effort: float
    velocity: float
    damping: float
    friction: float
    mimic: Mimic | None
    unknown_leader: str = ""


def links(root: ET.Element, where: str) -> dict[str, Link]:
    """All links by name, in the order of the file; ValueError for none, too many, or two of one name."""
    by_name: dict[str, Link] = {}
    for element in root.findall("link"):
        link = _link(element, where)
        if link.name in by_name:
            raise ValueError(f"{where}: two links are called {link.name!r:.80}: names must be unique")
        by_name[link.name] = link
    if not 1 <= len(by_name) <= MAX_LINKS:
        raise ValueError(f"{where}: <{root.tag}> has {len(by_name)} links: give 1 to {MAX_LINKS}")
    return by_name


def joints(root: ET.Element, known: dict[str, Link], where: str) -> tuple[UrdfJoint, ...]:
    """All joints in the order of the file; ValueError for an unknown link, two of one name, or a link that hangs on two."""
    by_name: dict[str, UrdfJoint] = {}
    above: dict[str, str] = {}
    for element in root.findall("joint"):
        joint = _joint(element, where)
        place = f"{where}: joint {joint.name!r:.80}"
        if joint.name in by_name:
            raise ValueError(f"{where}: two joints are called {joint.name!r:.80}: names must be unique")
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                raise ValueError(f"{place}: its {role} link {link!r:.80} does not exist: add it, or correct the name")
        if joint.child in above:
            raise ValueError(
                f"{place}: link {joint.child!r:.80} hangs on joint {above[joint.child]!r:.80} too: a URDF is a tree; cut the loop"
            )
        above[joint.child] = joint.name
        by_name[joint.name] = joint
    return tuple(
        replace(joint, mimic=None, unknown_leader=joint.mimic.joint)
        if joint.mimic and joint.mimic.joint not in by_name
        else joint
        for joint in by_name.values()
    )


def _link(element: ET.Element, where: str) -> Link:
    name = required_attribute(f"{where}: a link", element, "name")
    place = f"{where}: link {name!r:.80}"
    geometries = [(use, use.find("geometry")) for use in (*element.findall("collision"), *element.findall("visual"))]
    meshes = [mesh.get("filename", "") for _, geometry in geometries if geometry is not None for mesh in geometry.findall("mesh")]
    shapes = tuple(touching_shapes(element, place))
    inertial = element.find("inertial")
    lacks_mass = inertial is not None and inertial.find("mass") is None
    inertia = None if inertial is None or lacks_mass else _inertia(inertial, place, f"{where}, link '{name}'")
    return Link(name, inertia, shapes, tuple(meshes), len(geometries), lacks_mass)


def _inertia(inertial: ET.Element, place: str, source: str) -> Inertia:
    mass_element, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass_element is not None:
        required_attribute(f"{place}: its <inertial>", mass_element, "value")
    (mass,) = attribute_floats(place, mass_element, "value", (0.0,))
    if mass < 0.0:
        raise ValueError(f"{place}: its mass is {mass:g} kg: give a mass of at least 0")
    origin = _origin(inertial, place)
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    xx, xy, xz, yy, yz, zz = (attribute_floats(place, tensor, key, (0.0,))[0] for key in keys)
    rotational = rotate_inertia(rotation_matrix(origin.quaternion), (xx, xy, xz, yy, yz, zz))
    return declared_inertia(mass, origin.p, rotational, source)


def touching_shapes(link: ET.Element, place: str) -> Iterator[Shape]:
    """Boxes, spheres, cylinders and capsules that touch."""
    for use in link.findall("collision"):
        geometry = use.find("geometry")
        if geometry is None:
            continue
        for element in geometry:
            size: tuple[float, ...] = ()
            for key, count in SIZES.get(str(element.tag), {}).items():
                required_attribute(place, element, key)
                size += attribute_floats(place, element, key, (0.0,) * count)
            if not size:
                continue
            if min(size) < 0.0:
                raise ValueError(f"{place}: the size of its <{element.tag}> is {size}: lengths are positive")
            if min(size) > 0.0:
                yield Shape(str(element.tag), size, _origin(use, place))


def _joint(element: ET.Element, where: str) -> UrdfJoint:
    name = required_attribute(f"{where}: a joint", element, "name")
    place = f"{where}: joint {name!r:.80}"
    kind = required_attribute(place, element, "type")
    if kind not in JOINT_TYPES:
        raise ValueError(f"{place}: its type is {kind!r:.40}: use one of {', '.join(JOINT_TYPES)}")
    axis, norm = _axis(element, place)
    dynamics, limit = element.find("dynamics"), element.find("limit")
    damping, friction = (attribute_floats(place, dynamics, key, (0.0,))[0] for key in ("damping", "friction"))
    if damping < 0.0 or friction < 0.0:
        raise ValueError(f"{place}: its damping is {damping:g} and its friction {friction:g}: give at least 0")
    effort, velocity = (abs(_limit(limit, place, key)) for key in ("effort", "velocity"))
    return UrdfJoint(
        name, kind, _end(element, "parent", place), _end(element, "child", place), _origin(element, place), axis, norm,
        _limits(limit, place), effort, velocity, damping, friction, _mimic(element.find("mimic"), place),
    )  # fmt: skip


def _axis(element: ET.Element, place: str) -> tuple[Vector3, float]:
    x, y, z = attribute_floats(place, element.find("axis"), "xyz", (1.0, 0.0, 0.0))
    norm = math.hypot(x, y, z)
    if norm == 0.0:
        if element.get("type") in ("revolute", "continuous", "prismatic", "planar"):
            raise ValueError(f"{place}: its axis is (0, 0, 0): give a direction, for example 0 0 1")
        return (1.0, 0.0, 0.0), 1.0
    return vector3((x / norm, y / norm, z / norm)), norm


def _end(element: ET.Element, role: str, place: str) -> str:
    end = element.find(role)
    if end is None:
        raise ValueError(f"{place}: it has no <{role}>: add it")
    return required_attribute(place, end, "link")


def _limits(limit: ET.Element | None, place: str) -> tuple[float, float] | None:
    if limit is None or (limit.get("lower") is None and limit.get("upper") is None):
        return None
    return _limit(limit, place, "lower"), _limit(limit, place, "upper")


def _limit(limit: ET.Element | None, place: str, key: str) -> float:
    return attribute_floats(place, limit, key, (0.0,), MAX_LIMIT)[0]


def _mimic(element: ET.Element | None, place: str) -> Mimic | None:
    if element is None:
        return None
    joint = required_attribute(place, element, "joint")
    (multiplier,) = attribute_floats(place, element, "multiplier", (1.0,))
    (offset,) = attribute_floats(place, element, "offset", (0.0,))
    return Mimic(joint, multiplier, offset)


def _origin(element: ET.Element, place: str) -> Placement:
    origin = element.find("origin")
    p = vector3(attribute_floats(place, origin, "xyz", (0.0, 0.0, 0.0)))
    if origin is None or origin.get(QUATERNION) is None:
        return Placement(p, rpy_quaternion(attribute_floats(place, origin, "rpy", (0.0, 0.0, 0.0))))
    x, y, z, w = attribute_floats(place, origin, QUATERNION, (0.0, 0.0, 0.0, 1.0))
    if origin.get("rpy") is not None or not any((x, y, z, w)):
        raise ValueError(f"{place}: its <origin> has {QUATERNION} and rpy, or four zeros: give one turn")
    return Placement(p, unit_quaternion((w, x, y, z)))
