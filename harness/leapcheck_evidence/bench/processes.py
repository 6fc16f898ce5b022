"""What only a fresh process can tell: the first use of a kernel, the start of the program, the memory of a comparison."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from time import perf_counter

from leapcheck_evidence.bench.comparison import WholeComparison
from leapcheck_evidence.bench.measure import Timing
from leapcheck_evidence.bench.own import NotAvailable
from leapcheck_reference.trace.cache import FOLDER_VARIABLE
from leapcheck_reference.trace.native import WIDTH_VARIABLE

REPEATS = 5
FEW, MANY = 300_000, 5_000_000
"""States of the two comparisons whose memory is compared; both run compiled code."""


def first_uses(robot: str, repeats: int = REPEATS) -> tuple[Timing, Timing]:
    """Seconds of the first use of a kernel with an empty cache, and of the next use, each in a fresh process."""
    empty, cached = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            environment = {FOLDER_VARIABLE: folder}
            empty.append(child("first_use", robot, environment=environment))
            cached.append(child("first_use", robot, environment=environment))
    return Timing(tuple(empty)), Timing(tuple(cached))


def help_time(repeats: int = 2 * REPEATS) -> Timing:
    """Seconds of `leapcheck --help` from start to end, Python's own start with it."""
    samples = []
    for _ in range(repeats):
        start = perf_counter()
        subprocess.run([sys.executable, "-m", "leapcheck", "--help"], check=True, stdout=subprocess.DEVNULL)
        samples.append(perf_counter() - start)
    return Timing(tuple(samples))


def memory(robot: str, count: int) -> float:
    """Bytes that a comparison of so many states takes at most, in all its processes."""
    return child("memory", robot, str(count))


def comparison(robot: str, count: int, width: int) -> WholeComparison:
    """A whole comparison in vectors of `width` doubles, in a process of its own."""
    words = child_text("comparison", robot, str(count), environment={WIDTH_VARIABLE: str(width)})
    return WholeComparison(**json.loads(words))


def child(*words: str, environment: Mapping[str, str] | None = None) -> float:
    """The number that `leapcheck_evidence.bench.child` prints; NotAvailable with its last words where it fails."""
    return float(child_text(*words, environment=environment))


def child_text(*words: str, environment: Mapping[str, str] | None = None) -> str:
    """The last line that it prints."""
    command = [sys.executable, "-m", "leapcheck_evidence.bench.child", *words]
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise NotAvailable(said[-1])
    return done.stdout.splitlines()[-1]
