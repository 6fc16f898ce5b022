"""Work in processes of their own that end with this one: at once on Ctrl-C, and without a word on standard output."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def started(
    run: Callable[..., T],
    jobs: Sequence[tuple[Any, ...]],
    workers: int,
    begin: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
) -> Iterator[dict[Future[T], int]]:
    """The jobs `run(*job)` begun in `workers` processes: the number of each job by its future, in their order.

    Each process first calls `begin(*given)`. A future that the caller takes out of the dictionary is freed with its result.
    Where the block is left by an exception, KeyboardInterrupt for one, the processes are ended and the jobs are lost; without
    one, it ends when all jobs have. Processes are spawned: this one may hold threads. What they print goes to standard error.
    """
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(workers, len(jobs)), multiprocessing.get_context("spawn"), _begin, (begin, given))
    try:
        with _interrupts_ignored():  # a process is born with what its parent ignores: Ctrl-C is for this one alone
            running = {pool.submit(run, *job): number for number, job in enumerate(jobs)}
        yield running
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _begin(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """What foreign code prints in a worker must not mix with the results on standard output."""
    sys.stdout = sys.stderr
    if begin:
        begin(*given)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl-C goes unheard for a moment; only the main thread can choose that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
