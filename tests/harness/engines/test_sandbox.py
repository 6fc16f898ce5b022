"""A user's engine under bubblewrap: what it cannot do, and that its answers are the same."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import leapcheck as lc
from leapcheck.engines.outside import sandbox
from leapcheck.jumping.policies import user_policy
from leapcheck.pytest_support.request import comparison_request
from leapcheck.pytest_support.session import ComparisonOutcome, Session, SessionOptions
from leapcheck.versions.measure import measure_versions
from leapcheck_models.robots import load
from tests.harness.cli.command_line import Leapcheck
from tests.harness.cli.conftest import leapcheck as leapcheck
from tests.harness.versions.test_versions import HERE, in_this_python, question

pytest_plugins = "pytester"

HARMLESS = """
import leapcheck_reference as r

class Engine:
    quantities = ["mass_matrix"]

    def __init__(self, tree):
        self.tree = tree

    def mass_matrix(self, q):
        return r.mass_matrix(self.tree, q)

def make(spec):
    attempt()
    return Engine(r.build(spec))
"""

ATTEMPTS = {
    "writes beside itself": ("open('written', 'w')", "Read-only file system"),
    "writes elsewhere": ("open('/var/leapcheck_was_here', 'w')", "Read-only file system"),
    "removes itself": ("__import__('os').remove(__file__)", "Read-only file system"),
    "connects": ("__import__('socket').create_connection(('127.0.0.1', PORT), 2)", "Connection refused"),
    "connects outside": ("__import__('socket').create_connection(('192.0.2.1', 80), 2)", "Network is unreachable"),
    "signals its parent": ("__import__('os').kill(PARENT, 15)", "No such process|crashed with SIGTERM"),
    "mounts": ("__import__('subprocess').run(['mount', '-o', 'remount,rw', '/'], check=True)", "non-zero exit status"),
}
"""What an engine tries, and how the system refuses it; a parent with the number of a process in the sandbox ends that one."""


def usable() -> str:
    """Why there is no sandbox here; "" where there is."""
    try:
        sandbox.check_sandbox()
    except ValueError as error:
        return str(error)
    return ""


needs_sandbox = pytest.mark.skipif(bool(usable()), reason=usable() or "-")


def written(folder: Path, attempt: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An engine that makes an attempt before it serves; its word."""
    (folder / "guest.py").write_text(f"def attempt():\n    {attempt}\n{HARMLESS}")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return "guest:make"


@needs_sandbox
@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_an_engine_tries_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        attempt, refusal = ATTEMPTS[name]
        attempt = attempt.replace("PORT", str(server.getsockname()[1])).replace("PARENT", str(os.getpid()))
        word = written(tmp_path, attempt, monkeypatch)
        run = lc.compare("two_link_arm", [word], engines=("reference",), quantities=("mass_matrix",), states=16, sandbox=True)
    assert run.verdict is lc.ComparisonVerdict.FAILED
    (failure,) = run.failures
    assert failure.engine == word
    assert re.search(refusal, failure.message)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == ["guest.py"]


