"""A user's engine under bubblewrap: what it cannot do, and that its answers are the same."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path

import pytest

import leapcheck as lc
from leapcheck.engines.outside import sandbox
from tests.harness.cli.command_line import Leapcheck
from tests.harness.cli.conftest import leapcheck as leapcheck

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
    assert said.err == f"leapcheck: --sandbox: there is no program 'bwrap': {sandbox.REMEDY}\n"


def test_an_object_has_no_process_to_keep_in(leapcheck: Leapcheck) -> None:
    with pytest.raises(ValueError, match="has no process of its own: name module:factory"):
        lc.compare("two_link_arm", {"mass_matrix": lambda q: q}, sandbox=True)
