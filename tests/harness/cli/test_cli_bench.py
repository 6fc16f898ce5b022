"""`leapcheck bench`: what it refuses, and a short run that writes its files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Leapcheck, refusal

from leapcheck.cli.bench import FILES, Bench
from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec


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
        (("--nonsense",), "--nonsense"),
    ],
)
def test_what_is_refused(leapcheck: Leapcheck, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    assert said in refusal(leapcheck, tmp_path, "bench", *words)


def test_a_robot_without_contact_points(leapcheck: Leapcheck, tmp_path: Path) -> None:
    path = write_spec(replace(load("two_link_arm"), contact_points=()), tmp_path / "no_points.json")
    assert "has no computed contact points" in refusal(leapcheck, tmp_path, "bench", "--robot", path)


def test_a_file_where_the_folder_should_be(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    assert "'taken' is a file" in refusal(leapcheck, tmp_path, "bench", "--out", "taken")


def test_the_command_repeats_every_choice() -> None:
    assert Bench()._command() == "leapcheck bench"
    chosen = Bench(robot=("box",), seconds=3.0, blocks=(128,), states=0, memory=True, out=Path("x"))
    assert chosen._command() == "leapcheck bench --robot box --blocks 128 --seconds 3.0 --states 0 --memory"


def test_a_short_run_writes_tables_and_numbers(leapcheck: Leapcheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # no compiler: Pinocchio from Python
    words = ("--robot", "two_link_arm", "--blocks", "16", "--seconds", "0.01", "--states", "0")
    result = leapcheck("bench", *words, "--out", "made")
    assert (result.status, result.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == sorted(FILES)
    data = json.loads((tmp_path / "made" / "bench.json").read_text())
    assert data["command"] == " ".join(("leapcheck bench", *words))
    (robot,) = data["robots"]
    assert robot["timings"]["MuJoCo, mj_jacDot | all | 16"]["minimum"] > 0.0
    assert "called from Python" in robot["forms"]["Pinocchio"]
    assert {row["goal"]["key"]: row["standing"] for row in data["program"]}["help"] in ("met", "floor only", "not met")
    assert "two_link_arm" in (tmp_path / "made" / "bench.md").read_text()
    assert "bench: made/bench.md" in result.out
