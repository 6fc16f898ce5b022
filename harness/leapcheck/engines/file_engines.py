"""The user's file as MuJoCo and Pinocchio themselves load it, no value corrected: held against the tree read from it.

`mujoco-file`: the MJCF as compiled; a URDF through MjSpec, with the free joint that it does not write on a floating base.
`pinocchio-file`: Pinocchio's own readers. A link or joint of the tree that the loaded model lacks is an error by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leapcheck.engines.file_engine import FileEngine
from leapcheck.engines.mujoco_file import mujoco_file
from leapcheck.engines.pinocchio_file import pinocchio_file
from leapcheck_models.importing.imported import Imported

FACTORIES: dict[str, Callable[[Imported], FileEngine]] = {"mujoco-file": mujoco_file, "pinocchio-file": pinocchio_file}
"""The engines by name."""


@dataclass(frozen=True, slots=True)
class FileRequest:
    """One of both engines, to be made of a file."""

    name: str
    imported: Imported

    def made(self) -> FileEngine:
        """The engine; NotApplicable where the package refuses the file, EngineError where its model lacks a part of the tree."""
        return FACTORIES[self.name](self.imported)
