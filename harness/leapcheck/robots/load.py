"""Robots of all kinds: a name, `random:SEED`, a file, a spec, or a live model of MuJoCo or Pinocchio."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leapcheck_models import robots
from leapcheck_models.search_path import inside
from leapcheck_models.spec import RobotSpec, Vector3
from leapcheck_models.words import plural

if TYPE_CHECKING:
    from leapcheck_models.importing import ImportedRobot
    from leapcheck_models.importing.feet import PointChoice
    from leapcheck_models.importing.marks import Mark

MJCF = (".xml", ".mjcf")
FILES = (".json", ".urdf", *MJCF)
DESCRIPTION = "_description"
"""How names of the package robot_descriptions end."""


@dataclass(frozen=True, slots=True)
class NamedRobot:
    """A robot, and the words that load it again ("mini_cheetah", "random:7", "go2.urdf"); "" where none do.

    `feet` and the file `points` chose its contact points, and `frames` sites that are frames, where they are given.
    """

    spec: RobotSpec
    source: str = ""
    feet: tuple[str, ...] = ()
    points: Path | None = None
    frames: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What reports and commands call it."""
        return self.source or self.spec.name

    @property
    def options(self) -> tuple[str, ...]:
        """The words of a command line that choose its contact points and its frames."""
        feet = ("--feet", *self.feet) if self.feet else ()
        points = () if self.points is None else ("--points", str(self.points))
        return (*feet, *points, *(("--frames", *self.frames) if self.frames else ()))


def named_robot(source: str) -> NamedRobot:
    """The robot that these words load; raises as `load`."""
    return NamedRobot(load(source), source)


def load(robot: Any, feet: Sequence[str] = (), points: Path | None = None, frames: Sequence[str] = ()) -> RobotSpec:
    """Spec of a robot.

    `robot` is a name, also one of the package robot_descriptions, `random:SEED`, the path of a .json, .urdf, .xml or .mjcf (which
    MuJoCo compiles), a `RobotSpec`, a `mujoco.MjModel` or a `pinocchio.Model`. Its contact points are those that `feet` (names of
    bodies, sites or geoms) and the file `points` choose, if they do; each site that `frames` names becomes a link of its own.

    Raises FileNotFoundError, or ValueError in one line that names the file or model, the element and the remedy; TypeError for
    anything else. A `mujoco.MjModel` whose tendons, their equality constraints or mocap bodies are left out gives a UserWarning.
    """
    if isinstance(robot, str | Path) and (file := read_robot_file(str(robot), feet, points, frames)):
        return file.spec
    choice = _choice(feet, points)
    marks: tuple[Mark, ...] = ()
    if (choice or frames) and type(robot).__name__ == "MjModel":
        from leapcheck.engines.mujoco.marks import marks_of_model

        marks = marks_of_model(robot)
    spec = _load(robot)
    return _chosen(_add_frames(spec, frames, marks, f"robot '{spec.name}'"), choice, marks)


def _load(robot: Any) -> RobotSpec:
    """Spec of a robot that is no URDF or MJCF."""
    if isinstance(robot, RobotSpec):
        return robot
    if isinstance(robot, str | Path):
        return robots.load(str(robot))
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


