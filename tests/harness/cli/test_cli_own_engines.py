"""Engines of the user's on the command line: whatever one does wrong is named, the others' results are complete, status 1."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.registry import make_engine
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from tests.harness.cli.command_line import Leapcheck, few_states, refusal

EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"
QUICK = few_states("mass_matrix", "gravity_force", states=40)

FAULTY = """
import ctypes, os, sys
import numpy as np
import leapcheck_reference as reference

class Right:
    def __init__(self, spec):
        self.tree = reference.build(spec)
    def mass_matrix(self, q):
        return reference.mass_matrix(self.tree, q)
    def gravity_force(self, q):
        return self.fault(reference.gravity_force(self.tree, q))
    def fault(self, right):
        return right

class Segfault(Right):
    def fault(self, right):
        ctypes.string_at(0)

class Exits(Right):
    def fault(self, right):
        os._exit(0)

class Hangs(Right):
    def fault(self, right):
        while True:
            pass

class NotANumber(Right):
    def fault(self, right):
        return right * np.nan

class Shape(Right):
    def fault(self, right):
        return right[:1]

class Prints(Right):
    def fault(self, right):
        os.write(1, b"noise ")
        print("noise")
        return right
"""
PROGRAM = f"pipe:{sys.executable} {EXAMPLES / 'pipe_program.py'}"

MISBEHAVIOUR = {
    "faulty:Segfault": "crashed with SIGSEGV while answering gravity_force(q) at state 0: correct it",
    "faulty:Exits": "ended with exit status 0 while answering gravity_force(q) at state 0: correct it",
    "hangs.toml": "gave no answer within 1 s and was ended while answering gravity_force(q) at state 0: correct it",
    "faulty:NotANumber": "gravity_force(q) at state 0 gave nan at entry (0,)",
    "faulty:Shape": "gravity_force(q) at state 0 gave the shape (1,): return an array of shape (2,)",
    f"{PROGRAM} --segfault": "crashed with SIGSEGV while answering gravity_force(q) at state 0: correct it",
    f"{PROGRAM} --memory --nan": "gravity_force(q) at state 0 gave nan at entry (0,)",
    f"{PROGRAM} --shape": "gravity_force gave <f8 of shape (40,): give <f8 of shape (40, 2)",
    f"{PROGRAM} --short": "answered with 632 bytes where gravity_force (40, 2) take 640: fill all that is asked for",
    f"{PROGRAM} --print": r"wrote b'state 0 done\n' to its standard output where a frame of the protocol should begin",
    f"{PROGRAM} --refuse": "no gravity here",
}


@pytest.fixture(autouse=True)
def engines(tmp_path: Path) -> None:
    """The faulty engines in the folder that the command is run in."""
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "hangs.toml").write_text('python = "faulty:Hangs"\ntimeout = 1.0\n', encoding="utf-8")


@pytest.mark.parametrize("engine", MISBEHAVIOUR)
def test_an_engine_that_misbehaves_is_a_finding(leapcheck: Leapcheck, engine: str) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", engine, "--json")
    assert (result.status, result.err) == (1, "")
    run = result.json
    (failure,) = run["failures"]
    assert (failure["engine"], failure["quantity"]) == (engine, "gravity_force")
    assert failure["message"].startswith(f"engine '{engine}': {MISBEHAVIOUR[engine]}")
    assert engine in run["verdict"]
    pairs = {(row["quantity"], row["engine"], row["against"]) for row in run["comparisons"]}
    assert ("gravity_force", "mujoco", "reference") in pairs
    assert {("mass_matrix", engine, against) for against in ("reference", "mujoco")} <= pairs
    assert all(row["verdict"] == "agree" and row["states"] == 40 for row in run["comparisons"])


def test_what_a_hosted_engine_prints_is_told_and_costs_no_answer(leapcheck: Leapcheck) -> None:
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", "faulty:Prints", "--json")
    assert result.status == 1
    (failure,) = result.json["failures"]
    assert "engine 'faulty:Prints': prints on standard output" in failure["message"]
    assert "('noise noise')" in failure["message"]
    assert "or write to standard error" in failure["message"]
    assert {row["verdict"] for row in result.json["comparisons"]} == {"agree"}


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_recorded_data_is_compared_at_its_own_states(leapcheck: Leapcheck, tmp_path: Path, suffix: str) -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 40, 7, 0)
    answers = make_engine("mujoco", spec).evaluate(states, ("mass_matrix", "gravity_force"))
    answers["gravity_force"][5, 1] += 1e-3
    arrays = {"q": states.q, "v": states.v, "tau": states.tau, **answers}
    if suffix == ".npz":
        np.savez(tmp_path / "log.npz", **arrays)
    else:
        import pandas as pd

        flat = {name: array.reshape(40, -1) for name, array in arrays.items()}
        frame = pd.DataFrame({f"{name}_{i}": column for name, array in flat.items() for i, column in enumerate(array.T)})
        frame.to_csv(tmp_path / "log.csv", index=False) if suffix == ".csv" else frame.to_parquet(tmp_path / "log.parquet")
    result = leapcheck("compare", "two_link_arm", *QUICK[:6], "--engine", f"log{suffix}", "--workers", "1", "--json")
    assert result.status == 1
    assert result.json["provenance"]["states"] == 40
    assert "--states" not in result.json["provenance"]["command"]
    assert not result.json["failures"]
    bad = {(row["quantity"], row["engine"]) for row in result.json["comparisons"] if row["verdict"] != "agree"}
    assert bad == {("gravity_force", f"log{suffix}")}
    (row,) = (r for r in result.json["comparisons"] if r["verdict"] != "agree" and r["against"] == "reference")
    assert row["worst"]["index"] == 5


def test_an_engine_that_answers_nothing_is_told_in_the_headline(leapcheck: Leapcheck) -> None:
    result = leapcheck("compare", "two_link_arm", "--engines", "reference", *QUICK[3:], "--engine", f"{PROGRAM} --nan",
                       "--quantities", "gravity_force")  # fmt: skip
    assert result.status == 1
    assert result.out.startswith("! Incomplete: Not every engine ran as it should over 40 states of two_link_arm: 1 failure of")
    assert "gravity_force(q) at state 0 gave nan" in " ".join(result.out.split())


REFUSED = {
    "no_such.toml": "file 'no_such.toml' does not exist or is no file",
    "key.toml": "file 'key.toml': unknown key 'libary': use library, program, python, data",
    "none.toml": "file 'none.toml': names no engine: give one of library, program, python, data",
    "two.toml": "file 'two.toml': names python and data: give one of",
    "syntax.toml": "file 'syntax.toml' is no TOML",
    "timeout.toml": "file 'timeout.toml': timeout is -1: give the seconds",
    "precision.toml": "file 'precision.toml': precision is 'half': use",
    "quaternion.toml": "file 'quaternion.toml': conventions: quaternion is 'zyxw': use \"wxyz\" or \"xyzw\"",
    "convention.toml": "file 'convention.toml': conventions: unknown key 'frame': use quaternion",
    "pipe:": "engine 'pipe:': no program is named",
    "pipe:'": "engine 'pipe:'': the command cannot be read",
    "bullet": "unknown engine 'bullet': use one of reference, mujoco",
    "no_such.npz": "engine 'no_such.npz': ",
}
FILES = {
    "key.toml": 'libary = "a.so"',
    "none.toml": "timeout = 1",
    "two.toml": 'python = "a:b"\ndata = "a.npz"',
    "syntax.toml": "python = ",
    "timeout.toml": 'python = "a:b"\ntimeout = -1',
    "precision.toml": 'python = "a:b"\nprecision = "half"',
    "quaternion.toml": 'python = "a:b"\n[conventions]\nquaternion = "zyxw"',
    "convention.toml": 'python = "a:b"\n[conventions]\nframe = "world"',
}


@pytest.mark.parametrize("engine", REFUSED)
def test_a_target_that_names_nothing_is_refused_in_one_line(leapcheck: Leapcheck, tmp_path: Path, engine: str) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    line = refusal(leapcheck, tmp_path, "compare", "two_link_arm", *QUICK, "--engine", engine)
    assert line.startswith(f"leapcheck: {REFUSED[engine]}")


MISSING = {
    "./no_such.so": "library '{folder}/no_such.so' does not exist or is no file: build it",
    "pipe:./no_such_program": "there is no program '{folder}/no_such_program': correct its path, or make it executable",
    "pipe:no_such_program -x": "there is no program 'no_such_program': correct its path",
    "not_there:make": "there is no module 'not_there' here or on the path: correct its name",
    "not.there:make": "there is no module 'not.there' here or on the path: correct its name",
}


@pytest.mark.parametrize("engine", MISSING)
def test_an_engine_that_is_not_there_is_refused_before_the_work(leapcheck: Leapcheck, tmp_path: Path, engine: str) -> None:
    """And the last good report stays."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").write_text("good", encoding="utf-8")
    line = refusal(leapcheck, tmp_path, "compare", "two_link_arm", *QUICK, "--engine", engine, "--out", str(tmp_path / "out"))
    assert line.startswith(f"leapcheck: engine '{engine}': {MISSING[engine].format(folder=tmp_path)}")
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == "good"


