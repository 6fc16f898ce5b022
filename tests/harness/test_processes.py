"""Work in other processes: what they print, and that they end when this one gives up."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import as_completed
from contextlib import suppress
from typing import Any

import pytest

from leapcheck.processes import started


def squared(x: int) -> int:
    print("noise")
    return x * x


def slept(seconds: float) -> None:
    time.sleep(seconds)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_every_job_is_done_and_prints_nowhere_near_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    with started(squared, [(2,), (3,), (4,)], 2) as running:
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


def test_every_process_begins_with_what_it_is_given_and_results_come_in_order() -> None:
    with started(multiplied, [(2,), (3,), (4,), (5,)], 2, keep, (7,)) as running:
        assert [done.result() for done in running] == [14, 21, 28, 35]
    assert _factors == []


def interrupted(run: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
    """Numbers of the processes, where the job tells them, that were at work when Ctrl-C came."""
    found = []
    with suppress(KeyboardInterrupt), started(run, jobs, 2) as running:
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
    with started(squared, [(2,)], 1):
        assert signal.getsignal(signal.SIGINT) is before
