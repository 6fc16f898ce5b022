"""A run of a million states that is killed at random moments ends, resumed, in the very bytes of one that never was.

`pytest -m slow tests/harness/compare/test_kills.py`: about ten minutes on two cores.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

STATES, KILLS = 1_000_000, 30
WORDS = ("compare", "two_link_arm", "--engines", "reference", "mujoco", "pinocchio", "--quantities", "mass_matrix", "bias_force")
PROGRAM = (sys.executable, "-m", "leapcheck", *WORDS, "--states", str(STATES))


def begun(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [*PROGRAM, "--out", str(folder), *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.mark.slow
def test_a_killed_run_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    start = time.monotonic()
    assert begun(tmp_path / "whole").wait() == 0
    duration, record = time.monotonic() - start, (tmp_path / "whole" / "results.json").read_bytes()
    moments, folder = random.Random(0), tmp_path / "killed"
    compared = 0
    resumed_from: list[int] = []
    for _ in range(KILLS):
        process = begun(folder, "--resume")
        time.sleep(moments.uniform(0.0, duration))
        os.killpg(process.pid, signal.SIGKILL)  # all processes at once, as a power cut would
        process.wait()
        resumed_from.append(len(list((folder / "parts").glob("part-*.npz"))))
        if not resumed_from[-1]:  # killed before its first part, or after it had ended: both leave nothing to resume
            continue
        assert begun(folder, "--resume").wait() == 0
        assert (folder / "results.json").read_bytes() == record
        assert not (folder / "parts").exists()
        (folder / "results.json").unlink()
        compared += 1
    print(f"{compared} of {KILLS} kills left parts, {min(resumed_from)} to {max(resumed_from)} of 62; all ended alike")
    assert compared >= KILLS // 2
