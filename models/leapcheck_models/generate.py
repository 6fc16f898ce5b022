"""The files of a robot: MJCF, its scene and URDF, as text and on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from leapcheck_models.mjcf import Rotors, mjcf_text
from leapcheck_models.scene import scene_text
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_obstacles, urdf_text
from leapcheck_models.xml_text import file_stem


def generated_files(spec: RobotSpec, rotors: Rotors = "bodies") -> dict[str, str]:
    """Text of each file by its name: `<robot>.xml`, `scene.xml`, and `<robot>.urdf` where URDF can hold the robot.

    `rotors` chooses how MJCF writes them; URDF always has them as links. `urdf_obstacles(spec)` says why a URDF is missing.
    """
    stem = file_stem(spec)
    files = {f"{stem}.xml": mjcf_text(spec, rotors), "scene.xml": scene_text(spec)}
    if not urdf_obstacles(spec):
        files[f"{stem}.urdf"] = urdf_text(spec)
    return files


def write_generated(spec: RobotSpec, folder: str | os.PathLike[str], rotors: Rotors = "bodies") -> list[Path]:
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
