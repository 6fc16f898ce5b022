"""What the tests of the command line share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLANTED = Path(__file__).parent.parent / "compare"
ANSI = "\x1b["
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE")}


@dataclass(frozen=True)
class Result:
    """What a command gave."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Leapcheck = Callable[..., Result]


def program(folder: Path, *words: str, python: tuple[str, ...] = ("-m", "leapcheck")) -> Result:
    """The command line as a program of its own, in a folder; planted engines can be imported."""
    environment = ENVIRONMENT | {"PYTHONPATH": str(PLANTED)}
    command = [sys.executable, *python, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr)
