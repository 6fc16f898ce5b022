"""A user's controller under bubblewrap: a process of its own, without network, with files that it cannot change."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from functools import lru_cache
from itertools import count
from pathlib import Path

import numpy as np

from leapcheck.engines.outside.bubblewrap import sandbox_command
from leapcheck.engines.outside.framing import Header, frame_bytes
from leapcheck.engines.outside.process import Child, Died
from leapcheck.jumping.control import JointCommand
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec, as_json

HOST = "leapcheck.jumping.controller_host"

SECONDS = 60.0
"""How long a controller may take to answer, by a clock of its own."""


class ControllerError(Exception):
    """What a controller raised in its process, or how that has ended."""


def sandboxed_controller(target: str, spec: RobotSpec) -> Callable[[float, Floats, Floats], JointCommand]:
    """The function of (t, q, v) that module:factory makes of the robot; ValueError in one line where it makes none."""
    return SandboxedController(_host(target, Path.cwd()), spec)


class ControllerHost:
    """The process of the controllers of one module:factory."""

    def __init__(self, target: str, folder: Path) -> None:
        """Starts it in the folder in which the module is looked for first."""
        self._numbers = count()
        python = os.pathsep.join([str(folder), *(entry or str(folder) for entry in sys.path)])
        command = sandbox_command((sys.executable, "-m", HOST, target), folder)
        self._child = Child(command, folder, os.environ | {"PYTHONPATH": python}, ())

    def number(self) -> int:
        """A number for a new controller."""
        return next(self._numbers)

    def ask(self, header: Header, numbers: Floats) -> Floats:
        """The numbers of the answer; ControllerError in the words of the controller, or of its end."""
        try:
            self._child.send([frame_bytes(header, numbers.nbytes), numbers.data], SECONDS)
            answer, payload = self._child.receive(SECONDS)
        except Died as death:
            _host.cache_clear()  # the next one gets a new process
            raise ControllerError(f"its process {death.words}") from None
        if "error" in answer:
            kind, words = str(answer.get("type")), str(answer["error"])
            raise ValueError(words) if header["ask"] == "make" else ControllerError(f"{kind}: {words}")
        return np.frombuffer(payload)

    def drop(self, number: int) -> None:
        """Lets a controller go."""
        if not self._child.close.alive:
            return
        try:
            self.ask({"ask": "drop", "id": number}, np.zeros(0))
        except ControllerError:
            return


class SandboxedController:
    """One controller in that process, with a memory of its own."""

    def __init__(self, host: ControllerHost, spec: RobotSpec) -> None:
        self._host, self._number = host, host.number()
        host.ask({"ask": "make", "id": self._number, "robot": as_json(spec)}, np.zeros(0))
        weakref.finalize(self, host.drop, self._number)

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:
        """Its command."""
        rows = self._host.ask({"ask": "act", "id": self._number}, np.concatenate([[t], q, v]))
        return JointCommand(*rows.reshape(5, -1))


@lru_cache(maxsize=1)
def _host(target: str, folder: Path) -> ControllerHost:
    """One process for all controllers that a process of the simulation makes: to start it takes half a second."""
    return ControllerHost(target, folder)
