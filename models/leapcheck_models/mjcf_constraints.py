"""Closed loops and coupled joints as MuJoCo's equality constraints, which are soft."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace

from leapcheck_models.importing.poses import product, quaternion_product
from leapcheck_models.spec import WORLD, Coupling, JointType, Loop, LoopType, Placement, Quaternion, RobotSpec
from leapcheck_models.xml_text import free_name, numbers


def append_loop_sites(elements: Mapping[str, ET.Element], spec: RobotSpec) -> dict[str, tuple[str, str]]:
    """Puts a site at each end of each connect, so that the loop need not be closed at zero; returns their names by the loop's."""
    taken = {point.name for point in spec.contact_points}
    names: dict[str, tuple[str, str]] = {}
    for loop in (loop for loop in spec.loops if loop.type is LoopType.CONNECT):
        own = []
        for number, body, point in ((1, loop.body1, loop.point1), (2, loop.body2, loop.point2)):
            own.append(free_name(f"{loop.name}_{number}", taken))
            taken.add(own[-1])
            ET.SubElement(elements[body], "site", {"name": own[-1], "pos": numbers(point)})
        names[loop.name] = (own[0], own[1])
    return names


def append_constraints(section: ET.Element, spec: RobotSpec, sites: Mapping[str, tuple[str, str]]) -> None:
    """The loops, then the couplings; `sites` as `append_loop_sites` returns them."""
    taken = {element.get("name", "") for element in section}
    orientations = _orientations(spec)
    for loop in spec.loops:
        name = free_name(loop.name, taken)
        taken.add(name)
        if loop.type is LoopType.CONNECT:
            first, second = sites[loop.name]
            ET.SubElement(section, "connect", {"name": name, "site1": first, "site2": second})
        else:
            _append_weld(section, name, loop, orientations)
    for coupling in spec.couplings:
        name = free_name(coupling.name, taken)
        taken.add(name)
        _append_coupling(section, name, coupling)


def _append_coupling(section: ET.Element, name: str, coupling: Coupling) -> None:
    coefficients = numbers((*coupling.coefficients, *(0.0,) * (5 - len(coupling.coefficients))))
    joints = {"joint1": coupling.joint} | ({"joint2": coupling.leader} if coupling.leader else {})
    ET.SubElement(section, "joint", {"name": name, **joints, "polycoef": coefficients})


def _append_weld(section: ET.Element, name: str, loop: Loop, orientations: Mapping[str, Quaternion]) -> None:
    """A weld that keeps the bodies as they are turned at zero; its anchor is of body 2, relpose begins with that of body 1."""
    w, x, y, z = orientations[loop.body1]
    turned = quaternion_product((w, -x, -y, -z), orientations[loop.body2])
    pose = {"anchor": numbers(loop.point2), "relpose": numbers((*loop.point1, *turned))}
    ET.SubElement(section, "weld", {"name": name, "body1": loop.body1, "body2": loop.body2, **pose})


def _orientations(spec: RobotSpec) -> dict[str, Quaternion]:
    """How each body is turned in the world with every joint at zero."""
    poses = {WORLD: Placement()}
    for body in spec.bodies:
        placement = Placement() if body.joint.type is JointType.FREE else body.placement
        poses[body.name] = product(poses[body.parent], replace(placement, p=(0.0, 0.0, 0.0)))
    return {name: pose.quaternion for name, pose in poses.items()}
