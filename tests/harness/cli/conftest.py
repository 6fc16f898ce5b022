"""The command line in this process, in an empty folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import PLANTED, Leapcheck, Result

from leapcheck.cli import main


@pytest.fixture
def leapcheck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Leapcheck:
    """Runs the command line with these words; planted engines can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(PLANTED), *sys.path])
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str | Path) -> Result:
        capsys.readouterr()
        status = main([str(word) for word in words])
        said = capsys.readouterr()
        return Result(status, said.out, said.err)

    return run
