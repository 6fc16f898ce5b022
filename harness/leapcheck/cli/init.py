"""`leapcheck init ROBOT`: the first files of a project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class InitCommand:
    """Write the files to test your own dynamics; existing files are kept.

    my_dynamics.py is an engine that runs as is, to be replaced by your code; test_dynamics.py is for pytest; a workflow for
    GitHub Actions and a pre-commit hook run both.

    Examples:
      leapcheck init mini_cheetah
      leapcheck init my_robot.json --out my_project/
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json), with its path from the project folder."""
    out: Path = Path()
    """Project folder."""

    def run(self) -> int:
        """Writes the missing files, says which are kept and what to do next; returns 0."""
        from leapcheck.robots.load import load
        from leapcheck.starter.files import starter_files
        from leapcheck.system.text import terminal_text

        for name, text in starter_files(self.robot, load(self.robot)).items():
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with path.open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
            except FileExistsError:
                print(terminal_text(f"kept    {path}: it exists; rename it and run this again to get the new one"))
            else:
                print(terminal_text(f"wrote   {path}"))
        print("Put your own code into my_dynamics.py, then run pytest.")
        return 0
