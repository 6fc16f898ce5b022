"""The soak: a case is decided by its number, what fails is seen and kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from leapcheck.comparison.parts import result_from
from leapcheck.comparison.results import BlockResult
from leapcheck_evidence.command import run_command
from leapcheck_evidence.soak import part_files
from leapcheck_evidence.soak.__main__ import SoakCommand
from leapcheck_evidence.soak.kinds import KINDS, kind_of
from leapcheck_evidence.soak.record import CaseResult, Soak, SoakCase
from leapcheck_evidence.soak.run import run_one
from leapcheck_evidence.soak.show import counts, soak_json, soak_markdown


def first(kind: str) -> int:
    """Number of the first case of a kind, of seed 0."""
    return next(number for number in range(200) if kind_of(0, number) == kind)


def test_every_kind_is_drawn_and_the_number_decides() -> None:
    kinds = [kind_of(7, number) for number in range(200)]
    assert set(kinds) == set(KINDS)
    assert kinds == [kind_of(7, number) for number in range(200)]
    assert kinds != [kind_of(8, number) for number in range(200)]


def test_damage_that_is_accepted_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: parts whose name nobody looks at."""

    def careless(content: bytes, _name: str) -> BlockResult:
        return result_from(content, f"run part {int(b'run part 1' in content)}")

    monkeypatch.setattr(part_files, "result_from", careless)
    result = run_one(0, first("parts"), tmp_path)
    assert result.problem == "another part: accepted"


def test_another_error_of_damage_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: an error that does not count as damage."""

    def fragile(content: bytes, name: str) -> BlockResult:
        try:
            return result_from(content, name)
        except ValueError:
            raise AttributeError("token") from None

    monkeypatch.setattr(part_files, "result_from", fragile)
    assert run_one(0, first("parts"), tmp_path).problem.endswith(": AttributeError: token")


def test_a_soak_counts_what_it_ran_and_leaves_no_folder_of_what_passed(tmp_path: Path) -> None:
    command = ["--only", "robot files", "--cases", "2", "--workers", "2", "--out", str(tmp_path)]
    assert run_command(SoakCommand, "soak", command) == 0
    record = json.loads((tmp_path / "soak.json").read_text())
    assert record["counts"] == {"damaged robot files": 2}
    assert [case["kind"] for case in record["cases"]] == ["robot files"] * 2
    assert record["cpu_seconds"] > 1.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["soak.json", "soak.md"]


def test_a_case_whose_process_dies_fails_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert run_command(SoakCommand, "soak", ["--cases", "1", "--first", "3", "--out", str(tmp_path)]) == 1
    text = (tmp_path / "case-3" / "repeat.txt").read_text()
    assert text.startswith("python -m leapcheck_evidence.soak --seed 0 --case 3\n")
    assert "the case's own process ended with 1" in text
    assert "## Failed" in (tmp_path / "soak.md").read_text()


def test_the_tables_count() -> None:
    cases = (
        SoakCase(1, "kills", CaseResult("a", {"kills": 2}), 3.0),
        SoakCase(4, "kills", CaseResult("b | c", {"kills": 1}, "other bytes"), 4.0),
        SoakCase(5, "clean", CaseResult("d", {"clean states": 10}), 5.0),
    )
    soak = Soak("command", "repeat", 7200.0, cases)
    assert counts(soak) == {"clean states": 10, "kills": 3}
    text = soak_markdown(soak)
    assert "| kills | 2 | 1 | 7 | 3 kills |" in text
    assert "| 4 | kills | b / c | other bytes | `repeat 4` |" in text
    assert "3 cases, 0.00 h of CPU in 2.00 h; 1 failed." in text
    assert json.loads(soak_json(soak))["failed"] == 1


@pytest.mark.parametrize("words", [[], ["--minutes", "1", "--cases", "2"], ["--cases", "1", "--only", "nothing"]])
def test_what_makes_no_soak_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(SoakCommand, "soak", words) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_case_of_every_kind_passes(kind: str, tmp_path: Path) -> None:
    assert run_one(0, first(kind), tmp_path).problem == ""
