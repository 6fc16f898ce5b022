"""MuJoCo or Pinocchio of another version behind the engine protocol: a model file in a process with an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from leapcheck import conventions
from leapcheck.conventions import Place
from leapcheck.engines.errors import EngineError
from leapcheck.engines.other_version_worker import read_message, write_message
from leapcheck.engines.projection import NEEDS, Assembly, Floats, OwnStates, evaluated, own_names
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec

Package = Literal["mujoco", "pin"]
Kind = Literal["mjcf", "urdf"]

WORKER = Path(__file__).with_name("other_version_worker.py")

CONVENTIONS = {"mujoco": conventions.mujoco_convention, "pin": conventions.pinocchio_convention}


class RegistryOutOfReach(EngineError):  # noqa: N818 - the remedy is not in this code
    """pip found no version of the package at all."""


def environment(package: Package, version: str, folder: Path) -> Path:
    """The Python of an environment in `folder` with that version of the package, made by venv and pip where it is not yet.

    pip is used with the machine's own settings. Several processes may ask at once. Raises RegistryOutOfReach where pip sees no
    version of the package, EngineError with pip's words where it cannot install this one.
    """
    place = folder / f"{package}-{version}"
    if not place.exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f"{package}-{version}-", dir=folder))
        try:
            _install(made, [f"{package}=={version}", *_companions(package, version)])
            made.rename(place)
        except OSError:  # another process was faster
            if not place.exists():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return _python(place)


def _companions(package: Package, version: str) -> tuple[str, ...]:
    """What else must be held: Pinocchio before 4 does not pin the libraries that it was built with."""
    return ("cmeel-urdfdom<5", "cmeel-tinyxml2<11") if package == "pin" and int(version.split(".")[0]) < 4 else ()


def _install(made: Path, requirements: list[str]) -> None:
    options = ("--quiet", "--disable-pip-version-check")
    commands = [
        [sys.executable, "-m", "venv", str(made)],
        [str(_python(made)), "-m", "pip", "install", *options, *requirements, "numpy"],
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=pip_environment())
        if done.returncode:
            words = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(("ERROR", "Error"))]
            unreachable = "from versions: none" in done.stderr
            kind, remedy = (RegistryOutOfReach, "is the registry in reach?") if unreachable else (EngineError, "see above")
            raise kind(f"{requirements[0]} cannot be installed: {'; '.join(words) or done.stderr.strip()[-500:]}: {remedy}")


def pip_environment() -> dict[str, str]:
    """The environment variables for pip: this process' own, but for PIP_CONSTRAINT, which would pin another version."""
    return {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}


def _python(place: Path) -> Path:
    return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


class OtherVersion:
    """One robot out of a model file in the engine of another Python; owns that process.

    The file holds the robot with its rotors as bodies, links under the spec's names; its numbers are taken as they are, whatever
    the spec says. A floating base that a URDF leaves out is added. Contact points are put on the links, but in MuJoCo's MJCF they
    are the file's own sites of the points' names. A URDF needs MuJoCo 3.2.7 or later.
    """

    def __init__(self, spec: RobotSpec, python: Path, package: Package, text: str, kind: Kind) -> None:
        """Loads the file's text; EngineError with the engine's own words where it refuses."""
        full = with_rotor_bodies(spec).spec
        bases = [body.name for body in spec.bodies if body.joint.type is JointType.FREE]
        asked = {
            "package": package,
            "text": text,
            "kind": kind,
            "free": bases if kind == "urdf" else [],
            "points": [(point.name, point.body, point.position) for point in full.contact_points if point.computed],
            "joints": {body.joint.name: body.name for body in full.bodies if body.joint.type is not JointType.FIXED},
        }
        try:
            self._process = subprocess.Popen([str(python), "-I", str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise EngineError(f"{python} cannot be started ({error.strerror}): remove that environment") from error
        self.close = weakref.finalize(self, _stop, self._process)
        self._package = package
        loaded, _ = self._answer(asked, {})
        self._version = str(loaded["version"])
        self._route = f"{kind.upper()} as it is, in an environment of its own"
        places = {name: Place(*place) for name, place in loaded["places"].items()}
        self._convention = CONVENTIONS[package](spec, places)
        self._shapes = {name: tuple(shape) for name, shape in loaded["shapes"].items()}

    @property
    def name(self) -> str:
        """Name in tables: package and version."""
        return f"{self._package}-{self._version}"

    @property
    def version(self) -> str:
        """Version of the package in that process."""
        return self._version

    @property
    def route(self) -> str:
        """How the robot came into the engine."""
        return self._route

    @property
    def quantities(self) -> frozenset[str]:
        """The canonical quantities whose numbers this version gives: all but Jdot v before MuJoCo 3.2.3."""
        missing = own_names(self._convention, NEEDS) - self._shapes.keys()
        return frozenset(q for q in NEEDS if not own_names(self._convention, [q]) & missing)

    @property
    def convention(self) -> conventions.Convention:
        """The engine's coordinates of this robot."""
        return self._convention

    @property
    def raw_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of each raw number of one state."""
        return self._shapes

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """Nothing is assembled."""
        return {}

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical; EngineError with the engine's own words where it fails."""
        return evaluated(self, states, quantities)

    def write_raw(self, at: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out` for n states into its arrays (n, *shape)."""
        _, arrays = self._answer({"names": sorted(out)}, at._asdict())
        for name, array in out.items():
            array[:] = arrays[name].reshape(array.shape)

    def own_calls(self, at: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """Nothing: every number is the engine's own."""
        del at, names
        return {}

    def _answer(self, header: dict[str, Any], arrays: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The process' answer to a message; EngineError where it says so, or has died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            write_message(self._process.stdin, header, arrays)
            answer, found = read_message(self._process.stdout)
        except (EOFError, BrokenPipeError) as error:
            status = self._process.wait()
            raise EngineError(f"{self._package} in its own environment has ended with status {status}: run it by hand") from error
        if "error" in answer:
            raise EngineError(f"{self._package} in its own environment: {answer['error']}")
        return answer, found


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a worker: it goes when its input ends."""
    for stream in (process.stdin, process.stdout):
        if stream:
            with suppress(BrokenPipeError):
                stream.close()
    process.wait()
