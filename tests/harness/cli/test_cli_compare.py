"""`leapcheck compare`: files, JSON, exit statuses, and the same as a program of its own."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from leapcheck.records import SCHEMA_VERSION
from leapcheck.report.comparison.files import FILES
from leapcheck.report.comparison.results import read_run
from leapcheck.sampling import generated_states
from leapcheck.state_files import read_states, state_table
from leapcheck.system.tables import pandas_frame
from leapcheck_models.robots import load
from tests.harness.cli.command_line import ANSI, ENVIRONMENT, Leapcheck, few_states, program

QUICK = few_states("mass_matrix", "bias_force")

WITHOUT_MUJOCO = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "mujoco":
            raise ModuleNotFoundError("No module named 'mujoco'", name="mujoco")

sys.meta_path.insert(0, Blocker())
from leapcheck.cli import main
sys.exit(main(sys.argv[1:]))
"""

AS_LONG = """
import sys
from leapcheck.comparison import plan

plan.LONG_FROM = plan.JOB = 1  # processes share the work of a few states already
from leapcheck.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_agreement_writes_a_report_and_says_so(leapcheck: Leapcheck, tmp_path: Path) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK)
    assert (result.status, result.err) == (0, "")
    assert "2 engines agree on 2 quantities over 20 states of two_link_arm" in result.out
    assert "report: runs/two_link_arm/report.html" in result.out
    assert ANSI not in result.out
    assert sorted(path.name for path in (tmp_path / "runs" / "two_link_arm").iterdir()) == sorted([*FILES, "states.parquet"])


def test_the_record_names_a_command_that_gives_the_same_record(leapcheck: Leapcheck, tmp_path: Path) -> None:
    first = leapcheck("compare", "two_link_arm", *QUICK, "--seed", "4", "--out", "first", "--json")
    command = first.json["provenance"]["command"]
    assert command == (
        "leapcheck compare two_link_arm --engines reference mujoco --states 20 --seed 4 --quantities mass_matrix bias_force"
    )
    again = leapcheck(*command.split()[1:], "--out", "again", "--json")
    assert again.out == first.out
    for name in FILES:
        if not name.endswith(".parquet"):
            assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_json_on_standard_output_is_the_file(leapcheck: Leapcheck, tmp_path: Path) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK, "--out", "a/b", "--json")
    assert result.err == ""
    assert result.out == (tmp_path / "a" / "b" / "results.json").read_text()
    assert result.json["schema_version"] == SCHEMA_VERSION
    assert read_run(tmp_path / "a" / "b" / "results.json").exit_status == 0


def test_the_states_are_kept_and_can_be_given_again(leapcheck: Leapcheck, tmp_path: Path) -> None:
    first = leapcheck("compare", "box", *QUICK, "--out", "first", "--json").json
    spec = load("box")
    kept = tmp_path / "first" / "states.parquet"
    assert read_states(spec, kept).q.tolist() == generated_states(spec, 20, 0, 0).q.tolist()
    assert pd.read_parquet(kept)["kind"].tolist() == list(generated_states(spec, 20, 0, 0).kind)
    again = leapcheck("compare", "box", *QUICK, "--states-file", kept, "--out", "again", "--json").json
    assert [row["error"] for row in again["comparisons"]] == [row["error"] for row in first["comparisons"]]
    assert again["provenance"]["command"].endswith(f"--states-file {kept}")
    assert "--seed" not in again["provenance"]["command"]


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_states_of_the_users(leapcheck: Leapcheck, tmp_path: Path, suffix: str) -> None:
    states = generated_states(load("two_link_arm"), 9, 2, 0)
    if suffix == "csv":
        pandas_frame(state_table(states)).to_csv(tmp_path / "own.csv", index=False)
    else:
        np.savez(tmp_path / "own.npz", q=states.q, v=states.v)
    result = leapcheck("compare", "two_link_arm", *QUICK, "--states-file", f"own.{suffix}", "--json")
    assert result.status == 0
    assert {row["states"] for row in result.json["comparisons"]} == {9}
    assert {kind["kind"] for row in result.json["comparisons"] for kind in row["kinds"]} == {"file"}


def test_one_state_alone_does_not_replace_the_whole_run(leapcheck: Leapcheck, tmp_path: Path) -> None:
    leapcheck("compare", "two_link_arm", *QUICK)
    whole = (tmp_path / "runs" / "two_link_arm" / "results.json").read_text()
    result = leapcheck("compare", "two_link_arm", *QUICK, "--only", "7")
    assert result.status == 0
    assert "over 1 state of two_link_arm" in result.out
    assert (tmp_path / "runs" / "two_link_arm" / "results.json").read_text() == whole
    assert pd.read_parquet(tmp_path / "runs" / "two_link_arm_state_7" / "states.parquet")["index"].tolist() == [7]


def test_states_of_an_earlier_run_do_not_stay(leapcheck: Leapcheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leapcheck("compare", "two_link_arm", *QUICK, "--out", "a")
    monkeypatch.setattr("leapcheck.report.comparison.files.MOST_STATES", 19)
    leapcheck("compare", "two_link_arm", *QUICK, "--out", "a")
    assert not (tmp_path / "a" / "states.parquet").exists()


def test_a_discrepancy_gives_status_1(leapcheck: Leapcheck) -> None:
    result = leapcheck("compare", "pupper_leg", *QUICK, "--engine", "faulty:wrong_sign")
    assert (result.status, result.err) == (1, "")
    flat = " ".join(result.out.split())
    assert "faulty:wrong_sign differs in bias force h over 20 states of pupper_leg" in flat
    assert "faulty:wrong_sign is wrong in bias force h" in flat
    assert "leapcheck compare pupper_leg --engines faulty:wrong_sign reference --quantities bias_force" in flat


@pytest.mark.parametrize("engine", ["faulty:raising", "faulty:not_a_number", "faulty:wrong_shape", "faulty:raising_factory",
                                    "faulty:missing", "faulty:number", "faulty:nothing"])  # fmt: skip
def test_a_failing_engine_of_the_users_gives_status_1_and_the_rest_of_the_report(leapcheck: Leapcheck, engine: str) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", engine, "--json")
    assert (result.status, result.err) == (1, "")
    (failure,) = result.json["failures"]
    assert failure["engine"] == engine
    assert engine in failure["message"]
    assert "\n" not in failure["message"]
    assert {(row["engine"], row["against"]) for row in result.json["comparisons"]} >= {("mujoco", "reference")}


def test_several_engines_of_the_users(leapcheck: Leapcheck) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", "faulty:clean", "--engine", "faulty:overwriting", "--json")
    assert result.status == 0
    assert [engine["name"] for engine in result.json["engines"]] == [
        "reference", "mujoco", "faulty:clean", "faulty:overwriting",
    ]  # fmt: skip


def test_what_an_engine_prints_does_not_reach_standard_output(leapcheck: Leapcheck) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", "faulty:printing", "--json")
    assert result.status == 1  # it is told, and costs no answer
    (failure,) = result.json["failures"]
    assert failure["engine"] == "faulty:printing"
    assert "prints on standard output, which mixes with the results of whoever calls it ('faulty: made')" in failure["message"]
    assert len(result.json["engines"]) == 3
    assert not result.json["discrepancies"]
    assert {row["engine"] for row in result.json["comparisons"]} == {"mujoco", "faulty:printing"}


# As a program of its own


def test_as_a_program_with_two_processes(tmp_path: Path) -> None:
    words = ("two_link_arm", *QUICK[:-4], "--states", "4100", "--workers", "2", "--engine", "faulty:printing", "--json")
    done = program(tmp_path, "compare", *words, python=("-c", AS_LONG))
    assert done.status == 1
    assert len(done.json["failures"]) == 1
    assert len(done.json["engines"]) == 3
    assert {row["states"] for row in done.json["comparisons"]} == {4100}
    assert done.err.count("faulty: made") == 3  # here and in each worker
    assert "faulty: asked" in done.err
    assert ANSI not in done.out + done.err
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_a_missing_package_is_a_failure_of_the_report(tmp_path: Path) -> None:
    words = ("two_link_arm", "--engines", "reference", "mujoco", "pinocchio", *QUICK[3:], "--json")
    done = program(tmp_path, "compare", *words, python=("-c", WITHOUT_MUJOCO))
    assert (done.status, done.err) == (2, "")
    results = done.json
    (failure,) = results["failures"]
    assert failure["engine"] == "mujoco"
    assert failure["message"] == "mujoco: the package 'mujoco' is not installed: pip install mujoco"
    assert [engine["name"] for engine in results["engines"]] == ["reference", "pinocchio"]
    pairs = {(row["quantity"], row["engine"], row["against"], row["verdict"]) for row in results["comparisons"]}
    assert pairs == {(name, "pinocchio", "reference", "agree") for name in ("mass_matrix", "bias_force")}
    assert "mujoco" in results["verdict"]
    assert (tmp_path / "runs" / "two_link_arm" / "report.html").exists()


@pytest.mark.parametrize(("words", "status"), [
    (("robots",), 0),
    (("lint", "mini_cheetah"), 1),
    (("compare", "nobody"), 2),
    (("compare", "two_link_arm", "--states", "many"), 2),
    ((), 2),
])  # fmt: skip
def test_exit_status_of_the_program(tmp_path: Path, words: tuple[str, ...], status: int) -> None:
    done = program(tmp_path, *words)
    assert done.status == status
    assert ANSI not in done.out + done.err
    if status == 2:
        assert done.out == ""
        assert re.fullmatch(r"leapcheck: [^\n]+\n", done.err)


def test_colour_and_a_progress_bar_on_a_terminal(tmp_path: Path) -> None:
    words = ("compare", "two_link_arm", *QUICK)
    shown = on_a_terminal(tmp_path, *words)
    assert ANSI in shown
    assert "comparing" in shown


def on_a_terminal(folder: Path, *words: str) -> str:
    """What a program shows that writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-m", "leapcheck", *words]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while chunk := read_or_end(ours):
            shown += chunk
        assert process.wait() == 0
    os.close(ours)
    return shown.decode()


def read_or_end(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""
