"""Malformed states, options and places on the command line: one clear line with a remedy, status 2, nothing written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leapcheck_models.robots import load
from tests.harness.cli.command_line import REFUSED, Leapcheck, refusal


def states(name: str, **arrays: Any) -> Callable[[Path], None]:
    return lambda folder: np.savez(folder / name, **arrays)


HOME = load("mini_cheetah").pose("home")
FILES_OF_STATES: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "missing": (lambda _: None, ("s.npz", "no such file of states")),
    "NaN": (states("s.npz", q=[[np.nan, *HOME[1:]]]), ("s.npz", "row 0", "q holds NaN")),
    "wrong shape": (states("s.npz", q=[HOME[:-1]]), ("s.npz", "(1, 18)", "(1, 19)")),
    "zero quaternion": (states("s.npz", q=[[0.0] * 19]), ("s.npz", "row 0", "'trunk_joint'", "normalise")),
    "no rows": (states("s.npz", q=np.zeros((0, 19))), ("s.npz", "no states")),
    "pickled": (states("s.npz", q=np.array([None], dtype=object)), ("s.npz", "np.savez")),
    "no archive": (lambda folder: (folder / "s.npz").write_text("q"), ("s.npz", "np.savez")),
}


@pytest.mark.parametrize("case", FILES_OF_STATES)
def test_bad_file_of_states(leapcheck: Leapcheck, tmp_path: Path, case: str) -> None:
    make, words = FILES_OF_STATES[case]
    make(tmp_path)
    said = refusal(leapcheck, tmp_path, "compare", "mini_cheetah", *REFUSED, "--states-file", "s.npz")
    for word in words:
        assert word in said


@pytest.mark.parametrize(("options", "words"), [
    (("--engines", "reference", "bullet"), ("unknown engine 'bullet'", "use one of reference, mujoco")),
    (("--engine", "bullet"), ("unknown engine 'bullet'",)),
    (("--engines", "mujoco"), ("1 engines", "give at least two")),
    (("--engines", "mujoco", "mujoco"), ("'mujoco' is given twice",)),
    (("--engines",), ("give at least two",)),
    (("--engines", "no_such_module:make", "nor_this:make"), ("no engine could be made", "no_such_module", "nor_this")),
    (("--quantities", "mass"), ("unknown quantity 'mass'", "use one of mass_matrix")),
    (("--states", "0"), ("0 states", "give at least 1")),
    (("--states", "-3"), ("-3 states", "give at least 1")),
    (("--states", "2.5"), ("--states", "2.5", "compare --help")),
    (("--states", "many"), ("--states", "many", "compare --help")),
    (("--only", "4"), ("state 4 is not among the 4 states", "give 0 to 3")),
    (("--only", "-1"), ("state -1", "give 0 to 3")),
    (("--seed", "-1"), ("the seed is -1", "give a whole number")),
    (("--seed", "x"), ("--seed", "compare --help")),
    (("--workers", "-2"), ("-2 workers", "give at least 1")),
    (("--colour",), ("--colour", "compare --help")),
    (("--states",), ("--states", "compare --help")),
    (("second_robot",), ("second_robot", "compare --help")),
])  # fmt: skip
def test_bad_options(leapcheck: Leapcheck, tmp_path: Path, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    said = refusal(leapcheck, tmp_path, "compare", "two_link_arm", "--states", "4", "--workers", "1", *options)
    for word in words:
        assert word in said


@pytest.mark.parametrize(("line", "words"), [
    (("compare",), ("Missing", "ROBOT", "compare --help")),
    (("generate", "box"), ("--out", "generate --help")),
    (("generate", "box", "--out", "a", "--rotors", "none"), ("--rotors", "'bodies', 'armature'")),
    (("comparison",), ("unknown command 'comparison'", "use one of baseline, completion, compare, diff")),
    ((), ("no command", "use one of baseline, completion, compare, diff")),
    (("sparsity", "box", "--picture"), ("--picture", "sparsity --help")),
])  # fmt: skip
def test_bad_command_lines(leapcheck: Leapcheck, tmp_path: Path, line: tuple[str, ...], words: tuple[str, ...]) -> None:
    said = refusal(leapcheck, tmp_path, *line)
    for word in words:
        assert word in said


@pytest.mark.parametrize(("out", "words"), [
    ("file", ("'file' is a file", "name another folder")),
    ("file/below", ("'file' is a file", "name another folder")),
    ("taken", ("states.parquet", "is a folder where the report's file should stand", "move it away")),
])  # fmt: skip
def test_bad_places_for_the_report(leapcheck: Leapcheck, tmp_path: Path, out: str, words: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("here first")
    (tmp_path / "taken" / "states.parquet").mkdir(parents=True)
    result = leapcheck("compare", "two_link_arm", *REFUSED, "--out", out)
    assert (result.status, result.out) == (2, "")
    assert re.fullmatch(r"leapcheck: [^\n]+\n", result.err)
    for word in words:
        assert word in result.err
    assert (tmp_path / "file").read_text() == "here first"
    assert not list((tmp_path / "taken").glob("*.*ml")) + list((tmp_path / "taken").glob(".*"))


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder in which nobody may write: Linux' /proc")
@pytest.mark.parametrize("line", [("compare", "two_link_arm", *REFUSED), ("generate", "box")])
def test_a_folder_that_cannot_be_written(leapcheck: Leapcheck, tmp_path: Path, line: tuple[str, ...]) -> None:
    said = refusal(leapcheck, tmp_path, *line, "--out", "/proc/leapcheck")
    assert "'/proc/leapcheck'" in said
    assert "give a path that can be read or written" in said


def test_generate_into_a_file(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here first")
    assert "'file'" in refusal(leapcheck, tmp_path, "generate", "box", "--out", "file")
    assert (tmp_path / "file").read_text() == "here first"


@pytest.mark.parametrize(("picture", "words"), [
    ("m.gif", ("'m.gif'", "give it the suffix .svg or .png")),
    ("no/m.svg", ("no/m.svg", "give a path")),
    ("no/m.png", ("no/m.png", "give a path")),
])  # fmt: skip
def test_bad_places_for_the_picture(leapcheck: Leapcheck, tmp_path: Path, picture: str, words: tuple[str, ...]) -> None:
    result = leapcheck("sparsity", "two_link_arm", "--picture", picture)
    assert result.status == 2
    assert re.fullmatch(r"leapcheck: [^\n]+\n", result.err)
    for word in words:
        assert word in result.err
    assert list(tmp_path.iterdir()) == []
