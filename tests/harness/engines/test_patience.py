"""Time limits: by the engine's own clock, from its last progress, with batches that are sized by what the last one took."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside import patience
from leapcheck.engines.outside.engine import OutsideEngine
from leapcheck.engines.outside.patience import Patience, waiting_seconds
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load

SPEC = load("two_link_arm")
STATES = generated_states(SPEC, 24, 0, 0)
MANY = generated_states(SPEC, 256, 0, 0)

SLOW = """
import time

class Slow:
    def potential_energy(self, q):
        time.sleep(0.075)
        return 0.0

    def kinetic_energy(self, q, v):
        if v[0] > 1e-3:
            time.sleep(1e3)
        return 0.0
"""

PROGRAM = """
import sys, time
from leapcheck.engines.outside.framing import read_frame, write_frame
import numpy as np

while True:
    try:
        header, payload = read_frame(sys.stdin.buffer)
    except EOFError:
        break
    if header["ask"] == "hello":
        write_frame(sys.stdout.buffer, {"quantities": ["potential_energy"], "version": "1"})
        continue
    print(header["states"], file=sys.stderr)
    time.sleep(0.002 * header["states"])
    write_frame(sys.stdout.buffer, {}, np.zeros(header["answer_bytes"], np.uint8).data)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_state_is_progress(folder: Path) -> None:
    """24 states of 0.075 s take four times as long as the limit."""
    engine = OutsideEngine(Target("slow", EngineKind.PYTHON, ("slow:Slow",), folder, timeout=0.45), SPEC)
    assert not engine.evaluate(STATES, ("potential_energy",))["potential_energy"].any()
    engine.close()


def test_a_state_without_an_end_is_none(folder: Path) -> None:
    engine = OutsideEngine(Target("slow", EngineKind.PYTHON, ("slow:Slow",), folder, timeout=0.5), SPEC)
    first = int(np.flatnonzero(STATES.v[:, 0] > 1e-3)[0])
    with pytest.raises(
        EngineError, match=rf"gave no answer within 0.5 s and was ended .*kinetic_energy\(q, v\) at state {first}:"
    ):
        engine.evaluate(STATES, ("kinetic_energy",))


def test_a_batch_is_as_large_as_the_last_one_was_fast(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The program says nothing of its progress: 256 states at once would take longer than the limit."""
    words = (sys.executable, "program.py")
    engine = OutsideEngine(Target("pipe:program", EngineKind.PROGRAM, words, folder, timeout=0.4), SPEC)
    engine.evaluate(MANY, ("potential_energy",))
    engine.close()
    sizes = [int(line) for line in capfd.readouterr().err.split()]
    assert sizes[:2] == [64, 64]
    assert sum(sizes) == 256
    assert max(sizes[2:]) < 50  # a tenth of the limit would be 20; the second batch waits meanwhile, and is measured too short


def test_waiting_for_a_core_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, waited = 0.0, 5.0

    def waiting(pid: int) -> Iterator[tuple[int, float]]:
        yield from ((pid, 1.0), (pid + 1, waited))

    monkeypatch.setattr(patience, "monotonic", lambda: clock)
    monkeypatch.setattr(patience, "waiting_seconds", waiting)
    watch = Patience(1)
    assert watch.idle() == 0.0
    clock, waited = 10.0, 12.0
    assert watch.idle() == 3.0
    watch.progress("the next state")
    assert watch.idle() == 0.0
    clock = 11.0
    assert (watch.idle(), watch.total()) == (1.0, 4.0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how long a process has waited")
def test_every_thread_of_a_process_is_known() -> None:
    tasks = dict(waiting_seconds(os.getpid()))
    assert os.getpid() in tasks
    assert all(seconds >= 0.0 for seconds in tasks.values())
    assert dict(waiting_seconds(2**22 + 1)) == {}
