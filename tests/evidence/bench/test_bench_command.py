"""`python -m leapcheck_evidence.bench`: what it refuses, and a short run that writes its files."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from leapcheck_evidence.bench import everyday, processes
from leapcheck_evidence.bench.__main__ import EVERYDAY_FILES, FILES, BenchCommand
from leapcheck_evidence.bench.command_cost import CommandCost
from leapcheck_evidence.bench.everyday_steps import EverydayStep
from leapcheck_evidence.command import run_command
from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path / "here"


def refusal(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of a bench that is refused; nothing is written."""
    before = sorted(folder.rglob("*"))
    assert run_command(BenchCommand, "bench", words) == 2
    out, errors = capsys.readouterr()
    assert (out, errors.count("\n")) == ("", 1)
    assert sorted(folder.rglob("*")) == before
    return errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--robot", "nobody"), "nobody"),
        (("--robot",), "no robot: give at least one"),
        (("--seconds", "0"), "0.0 seconds: give more than 0"),
        (("--seconds", "nan"), "nan seconds: give more than 0"),
        (("--blocks", "64", "12"), "(64, 12) states per call: give multiples of 8"),
        (("--blocks", "0"), "(0,) states per call"),
        (("--states", "-1"), "-1 states of the whole comparison"),
        (("--everyday", "--rounds", "0"), "0 rounds: give at least 1"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refusal(words, folder, capsys)


def test_an_unknown_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        run_command(BenchCommand, "bench", ["--nonsense"])
    assert refused.value.code == 2
    assert "--nonsense" in capsys.readouterr().err


def test_a_robot_without_contact_points(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_spec(replace(load("two_link_arm"), contact_points=()), tmp_path / "no_points.json")
    assert "has no computed contact points" in refusal(("--robot", str(path)), folder, capsys)


def test_a_file_where_the_folder_should_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "taken").write_text("")
    assert "'taken' is a file" in refusal(("--out", "taken"), folder, capsys)


def test_the_command_repeats_every_choice() -> None:
    assert BenchCommand()._command() == "python -m leapcheck_evidence.bench"
    chosen = BenchCommand(robot=("box",), seconds=3.0, blocks=(128,), states=0, memory=True, out=Path("x"))
    assert chosen._command() == "python -m leapcheck_evidence.bench --robot box --seconds 3.0 --blocks 128 --states 0 --memory"


def test_a_short_run_writes_tables_and_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")  # no compiler: Pinocchio from Python
    for name in ("first_uses", "help_time"):
        monkeypatch.setattr(processes, name, partial(getattr(processes, name), repeats=1))
    words = ("--robot", "two_link_arm", "--seconds", "0.01", "--blocks", "16", "--states", "0")
    assert run_command(BenchCommand, "bench", [*words, "--out", "made"]) == 0
    out, errors = capsys.readouterr()
    assert errors == ""
    assert sorted(path.name for path in (folder / "made").iterdir()) == sorted(FILES)
    data = json.loads((folder / "made" / "bench.json").read_text())
    assert data["command"] == " ".join(("python -m leapcheck_evidence.bench", *words))
    (robot,) = data["robots"]
    assert robot["timings"]["MuJoCo, mj_jacDot | all | 16"]["minimum"] > 0.0
    assert "called from Python" in robot["forms"]["Pinocchio"]
    assert {row["goal"]["key"]: row["standing"] for row in data["program"]}["help"] in ("met", "floor only", "not met")
    assert "two_link_arm" in (folder / "made" / "bench.md").read_text()
    assert "bench: made/bench.md" in out


def test_the_everyday_table_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    steps = (EverydayStep(("naive",), lambda _: {"naive": CommandCost(0.5, 0.75)}),)
    monkeypatch.setattr(everyday, "everyday_steps", lambda tests: steps if tests else ())
    assert run_command(BenchCommand, "bench", ["--everyday", "--tests", "--rounds", "2", "--out", "made"]) == 0
    assert capsys.readouterr().out.endswith("bench: made/everyday.md\n")
    assert sorted(path.name for path in (folder / "made").iterdir()) == sorted(EVERYDAY_FILES)
    data = json.loads((folder / "made" / "everyday.json").read_text())
    assert data["command"] == "python -m leapcheck_evidence.bench --everyday --rounds 2 --tests"
    assert data["rows"][0]["cpu"] == {"minimum": 0.5, "median": 0.5}
