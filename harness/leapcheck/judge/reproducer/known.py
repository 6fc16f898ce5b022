"""Built-in engines that a program can build from their names."""

from __future__ import annotations

import re
from typing import NamedTuple

BUILT_IN = {
    "mujoco": ("mujoco", "mjcf"),
    "mujoco-urdf": ("mujoco", "urdf"),
    "pinocchio": ("pinocchio", ""),
    "pinocchio-mjcf": ("pinocchio", "mjcf"),
    "reference": ("reference", ""),
}
"""Package, and kind of file ("" for URDF, or API calls where URDF cannot describe the robot)."""

OTHER_VERSION = re.compile(r"(mujoco|pin)-([0-9][0-9a-z.]*)")

PACKAGES = {"mujoco": "mujoco", "pinocchio": "pin", "reference": "leapcheck"}
"""Name under which pip installs a package, by that under which it is imported."""


class KnownEngine(NamedTuple):
    """A built-in engine: its `package`, and the kind of `file` that it reads.

    `version` is that of the package where it must be a certain one, `model` the text of a file that is not leapcheck's own.
    """

    name: str
    package: str
    file: str = ""
    version: str = ""
    model: str = ""

    @property
    def template(self) -> str:
        """Name of its template."""
        return f"{self.package}.py.j2"

    @property
    def requirement(self) -> str:
        """The requirement for pip."""
        return PACKAGES[self.package] + (f"=={self.version}" if self.version else "")


def known_engine(name: str, model: str) -> KnownEngine | None:
    """The built-in engine of that name; None where it is none of these, or its name does not suffice to build it."""
    other = OTHER_VERSION.fullmatch(name)
    if name in BUILT_IN:
        package, file = BUILT_IN[name]
        return KnownEngine(name, package, file or ("urdf" if model else ""), model=model)
    if other and model:
        package = "mujoco" if other[1] == "mujoco" else "pinocchio"
        file = "mjcf" if "<mujoco" in model.split("<robot")[0] else "urdf"
        return KnownEngine(name, package, file, version=other[2], model=model)
    return None
