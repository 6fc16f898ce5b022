"""What the tests of the command line share."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leapcheck.comparison.plan import Plan
from leapcheck.robots.load import named_robot

PLANTED = Path(__file__).parents[2] / "planted"
ANSI = "\x1b["
REMEDIES = (
    r"\b(use|give|add|correct|choose|must|list|let|name|divide|leave|see|say|try|keep|save|write|normalise|define|convert|make|"
    r"has five)\b"
)
"""A refusal says what to do: one of these words stands in it."""

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


def few_states(*quantities: str, states: int = 20) -> tuple[str, ...]:
    """Options of a quick comparison of the reference and MuJoCo."""
    return ("--engines", "reference", "mujoco", "--quantities", *quantities, "--states", str(states), "--workers", "1")


REFUSED = few_states("mass_matrix", states=4)
"""Options of a comparison that should be refused; it is quick where it is not."""


def program(folder: Path, *words: str, python: tuple[str, ...] = ("-m", "leapcheck")) -> Result:
    """The command line as a program of its own, in a folder; planted engines can be imported."""
    environment = ENVIRONMENT | {"PYTHONPATH": str(PLANTED)}
    command = [sys.executable, *python, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def refusal(leapcheck: Leapcheck, folder: Path, *words: str | Path) -> str:
    """The one line of a command that is refused; nothing else may have happened."""
    before = sorted(folder.rglob("*"))
    result = leapcheck(*words)
    assert (result.status, result.out) == (2, "")
    assert re.fullmatch(r"leapcheck: [^\n]+\n", result.err), result.err
    assert "Traceback" not in result.err
    assert re.search(REMEDIES, result.err), result.err
    assert sorted(folder.rglob("*")) == before
    return result.err


def run_plan(*engines: str, robot: str = "two_link_arm", seed: int = 0) -> Plan:
    """A quick comparison of the reference, MuJoCo and these engines of the user's."""
    quantities = ("mass_matrix", "gravity_force")
    command = f"leapcheck compare {robot} --states 20 --seed {seed}"
    return Plan(named_robot(robot), ("reference", "mujoco", *engines), quantities, count=20, seed=seed, command=command)
