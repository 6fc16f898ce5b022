"""`leapcheck robots`, and the help of every command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from leapcheck.cli import COMMANDS
from leapcheck_models.robots import ROBOTS
from tests.harness.cli.command_line import ANSI, Leapcheck

pytestmark = pytest.mark.quick

HEAVY = ("mujoco", "pinocchio", "pandas", "scipy", "numpy", "flint")


def test_every_robot_is_listed(leapcheck: Leapcheck) -> None:
    result = leapcheck("robots")
    assert (result.status, result.err) == (0, "")
    lines = {line.split()[0]: line for line in result.out.splitlines() if line[:1] not in ("", " ")}
    assert set(lines) == {"robot", *ROBOTS, "random:SEED", "FILE.json", "FILE.urdf", "FILE.xml"}
    assert lines["mini_cheetah"].split()[1:5] == ["18", "12", "16", "8.912"]
    assert ANSI not in result.out


@pytest.mark.parametrize("words", [(), *((command,) for command in COMMANDS)])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_has_examples(leapcheck: Leapcheck, words: tuple[str, ...], flag: str) -> None:
    result = leapcheck(*words, flag)
    assert (result.status, result.err) == (0, "")
    assert f"leapcheck {' '.join(words)}".strip() in result.out
    if words != ("robots",):
        assert "Examples:\n  leapcheck " in result.out
    assert ANSI not in result.out


def test_help_names_every_command_and_every_option(leapcheck: Leapcheck) -> None:
    assert all(f"\n  {command} " in leapcheck("--help").out for command in COMMANDS)
    assert "Exit status: 0 agree, 1 a discrepancy, 2 could not run." in leapcheck("--help").out
    shown = leapcheck("compare", "--help").out
    for option in ("engines", "engine", "states", "seed", "quantities", "out", "json", "states-file", "only", "workers"):
        assert f"--{option} " in shown
    assert "ROBOT" in shown


@pytest.mark.parametrize("words", [["--help"], ["compare", "--help"], ["lint", "--help"], ["nosuch"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    code = f"import sys; from leapcheck.cli import main; main({words}); print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
