"""Engines in a process of their own that misbehave at any moment, in any way: the report is complete but for what they lose."""

from __future__ import annotations

import gc
import importlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.records import Run, Verdict
from leapcheck.robots.load import NamedRobot
from leapcheck.study import run_comparison
from leapcheck.system.process_tree import content
from leapcheck_models.robots import load

SPEC = load("two_link_arm")
QUANTITIES = ("mass_matrix", "gravity_force", "potential_energy")
STATES = 12
NAME = "misbehaving:Misbehaving"

ENGINE = """
import atexit, ctypes, os, resource, signal, subprocess, sys, threading, time
from pathlib import Path
import numpy as np
import leapcheck_reference as reference

MOMENT, KIND, FLAG = os.environ["MOMENT"], os.environ["KIND"], Path(os.environ["FLAG"])

def misbehave(q=np.zeros(1)):
    match KIND:
        case "nan":
            return np.nan
        case "infinity":
            return np.inf
        case "shape":
            return np.zeros(7)
        case "text":
            return "none"
        case "complex":
            return 1j
        case "exception":
            raise LookupError("no table")
        case "BaseException":
            raise type("Own", (BaseException,), {})
        case "KeyboardInterrupt":
            raise KeyboardInterrupt
        case "sys.exit":
            raise SystemExit(4)
        case "os._exit":
            os._exit(5)
        case "SIGSEGV":
            ctypes.string_at(0)
        case "SIGKILL":
            os.kill(os.getpid(), signal.SIGKILL)
        case "abort":
            os.abort()
        case "recursion":
            return misbehave(q)
        case "writes inputs":
            q[:] = 7.0
        case "leak":
            kept = [bytearray(b"x" * 2**20) for _ in range(2000)]
        case "hang":
            time.sleep(600)
        case "descriptors closed":
            os.closerange(3, 200)
        case "few descriptors":
            resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))
        case "children":
            os.fork()
            subprocess.Popen(["sleep", "600"], start_new_session=True)
            threading.Thread(target=time.sleep, args=(600,)).start()

if MOMENT == "import":
    misbehave()

class Misbehaving:
    def __init__(self, spec):
        if MOMENT == "init":
            misbehave()
        if MOMENT == "exit":
            atexit.register(misbehave)
        self.tree, self.calls = reference.build(spec), 0

    def mass_matrix(self, q):
        return 1.1 * reference.mass_matrix(self.tree, q)  # so that the judge has something to do

    def gravity_force(self, q):
        self.calls += 1
        calls = {"first call": 1, "seventh call": 7}.get(MOMENT, 0)
        if FLAG.exists() or (calls and self.calls >= calls):
            return misbehave(q)
        return reference.gravity_force(self.tree, q)

    def potential_energy(self, q):
        return reference.potential_energy(self.tree, q)
"""

AFTERWARDS = {
    "second asking": ("leapcheck.study", "run_figures"),
    "judge": ("leapcheck.judge.discrepancies", "explanation"),
    "shrinking": ("leapcheck.judge.shrinking.shrink", "smallest_case"),
    "laws": ("leapcheck.judge.identities", "identities"),
    "reproducer": ("leapcheck.judge.reproducer.files", "reproducer"),
}
ENDS = ("sys.exit", "os._exit", "SIGSEGV")
KINDS = ("nan", "shape", "exception", *ENDS)
QUICK = {("import", "SIGSEGV"), ("init", "os._exit"), ("first call", "SIGSEGV"), ("seventh call", "nan"), ("laws", "os._exit")}
CASES = (
    *((moment, kind) for moment in ("import", "init") for kind in ("exception", *ENDS)),
    *((moment, kind) for moment in ("first call", "seventh call", *AFTERWARDS) for kind in KINDS),
)


def run_of(moment: str, kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch, engine: str = NAME) -> Run:
    (folder / "misbehaving.py").write_text(ENGINE, encoding="utf-8")
    flag = folder / "from_now_on"
    for name, value in (("MOMENT", moment), ("KIND", kind), ("FLAG", str(flag))):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    if moment in AFTERWARDS:
        module, name = AFTERWARDS[moment]
        right = getattr(importlib.import_module(module), name)

        def from_now_on(*given: Any, **more: Any) -> Any:
            flag.touch()
            return right(*given, **more)

        monkeypatch.setattr(f"{module}.{name}", from_now_on)
    return run_comparison(Plan(NamedRobot(SPEC), ("reference", "mujoco", engine), QUANTITIES, STATES))


