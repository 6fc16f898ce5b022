"""A user's engine under bubblewrap: no network, no file that it could change, no other process in sight."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from leapcheck.engines.outside.bubblewrap import PROGRAM, sandbox_command
from leapcheck.engines.outside.engine import OutsideEngine
from leapcheck.engines.outside.target import EngineKind, target
from leapcheck_models.spec import RobotSpec

REMEDY = "install bubblewrap (Debian: apt-get install bubblewrap), or do without a sandbox"
SECONDS = 30
"""What the first sandbox, which does nothing, may take."""


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """An engine of the user's, a word of the command line, to be started in a sandbox."""

    name: str
    spec: RobotSpec

    def build(self) -> OutsideEngine:
        """The engine; EngineError where it cannot be made."""
        return OutsideEngine(replace(target(self.name), sandbox=True), self.spec)


def sandbox_request(engine: object, spec: RobotSpec) -> SandboxRequest | OutsideEngine:
    """The engine in a sandbox, itself where it is in one.

    Raises ValueError where it has no process of its own, or where there is no sandbox here.
    """
    if isinstance(engine, OutsideEngine) and engine.target.sandbox:
        return engine
    if not isinstance(engine, str) or target(engine).kind is EngineKind.DATA:
        raise ValueError("no sandbox: an object of Python's or recorded data has no process of its own: name module:factory")
    check_sandbox()
    return SandboxRequest(engine, spec)


@cache
def check_sandbox() -> None:
    """ValueError where bubblewrap is not installed, or may not make a sandbox."""
    if shutil.which(PROGRAM) is None:
        raise ValueError(f"no sandbox: there is no program '{PROGRAM}': {REMEDY}")
    command = sandbox_command(("true",), Path("/"))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise ValueError(f"no sandbox: bubblewrap may not make one here ({' '.join(done.stderr.split()):.200}): {REMEDY}")
