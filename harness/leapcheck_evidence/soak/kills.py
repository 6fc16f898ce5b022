"""Long runs that are killed, resumed, and compared byte by byte with one that never was."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from leapcheck_evidence.soak.draws import c_library, choice, robot, states
from leapcheck_evidence.soak.program import MARK, Ended, begin, end_of, leftovers, run
from leapcheck_evidence.soak.record import CaseResult, Rng

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
WAYS = ("processes", "processes", "shards", "Dask")
PART = 16_384
"""States of a part."""

FILES = ("results.json", "report.md", "comparisons.csv", "accuracies.csv")


@dataclass(frozen=True, slots=True)
class Kill:
    """A signal to all processes of a run, so many seconds after so many of its parts are finished."""

    number: signal.Signals
    parts: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.number.name} {self.seconds:.1f} s after {self.parts} parts"


def kill_case(rng: Rng, folder: Path) -> CaseResult:
    """One run, killed one to three times by a signal at a random moment of its work."""
    way = choice(rng, WAYS)
    name, count = robot(rng, 8), states(rng, 60_000, 290_000)
    words = ["compare", name, "--states", str(count), "--quantities", "mass_matrix", "bias_force"]
    words += ["--engines", "reference", "mujoco", "pinocchio"]
    if rng.random() < 0.4 and (library := c_library(folder, name, choice(rng, ("", "if (q[0] > 0.5) out[0] *= 1.001;")))):
        words += ["--engine", library]
    most = count // PART // (3 if way == "shards" else 1)
    kills = [Kill(choice(rng, SIGNALS), int(rng.integers(most)), rng.uniform(0.0, 0.7)) for _ in range(rng.integers(1, 4))]
    whole = run(folder, [*words, "--out", "whole", "--workers", "1"])
    counts = Counter(f"kills by {kill.number.name}" for kill in kills) + Counter(
        {"kills": len(kills), f"kills, {way}": len(kills)}
    )
    problem = whole.problem((0, 1))
    if not problem:
        with _means(rng, way, folder) as means:
            problem = _killed(folder, words, means, kills, counts) or _differences(folder, whole) or leftovers(folder)
    return CaseResult(f"{way}, {', '.join(map(str, kills))}: {whole.text}", dict(counts), problem)


def _killed(folder: Path, words: Sequence[str], means: Sequence[str], kills: Sequence[Kill], counts: Counter[str]) -> str:
    """Begins, kills, resumes; what went wrong in words."""
    out = [*words, "--out", "killed", "--resume"]
    for kill in kills:
        process = begin(folder, [*out, *means])
        _wait_for(folder, kill, process)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, kill.number)
        ended = end_of(folder, process, [*out, *means])
        counts["kills with parts left"] += any(folder.glob("killed/parts/part-*"))
        is_shown = kill.number is not signal.SIGKILL and ended.status != -kill.number
        if is_shown and (problem := ended.problem((0, 1, 2))):
            return problem
    if means[:1] == ["--shard"]:
        for k in ("1/3", "2/3", "3/3"):
            if problem := run(folder, [*out, "--shard", k]).problem((0,)):
                return problem
        means = ()
    return run(folder, [*out, *means]).problem((0, 1))


def _wait_for(folder: Path, kill: Kill, process: subprocess.Popen[str]) -> None:
    """Until the moment of the kill, or the end of the run."""
    before = len([*folder.glob("killed/parts/part-*")])
    while process.poll() is None and len([*folder.glob("killed/parts/part-*")]) < min(kill.parts, before + kill.parts):
        time.sleep(0.01)
    time.sleep(kill.seconds)


def _differences(folder: Path, whole: Ended) -> str:
    """Files of the report that are other ones than those of the undisturbed run."""
    wrong = [name for name in FILES if (folder / "killed" / name).read_bytes() != (folder / "whole" / name).read_bytes()]
    if (folder / "killed" / "parts").exists():
        wrong.append("parts are left")
    return f"{whole.text}: after the kills differs: {', '.join(wrong)}" if wrong else ""


@contextmanager
def _means(rng: Rng, way: str, folder: Path) -> Iterator[list[str]]:
    """Words that say what computes the run."""
    if way == "shards":
        yield ["--shard", choice(rng, ("1/3", "2/3", "3/3"))]
    elif way == "Dask":
        with _cluster(folder) as address:
            yield ["--scheduler", address]
    else:
        yield ["--workers", str(rng.integers(1, 4))]


@contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    """Address of a scheduler with two workers, in processes of their own."""
    from distributed import LocalCluster

    before, here = os.environ.get(MARK), Path.cwd()
    os.environ[MARK] = str(folder) + " (cluster)"  # not among what the case leaves behind
    os.chdir(folder)  # where a library is found
    try:
        with LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, local_directory=str(folder / "dask")
        ) as cluster:
            yield cluster.scheduler_address
    finally:
        os.chdir(here)
        os.environ.pop(MARK)
        if before is not None:
            os.environ[MARK] = before
        shutil.rmtree(folder / "dask", ignore_errors=True)
