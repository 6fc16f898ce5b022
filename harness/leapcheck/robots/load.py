"""Robots of all kinds: a name, `random:SEED`, a file, a spec, or a live model of MuJoCo or Pinocchio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leapcheck_models import robots
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.spec import RobotSpec

MJCF = (".xml", ".mjcf")
FILES = (".json", ".urdf", *MJCF)


@dataclass(frozen=True, slots=True)
class NamedRobot:
    """A robot, and the words that load it again ("mini_cheetah", "random:7", "go2.urdf"); "" where none do."""

    spec: RobotSpec
    source: str = ""

    @property
    def name(self) -> str:
        """What reports and commands call it."""
        return self.source or self.spec.name


def named_robot(source: str) -> NamedRobot:
    """The robot that these words load; raises as `load`."""
    return NamedRobot(load(source), source)


def load(robot: Any) -> RobotSpec:
    """Spec of a robot.

    `robot` is a name, `random:SEED`, the path of a .json, .urdf, .xml or .mjcf (which MuJoCo compiles), a `RobotSpec`, a
    `mujoco.MjModel` or a `pinocchio.Model`.

    Raises FileNotFoundError, or ValueError in one line that names the file or model, the element and the remedy; TypeError for
    anything else. A `mujoco.MjModel` whose equality constraints, tendons or mocap bodies are left out gives a UserWarning.
    """
    if isinstance(robot, RobotSpec):
        return robot
    if isinstance(robot, str | Path):
        file = read_robot_file(str(robot))
        return robots.load(str(robot)) if file is None else file.spec
    package, kind = type(robot).__module__.partition(".")[0], type(robot).__name__  # without importing the package
    if (package, kind) == ("mujoco", "MjModel"):
        from leapcheck.engines.mujoco.mjcf_import import spec_of_live_model

        return spec_of_live_model(robot)
    if (package, kind) == ("pinocchio", "Model"):
        from leapcheck.engines.pinocchio.tree import spec_of_model

        return spec_of_model(robot)
    raise TypeError(
        f"a robot is given as {kind}: give a name, a file ending in {', '.join(FILES)}, a RobotSpec, a mujoco.MjModel or a "
        "pinocchio.Model"
    )


def read_robot_file(name: str) -> ImportedRobot | None:
    """The robot of a URDF or MJCF file with the findings on it; None for a name that means no such file.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    if name.partition("#")[0].endswith(".urdf"):
        from leapcheck_models.importing.urdf_file import read_urdf

        return read_urdf(name)
    if name.endswith(MJCF):
        from leapcheck.engines.mujoco.mjcf_import import import_mjcf

        return import_mjcf(name)
    return None


def short_name(robot: str) -> str:
    """A robot's name; a file's without folders and ending."""
    path = robot.partition("#")[0]
    return Path(path).stem if path.endswith(FILES) else robot
