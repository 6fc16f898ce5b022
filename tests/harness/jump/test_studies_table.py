"""The command that measures how exact jumps are: its table, its answer to what it does not know."""

from pathlib import Path

import pytest

from leapcheck.studies.__main__ import FILE, Options, main, table
from leapcheck.studies.row import Row


def test_a_study_that_is_none_is_named_before_anything_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(Options(tmp_path, ("envelope", "twins"))) == 2
    assert "no study twins: use twin, exact_solution" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_one_study_alone_is_measured_and_written(tmp_path: Path) -> None:
    assert main(Options(tmp_path / "new", ("envelope",))) == 0
    assert "| drive envelope against MuJoCo's dcmotor | 1e-12 N m |" in (tmp_path / "new" / FILE).read_text(encoding="utf-8")


def test_a_missed_goal_stands_out() -> None:
    text = table([Row("speed", "<= 1 s", "2 s", False, "ran"), Row("size", "small", "small", True)])
    assert "| speed | <= 1 s | 2 s | **missed** | ran |" in text
    assert "| size | small | small | met |  |" in text