def read_robot_file(
    name: str, feet: Sequence[str] = (), points: Path | None = None, frames: Sequence[str] = ()
) -> ImportedRobot | None:
    """The robot of a URDF or MJCF file with the findings on it; None for a name that means no such file.

    Its contact points are those that `feet` and `points` choose; else those of a .toml of its name beside it, where there is one.
    Sites that `frames` names become links.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    file = _read(name)
    if file is None:
        return None
    file = replace(file, spec=_add_frames(file.spec, frames, file.marks, f"file '{file.path}'"))
    return _with_choice(file, _choice(feet, points) or _choice_beside(file.path))


def _file_in(folder: Path) -> Path:
    """The robot's file in a folder, as of MuJoCo's Menagerie: the one file that is no scene; ValueError lists several or none.

    An MJCF goes before URDFs, and one that is called as the folder ends before others.
    """
    kinds = [[path for path in sorted(folder.glob(f"*{ending}")) if _is_robot(path)] for ending in (*MJCF, ".urdf")]
    kinds.append([path for path in sorted(folder.glob("*/*.urdf")) if _is_robot(path)])
    files = next((files for files in kinds if files), [])
    own = [path for path in files if folder.resolve().name.endswith(path.stem)]
    if len(own or files) != 1:
        listed = ", ".join(path.name for path in files[:8]) or "no URDF or MJCF"
        raise ValueError(f"folder '{folder}': name the file of the robot: {listed}")
    return (own or files)[0]


def _is_robot(path: Path) -> bool:
    return not re.match(r"scene|.*_mjx|.*_old|.*_original", path.stem)


def _read(name: str) -> ImportedRobot | None:
    if name not in ("", *robots.ROBOTS) and not name.endswith(FILES) and Path(name).is_dir():
        name = str(_file_in(Path(name)))
    stem, hash_sign, base = name.partition("#")
    if stem.endswith(DESCRIPTION):
        from leapcheck.robots.descriptions import description_file

        name = f"{description_file(stem) or stem}{hash_sign}{base}"
    if name.partition("#")[0].endswith(".urdf"):
        from leapcheck_models.importing.urdf_file import read_urdf

        return read_urdf(name)
    if name.endswith(MJCF):
        from leapcheck.engines.mujoco.mjcf_import import import_mjcf

        return import_mjcf(name)
    return None


def _with_choice(file: ImportedRobot, choice: PointChoice | None) -> ImportedRobot:
    """The robot of a file with the chosen contact points, and a finding that says so."""
    if choice is None:
        return file
    from leapcheck_models.lint.finding import Finding

    spec = _chosen(file.spec, choice, file.marks, file.origins)
    message = f"{plural(len(spec.contact_points), 'contact point')}, chosen by {choice.where}"
    chosen = Finding("contact points", "note", f"robot '{spec.name}'", message, "nothing")
    return replace(file, spec=spec, findings=(*(f for f in file.findings if f.rule != chosen.rule), chosen))


def _choice(feet: Sequence[str], points: Path | None) -> PointChoice | None:
    """What `feet` and the file `points` choose together; None where they choose nothing."""
    if not feet and points is None:
        return None
    from leapcheck_models.importing.feet import PointChoice, names_of_words, read_choice

    if points is None:
        return PointChoice("--feet", names_of_words(feet))
    listed = read_choice(points)
    return replace(listed, feet=(*names_of_words(feet), *listed.feet))


def _choice_beside(file: Path) -> PointChoice | None:
    """What the .toml of a robot's name beside its file chooses; None where there is none, or one about something else."""
    if not file.with_suffix(".toml").is_file():
        return None
    from leapcheck_models.importing.feet import choice_in, read_table

    table = inside(file.resolve().parent, f"{file.stem}.toml", f"file '{file}': the .toml beside it")
    return choice_in(table, read_table(table))


def _chosen(
    spec: RobotSpec, choice: PointChoice | None, marks: Sequence[Mark] = (), origins: Mapping[str, Vector3] | None = None
) -> RobotSpec:
    """The robot with the chosen contact points; its own where nothing is chosen."""
    if choice is None:
        return spec
    from leapcheck_models.importing.feet import with_points

    return with_points(spec, choice, marks, origins)


def _add_frames(spec: RobotSpec, frames: Sequence[str], marks: Sequence[Mark], where: str) -> RobotSpec:
    """The robot with the named sites as links; as it is where none is named."""
    if not frames:
        return spec
    from leapcheck_models.importing.feet import names_of_words
    from leapcheck_models.importing.frames import with_frames

    return with_frames(spec, names_of_words(frames), marks, where)


def short_name(robot: str) -> str:
    """A robot's name; a file's without folders and ending."""
    path = robot.partition("#")[0]
    return Path(path).stem if path.endswith(FILES) else robot
