"""An engine that kills leapcheck itself, as it can without a sandbox: the parts are safe, and the run goes on to the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.harness.cli.command_line import program

STATES = 40_000
"""Three parts, the first of which is finished when the engine strikes."""

ENGINE = f"""
import os, pathlib, signal

class Mine:
    quantities = ["potential_energy"]

    def __init__(self, spec):
        self.body, self.calls = spec.bodies[0], 0

    def potential_energy(self, q):
        self.calls += 1
        if self.calls > {STATES // 2} and not os.path.exists("has_struck"):
            pathlib.Path("has_struck").touch()
            os.kill(os.getppid(), signal.SIGNAL)
        return self.body.inertia.mass * 9.81 * q[2]
"""

WORDS = (
    *("compare", "box", "--engine", "deadly:Mine", "--engines", "reference", "--quantities", "potential_energy"),
    *("--states", str(STATES), "--workers", "1"),
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in which the engine has struck before."""
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "deadly.py").write_text(ENGINE.replace("SIGNAL", "SIGTERM"), encoding="utf-8")
    (folder / "has_struck").touch()
    assert program(folder, *WORDS, "--out", "killed").status == 0
    return folder / "killed"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_the_parts_are_safe_and_the_run_goes_on(number: str, tmp_path: Path, undisturbed: Path) -> None:
    (tmp_path / "deadly.py").write_text(ENGINE.replace("SIGNAL", number), encoding="utf-8")
    killed = program(tmp_path, *WORDS, "--out", "killed")
    assert killed.status == (-9 if number == "SIGKILL" else 2), killed
    assert "Traceback" not in killed.err
    assert list(tmp_path.glob("killed/parts/part-*"))
    resumed = program(tmp_path, *WORDS, "--out", "killed", "--resume")
    assert resumed.status == 0, resumed
    for name in ("results.json", "report.md"):
        assert (tmp_path / "killed" / name).read_bytes() == (undisturbed / name).read_bytes()
