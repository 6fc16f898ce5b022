"""`leapcheck init ROBOT`: the files to begin with in a project of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class Init:
    """Write what is needed to test dynamics of your own: my_dynamics.py (an engine that runs as it is; put your code into
    it), test_dynamics.py (for pytest), a workflow for GitHub Actions and a hook for pre-commit. Files that exist are kept.

    Examples:
      leapcheck init mini_cheetah
      leapcheck init my_robot.json --out my_project/
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json), its path from the folder of the project."""
    out: Path = Path()
    """Folder of the project."""

    def run(self) -> int:
        """Writes the files that are not there, says which are kept, and what to do next; returns 0."""
        from leapcheck.robot_files import load
        from leapcheck.starter.files import starter_files

        for name, text in starter_files(self.robot, load(self.robot)).items():
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with path.open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
            except FileExistsError:
                print(f"kept    {path}: it exists; rename it and run this again to see what would stand there")
            else:
                print(f"wrote   {path}")
        print("Put your own code into my_dynamics.py, then run pytest.")
        return 0
