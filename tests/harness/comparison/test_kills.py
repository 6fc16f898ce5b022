"""A run of a million states that is killed at random moments ends, resumed, in the very bytes of one that never was.

`pytest -m slow tests/harness/compare/test_kills.py`: about four minutes on two cores.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
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
    resumed_from: list[int] = []
    for _ in range(KILLS):
        process = begun(folder)
        time.sleep(moments.uniform(0.0, duration))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # all processes at once, as a power cut would
        process.wait()
        resumed_from.append(len(list(folder.glob("parts/part-*"))))
        assert begun(folder, "--resume").wait() == 0
        assert (folder / "results.json").read_bytes() == record
        assert not (folder / "parts").exists()
        shutil.rmtree(folder)
    within = [count for count in resumed_from if count]
    print(f"{KILLS} kills, {len(within)} of them with {min(within)} to {max(within)} of 62 parts done; all ended alike")
    assert len(within) >= KILLS // 3
