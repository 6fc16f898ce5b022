"""MuJoCo or Pinocchio of another version behind the engine protocol: a model file in a process with an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Place
from leapcheck.engines.errors import EngineError
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.other_version.worker import read_message, write_message
from leapcheck.engines.outside.bubblewrap import sandbox_command
from leapcheck.engines.projection import OwnStates, own_names
from leapcheck.quantities import CORE
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec

Package = Literal["mujoco", "pin"]
Kind = Literal["mjcf", "urdf"]

WORKER = Path(__file__).with_name("worker.py")

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
        scratch = Path(tempfile.mkdtemp(prefix=f"{package}-{version}-", dir=folder))
        try:
            _install(scratch, [f"{package}=={version}", *_companions(package, version)])
            scratch.rename(place)
        except OSError:  # another process was faster
            if not place.exists():
                raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return _python(place)


def _companions(package: Package, version: str) -> tuple[str, ...]:
    """What else must be held: Pinocchio before 4 does not pin the libraries that it was built with."""
    return ("cmeel-urdfdom<5", "cmeel-tinyxml2<11") if package == "pin" and int(version.split(".")[0]) < 4 else ()


def _install(scratch: Path, requirements: list[str]) -> None:
    options = ("--quiet", "--disable-pip-version-check")
    commands = [
        [sys.executable, "-m", "venv", str(scratch)],
        [str(_python(scratch)), "-m", "pip", "install", *options, *requirements, "numpy"],
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


class OtherVersion(ForeignEngine):
    """One robot from a model file, in the engine of another Python; owns that process.

    The file holds the robot with its rotors as bodies, links under the spec's names; its numbers are taken as they are, whatever
    the spec says. A floating base that a URDF leaves out is added. Contact points are put on the links, but in MuJoCo's MJCF they
    are the file's own sites of the points' names. A URDF needs MuJoCo 3.2.7 or later.
    """

    def __init__(self, spec: RobotSpec, python: Path, package: Package, text: str, kind: Kind, sandbox: bool = False) -> None:
        """Loads the file's text, in a sandbox if need be; EngineError with the engine's own words where it refuses."""
        full = with_rotor_bodies(spec).spec
        bases = [body.name for body in spec.bodies if body.joint.type is JointType.FREE]
        request = {
            "package": package,
            "text": text,
            "kind": kind,
            "free": bases if kind == "urdf" else [],
            "points": [(point.name, point.body, point.position) for point in full.contact_points if point.computed],
            "joints": {body.joint.name: body.name for body in full.bodies if body.joint.type is not JointType.FIXED},
        }
        try:
            command: Sequence[str] = (str(python), "-I", str(WORKER))
            command = sandbox_command(command, Path("/")) if sandbox else command
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise EngineError(f"{python} cannot be started ({error.strerror}): remove that environment") from error
        self.close = weakref.finalize(self, _stop, self._process)
        self._package = package
        reply, _ = self._answer(request, {})
        version, shapes = str(reply["version"]), {name: tuple(shape) for name, shape in reply["shapes"].items()}
        convention = CONVENTIONS[package](spec, {name: Place(*place) for name, place in reply["places"].items()})
        missing = own_names(convention, CORE) - shapes.keys()  # Jdot v before MuJoCo 3.2.3
        super().__init__(
            f"{package}-{version}",
            version,
            f"{kind.upper()} as it is, in an environment of its own",
            convention,
            shapes,
            quantities=(name for name in CORE if not own_names(convention, [name]) & missing),
        )

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`; EngineError with the engine's own words where it fails."""
        _, arrays = self._answer({"names": sorted(out)}, {"q": states.q, "v": states.v, "tau": states.tau})
        for name, array in out.items():
            array[:] = arrays[name].reshape(array.shape)

    def _answer(self, header: dict[str, Any], arrays: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The process' answer to a message; EngineError where it says so, or has died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            write_message(self._process.stdin, header, arrays)
            answer, answered = read_message(self._process.stdout)
        except (EOFError, BrokenPipeError) as error:
            status = self._process.wait()
            raise EngineError(f"{self._package} in its own environment has ended with status {status}: run it by hand") from error
        if "error" in answer:
            raise EngineError(f"{self._package} in its own environment: {answer['error']}")
        return answer, answered


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a worker: it goes when its input ends."""
    for stream in (process.stdin, process.stdout):
        if stream:
            with suppress(BrokenPipeError):
                stream.close()
    process.wait()
