"""The model file that every version is given, and the robot that it describes; the engine is told nothing else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from leapcheck.engines.other_version.engine import Kind
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.rpy import rpy
from leapcheck_models.spec import Inertia, JointType, Quaternion, RobotSpec
from leapcheck_models.urdf import urdf_text
from leapcheck_models.validation import rotational_matrix

TURN: Quaternion = (0.9, 0.15, -0.25, 0.35)
"""Generic axes in which the inertias of a link may be written."""

ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


class Route(StrEnum):
    """Which file leapcheck writes of a robot."""

    MJCF = "mjcf"
    URDF = "urdf"
    URDF_TURNED = "urdf-turned"
    URDF_FUSED = "urdf-fused"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file's text and kind, the robot that it describes, and a description for people."""

    spec: RobotSpec
    text: str
    kind: Kind
    words: str


def model_file(spec: RobotSpec, route: str) -> ModelFile:
    """The robot's file by a route; ValueError names the routes, or what of the robot URDF cannot express."""
    if route not in list(Route):
        raise ValueError(f"unknown route '{route}': use one of {', '.join(Route)}")
    spec, notes = _with_real_inertias(spec)
    if route == Route.MJCF:
        return ModelFile(spec, mjcf_text(spec), "mjcf", f"MJCF as it is{notes}")
    if any(body.joint.armature for body in spec.bodies):
        spec = replace(spec, bodies=tuple(replace(body, joint=replace(body.joint, armature=0.0)) for body in spec.bodies))
        notes += "; without armature, which URDF cannot express"
    if route == Route.URDF_TURNED:
        return ModelFile(spec, with_turned_inertials(spec), "urdf", f"URDF, inertias in axes turned by rpy{notes}")
    if route == Route.URDF:
        return ModelFile(spec, urdf_text(spec), "urdf", f"URDF as it is{notes}")
    moving = {body.name for body in spec.bodies if body.joint.type is not JointType.FIXED}
    spec = replace(spec, contact_points=tuple(point for point in spec.contact_points if point.body in moving))
    words = f"URDF, fixed links fused by MuJoCo, without their points{notes}"
    return ModelFile(spec, fuse_fixed_links(urdf_text(spec)), "urdf", words)


def read_model_file(spec: RobotSpec, path: Path) -> ModelFile:
    """The user's own file of the robot, MJCF or URDF by its root element; ValueError where it is neither."""
    text = path.read_text(encoding="utf-8")
    try:
        tag = ET.fromstring(text).tag
    except ET.ParseError as error:
        raise ValueError(f"{path}: is no XML ({error}): give an MJCF or URDF file") from error
    kinds: dict[str, Kind] = {"mujoco": "mjcf", "robot": "urdf"}
    if tag not in kinds:
        raise ValueError(f"{path}: the root element is <{tag}>: give an MJCF file (<mujoco>) or a URDF (<robot>)")
    return ModelFile(spec, text, kinds[tag], f"{path} as it is")


def with_turned_inertials(spec: RobotSpec, links: Collection[str] | None = None) -> str:
    """The robot's URDF with the inertias of some links (all, if None) written in axes turned by rpy: the same robot."""
    root = ET.fromstring(urdf_text(spec))
    inertias = {body.name: body.inertia for body in spec.bodies}
    R = rotation_matrix(TURN)
    for link in root.iter("link"):
        name, origin, inertia = str(link.get("name")), link.find("inertial/origin"), link.find("inertial/inertia")
        if name in inertias and (links is None or name in links) and origin is not None and inertia is not None:
            turned = R.T @ rotational_matrix(inertias[name].rotational) @ R
            for key, place in ENTRIES.items():
                inertia.set(key, repr(float(turned[place])))
            origin.set("rpy", " ".join(map(repr, rpy(TURN))))
    return ET.tostring(root, encoding="unicode")


def fuse_fixed_links(text: str) -> str:
    """A URDF written by leapcheck, with links on fixed joints fused into their parents, as MuJoCo does by default."""
    if 'fusestatic="false"' not in text:
        raise ValueError("the URDF does not say whether MuJoCo fuses fixed links: write it with leapcheck generate")
    return text.replace('fusestatic="false"', 'fusestatic="true"')


def _with_real_inertias(spec: RobotSpec) -> tuple[RobotSpec, str]:
    """The robot with the nearest realisable inertia where no body can have the true one, as model files have it; and a note."""
    unreal = [body.name for body in spec.bodies if not body.inertia.realisable]
    if not unreal:
        return spec, ""
    bodies = tuple(replace(body, inertia=_realisable(body.inertia)) for body in spec.bodies)
    return replace(spec, bodies=bodies), f"; nearest realisable inertia of {', '.join(unreal)}"


def _realisable(inertia: Inertia) -> Inertia:
    if inertia.realisable or inertia.nearest is None:
        return inertia
    return Inertia(inertia.mass, inertia.com, inertia.nearest)
