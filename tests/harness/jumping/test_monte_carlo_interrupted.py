"""Ctrl-C in a terminal ends a Monte Carlo with all its processes, whose prints do not reach standard output."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[3]
PATIENCE = 15.0
"""Seconds until a run counts as one that does not end (it would take many minutes); it ends within 0.3 s."""


def test_an_interrupt_ends_it_and_its_processes() -> None:
    words = [sys.executable, "-m", "tests.harness.jumping.endless_monte_carlo"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, start_new_session=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        said, errors = process.communicate(timeout=PATIENCE)  # until the last of them has closed its output
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGINT
    assert all(line.isdigit() for line in (first + said).split())
    assert "babble" in errors
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert errors.count("Traceback") == 1
