"""The record of a robot that was read from a file of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import RobotSpec

Format = Literal["URDF", "MJCF"]


@dataclass(frozen=True, slots=True)
class Imported:
    """A robot, and the file it came from.

    `findings` name what the file holds that the spec cannot, and what other readers of the file change. `text` is the vetted
    file, safe to hand to an engine (no entity, no reference to another file but the `assets`, by name); `floating` says
    whether the root got the free joint that a URDF does not write.
    """

    spec: RobotSpec
    path: Path
    format: Format
    text: str
    findings: tuple[Finding, ...] = ()
    floating: bool = False
    assets: Mapping[str, bytes] = field(default_factory=dict)