@needs_sandbox
@pytest.mark.parametrize(
    "attempt", ["pass", "__import__('tempfile').TemporaryFile().write(b'x')", "__import__('os').listdir('/proc/1')"]
)
def test_an_engine_in_the_sandbox_answers_the_same(attempt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word = written(tmp_path, attempt, monkeypatch)
    given = {"engines": ("reference",), "quantities": ("mass_matrix",), "states": 64}
    inside, outside = (lc.compare("two_link_arm", [word], sandbox=kept, **given) for kept in (True, False))
    assert inside.verdict is lc.ComparisonVerdict.AGREE
    assert inside.record.comparisons == outside.record.comparisons
    assert "--sandbox" in inside.record.provenance.command


@needs_sandbox
def test_the_end_of_an_engine_waits_for_none_that_cannot_be_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first process of a sandbox is bubblewrap's and of the engine's family: signals from within do not end it."""
    looks = "import os; from leapcheck.engines.outside import family; tried = []; os.kill = lambda pid, _: tried.append(pid)"
    word = written(tmp_path, f"{looks}; family.end_family(os.environ[family.FAMILY]); assert not tried, tried", monkeypatch)
    run = lc.compare("two_link_arm", [word], engines=("reference",), quantities=("mass_matrix",), states=4, sandbox=True)
    assert not run.failures


@needs_sandbox
def test_a_crash_in_the_sandbox_is_told_by_its_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word = written(tmp_path, "__import__('os').abort()", monkeypatch)
    run = lc.compare("two_link_arm", [word], engines=("reference",), quantities=("mass_matrix",), states=16, sandbox=True)
    assert "crashed with SIGABRT" in run.failures[0].message


def test_without_bubblewrap_it_is_refused(tmp_path: Path, leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    word = written(tmp_path, "pass", monkeypatch)
    sandbox.check_sandbox.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    said = leapcheck("compare", "two_link_arm", "--engine", word, "--sandbox")
    monkeypatch.undo()
    sandbox.check_sandbox.cache_clear()
    assert said.status == 2
    assert said.err == f"leapcheck: no sandbox: there is no program 'bwrap': {sandbox.REMEDY}\n"


def test_an_object_has_no_process_to_keep_in(leapcheck: Leapcheck) -> None:
    with pytest.raises(ValueError, match="has no process of its own: name module:factory"):
        lc.compare("two_link_arm", {"mass_matrix": lambda q: q}, sandbox=True)


def outcome_in_pytest(engine: object) -> ComparisonOutcome:
    return Session(SessionOptions(sandbox=True)).outcome(comparison_request(engine, "two_link_arm", states=8))


@needs_sandbox
def test_pytest_keeps_engines_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_in_pytest(written(tmp_path, "pass", monkeypatch))
    assert outcome.failure_text() == ""
    assert outcome.run is not None
    assert "--sandbox" in outcome.run.record.provenance.command
    assert "Read-only file system" in outcome_in_pytest(written(tmp_path, "open('written', 'w')", monkeypatch)).failure_text()
    assert "has no process of its own" in outcome_in_pytest({"mass_matrix": lambda q: q}).failure_text()


@needs_sandbox
@pytest.mark.parametrize("ini", [True, False])
def test_pytest_takes_an_option_and_a_line_of_its_ini(
    ini: bool, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(pytester.path, "open('written', 'w')", monkeypatch)
    mark = '@pytest.mark.leapcheck("guest:make", robot="two_link_arm", states=8)'
    pytester.makepyfile(f"import pytest\n{mark}\ndef test_guest(): ...")
    pytester.makeini("[pytest]\npythonpath = .\n" + ("leapcheck_sandbox = true" if ini else ""))
    words = ("-p", "no:cacheprovider", *([] if ini else ["--leapcheck-sandbox"]))
    result = pytester.run(sys.executable, "-m", "pytest", *words)
    assert result.parseoutcomes() == {"failed": 1}
    result.stdout.fnmatch_lines(["*Read-only file system*"])
    assert not (pytester.path / "written").exists()


@needs_sandbox
@pytest.mark.parametrize("kept", [True, False])
def test_other_versions_of_an_engine_run_in_it(kept: bool, tmp_path: Path) -> None:
    """Code that pip brought: here one that leaves a file wherever it is run."""
    folder = in_this_python(tmp_path, HERE)
    (python,) = folder.glob("*/bin/python")
    python.write_text(python.read_text().replace("exec", f"touch '{tmp_path}/written' 2>/dev/null\nexec"))
    asked = replace(question(folder, "two_link_arm", "mjcf", ("mass_matrix",)), sandbox=kept)
    measured = measure_versions(asked, (HERE,))
    assert not measured.failures
    assert [figure.verdict for figure in measured.figures] == ["right to rounding"]
    assert (tmp_path / "written").exists() is not kept


def test_versions_refuse_to_run_without_bubblewrap(leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.check_sandbox.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    said = leapcheck("versions", "mujoco", "3.10.0", "4.0.0", "--sandbox")
    monkeypatch.undo()
    sandbox.check_sandbox.cache_clear()
    assert said.status == 2
    assert said.err == f"leapcheck: no sandbox: there is no program 'bwrap': {sandbox.REMEDY}\n"


CONTROLLER = """
import numpy as np

def make(spec):
    calls = []
    def policy(t, q, v):
        calls.append(t)
        if len(calls) > 5:
            ATTEMPT
        return np.full(len(spec.actuators), 1.0 + len(calls))
    return policy
"""


def controller(folder: Path, attempt: str, monkeypatch: pytest.MonkeyPatch) -> str:
    (folder / "guest_controller.py").write_text(CONTROLLER.replace("ATTEMPT", attempt))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "guest_controller", raising=False)
    return "guest_controller:make"


@needs_sandbox
def test_controllers_of_a_jump_answer_the_same_in_it_and_each_has_its_own_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, spec = controller(tmp_path, "print('noise')", monkeypatch), load("mini_cheetah_armature")
    inside, other, outside = (user_policy(word, spec, sandbox=kept) for kept in (True, True, False))
    q, v = np.zeros(spec.nq), np.zeros(spec.nv)
    for k in range(8):
        commands = [policy(k * 1e-3, q, v) for policy in (inside, outside)]
        assert [list(command.torque) for command in commands] == [[2.0 + k] * 12] * 2
    assert other(0.0, q, v).torque[0] == 2.0


@needs_sandbox
@pytest.mark.parametrize(
    ("attempt", "refusal"),
    [("open('written', 'w')", "Read-only file system"), ("__import__('os').abort()", "its process crashed with SIGABRT")],
)
def test_what_a_controller_tries_is_refused_and_ends_its_run_alone(
    attempt: str, refusal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leapcheck: Leapcheck
) -> None:
    word = controller(tmp_path, attempt, monkeypatch)
    monkeypatch.setenv("MUJOCO_GL", "off")
    words = ("--duration", "0.02", "--engines", "soft", "--levels", "1", "--workers", "1", "--out", "out")
    said = leapcheck("jump", "mini_cheetah_armature", "--policy", word, "--sandbox", *words)
    assert said.status == 1
    assert "the controller stopped at t = 0.00" in " ".join(said.out.split())
    assert refusal in " ".join(said.out.split())
    assert "--sandbox" in (tmp_path / "out" / "report.md").read_text()
    assert not (tmp_path / "written").exists()


def test_a_plan_needs_no_sandbox(leapcheck: Leapcheck) -> None:
    said = leapcheck("jump", "mini_cheetah_armature", "--height", "0.1", "--sandbox")
    assert said.err == "leapcheck: --sandbox does nothing here: only --policy runs code of yours: leave it out\n"