UNUSABLE = {
    "./text.so": "library '{folder}/text.so' cannot be loaded",
    "pipe:cat": "lists no quantities: give some of mass_matrix",
    "pipe:echo hello": "wrote b'hello\\n' to its standard output where a frame of the protocol should begin when it was given",
    "pipe:false": "ended with exit status 1 when it was given the robot: run it by hand",
    "broken:make": "cannot import module 'broken': ZeroDivisionError",
}


@pytest.mark.parametrize("engine", UNUSABLE)
def test_an_engine_that_cannot_be_used_is_a_finding(leapcheck: Leapcheck, tmp_path: Path, engine: str) -> None:
    (tmp_path / "text.so").write_text("no library", encoding="utf-8")
    (tmp_path / "broken.py").write_text("1 / 0", encoding="utf-8")
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", engine, "--json")
    assert (result.status, result.err) == (1, "")
    (failure,) = result.json["failures"]
    assert failure["message"].startswith(f"engine '{engine}': {UNUSABLE[engine].format(folder=tmp_path)}")


def test_an_engine_is_known_by_its_entry_point(leapcheck: Leapcheck, tmp_path: Path) -> None:
    package = tmp_path / "my_dynamics-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: my_dynamics\nVersion: 1.0\n", encoding="utf-8")
    (package / "entry_points.txt").write_text("[leapcheck.engines]\nmine = faulty:Right\n", encoding="utf-8")
    sys.path.insert(0, str(tmp_path))  # the fixture puts the old path back
    result = leapcheck("compare", "two_link_arm", *QUICK, "--engine", "mine", "--json")
    assert result.status == 0
    assert "mine" in {engine["name"] for engine in result.json["engines"]}


