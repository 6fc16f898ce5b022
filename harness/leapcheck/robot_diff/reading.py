"""What is compared of each robot: its spec, the digits that its file prints, and the geared rotors that an MJCF couples."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from leapcheck.robot_diff.digits import Steps, printed_steps
from leapcheck.robot_diff.ties import Ties, ties_of
from leapcheck.robots.load import load, read_robot_file
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.spec import JointType, RobotSpec, Rotor, open_tree

UNTIED = Ties()


@dataclass(frozen=True, slots=True)
class DiffInput:
    """A robot's open tree, the digits that its file prints, whether its contact points are its own (readers make them at chain
    ends), and its closed loops and coupled joints.
    """

    spec: RobotSpec
    steps: Mapping[str, Steps] = field(default_factory=dict)
    own_points: bool = True
    ties: Ties = UNTIED


def diff_input(robot: Any) -> DiffInput:
    """What is compared of a robot that is given as in `load`; raises as it does."""
    imported = read_robot_file(str(robot)) if isinstance(robot, str | Path) else None
    if imported is None:
        closed = load(robot)
        spec = open_tree(closed)
        bodies = tuple(replace(body, shapes=tuple(shape for shape in body.shapes if shape.collides)) for body in spec.bodies)
        spec = replace(spec, bodies=bodies)  # a reader takes only what touches
        return DiffInput(spec, ties=ties_of(closed, spec))
    spec = with_coupled_rotors(imported) if imported.format == "MJCF" else open_tree(imported.spec)
    return DiffInput(spec, printed_steps(imported), own_points=False, ties=ties_of(imported.spec, spec))


def with_coupled_rotors(imported: ImportedRobot) -> RobotSpec:
    """The robot with each leaf whose angle an equality ties to the joint beside it (angle = ratio x q) as that joint's rotor."""
    spec = open_tree(imported.spec)
    for leader, follower, ratio in _couplings(ET.fromstring(imported.text)):
        joints = {body.joint.name: body for body in spec.bodies}
        driven, leaf = joints.get(leader), joints.get(follower)
        if driven is None or leaf is None or leaf.joint.axis is None or driven.joint.axis is None or driven.rotor or leaf.rotor:
            continue
        alone = leaf.joint.type is JointType.REVOLUTE and not any(body.parent == leaf.name for body in spec.bodies)
        if not alone or leaf.parent != driven.parent or leaf.joint.armature or any(a.joint == follower for a in spec.actuators):
            continue
        rotor = Rotor(leaf.name, ratio, leaf.inertia, leaf.placement, leaf.joint.axis)
        bodies = tuple(replace(b, rotor=rotor) if b is driven else b for b in spec.bodies if b is not leaf)
        points = tuple(point for point in spec.contact_points if point.body != leaf.name)
        spec = replace(spec, bodies=bodies, contact_points=points, poses=())
    return spec


def _couplings(root: ET.Element) -> Iterator[tuple[str, str, float]]:
    """Leading joint, following joint and ratio of each equality between two joints that is a gear without offset."""
    for equality in root.findall("equality/joint"):
        try:
            offset, ratio, *higher = (float(word) for word in equality.get("polycoef", "0 1 0 0 0").split())
        except ValueError:
            continue  # defaults and fewer coefficients: left as it is, a joint of its own
        if offset == 0.0 and not any(higher) and equality.get("active", "true") == "true":
            yield equality.get("joint2", ""), equality.get("joint1", ""), ratio
