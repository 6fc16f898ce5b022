"""The command line in this process, in an empty folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from leapcheck.cli import main
from tests.harness.cli.command_line import Leapcheck, Result


@pytest.fixture
def leapcheck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Leapcheck:
    """Runs the command line with these words, which may change the path of modules."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str | Path) -> Result:
        capsys.readouterr()
        status = main([str(word) for word in words])
        said = capsys.readouterr()
        return Result(status, said.out, said.err)

    return run
