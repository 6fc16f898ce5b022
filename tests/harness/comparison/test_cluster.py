"""A comparison on a real Dask cluster, one of whose workers is killed in the midst of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from leapcheck.cli import main
from leapcheck.comparison.execution import Resources
from leapcheck.comparison.identity import run_identity
from leapcheck.comparison.parts import FOLDER, parts_in
from leapcheck.comparison.plan import Plan
from leapcheck.report.comparison.results import run_json
from leapcheck.robots.load import named_robot
from leapcheck.sampling import UNIT
from leapcheck.study import run_comparison

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'leapcheck[dask]'")

PLAN = Plan(named_robot("two_link_arm"), ("reference", "mujoco"), ("mass_matrix", "bias_force"), 12 * UNIT + 5, block_units=1)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of the worker that was killed
def test_a_killed_worker_changes_no_bit(cluster: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leapcheck.comparison.plan.JOB", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.COMPILED_FROM", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.LONG_FROM", 1)
    first = {worker.pid for worker in cluster.workers.values()}
    killed = []

    def kill(done: int, _total: int) -> None:
        if done == 3:
            killed.append(min(first))
            os.kill(killed[0], signal.SIGKILL)

    means = Resources(scheduler=cluster.scheduler_address)
    run = run_comparison(PLAN, means, kill, parts_in(tmp_path / FOLDER, run_identity(PLAN), resume=False))
    assert killed
    assert run_json(run) == run_json(run_comparison(PLAN))
    assert len(list((tmp_path / FOLDER).glob("part-*"))) == 13


def test_no_scheduler_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leapcheck.comparison.cluster.PATIENCE", "0.3s")
    monkeypatch.chdir(tmp_path)
    words = ("compare", "two_link_arm", "--engines", "reference", "mujoco", "--states", "4")
    for address in ("tcp://127.0.0.1:9", "nonsense://here"):
        assert main([*words, "--scheduler", address]) == 2
        said = capsys.readouterr().err.strip()
        assert said.count("\n") == 0
        assert f"no Dask scheduler answers at '{address}'" in said
        assert "start one with: dask scheduler" in said


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_scheduler_that_goes_away_is_one_line(cluster: object, tmp_path: Path) -> None:
    """While parts are computed; what Dask itself says of it would be thirty lines. The last test: the cluster is gone."""
    words = ("compare", "two_link_arm", "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--states", "1000000")
    command = [sys.executable, "-m", "leapcheck", *words, "--scheduler", cluster.scheduler_address, "--out", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(tmp_path.glob("parts/part-*")):
        time.sleep(0.05)
    cluster.close()
    _, said = process.communicate()
    assert process.returncode == 2
    assert said.count("\n") == 1, said
    assert "the cluster lost a part" in said
    assert "continue with --resume" in said
