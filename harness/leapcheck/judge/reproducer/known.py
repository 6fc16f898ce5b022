"""Engines that a program can build from their names."""

from __future__ import annotations

import keyword
import re
from typing import NamedTuple

from leapcheck.engines.outside.target import names_engine
from leapcheck.quantities import QUANTITIES

BUILT_IN = {
    "mujoco": ("mujoco", "mjcf"),
    "mujoco-urdf": ("mujoco", "urdf"),
    "pinocchio": ("pinocchio", ""),
    "pinocchio-mjcf": ("pinocchio", "mjcf"),
}
"""Package, and kind of file ("" for URDF, or API calls where URDF cannot describe the robot)."""

OTHER_VERSION = re.compile(r"(mujoco|pin)-([0-9][0-9a-z.]*)")
TARGET = re.compile(r"([^:]+):([^:]+)")

PACKAGES = {"mujoco": "mujoco", "pinocchio": "pin"}
"""Name under which pip installs a package, by that under which it is imported."""


class KnownEngine(NamedTuple):
    """An engine: its `package` ("" for a user's and for the reference), kind of `file`, and what it is made by.

    `version` is that of the package where it must be a certain one, `model` the text of a file that is not leapcheck's own,
    `module` and `factory` are the user's; an engine that lives `outside`, in a process of its own, is built from its name.
    """

    name: str
    package: str = ""
    file: str = ""
    version: str = ""
    model: str = ""
    module: str = ""
    factory: str = ""
    outside: bool = False

    @property
    def template(self) -> str:
        """Name of its template."""
        return f"{self.package or ('outside' if self.outside else 'own')}.py.j2"

    @property
    def requirement(self) -> str:
        """The requirement for pip."""
        return PACKAGES[self.package] + (f"=={self.version}" if self.version else "")


def known_engine(name: str, quantity: str, model: str) -> KnownEngine | None:
    """The engine of that name; None where a name does not suffice, or the engine lacks the quantity in its own form."""
    other = OTHER_VERSION.fullmatch(name)
    if name in BUILT_IN:
        package, file = BUILT_IN[name]
        return _if_available(KnownEngine(name, package, file or ("urdf" if model else ""), model=model), quantity)
    if other and model:
        package = "mujoco" if other[1] == "mujoco" else "pinocchio"
        file = "mjcf" if "<mujoco" in model.split("<robot")[0] else "urdf"
        return _if_available(KnownEngine(name, package, file, version=other[2], model=model), quantity)
    if name == "reference":
        return _if_available(KnownEngine(name), quantity)
    if names_engine(name):
        return _if_available(KnownEngine(name, outside=True), quantity)
    target = TARGET.fullmatch(name)
    if target and target[2].isidentifier() and not keyword.iskeyword(target[2]):
        return _if_available(KnownEngine(name, module=target[1], factory=target[2]), quantity)
    return None


def _if_available(engine: KnownEngine, quantity: str) -> KnownEngine | None:
    return None if QUANTITIES[quantity].in_mujoco_coordinates and engine.package != "mujoco" else engine
