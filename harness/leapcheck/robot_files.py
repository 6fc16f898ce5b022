"""The one front door for robots of all kinds: by name, `random:SEED`, or a file (.json, .urdf, .xml, .mjcf)."""

from __future__ import annotations

from pathlib import Path

from leapcheck_models import robots
from leapcheck_models.importing.imported import Imported
from leapcheck_models.importing.urdf_file import read_urdf
from leapcheck_models.spec import RobotSpec

MJCF = (".xml", ".mjcf")
FILES = (".json", ".urdf", *MJCF)


def short_name(robot: str) -> str:
    """A robot's name; a file's without folders and ending."""
    path = robot.partition("#")[0]
    return Path(path).stem if path.endswith(FILES) else robot


def load(name: str) -> RobotSpec:
    """Spec of a robot; an MJCF is compiled by MuJoCo. Raises as `leapcheck_models.robots.load` does."""
    found = imported(name)
    return robots.load(name) if found is None else found.spec


def imported(name: str) -> Imported | None:
    """The robot of a URDF or MJCF file with the findings on it; None for a name that means no such file.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    if name.partition("#")[0].endswith(".urdf"):
        return read_urdf(name)
    if name.endswith(MJCF):
        from leapcheck.engines.mjcf_import import import_mjcf

        return import_mjcf(name)
    return None
