"""A long run that is asked to end leaves the report of what is done."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WORDS = ("compare", "two_link_arm", "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--states", "4000000")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_end_of_a_job_s_time_leaves_a_report(tmp_path: Path, workers: str) -> None:
    """SIGTERM is what a CI sends; a run of four million states would take a minute."""
    command = [sys.executable, "-m", "leapcheck", *WORDS, "--workers", workers, "--out", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(tmp_path.glob("parts/part-*")):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 2, said
    assert "Traceback" not in said
    verdict = json.loads((tmp_path / "results.json").read_text())["verdict"]
    assert verdict.startswith("Interrupted: ")
    assert (tmp_path / "report.html").exists()
    assert list(tmp_path.glob("parts/part-*")), "the parts are gone: --resume would begin again"


EARLY = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts jobs in the background with SIGINT ignored
import leapcheck.cli
class Late:
    def __init__(self, number):
        self.number = number
    def __del__(self):
        os.kill(os.getpid(), self.number)
def parse(words):
    {end}
leapcheck.cli._parse = parse
sys.argv = ["leapcheck", "robots"]
sys.exit(leapcheck.cli.main())
"""
ENDS = {
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "SIGINT": "os.kill(os.getpid(), signal.SIGINT)",
    "SIGTERM in code out of a string": "exec('os.kill(os.getpid(), signal.SIGTERM)')",
    "SIGTERM where an object ends": "Late(signal.SIGTERM); [sum(range(1000)) for _ in range(100_000)]",
    "SIGINT where an object ends": "Late(signal.SIGINT); [sum(range(1000)) for _ in range(100_000)]",
}


@pytest.mark.parametrize("end", ENDS)
def test_an_end_while_words_are_read_is_one_line(end: str) -> None:
    """Before there is anything to interrupt; modules are imported then, many of which run strings."""
    done = subprocess.run([sys.executable, "-c", EARLY.format(end=ENDS[end])], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "leapcheck: interrupted: nothing was written\n"


LATE = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import leapcheck.cli
class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.{number})
class Slow:
    def __del__(self):
        os.kill(os.getpid(), signal.{number})
        time.sleep(5 * AGAIN)
class Command:
    def run(self):
        Late()
        return 1
AGAIN, kept = leapcheck.cli.AGAIN_SECONDS, Slow()
leapcheck.cli._parse = lambda words: Command()
sys.argv = ["leapcheck", "robots"]
sys.exit(leapcheck.cli.main())
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_an_interrupt_after_the_work_changes_nothing(number: str) -> None:
    """Found by a soak: the repetition of an interrupt that was lost in a `__del__` ended Python itself, by SIGALRM."""
    done = subprocess.run([sys.executable, "-c", LATE.format(number=number)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
