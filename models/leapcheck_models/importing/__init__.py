"""Robots of the user: model files that others wrote, read into specs.

URDF is read here, by its own rules. MJCF is vetted here and compiled by MuJoCo in the harness (`leapcheck.robots.load`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from leapcheck_models.importing.marks import Mark
from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import RobotSpec, Vector3

Format = Literal["URDF", "MJCF"]


@dataclass(frozen=True, slots=True)
class ImportedRobot:
    """A robot, and the file it came from.

    `findings` name what the file holds that the spec cannot, and what other readers of the file change. `text` is the vetted
    file, safe to hand to an engine (no entity, no reference to another file but the `assets`, by name); `floating` says
    whether the root got the free joint that a URDF does not write. `origins`: where a link's frame stands in the file's own
    frame of its body (m), where that is elsewhere than at its origin; the axes are the same. `marks`: sites and geoms with a
    name, which may be chosen as feet; sites as frames, too.
    """

    spec: RobotSpec
    path: Path
    format: Format
    text: str
    findings: tuple[Finding, ...] = ()
    floating: bool = False
    assets: Mapping[str, bytes] = field(default_factory=dict)
    origins: Mapping[str, Vector3] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
