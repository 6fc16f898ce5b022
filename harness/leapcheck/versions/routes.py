"""The model file that every version is given, and the robot that it means: nothing is written into the engine besides."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from leapcheck.engines.other_version import Kind
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Inertia, JointType, Quaternion, RobotSpec
from leapcheck_models.urdf import rpy, urdf_text
from leapcheck_models.validation import rotational_matrix

TURN: Quaternion = (0.9, 0.15, -0.25, 0.35)
"""Axes, of any kind, in which the inertias of a link may be written."""

ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file's text and kind, the robot that it means, and in words what it is."""

    spec: RobotSpec
    text: str
    kind: Kind
    words: str


def written(spec: RobotSpec, route: str) -> ModelFile:
    """The robot's file by that route; ValueError names the routes, or what URDF cannot hold of the robot."""
    if route not in ROUTES:
        raise ValueError(f"unknown route '{route}': use one of {', '.join(ROUTES)}")
    held, words = _with_real_inertias(spec)
    return ROUTES[route](held, words)


def read(spec: RobotSpec, path: Path) -> ModelFile:
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
    held = {body.name: body.inertia for body in spec.bodies}
    R = rotation_matrix(TURN)
    for link in root.iter("link"):
        name, origin, inertia = str(link.get("name")), link.find("inertial/origin"), link.find("inertial/inertia")
        if name in held and (links is None or name in links) and origin is not None and inertia is not None:
            turned = R.T @ rotational_matrix(held[name].rotational) @ R
            for key, place in ENTRIES.items():
                inertia.set(key, repr(float(turned[place])))
            origin.set("rpy", " ".join(map(repr, rpy(TURN))))
    return ET.tostring(root, encoding="unicode")


def fused(text: str) -> str:
    """A URDF of ours with links on fixed joints fused into what carries them, as MuJoCo does unless told otherwise."""
    if 'fusestatic="false"' not in text:
        raise ValueError("the URDF does not say how MuJoCo shall treat fixed links: write it with leapcheck generate")
    return text.replace('fusestatic="false"', 'fusestatic="true"')


def _mjcf(spec: RobotSpec, words: str) -> ModelFile:
    return ModelFile(spec, mjcf_text(spec), "mjcf", f"MJCF as it is{words}")


def _urdf(spec: RobotSpec, words: str) -> ModelFile:
    held, more = _without_armature(spec)
    return ModelFile(held, urdf_text(held), "urdf", f"URDF as it is{words}{more}")


def _urdf_turned(spec: RobotSpec, words: str) -> ModelFile:
    held, more = _without_armature(spec)
    return ModelFile(held, with_turned_inertials(held), "urdf", f"URDF, inertias in axes turned by rpy{words}{more}")


def _urdf_fused(spec: RobotSpec, words: str) -> ModelFile:
    held, more = _without_armature(spec)
    moving = {body.name for body in held.bodies if body.joint.type is not JointType.FIXED}
    held = replace(held, contact_points=tuple(point for point in held.contact_points if point.body in moving))
    return ModelFile(
        held, fused(urdf_text(held)), "urdf", f"URDF, fixed links fused by MuJoCo, without their points{words}{more}"
    )


ROUTES: dict[str, Callable[[RobotSpec, str], ModelFile]] = {
    "mjcf": _mjcf,
    "urdf": _urdf,
    "urdf-turned": _urdf_turned,
    "urdf-fused": _urdf_fused,
}


def _with_real_inertias(spec: RobotSpec) -> tuple[RobotSpec, str]:
    """The robot with the nearest realisable inertia wherever no body has the true one, as files hold it; and the words for it."""
    unreal = [body.name for body in spec.bodies if not body.inertia.realisable]
    bodies = tuple(replace(body, inertia=_real(body.inertia)) for body in spec.bodies)
    return (replace(spec, bodies=bodies), f"; nearest realisable inertia of {', '.join(unreal)}") if unreal else (spec, "")


def _real(inertia: Inertia) -> Inertia:
    if inertia.realisable or inertia.nearest is None:
        return inertia
    return Inertia(inertia.mass, inertia.com, inertia.nearest)


def _without_armature(spec: RobotSpec) -> tuple[RobotSpec, str]:
    """The robot as a URDF holds it, without armature; and the words for it."""
    if not np.any([body.joint.armature for body in spec.bodies]):
        return spec, ""
    bodies = tuple(replace(body, joint=replace(body.joint, armature=0.0)) for body in spec.bodies)
    return replace(spec, bodies=bodies), "; without armature, for which URDF has no word"
