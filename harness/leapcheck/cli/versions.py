"""`leapcheck versions PACKAGE V1 V2 ...`: what changed from one version of an engine to another."""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from leapcheck.cli.progress import progress_bar

if TYPE_CHECKING:
    from leapcheck.engines.other_version.engine import Package
    from leapcheck.versions.measure import VersionQuestion

FILES = ("versions.md", "versions.json")
PIP_NAMES: dict[str, Package] = {"mujoco": "mujoco", "pinocchio": "pin", "pin": "pin"}
VERSION = re.compile(r"[0-9]+(\.[0-9A-Za-z]+)*")


@dataclass(frozen=True)
class VersionsCommand:
    """Compare versions of MuJoCo or Pinocchio and tell which quantities changed.

    Each version gets its own environment in the user's cache folder (or $LEAPCHECK_CACHE), created once by pip. All versions get
    the same unmodified model file and the same states. The table shows each version's largest error against the truth in units
    of the expected rounding. Exit status 0 all versions agree and are right, 1 something changed or is wrong, 2 a version could
    not be run.

    Routes: mjcf, urdf, urdf-turned (inertias written in axes turned by rpy), urdf-fused (links on fixed joints fused by MuJoCo).

    Examples:
      leapcheck versions mujoco 3.3.7 3.10.0 4.0.0
      leapcheck versions mujoco 3.10.0 4.0.0 --route urdf-turned --bisect
      leapcheck versions pinocchio 4.0.0 4.1.0 --robot random:1 --quantities mass_matrix bias_force
    """

    package: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PACKAGE")]
    """mujoco or pinocchio (pip's name for it is pin)."""
    versions: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="VERSION")]
    """Two or more versions as pip knows them, in the order in which to compare them."""
    robot: str = "mini_cheetah"
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json)."""
    route: str = "mjcf"
    """The model file that leapcheck writes of the robot."""
    file: Path | None = None
    """Your own MJCF or URDF file of the robot instead; its links must have the robot's names."""
    states: int = 256
    """How many random states, of mixed kinds."""
    seed: int = 0
    """Seed of the states."""
    quantities: tuple[str, ...] = ()
    """Quantities to ask for; all by default."""
    bisect: bool = False
    """Find the release that brought each change, among all that pip lists."""
    sandbox: bool = False
    """Run every version under bubblewrap: without network, with files that it cannot change; pip itself is not in it."""
    out: Path | None = None
    """Folder for versions.md and versions.json; without it nothing is written."""
    json: bool = False
    """Print the results as JSON instead of a summary."""

    def run(self) -> int:
        """Measures every version, prints what changed; returns the exit status."""
        from leapcheck.report.folder import check_folder, write_together
        from leapcheck.report.versions.history import history_json, history_markdown, history_summary
        from leapcheck.system.command_line import repeat_command
        from leapcheck.versions.run import history

        question = self._question()
        if self.out is not None:
            check_folder(self.out, FILES)  # before the work, not after it
        command = repeat_command(
            ("leapcheck", "versions", self.package, *self.versions),
            self,
            always=("robot", "route", "states", "seed"),
            leave_out=("out", "json", *(("route",) if self.file else ())),
        )
        with progress_bar("versions", quiet=self.json) as progress, redirect_stdout(sys.stderr):
            result = history(question, self.versions, self.bisect, command, progress)
        if self.out is not None:
            write_together(self.out, dict(zip(FILES, (history_markdown(result), history_json(result)), strict=True)))
        if self.json:
            sys.stdout.write(history_json(result))
        else:
            from rich.console import Console

            Console().print(history_summary(result))
        return result.exit_status

    def _question(self) -> VersionQuestion:
        from leapcheck.engines.outside.sandbox import check_sandbox
        from leapcheck.quantities import CORE, QUANTITIES
        from leapcheck.robots.load import load
        from leapcheck.versions.measure import VersionQuestion
        from leapcheck.versions.routes import model_file, read_model_file
        from leapcheck.versions.run import environments_folder

        self._check()
        if self.sandbox:
            check_sandbox()
        if unknown := [name for name in self.quantities if name not in CORE]:
            row = QUANTITIES.get(unknown[0])
            problem = "is unknown" if row is None else "is MuJoCo's own" if row.in_mujoco_coordinates else "is not of the core"
            raise ValueError(f"quantity '{unknown[0]}' {problem}: use one of {', '.join(CORE)}")
        spec = load(self.robot)
        return VersionQuestion(
            package=PIP_NAMES[self.package],
            robot=self.robot,
            model=model_file(spec, self.route) if self.file is None else read_model_file(spec, self.file),
            quantities=self.quantities or CORE,
            states=self.states,
            seed=self.seed,
            folder=environments_folder(),
            sandbox=self.sandbox,
        )

    def _check(self) -> None:
        if self.package not in PIP_NAMES:
            raise ValueError(f"unknown package '{self.package}': use one of {', '.join(PIP_NAMES)}")
        if self.states < 1:
            raise ValueError(f"{self.states} states: give at least 1")
        if self.seed < 0:
            raise ValueError(f"the seed is {self.seed}: give a whole number from 0")
        if len(self.versions) < 2:
            raise ValueError(f"{len(self.versions)} versions of {self.package}: give at least two to compare")
        for version in self.versions:
            if not VERSION.fullmatch(version):
                raise ValueError(f"'{version}' is not a version: give one like 3.10.0")
            if self.versions.count(version) > 1:
                raise ValueError(f"version {version} is given twice: name each once")
