"""Output that nobody takes: the reader of the pipe has left, the file is full, the stream is closed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from leapcheck.cli import main

COMPARISON = ["compare", "two_link_arm", "--states", "8", "--engines", "reference", "mujoco", "--quantities", "mass_matrix"]
COMMANDS = {
    "help": ["--help"],
    "a command's help": ["compare", "--help"],
    "an error": ["compare", "--no-such-option"],
    "a table": ["robots"],
    "findings": ["lint", "two_link_arm"],
    "a drawing": ["sparsity", "two_link_arm"],
    "files": ["generate", "two_link_arm", "--out", "two"],
    "a comparison": COMPARISON,
    "JSON": [*COMPARISON, "--json"],
    "an explanation": ["explain", "runs/two_link_arm"],
    "a jump": ["leg-jump"],
}

OFTEN = ("help", "an error", "a table", "a comparison")
"""One that ends in the parser, one that fails there, one that prints, one that writes files too: the others are slow."""

EACH = [pytest.param(name, marks=[] if name in OFTEN else pytest.mark.slow) for name in COMMANDS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    with chdir(folder):
        assert main(COMPARISON) == 0
    return folder


def status(words: list[str], folder: Path, stdout: int, stderr: int = subprocess.PIPE) -> tuple[int, str]:
    """The exit status of a command and what it wrote to standard error, where that is a pipe."""
    command = [sys.executable, "-m", "leapcheck", *words]
    done = subprocess.run(command, cwd=folder, stdout=stdout, stderr=stderr, text=True, check=False)
    return done.returncode, done.stderr or ""


@pytest.mark.parametrize("name", EACH)
def test_a_reader_that_left_changes_neither_status_nor_files(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chdir(folder):
        expected = main(COMMANDS[name])
    told = capsys.readouterr().err
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert status(COMMANDS[name], folder, writer) == (expected, told)
    finally:
        os.close(writer)


@pytest.mark.parametrize("name", EACH)
def test_readers_of_both_streams_that_left_change_no_status(name: str, folder: Path) -> None:
    with chdir(folder):
        expected = main(COMMANDS[name])
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert status(COMMANDS[name], folder, writer, writer)[0] == expected
    finally:
        os.close(writer)


@pytest.mark.parametrize("name", ["help", pytest.param("a command's help", marks=pytest.mark.slow), "a table", "a comparison"])
def test_a_full_file_is_an_error_in_one_line(name: str, folder: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        code, told = status(COMMANDS[name], folder, full)
    finally:
        os.close(full)
    assert code == 2
    assert told.count("\n") == 1
    assert told.startswith("leapcheck: ")
    assert "No space left" in told


def test_closed_streams(folder: Path) -> None:
    closed = [sys.executable, "-m", "leapcheck", "robots"]
    assert subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *closed], cwd=folder, check=False).returncode == 0
