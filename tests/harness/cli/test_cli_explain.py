"""`leapcheck explain`: what it says of a run with a planted fault, its filters, the script, and what it refuses."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leapcheck.report.comparison.files import write_report
from leapcheck.study import run_comparison
from tests.harness.cli.command_line import ANSI, ENVIRONMENT, PLANTED, Leapcheck, refusal, run_plan

ENGINE = "faulty:gravity_off"


@pytest.fixture(scope="module")
def faulty_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with an engine whose gravity is off by 1e-8."""
    folder = tmp_path_factory.mktemp("faulty") / "run"
    run = run_comparison(run_plan(ENGINE))
    assert run.exit_status == 1
    write_report(run, folder)
    return folder


def test_it_says_who_is_wrong_why_and_how_to_repeat_it(leapcheck: Leapcheck, faulty_run: Path) -> None:
    result = leapcheck("explain", faulty_run)
    assert (result.status, result.err) == (0, "")
    text = " ".join(result.out.split())
    assert f"{ENGINE} is wrong in gravity force" in text
    assert "gravity" in text[text.index("why") :]
    assert "gravity force: 1.0e-8 -> " in text
    assert "explained" in text
    assert "leapcheck compare two_link_arm --engines" in text
    assert "reference, mujoco right to rounding" in text
    full = " ".join(leapcheck("explain", faulty_run, "--details").out.split())
    assert "reference right to rounding" in full
    assert "is off the extended-precision value" in full
    assert ANSI not in result.out
    assert leapcheck("explain", faulty_run / "results.json").out == result.out


def test_the_script_is_the_file_beside_the_report_and_runs(leapcheck: Leapcheck, faulty_run: Path) -> None:
    result = leapcheck("explain", faulty_run, "--engine", ENGINE, "--quantity", "gravity_force", "--script")
    assert (result.status, result.err) == (0, "")
    assert result.out == (faulty_run / "reproducers" / "faulty_gravity_off_gravity_force.py").read_text()
    compile(result.out, "script", "exec")


def test_an_engine_that_is_right_is_said_to_be(leapcheck: Leapcheck, faulty_run: Path) -> None:
    text = " ".join(leapcheck("explain", faulty_run, "--engine", "mujoco").out.split())
    assert "mujoco right to rounding" in text
    assert "why" not in text
    assert "reference right" not in text


def test_a_quantity_that_is_right_is_said_to_be(leapcheck: Leapcheck, faulty_run: Path) -> None:
    text = " ".join(leapcheck("explain", faulty_run, "--quantity", "mass_matrix").out.split())
    assert f"{ENGINE} right to rounding" in text
    assert "why" not in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--engine", "drake"), "the run has no engine 'drake': use one of reference, mujoco, faulty:gravity_off"),
        (("--quantity", "csr"), "the run has no quantity 'csr': use one of mass_matrix, gravity_force"),
        (("--engine", "mujoco", "--script"), "has no reproducer of mujoco: leave out --script to see what it has"),
    ],
)
def test_what_is_not_there_is_refused(
    leapcheck: Leapcheck, faulty_run: Path, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    assert reason in refusal(leapcheck, tmp_path, "explain", faulty_run, *words)


def test_what_is_no_run_is_refused(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "results.json").write_text("{")
    (tmp_path / "old.json").write_text(json.dumps({"schema_version": 2}))
    assert "no results at" in refusal(leapcheck, tmp_path, "explain", "nowhere")
    assert "no results at" in refusal(leapcheck, tmp_path, "explain", "empty")
    assert "is not a results file" in refusal(leapcheck, tmp_path, "explain", "results.json")
    assert "has schema version 2, this leapcheck reads 3" in refusal(leapcheck, tmp_path, "explain", "old.json")


def test_the_script_shows_the_error_on_its_own(faulty_run: Path, tmp_path: Path) -> None:
    """Run by a plain Python in an empty folder; the engine's module must be at hand."""
    script = shutil.copy(faulty_run / "reproducers" / "faulty_gravity_off_gravity_force.py", tmp_path / "case.py")
    environment = ENVIRONMENT | {"PYTHONPATH": str(PLANTED)}
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    assert "error" in done.stdout
