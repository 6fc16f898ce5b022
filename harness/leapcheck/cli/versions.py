"""`leapcheck versions PACKAGE V1 V2 ...`: what changed from one version of an engine to another."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from leapcheck.cli.progress import progress_bar

if TYPE_CHECKING:
    from leapcheck.versions.measure import Question

FILES = ("versions.md", "versions.json")
PIP_NAMES = {"mujoco": "mujoco", "pinocchio": "pin", "pin": "pin"}
VERSION = re.compile(r"[0-9]+(\.[0-9A-Za-z]+)*")


@dataclass(frozen=True)
class Versions:
    """Ask several versions of MuJoCo or Pinocchio the same and tell which quantities changed between them.

    Each version stands in an environment of its own in the user's cache folder (LEAPCHECK_CACHE names another), made once by
    pip. All get the same model file, as it is, and the same states. The table holds each version's largest error against the
    truth in units of the expected rounding. Exit status 0 all give the same and the truth, 1 something changed or is wrong,
    2 a version could not be run.

    Routes: mjcf, urdf, urdf-turned (inertias written in axes turned by rpy), urdf-fused (links on fixed joints fused by MuJoCo).

    Examples:
      leapcheck versions mujoco 3.3.7 3.10.0 4.0.0
      leapcheck versions mujoco 3.10.0 4.0.0 --route urdf-turned --bisect
      leapcheck versions pinocchio 4.0.0 4.1.0 --robot random:1 --quantities mass_matrix bias_force
    """

    package: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PACKAGE")]
    """mujoco or pinocchio (pip's name for it is pin)."""
    versions: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="VERSION")]
    """Versions as pip knows them, two or more, in the order in which they are to be held against each other."""
    robot: str = "mini_cheetah"
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json)."""
    route: str = "mjcf"
    """The model file that leapcheck writes of the robot."""
    file: Path | None = None
    """Your own MJCF or URDF file of the robot instead; its links have the robot's names."""
    states: int = 256
    """How many random states, of mixed kinds."""
    seed: int = 0
    """Seed of the states."""
    quantities: tuple[str, ...] = ()
    """Quantities to ask for; all by default."""
    bisect: bool = False
    """Find the release with which each change came, among all that pip names."""
    out: Path | None = None
    """Folder for versions.md and versions.json; without it nothing is written."""
    json: bool = False
    """Print the results as JSON instead of a summary."""

    def run(self) -> int:
        """Asks every version, prints what changed; returns the exit status."""
        from leapcheck.report.files import check_folder
        from leapcheck.versions.run import history
        from leapcheck.versions.show import HistorySummary, history_json, history_markdown

        question = self._question()
        if self.out is not None:
            check_folder(self.out, FILES)  # before the work, not after it
        with progress_bar("versions", quiet=self.json) as progress, redirect_stdout(sys.stderr):
            found = history(question, self.versions, self.bisect, self._command(), progress)
        if self.out is not None:
            self.out.mkdir(parents=True, exist_ok=True)
            for name, text in zip(FILES, (history_markdown(found), history_json(found)), strict=True):
                (self.out / name).write_text(text, encoding="utf-8", newline="\n")
        if self.json:
            sys.stdout.write(history_json(found))
        else:
            from rich.console import Console

            Console().print(HistorySummary(found))
        return found.exit_status

    def _question(self) -> Question:
        from leapcheck.quantities import QUANTITIES
        from leapcheck.robot_files import load
        from leapcheck.versions.measure import CANONICAL, Question
        from leapcheck.versions.routes import read, written
        from leapcheck.versions.run import environments_folder

        if self.package not in PIP_NAMES:
            raise ValueError(f"unknown package '{self.package}': use one of {', '.join(PIP_NAMES)}")
        self._check_numbers()
        if unknown := [name for name in self.quantities if name not in CANONICAL]:
            what = "is MuJoCo's own" if unknown[0] in QUANTITIES else "is not known"
            raise ValueError(f"quantity '{unknown[0]}' {what}: use one of {', '.join(CANONICAL)}")
        spec = load(self.robot)
        return Question(
            package=PIP_NAMES[self.package],  # type: ignore[arg-type]  # the names of `Package`
            robot=self.robot,
            model=written(spec, self.route) if self.file is None else read(spec, self.file),
            quantities=self.quantities or CANONICAL,
            states=self.states,
            seed=self.seed,
            folder=environments_folder(),
        )

    def _check_numbers(self) -> None:
        if self.states < 1:
            raise ValueError(f"{self.states} states: give at least 1")
        if self.seed < 0:
            raise ValueError(f"the seed is {self.seed}: give a whole number from 0")
        if len(self.versions) < 2:
            raise ValueError(f"{len(self.versions)} versions of {self.package}: give at least two to hold against each other")
        for version in self.versions:
            if not VERSION.fullmatch(version):
                raise ValueError(f"'{version}' is no version: give one like 3.10.0")
            if self.versions.count(version) > 1:
                raise ValueError(f"version {version} is given twice: name each once")

    def _command(self) -> str:
        """The command that repeats this: every choice that is not the default, but for where it is written."""
        words = ["leapcheck", "versions", self.package, *self.versions, "--robot", self.robot]
        words += ["--route", self.route] if self.file is None else ["--file", str(self.file)]
        words += ["--states", str(self.states), "--seed", str(self.seed)]
        if self.quantities:
            words += ["--quantities", *self.quantities]
        return shlex.join([*words, *(["--bisect"] if self.bisect else [])])