@pytest.mark.parametrize(
    ("moment", "kind"),
    [pytest.param(*case, marks=[] if case in QUICK else pytest.mark.slow, id=f"{case[0]}: {case[1]}") for case in CASES],
)
def test_the_report_has_all_that_is_answered(
    moment: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run = run_of(moment, kind, tmp_path, monkeypatch)
    capfd.readouterr()
    assert run.exit_status == 1
    others = [row for row in run.comparisons if NAME not in (row.engine, row.against)]
    assert [(row.quantity, row.verdict, row.states) for row in others] == [(q, Verdict.AGREE, STATES) for q in QUANTITIES]
    assert {failure.engine for failure in run.failures} == {NAME}
    if moment in ("import", "init"):
        assert [failure.quantity for failure in run.failures] == [""]
        return
    assert [failure.quantity for failure in run.failures] == ["gravity_force"]
    lost = {"gravity_force"} - ({"gravity_force"} if moment in AFTERWARDS else set())
    own = {(row.quantity, row.verdict) for row in run.comparisons if row.engine == NAME and row.quantity not in lost}
    assert {("mass_matrix", Verdict.DISCREPANCY), ("potential_energy", Verdict.AGREE)} <= own
    (found,) = run.discrepancies
    assert (found.quantity, found.engine) == ("mass_matrix", NAME)
    assert "multiplied by 1.1" in found.cause
    assert [case.quantity for case in run.reproducers] == ["mass_matrix"]
    assert all(row.worst is None or np.isfinite(row.worst.value) for row in run.comparisons if row.quantity == "mass_matrix")


@pytest.mark.parametrize("moment", ["import", "first call", "seventh call"])
def test_an_engine_that_forbids_itself_more_files_loses_its_own_answers_alone(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(moment, "few descriptors", tmp_path, monkeypatch)
    assert run.exit_status == 1
    assert {failure.engine for failure in run.failures} == {NAME}
    others = [row for row in run.comparisons if NAME not in (row.engine, row.against)]
    assert [(row.quantity, row.verdict, row.states) for row in others] == [(q, Verdict.AGREE, STATES) for q in QUANTITIES]


VALUES = ("nan", "infinity", "shape", "text", "complex")
ALL_KINDS = (
    *VALUES,
    *("exception", "BaseException", "KeyboardInterrupt", *ENDS, "SIGKILL", "abort", "recursion", "writes inputs", "leak", "hang"),
    *("descriptors closed", "few descriptors", "children"),
)
MOMENTS = ("import", "init", "first call", "seventh call", *AFTERWARDS, "exit")


def processes_of(flag: Path) -> set[str]:
    """Numbers of the living processes that have this flag in their environment, the test's own aside."""
    wanted = f"FLAG={flag}\0".encode()
    places = [place for place in Path("/proc").glob("[0-9]*") if place.name != str(os.getpid())]
    return {place.name for place in places if wanted in content(place / "environ")}


def shared_memory() -> set[str]:
    """Names in /dev/shm, without the semaphores of others."""
    return {path.name for path in Path("/dev/shm").iterdir() if not path.name.startswith("sem.mp-")}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_whatever_an_engine_does_at_any_moment_the_rest_is_complete(
    moment: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    engine = tmp_path / "misbehaving.toml"
    engine.write_text(f'python = "{NAME}"\ntimeout = 2\nmemory = 0.4\n', encoding="utf-8")
    before = shared_memory()
    run = run_of(moment, kind, tmp_path, monkeypatch, str(engine))
    capfd.readouterr()
    own = next(iter({d.engine for d in run.discrepancies} | {f.engine for f in run.failures}))
    assert run.exit_status == 1
    assert {failure.engine for failure in run.failures} <= {own}
    others = [row for row in run.comparisons if {row.engine, row.against} == {"reference", "mujoco"}]
    assert [(row.quantity, row.verdict, row.states) for row in others] == [(q, Verdict.AGREE, STATES) for q in QUANTITIES]
    if moment in AFTERWARDS or moment == "exit":
        assert [(d.quantity, d.engine) for d in run.discrepancies] == [("mass_matrix", own)]
    gc.collect()
    until = time.monotonic() + 5.0
    while processes_of(tmp_path / "from_now_on") and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_of(tmp_path / "from_now_on") == set()
    assert [path.name for path in scratch.iterdir() if not path.name.startswith("pymp-")] == []
    assert shared_memory() <= before
