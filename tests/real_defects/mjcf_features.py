"""One robot written in MJCF with features that other readers than MuJoCo may pass over: each file means the spec beside it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.spec import ContactPoint, Inertia, Joint, JointType, RobotSpec, add_body


class File(NamedTuple):
    """A robot, and an MJCF text that means it."""

    spec: RobotSpec
    text: str


def arm() -> RobotSpec:
    """Four hinges on the world, in generic places: link 1 carries 2 and 4, link 2 carries 3."""
    return load("tree4_7")


def floating() -> RobotSpec:
    """The same on a floating base."""
    spec = arm()
    base = add_body(RobotSpec("floating"), "trunk", joint=Joint("trunk_joint", JointType.FREE), inertia=Inertia(
        3.0, (0.02, -0.03, 0.01), (0.03, 0.002, -0.001, 0.05, 0.003, 0.06)))  # fmt: skip
    links = tuple(replace(body, parent="trunk" if body.parent == "world" else body.parent) for body in spec.bodies)
    return replace(base, bodies=(*base.bodies, *links), contact_points=spec.contact_points)


def _written(spec: RobotSpec) -> ET.Element:
    return ET.fromstring(mjcf_text(spec))


def _text(root: ET.Element) -> str:
    return ET.tostring(root, encoding="unicode")


def _body(root: ET.Element, name: str) -> ET.Element:
    found = root.find(f".//body[@name='{name}']")
    assert found is not None
    return found


def frame() -> File:
    """<frame>: link 2 stands in a frame that has its pose."""
    spec, root = arm(), _written(arm())
    link = _body(root, "link_2")
    parent = _body(root, "link_1")
    place = list(parent).index(link)
    parent.remove(link)
    held = ET.Element("frame", {key: link.attrib.pop(key) for key in ("pos", "quat")})
    held.append(link)
    parent.insert(place, held)
    return File(spec, _text(root))


def replicate() -> File:
    """<replicate>: two more links, equal, side by side 0.1 m apart on link 1."""
    spec = arm()
    first = spec.bodies[3]
    assert first.parent == "link_1"
    step = np.array((0.1, -0.05, 0.02))
    bodies = []
    for i in range(2):
        p = tuple(map(float, np.array(first.placement.p) + i * step))
        joint = replace(first.joint, name=f"joint_4{i}")
        bodies.append(replace(first, name=f"link_4{i}", joint=joint, placement=replace(first.placement, p=p)))
    points = [p for p in spec.contact_points if p.body != "link_4"]
    points += [ContactPoint(f"tip_4{i}", f"link_4{i}", (0.1, 0.0, 0.05)) for i in range(2)]
    spec = replace(spec, bodies=(*spec.bodies[:3], *bodies), contact_points=tuple(points), poses=())
    root = _written(spec)
    parent, last = _body(root, "link_1"), _body(root, "link_41")
    parent.remove(last)
    link = _body(root, "link_40")
    place = list(parent).index(link)
    parent.remove(link)
    for named in (link, *link):
        if named.get("name"):
            named.set("name", named.attrib["name"].removesuffix("0"))
    for geom in link.findall("geom"):
        link.remove(geom)
    held = ET.Element("replicate", count="2", offset=" ".join(map(str, step)))
    held.append(link)
    parent.insert(place, held)
    return File(spec, _text(root))


def extrinsic_euler() -> File:
    """compiler eulerseq="XYZ": angles about fixed axes, upper case."""
    spec, root = arm(), _written(arm())
    compiler = root.find("compiler")
    assert compiler is not None
    compiler.set("eulerseq", "XYZ")
    for body in root.iter("body"):
        if quaternion := body.attrib.pop("quat", None):
            w, x, y, z = map(float, quaternion.split())
            angles = Rotation.from_quat([x, y, z, w]).as_euler("xyz")  # SciPy's lower case is about fixed axes
            body.set("euler", " ".join(map(repr, map(float, angles))))
    return File(spec, _text(root))


def long_axis() -> File:
    """axisangle of link 2 with an axis of length 3."""
    spec, root = arm(), _written(arm())
    body = _body(root, "link_2")
    w, x, y, z = map(float, body.attrib.pop("quat").split())
    turn = Rotation.from_quat([x, y, z, w]).as_rotvec()
    angle = float(np.linalg.norm(turn))
    body.set("axisangle", " ".join(map(repr, map(float, (*(3.0 * turn / angle), angle)))))
    return File(spec, _text(root))


def turned_free_body() -> File:
    """A body with a freejoint that stands turned and away in the file: qpos is its pose in the world all the same."""
    spec, root = floating(), _written(floating())
    _body(root, "trunk").attrib |= {"pos": "0.3 -0.2 0.5", "quat": "0.5 0.5 0.5 0.5"}
    return File(spec, _text(root))


def gravity() -> File:
    """option gravity: the moon's, tilted."""
    spec = replace(arm(), gravity=(0.3, 0.0, -1.62))
    return File(spec, mjcf_text(spec))


