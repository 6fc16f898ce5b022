"""What a command costs counts what it leaves running, and waits for nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from leapcheck_evidence.bench.command_cost import CommandFailure, command_cost

WORK = "sum(range(20_000_000))"


def test_processes_that_are_left_running_count_and_others_are_not_waited_for(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "60"])
    try:
        child = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {WORK!r}]); print('begun')"
        cost = command_cost([sys.executable, "-c", child], tmp_path, tmp_path, words=("begun",))
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
    alone = command_cost([sys.executable, "-c", WORK], tmp_path, tmp_path)
    assert cost.cpu > 0.5 * alone.cpu
    assert cost.word is not None
    assert cost.last_line == "begun"


def test_another_status_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(CommandFailure, match="ended with status 3: so be it"):
        command_cost([sys.executable, "-c", "print('so be it'); raise SystemExit(3)"], tmp_path, tmp_path)
