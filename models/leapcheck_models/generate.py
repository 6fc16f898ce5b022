"""The files of a robot: MJCF, its scene and URDF, as text and on disk."""

import math
import os
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from leapcheck_models.mjcf import Rotors, mjcf_text
from leapcheck_models.spec import WORLD, JointType, RobotSpec
from leapcheck_models.urdf import urdf_obstacles, urdf_text
from leapcheck_models.xml_text import document, file_stem, free_name, number, numbers, provenance


def scene_text(spec: RobotSpec) -> str:
    """MJCF scene that includes the robot's file: sky, light and a checkered floor at z = 0, or below a fixed-base robot."""
    root = ET.Element("mujoco", model=f"{spec.name} scene")
    ET.SubElement(root, "include", file=f"{file_stem(spec)}.xml")
    root.append(_view(spec))
    visual = ET.SubElement(root, "visual")
    ET.SubElement(visual, "headlight", diffuse="0.6 0.6 0.6", ambient="0.3 0.3 0.3", specular="0 0 0")
    ET.SubElement(visual, "rgba", haze="0.15 0.25 0.35 1")
    ET.SubElement(visual, "global", azimuth="120", elevation="-20")
    asset = ET.SubElement(root, "asset")
    sky = {"type": "skybox", "builtin": "gradient", "rgb1": "0.3 0.5 0.7", "rgb2": "0 0 0", "width": "512", "height": "3072"}
    ET.SubElement(asset, "texture", sky)
    checker = {"type": "2d", "name": "floor", "builtin": "checker", "mark": "edge", "width": "300", "height": "300"}
    ET.SubElement(asset, "texture", {**checker, "rgb1": "0.2 0.3 0.4", "rgb2": "0.1 0.2 0.3", "markrgb": "0.8 0.8 0.8"})
    ET.SubElement(asset, "material", name="floor", texture="floor", texuniform="true", texrepeat="5 5", reflectance="0.2")
    worldbody = ET.SubElement(root, "worldbody")
    ET.SubElement(worldbody, "light", name="sun", pos="0 0 3", dir="0 0 -1", directional="true")
    height = 0.0 if _is_floating(spec) else -_reach(spec)
    name = free_name("floor", {point.name for point in spec.contact_points})
    floor = {"name": name, "type": "plane", "size": "0 0 0.05", "material": "floor", "pos": numbers((0.0, 0.0, height))}
    ET.SubElement(worldbody, "geom", floor)
    return document(root, [*provenance(spec), "Robot, floor, sky and light: open this file in the viewer."])


def _view(spec: RobotSpec) -> ET.Element:
    """What the viewer looks at: a free base in the first pose, or all that a fixed-base robot can reach."""
    if _is_floating(spec):
        x, y, z = spec.poses[0].q[:3] if spec.poses and spec.bodies[0].joint.type is JointType.FREE else (0.0, 0.0, 0.0)
        return ET.Element("statistic", center=numbers((x, y, z)))
    return ET.Element("statistic", center="0 0 0", extent=number(round(1.5 * _reach(spec), 2)))


def _is_floating(spec: RobotSpec) -> bool:
    return any(body.joint.type is JointType.FREE for body in spec.bodies)


def _reach(spec: RobotSpec) -> float:
    """A length (m, whole tenths) that no part of a fixed-base robot goes beyond, as far as its sliders stand at zero."""
    origins, furthest = {WORLD: 0.0}, 0.1
    for body in spec.bodies:
        extents = [math.hypot(*s.placement.p) + (s.size[0] + sum(s.size)) / 2 for s in body.shapes]  # at least a half diagonal
        extents += [math.hypot(*p.position) + p.radius for p in spec.contact_points if p.body == body.name]
        origins[body.name] = origins[body.parent] + math.hypot(*body.placement.p)
        furthest = max(furthest, origins[body.name] + max([math.hypot(*body.inertia.com), *extents]))
    return math.ceil(10 * furthest) / 10


def generated_files(spec: RobotSpec, rotors: Rotors = "bodies") -> dict[str, str]:
    """Text of each file by its name: `<robot>.xml`, `scene.xml`, and `<robot>.urdf` where URDF can hold the robot.

    `rotors` chooses how MJCF writes them; URDF always has them as links. `urdf_obstacles(spec)` says why a URDF is missing.
    """
    stem = file_stem(spec)
    files = {f"{stem}.xml": mjcf_text(spec, rotors), "scene.xml": scene_text(spec)}
    if not urdf_obstacles(spec):
        files[f"{stem}.urdf"] = urdf_text(spec)
    return files


def write_robot_files(spec: RobotSpec, folder: str | os.PathLike[str], rotors: Rotors = "bodies") -> list[Path]:
    """Writes a robot's files into `folder`, each whole or not at all, and returns where they lie.

    All texts are made before the first is written. The repository's models/generated/<robot> is made so.
    """
    return write_files(generated_files(spec, rotors), folder)


def write_files(files: Mapping[str, str], folder: str | os.PathLike[str]) -> list[Path]:
    """Writes texts by their names into `folder` (made where missing), each whole or not at all, and returns where they lie."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        partial = target / f"{name}.part"
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(target / name)
    return [target / name for name in files]
