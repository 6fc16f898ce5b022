"""Work in other processes: what they print, and that they end when this one gives up."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import as_completed
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from leapcheck.system.processes import TRIES, ProcessDiedError, Start, job_results, running_jobs
from tests.harness.processes import alive, wait_for


def squared(x: int) -> int:
    print("noise")
    return x * x


def slept(seconds: float) -> None:
    time.sleep(seconds)


def test_every_job_is_done_and_prints_nowhere_near_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    with running_jobs(squared, [(2,), (3,), (4,)], 2) as running:
        found = {running[done]: done.result() for done in as_completed(running)}
    assert found == {0: 4, 1: 9, 2: 16}
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("noise") == 3


_factors: list[int] = []


def keep(factor: int) -> None:
    _factors.append(factor)


def multiplied(x: int) -> int:
    (factor,) = _factors  # a second beginning would show
    return factor * x


def process_of(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("here", [(1, 3), (0, 1, 2, 3)])
def test_some_jobs_are_done_by_this_process(here: tuple[int, ...]) -> None:
    results = dict(job_results(process_of, [(7,), (8,), (9,), (10,)], 1, here=here))
    assert sorted(results) == [0, 1, 2, 3]
    assert {number for number, process in results.items() if process == os.getpid()} == set(here)


def process_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def test_this_process_helps_with_jobs_that_no_other_has_begun() -> None:
    jobs = [(0.1,)] * 12
    results = list(job_results(process_after, jobs, 1, help_by=process_after))
    assert sorted(number for number, _ in results) == list(range(len(jobs)))
    assert {process == os.getpid() for _, process in results} == {True, False}


def test_every_process_begins_with_what_it_is_given_and_results_come_in_order() -> None:
    with running_jobs(multiplied, [(2,), (3,), (4,), (5,)], 2, Start(keep, (7,))) as running:
        assert [done.result() for done in running] == [14, 21, 28, 35]
    assert _factors == []


COPIED = """
import threading
from leapcheck.system.processes import Start, running_jobs
from tests.harness.system import test_processes as here

if __name__ == "__main__":
    here.keep(7)
    if {threads}:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    with running_jobs(here.known_factors, [()], 1, Start(origin="{origin}")) as running:
        print(*[done.result() for done in running])
"""


def known_factors() -> list[int]:
    return _factors


@pytest.mark.skipif(sys.platform != "linux", reason="no other system forks")
@pytest.mark.parametrize(
    ("threads", "origin", "expected"), [(0, "copy", [7]), (1, "copy", []), (0, "server", []), (0, "new", [])]
)
def test_a_process_without_threads_is_copied_where_that_is_allowed(threads: int, origin: str, expected: list[int]) -> None:
    """One with threads is not: one may hold a lock that nobody would give back."""
    script = [sys.executable, "-c", COPIED.format(threads=threads, origin=origin)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(script, cwd=Path(__file__).parents[3], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{expected}\n"


def test_a_server_s_process_has_the_environment_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("one", "other"):
        monkeypatch.setenv("LEAPCHECK_TRIAL", value)
        with running_jobs(os.getenv, [("LEAPCHECK_TRIAL",)], 1) as running:
            assert [done.result() for done in running] == [value]


def interrupted(run: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
    """Numbers of the processes, where the job tells them, that were at work when Ctrl-C came."""
    found = []
    with suppress(KeyboardInterrupt), running_jobs(run, jobs, 2) as running:
        if run is os.getpid:
            found = [done.result() for done in running]
        raise KeyboardInterrupt
    return found


def test_an_interrupt_ends_the_processes_at_once() -> None:
    assert not any(alive(process) for process in interrupted(os.getpid, [(), ()]))
    assert interrupted(slept, [(3600.0,), (3600.0,), (3600.0,)]) == []  # the test would not end if a job were waited for
    assert multiprocessing.active_children() == []


def test_the_interrupt_handler_is_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with running_jobs(squared, [(2,)], 1):
        assert signal.getsignal(signal.SIGINT) is before


def dying(folder: str, number: int, times: int) -> int:
    """Kills its process until it has been begun that often."""
    begun = Path(folder) / str(number)
    tries = len(begun.read_text()) if begun.exists() else 0
    begun.write_text("x" * (tries + 1))
    if tries < times:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_the_jobs_of_a_dead_process_are_begun_anew(tmp_path: Path) -> None:
    jobs = [(str(tmp_path), number, 1 if number in (2, 5) else 0) for number in range(8)]
    assert sorted(job_results(dying, jobs, 2)) == [(number, number) for number in range(8)]


def test_a_job_that_kills_its_process_every_time_takes_no_other_with_it(tmp_path: Path) -> None:
    jobs = [(str(tmp_path), number, 99 if number == 1 else 0) for number in range(4)]
    found: list[tuple[int, int]] = []
    with pytest.raises(ProcessDiedError, match=f"part 1 died {TRIES} times") as died:
        found.extend(job_results(dying, jobs, 2))
    assert sorted(found) == [(0, 0), (2, 2), (3, 3)]
    assert died.value.jobs == (1,)


def test_processes_end_with_a_parent_that_is_killed() -> None:
    text = "import time\nfrom leapcheck.system.processes import running_jobs\n"
    text += "from tests.harness.system.test_processes import work\n"
    text += "if __name__ == '__main__':\n    with running_jobs(work, [(), ()], 2) as running:\n        time.sleep(3600)\n"
    script = [sys.executable, "-c", text]
    parent = subprocess.Popen(script, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
    assert parent.stderr is not None
    child = int(parent.stderr.readline())
    parent.kill()
    parent.wait()
    wait_for(lambda: not alive(child) or None)
    parent.stderr.close()


def work() -> None:
    """Tells its process and works on for an hour."""
    print(os.getpid(), flush=True)
    time.sleep(3600)
