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
