"""The command that measures how exact jumps are: its table, its answer to what it does not know."""

from pathlib import Path

import pytest

from leapcheck_evidence.command import run_command
from leapcheck_evidence.studies.__main__ import FILE, StudiesCommand, table
from leapcheck_evidence.studies.row import StudyRow


def test_a_study_that_is_none_is_named_before_anything_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--out", str(tmp_path), "--only", "envelope", "twins"]
    assert run_command(StudiesCommand, "studies", words) == 2
    assert "no study twins: use twin, twin_terrain, exact_solution" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_one_study_alone_is_measured_and_written(tmp_path: Path) -> None:
    assert StudiesCommand(tmp_path / "new", ("envelope",)).run() == 0
    assert "| drive envelope against MuJoCo's dcmotor | 1e-12 N m |" in (tmp_path / "new" / FILE).read_text(encoding="utf-8")


def test_a_missed_goal_stands_out() -> None:
    text = table([StudyRow("speed", "<= 1 s", "2 s", False, "ran"), StudyRow("size", "small", "small", True)])
    assert "| speed | <= 1 s | 2 s | **missed** | ran |" in text
    assert "| size | small | small | met |  |" in text
