"""The model file that a reproducer carries: what the engine's adapter reads, without what no quantity depends on."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_text

UNNEEDED = ("equality", "actuator", "keyframe")
"""Sections of an MJCF file on which none of the quantities depends."""


def short_mjcf(spec: RobotSpec, full: RobotSpec, with_common_root: bool) -> str:
    """MJCF of the robot, rotors as bodies, without comments, geoms and what only a simulation needs.

    `with_common_root`: with the massless body around the roots that Pinocchio wants; MuJoCo's adapter reads it without.
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
    return _indented(root)


def short_urdf(spec: RobotSpec) -> str:
    """URDF of the robot without comments, shapes and transmissions."""
    root = ET.fromstring(urdf_text(spec))
    for parent in list(root.iter()):
        for element in [e for e in parent if e.tag in ("visual", "collision", "transmission")]:
            parent.remove(element)
    return _indented(root)


def _indented(root: ET.Element) -> str:
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"
