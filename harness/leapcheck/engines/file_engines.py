"""The user's file as MuJoCo, Pinocchio and Drake themselves load it, no value corrected: compared with the tree read from it.

`mujoco-file`: the MJCF as compiled; a URDF through MjSpec, with the free joint that it does not write on a floating base.
`pinocchio-file`, `drake-file`: the packages' own readers. A link or joint of the tree that the loaded model lacks is an error by
its name.
A foreign package is imported only when its engine is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leapcheck.engines.errors import EngineError
from leapcheck.engines.file_engine import FileEngine
from leapcheck.engines.registry import PACKAGES
from leapcheck_models.importing import ImportedRobot


def _mujoco(imported: ImportedRobot) -> FileEngine:
    from leapcheck.engines.mujoco.file import mujoco_file

    return mujoco_file(imported)


def _pinocchio(imported: ImportedRobot) -> FileEngine:
    from leapcheck.engines.pinocchio.file import pinocchio_file

    return pinocchio_file(imported)


def _drake(imported: ImportedRobot) -> FileEngine:
    from leapcheck.engines.drake.file import drake_file

    return drake_file(imported)


DEFAULTS: dict[str, Callable[[ImportedRobot], FileEngine]] = {"mujoco-file": _mujoco, "pinocchio-file": _pinocchio}

FACTORIES = DEFAULTS | {"drake-file": _drake}
"""The engines by name; one beyond DEFAULTS takes part where it is named, and its package is an extra."""


@dataclass(frozen=True, slots=True)
class FileRequest:
    """One of these engines, to be made from a file."""

    name: str
    imported: ImportedRobot

    def build(self) -> FileEngine:
        """The engine; NotApplicable where the package refuses the file.

        Raises EngineError where the package is not installed, or its model lacks a part of the tree.
        """
        try:
            return FACTORIES[self.name](self.imported)
        except ModuleNotFoundError as error:
            package = PACKAGES.get(error.name or "", error.name)
            raise EngineError(f"{self.name}: the package '{error.name}' is not installed: pip install {package}") from error
