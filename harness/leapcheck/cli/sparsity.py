"""`leapcheck sparsity ROBOT`: the pattern of the mass matrix."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class SparsityCommand:
    """Show the sparsity pattern of a robot's mass matrix, in the terminal and as a picture.

    Examples:
      leapcheck sparsity mini_cheetah
      leapcheck sparsity tree4_5 --picture pattern.svg
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json, .urdf, .xml)."""
    picture: Path | None = None
    """Also write a picture (.svg or .png)."""

    def run(self) -> int:
        """Prints the pattern and writes the picture."""
        from leapcheck.entries import dof_names
        from leapcheck.report.comparison.sparsity import sparsity_text, write_sparsity_picture
        from leapcheck.robots.load import load
        from leapcheck.system.text import terminal_text
        from leapcheck_reference import build, sparsity_pattern

        spec = load(self.robot)
        pattern = tuple(tuple(map(int, row)) for row in sparsity_pattern(build(spec)))
        names = dof_names(spec)
        print(sparsity_text(pattern, names, unicode=sys.stdout.isatty()))
        if self.picture is not None:
            print(f"picture: {terminal_text(str(write_sparsity_picture(pattern, names, self.picture)))}")
        return 0
