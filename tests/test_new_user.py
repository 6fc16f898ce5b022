"""The path of somebody new, with nothing but the README: from an empty folder to the name of the fault in their own dynamics.

pip install leapcheck pytest
leapcheck init mini_cheetah          (their own code goes into my_dynamics.py)
pytest
leapcheck explain FOLDER             (the folder is in what pytest printed)
"""

from __future__ import annotations

import re
import shlex
import venv
from pathlib import Path

import pytest

from tests.test_wheel import BIN, ROOT, run, wheel

__all__ = ["wheel"]  # the fixture

MOST_COMMANDS = 5

FAULTY = ROOT / "tests" / "examples" / "faulty_dynamics.py"
FAULT = "Link FR_hip: Ixy about its com is +0.000245 kg m^2 off: 0 instead of -0.000245."


@pytest.mark.slow
def test_from_the_installation_to_the_named_fault(wheel: Path, tmp_path: Path) -> None:
    programs = tmp_path / "environment" / BIN
    venv.create(programs.parent, with_pip=True)
    project = tmp_path / "project"
    project.mkdir()
    commands = 0

    def said(status: int, line: str, **environment: str) -> str:
        nonlocal commands
        commands += 1
        program, *words = shlex.split(line)
        done = run(programs / program, *words, cwd=project, **environment)
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        return done.stdout

    # `pip install leapcheck pytest`, with the wheel of this tree in the place of the published one
    said(0, f"pip install {shlex.quote(str(wheel))} pytest", PIP_CONSTRAINT=str(ROOT / "constraints.txt"))
    assert "wrote   my_dynamics.py" in said(0, "leapcheck init mini_cheetah")
    own = FAULTY.read_text(encoding="utf-8").replace("class FaultyDynamics", "class MyDynamics")
    (project / "my_dynamics.py").write_text(own, encoding="utf-8")
    failed = said(1, "pytest")
    assert "2 failed" in failed
    assert failed.count(f"mass_matrix: model: {FAULT}") == 1
    assert failed.count(f"bias_force: model: {FAULT}") == 1
    (why,) = set(re.findall(r"why: (leapcheck explain .+)", failed))
    explained = " ".join(said(0, why).split())
    assert f"[model] {FAULT}" in explained
    assert "smallest mass matrix M: every entry is zero" in explained
    assert commands <= MOST_COMMANDS