def total_mass() -> File:
    """compiler settotalmass="10": all masses and inertias by one factor."""
    before = arm()
    factor = 10.0 / before.total_mass

    def heavier(inertia: Inertia) -> Inertia:
        xx, xy, xz, yy, yz, zz = (factor * x for x in inertia.rotational)
        return replace(inertia, mass=factor * inertia.mass, rotational=(xx, xy, xz, yy, yz, zz))

    spec = replace(before, bodies=tuple(replace(body, inertia=heavier(body.inertia)) for body in before.bodies))
    root = _written(before)
    compiler = root.find("compiler")
    assert compiler is not None
    compiler.set("settotalmass", "10")
    return File(spec, _text(root))


def balanced_inertia() -> File:
    """compiler balanceinertia="true": link 3's unreal principal moments are set to their mean."""
    before, moments = arm(), (0.001, 0.002, 0.006)
    mean = sum(moments) / 3.0
    bodies = list(before.bodies)
    bodies[2] = replace(bodies[2], inertia=replace(bodies[2].inertia, rotational=(mean, 0.0, 0.0, mean, 0.0, mean)))
    spec = replace(before, bodies=tuple(bodies))
    root = _written(spec)
    compiler, inertial = root.find("compiler"), _body(root, "link_3").find("inertial")
    assert compiler is not None
    assert inertial is not None
    compiler.set("balanceinertia", "true")
    inertial.set("diaginertia", " ".join(map(repr, moments)))
    return File(spec, _text(root))


def actuator_armature() -> File:
    """armature of a motor with a gear: armature x gear^2 at the joint."""
    before = arm()
    bodies = list(before.bodies)
    bodies[1] = replace(bodies[1], joint=replace(bodies[1].joint, armature=0.002 * 6.0**2))
    spec, root = replace(before, bodies=tuple(bodies)), _written(before)
    section = ET.SubElement(root, "actuator")
    ET.SubElement(section, "motor", name="motor_2", joint=bodies[1].joint.name, gear="6", armature="0.002")
    return File(spec, _text(root))


def aligned_free_joint() -> File:
    """freejoint align="true": the body's frame goes to its com and principal axes."""
    R, com, moments = Rotation.from_quat([0.3, -0.2, 0.5, 0.8]), np.array((0.1, -0.05, 0.02)), (0.011, 0.008, 0.006)
    point = np.array((0.2, 0.1, -0.1))
    place: tuple[float, float, float] = tuple(map(float, R.inv().apply(point - com)))
    spec = add_body(RobotSpec("aligned"), "body", joint=Joint("body_joint", JointType.FREE),
        inertia=Inertia(2.0, (0.0, 0.0, 0.0), (moments[0], 0.0, 0.0, moments[1], 0.0, moments[2])))  # fmt: skip
    spec = replace(spec, contact_points=(ContactPoint("corner", "body", place),))
    x, y, z, w = R.as_quat()
    numbers = lambda values: " ".join(repr(float(v)) for v in values)  # noqa: E731
    text = f"""<mujoco><compiler angle="radian" inertiafromgeom="false"/><worldbody><body name="body">
      <freejoint name="body_joint" align="true"/>
      <inertial mass="2" pos="{numbers(com)}" quat="{numbers((w, x, y, z))}" diaginertia="{numbers(moments)}"/>
      <site name="corner" pos="{numbers(point)}"/></body></worldbody></mujoco>"""
    return File(spec, text)


FEATURES: dict[str, Callable[[], File]] = {
    function.__name__: function
    for function in (
        frame, replicate, extrinsic_euler, long_axis, turned_free_body, gravity, total_mass, balanced_inertia,
        actuator_armature, aligned_free_joint,
    )
}  # fmt: skip
