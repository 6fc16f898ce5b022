"""`leapcheck generate ROBOT`: MJCF and URDF of a robot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro


@dataclass(frozen=True)
class Generate:
    """Write a robot's MJCF, its scene and its URDF.

    Examples:
      leapcheck generate mini_cheetah --out models/
      leapcheck generate mini_cheetah --out models/ --rotors armature
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json)."""
    out: Annotated[Path, tyro.conf.arg(aliases=["-o"])]
    """Folder to write into."""
    rotors: Annotated[Literal["bodies", "armature"], tyro.conf.arg(aliases=["-r"])] = "bodies"
    """Geared rotors in MJCF: exact bodies with hinges of their own, or lumped with armature."""

    def run(self) -> int:
        """Writes the files and prints their paths."""
        from leapcheck_models.generate import write_generated
        from leapcheck_models.robots import load
        from leapcheck_models.urdf import urdf_obstacles

        spec = load(self.robot)
        for path in write_generated(spec, self.out, self.rotors):
            print(path)
        for obstacle in urdf_obstacles(spec):
            print(f"no URDF: {obstacle}")
        return 0
