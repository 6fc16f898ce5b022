"""Cases one after the other, each in a process of its own, until the time is up; what fails is kept with its folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

from leapcheck.system.strict_json import dumps, loads
from leapcheck_evidence.soak.kinds import KINDS, case_result, kind_of
from leapcheck_evidence.soak.record import CaseResult, Soak, SoakCase

RESULT = "result.json"
REPEAT = "repeat.txt"


@dataclass(frozen=True, slots=True)
class SoakPlan:
    """Which cases to run: those of `seed` from number `first` on, of the kinds in `only`; 0 seconds or cases: any number."""

    seed: int
    out: Path
    seconds: float = 0.0
    cases: int = 0
    only: tuple[str, ...] = ()
    first: int = 0
    command: str = ""

    @property
    def repeat(self) -> str:
        """The command that repeats a case, less its number."""
        return f"python -m leapcheck_evidence.soak --seed {self.seed} --case"


def run_one(seed: int, number: int, out: Path) -> CaseResult:
    """Runs one case in this process, in a folder of its own under `out`, and leaves the folder there."""
    folder = case_folder(out, number)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        result = case_result(seed, number, folder)
    except Exception as error:  # a report that cannot be read, a file that is missing: what is looked for
        result = CaseResult(kind_of(seed, number), {}, f"{type(error).__name__}: {' '.join(str(error).split())}")
    (folder / RESULT).write_text(dumps(asdict(result)), encoding="utf-8")
    return result


def run_soak(plan: SoakPlan, workers: int, report: Callable[[Soak], None]) -> Soak:
    """Runs the cases, `workers` at a time, and reports after each; the last report is what is returned."""
    start, done = time.monotonic(), list[SoakCase]()

    def soak() -> Soak:
        cases = tuple(sorted(done, key=lambda case: case.number))
        return Soak(plan.command, plan.repeat, time.monotonic() - start, cases)

    numbers = _numbers(plan, start)
    with ThreadPoolExecutor(workers) as pool:
        running: set[Future[SoakCase]] = set()
        while True:
            while len(running) < workers and (number := next(numbers, None)) is not None:
                running.add(pool.submit(_in_process, plan, number))
            if not running:
                return soak()
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            done += [future.result() for future in ended]
            report(soak())


def case_folder(out: Path, number: int) -> Path:
    """Where a case runs."""
    return (out / f"case-{number}").resolve()


def _numbers(plan: SoakPlan, start: float) -> Iterator[int]:
    """Numbers of the cases to begin, while there is time."""
    begun = 0
    for number in count(plan.first):
        if (plan.cases and begun == plan.cases) or (plan.seconds and time.monotonic() - start >= plan.seconds):
            return
        if not plan.only or kind_of(plan.seed, number) in plan.only:
            begun += 1
            yield number


def _in_process(plan: SoakPlan, number: int) -> SoakCase:
    """A case in a process of its own: its CPU seconds, and its folder kept where it failed."""
    folder = case_folder(plan.out, number)
    words = [sys.executable, "-m", "leapcheck_evidence.soak", "--seed", str(plan.seed), "--case", str(number)]
    process = subprocess.Popen(
        [*words, "--out", str(plan.out)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    with process.stderr:
        said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    result = _result(folder, f"the case's own process ended with {process.returncode}: {said[-300:]}")
    if result.problem:
        (folder / REPEAT).write_text(f"{plan.repeat} {number}\n{result.label}\n{result.problem}\n{said}", encoding="utf-8")
    else:
        shutil.rmtree(folder)
    return SoakCase(number, kind_of(plan.seed, number), result, usage.ru_utime + usage.ru_stime)


def _result(folder: Path, otherwise: str) -> CaseResult:
    """What the case's process wrote; a failure with this text where there is nothing to read."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return CaseResult(**loads((folder / RESULT).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return CaseResult("no result", {}, otherwise)


def check_kinds(only: tuple[str, ...]) -> None:
    """ValueError where a kind is not among `KINDS`."""
    if unknown := [name for name in only if name not in KINDS]:
        raise ValueError(f"unknown kind '{unknown[0]}': use one of {', '.join(KINDS)}")
