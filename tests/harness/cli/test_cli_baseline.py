"""`leapcheck baseline`, and `leapcheck compare` with a baseline, a JUnit file and GitHub's annotations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from leapcheck.cli.ci_outputs import source_of
from tests.harness.cli.command_line import ANSI, PLANTED, Leapcheck, few_states, refusal

QUICK = ("two_link_arm", *few_states("mass_matrix", "gravity_force"))
FAULTY = (*QUICK, "--engine", "faulty:gravity_off")
REASON = ("--reason", "gravity of Paris, issue 12")


@pytest.fixture
def faulty_run(leapcheck: Leapcheck) -> Path:
    assert leapcheck("compare", *FAULTY, "--out", "run").status == 1
    return Path("run")


def test_a_discrepancy_is_accepted_with_a_reason_until_its_day(leapcheck: Leapcheck, faulty_run: Path) -> None:
    said = leapcheck("baseline", faulty_run, *REASON, "--expires", "2999-12-31")
    assert (said.status, said.err) == (0, "")
    assert said.out == "baseline.json: two_link_arm: 5 errors accepted, 1 known discrepancy\n"
    later = leapcheck("compare", *FAULTY, "--baseline", "baseline.json", "--out", "later")
    assert later.status == 0
    assert "Known discrepancy: " in later.out
    assert "baseline baseline.json: Accepted by the baseline: 1 known discrepancy." in later.out
    assert "until 2999-12-31: gravity of Paris, issue 12" in " ".join(later.out.split())
    results = json.loads(Path("later/results.json").read_text())
    assert (results["exit_status"], [f["kind"] for f in results["baseline"]["findings"]]) == (0, ["known"])
    assert results["provenance"]["command"].endswith("--baseline baseline.json")
    for name in ("report.html", "report.md"):
        text = Path("later", name).read_text()
        assert "Accepted by the baseline: 1 known discrepancy." in text
        assert "gravity of Paris, issue 12" in text
    gone = leapcheck("compare", *QUICK, "--engine", "faulty:clean", "--baseline", "baseline.json")
    assert gone.status == 0  # of another engine: nothing is said to be gone
    assert "not compared" in gone.out
    assert "Accepted by the baseline: 1 known discrepancy." in leapcheck("explain", "later").out
    assert "baseline" not in json.loads(Path("run/results.json").read_text())


def test_an_expired_one_and_a_new_one_fail(leapcheck: Leapcheck, faulty_run: Path) -> None:
    leapcheck("baseline", faulty_run, *REASON, "--expires", "2020-12-31")
    expired = leapcheck("compare", *FAULTY, "--baseline", "baseline.json")
    assert expired.status == 1
    assert "Worse than the baseline: 1 expired discrepancy." in expired.out
    leapcheck("compare", *QUICK, "--out", "clean")
    assert leapcheck("baseline", "clean", "--out", "clean.json").status == 0
    new = leapcheck("compare", *FAULTY, "--baseline", "clean.json")
    assert new.status == 1
    assert "Worse than the baseline: 1 new discrepancy." in new.out


def test_what_cannot_be_accepted_is_refused(leapcheck: Leapcheck, tmp_path: Path, faulty_run: Path) -> None:
    assert "faulty:gravity_off in gravity_force has no reason yet" in refusal(leapcheck, tmp_path, "baseline", faulty_run)
    assert "'soon' is not a day" in refusal(leapcheck, tmp_path, "baseline", faulty_run, *REASON, "--expires", "soon")
    assert "no results at 'nowhere" in refusal(leapcheck, tmp_path, "baseline", "nowhere")
    assert "is a folder" in refusal(leapcheck, tmp_path, "baseline", faulty_run, *REASON, "--out", "run")
    leapcheck("compare", *QUICK, "--engine", "faulty:raising_factory", "--out", "failed")
    assert "a failure is not accepted" in refusal(leapcheck, tmp_path, "baseline", "failed")


def test_a_baseline_of_another_robot_or_none_is_refused_before_the_work(
    leapcheck: Leapcheck, tmp_path: Path, faulty_run: Path
) -> None:
    leapcheck("baseline", faulty_run, *REASON)
    compare = ("compare", "falling_rod", "--baseline")
    assert "holds two_link_arm, not 'falling_rod': add it with" in refusal(leapcheck, tmp_path, *compare, "baseline.json")
    assert "no baseline at 'nowhere.json': write one with" in refusal(leapcheck, tmp_path, *compare, "nowhere.json")
    Path("broken.json").write_text("{")
    assert "'broken.json' is not a baseline" in refusal(leapcheck, tmp_path, *compare, "broken.json")
    content = json.loads(Path("baseline.json").read_text())
    content["robots"][0]["model_hash"] = "beef"
    Path("baseline.json").write_text(json.dumps(content))
    assert "has changed since" in refusal(leapcheck, tmp_path, "compare", *FAULTY, "--baseline", "baseline.json")


def test_junit_and_annotations(leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    Path("summary.md").write_text("before\n")
    shutil.copy(PLANTED / "faulty.py", ".")  # found beside the project
    result = leapcheck("compare", *FAULTY, "--junit", "ci/junit.xml", "--github")
    assert result.status == 1
    lines = [line for line in result.out.splitlines() if line.startswith("::")]
    assert len(lines) == 1
    assert lines[0].startswith("::error title=leapcheck%3A gravity force of faulty%3Agravity_off,file=faulty.py::")
    (suite,) = ET.parse("ci/junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("6", "1", "0", "0")
    summary = Path("summary.md").read_text()
    assert (
        summary.startswith("before\n## ✗ leapcheck two\\_link\\_arm: Discrepancy\n") or "## ✗ leapcheck two_link_arm" in summary
    )
    assert "| gravity force |" in summary
    machine = leapcheck("compare", *FAULTY, "--json", "--github")
    assert json.loads(machine.out)["exit_status"] == 1
    assert machine.err.startswith("::error ")
    assert ANSI not in machine.err


def test_without_the_options_nothing_of_it_is_written(leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    result = leapcheck("compare", *FAULTY)
    assert "::" not in result.out
    assert not Path("summary.md").exists()


def test_annotations_stand_in_the_file_of_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("robot/deep").mkdir(parents=True)
    for name in ("mine.py", "robot/__init__.py", "robot/deep/arm.py"):
        Path(name).touch()
    found = {"mine:Own": "mine.py", "robot:make": "robot/__init__.py", "robot.deep.arm:make": "robot/deep/arm.py"}
    assert {engine: source_of(engine) for engine in found} == found
    assert {source_of(engine) for engine in ("mine", "mujoco", ":make", "", "nowhere:make", "robot.deep:make")} == {""}