def test_states_may_not_be_given_beside_a_recording_of_others(leapcheck: Leapcheck, tmp_path: Path) -> None:
    spec = load("two_link_arm")
    one, two = generated_states(spec, 4, 0, 0), generated_states(spec, 4, 1, 0)
    for name, states in (("one", one), ("two", two)):
        M = make_engine("reference", spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
        np.savez(tmp_path / f"{name}.npz", q=states.q, v=states.v, tau=states.tau, mass_matrix=M)
    both = ("--engine", "one.npz", "--engine", "two.npz")
    assert "was recorded at other states than 'one.npz'" in refusal(leapcheck, tmp_path, "compare", "two_link_arm", *QUICK, *both)
    words = ("--engine", "one.npz", "--states-file", "two.npz")
    assert "holds other states than the recording" in refusal(leapcheck, tmp_path, "compare", "two_link_arm", *QUICK, *words)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_the_header_is_found_by_a_command(tmp_path: Path) -> None:
    import subprocess

    folder = subprocess.run(
        [sys.executable, "-m", "leapcheck.engines.outside"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (tmp_path / "own.c").write_text('#include "leapcheck_engine.h"\nint leapcheck_abi(void) { return LEAPCHECK_ABI; }\n')
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", f"-I{folder}", "-c", "own.c"], cwd=tmp_path, check=True)
