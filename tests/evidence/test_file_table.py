"""The table of model files: what was read and compared, what was refused, each with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck_evidence.command import run_command
from leapcheck_evidence.file_table import ENGINES, FileTableCommand, file_row
from leapcheck_models.robots import load
from leapcheck_models.urdf import urdf_text


def test_a_good_file_is_within_rounding_in_every_engine(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(urdf_text(load("tree4_7")))
    row = file_row(str(path), states=4)
    assert (row.name, row.base, row.dof, row.joints, row.refused, row.differ) == ("arm", "fixed", 4, 4, {}, ())
    assert set(row.errors) == {*ENGINES, "mujoco-file", "pinocchio-file"}
    assert max(row.errors.values()) < 50.0


def test_the_table_names_what_is_refused_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.urdf").write_text("<robot name='r'/>")
    assert FileTableCommand((str(tmp_path / "bad.urdf"), str(tmp_path / "none.xml"), "mini_cheetah")).run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert "refused: file" in lines[2]
    assert "has 0 links: give 1 to 2000" in lines[2]
    assert "does not exist" in lines[3]
    assert "it is no .urdf or .xml" in lines[4]


def test_no_file_is_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(FileTableCommand, "file_table", []) == 2
    assert "give at least one .urdf or .xml" in capsys.readouterr().err
