"""Work in processes of their own that end with this one: at once on Ctrl-C, and silently on standard output."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import reduction, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, Literal, TypeVar

T = TypeVar("T")

STANDARD_ERROR = 2
"""Its file descriptor."""

SURVIVORS = frozenset({"jemalloc_bg_thd"})
"""Threads that a fork does not harm: of jemalloc, pyarrow's allocator, which begins them anew in the copy."""

TRIES = 3
"""How often processes may die without a single result in between."""


class ProcessDiedError(RuntimeError):
    """The processes of these jobs died again and again."""

    def __init__(self, jobs: Sequence[int]) -> None:
        super().__init__(f"the process at work on part {jobs[0]} died {TRIES} times: use fewer workers, or one to see why")
        self.jobs = tuple(jobs)


Origin = Literal["new", "server", "copy"]
"""What a process is made of: a new Python; a server's that has imported leapcheck; a copy of this one, where that is possible."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """How a process starts: from what, and with the call `begin(*given)`."""

    begin: Callable[..., None] | None = None
    given: tuple[Any, ...] = ()
    origin: Origin = "server"


@contextmanager
def running_jobs(
    run: Callable[..., T],
    jobs: Sequence[tuple[Any, ...]],
    workers: int,
    start: Start = Start(),
) -> Iterator[dict[Future[T], int]]:
    """The jobs `run(*job)` begun in `workers` processes: the number of each job by its future, in their order.

    A future that the caller takes out of the dictionary is freed with its result. Where the block is left by an exception,
    KeyboardInterrupt for one, the processes are ended and the jobs are lost; without one, it ends when all jobs have. What they
    print goes to standard error.
    """
    others = set(multiprocessing.active_children())
    resource_tracker.ensure_running()  # here: its own start would let signals through that are held back below
    initial: tuple[Any, ...] = (dict(os.environ), _StandardError(), start)
    pool = ProcessPoolExecutor(min(workers, len(jobs)), _context(run, start.origin), _begin, initial)
    try:
        with _interrupts_held_back():  # a process is born with the signals that its parent blocks: Ctrl-C is for this one alone
            running = {pool.submit(run, *job): number for number, job in enumerate(jobs)}
        yield running
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


_imported: list[str] = []
"""Modules that the server of processes imports before it forks."""


def _context(run: Callable[..., Any], origin: Origin) -> BaseContext:
    """What makes the processes. A copy, or one of the server's, spares half a second of imports.

    A process with threads is not copied: one may hold a lock that nobody would give back. The server has none; it imports the
    module of `run` once. Not all libraries survive a fork on other systems than Linux.
    """
    if sys.platform != "linux" or origin == "new":
        return multiprocessing.get_context("spawn")
    if origin == "copy" and not _has_threads():
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    if run.__module__ not in _imported:
        _imported.append(run.__module__)
        context.set_forkserver_preload(_imported)
    return context


def _has_threads() -> bool:
    """Whether this process has threads of others than libraries that see to a fork themselves."""
    others = [task for task in Path("/proc/self/task").iterdir() if task.name != str(os.getpid())]
    try:
        return any((task / "comm").read_text().strip() not in SURVIVORS for task in others)
    except OSError:  # a thread that has ended since
        return True


def job_results(
    run: Callable[..., T],
    jobs: Sequence[tuple[Any, ...]],
    workers: int,
    start: Start = Start(),
    here: Sequence[int] = (),
    help_by: Callable[..., T] | None = None,
) -> Generator[tuple[int, T], None, None]:
    """(number of the job, its result) as the jobs `run(*job)` end, in any order; see `running_jobs`.

    The jobs numbered in `here` are done by this process, while the others are under way; with `help_by`, which does here what
    `run` does there, so are jobs that no process has begun yet.
    Where a process dies (killed for its memory, say) the remaining jobs are started again; after two times without a result
    each of them alone, so that one that kills its process takes no other with it. Raises ProcessDiedError for what is left.
    """
    remaining, own, fruitless = [number for number in range(len(jobs)) if number not in here], iter(here), 0
    while remaining:
        alone = fruitless == TRIES - 1
        finished: set[int] = set()
        for group in [[number] for number in remaining] if alone else [remaining]:
            some = [jobs[number] for number in group]
            with suppress(BrokenProcessPool), running_jobs(run, some, workers, start) as running:
                for number in own:
                    yield number, run(*jobs[number])
                    yield from _results(running, [future for future in running if future.done()], group, finished)
                while help_by and (withdrawn := _withdrawn(running, group)) is not None:
                    finished.add(withdrawn)
                    yield withdrawn, help_by(*jobs[withdrawn])
                    yield from _results(running, [future for future in running if future.done()], group, finished)
                yield from _results(running, as_completed(list(running)), group, finished)
        help_by, start = None, replace(start, origin="server")  # what is left may have ended its process
        remaining = [number for number in remaining if number not in finished]
        if alone and remaining:
            raise ProcessDiedError(remaining)
        fruitless = 0 if finished else fruitless + 1
    for number in own:
        yield number, run(*jobs[number])


def _withdrawn(running: dict[Future[T], int], group: Sequence[int]) -> int | None:
    """The number of the first job that no process has begun, taken out of `running`; None where all are begun."""
    future = next((future for future in running if future.cancel()), None)
    return None if future is None else group[running.pop(future)]


def _results(
    running: dict[Future[T], int], ended: Iterable[Future[T]], group: Sequence[int], finished: set[int]
) -> Iterator[tuple[int, T]]:
    """(number of the job, its result) of futures that `ended`, taken out of `running` and added to the `finished`."""
    for future in ended:  # what is taken out lives no longer than its turn
        place = running.pop(future)
        if not isinstance(future.exception(), BrokenProcessPool):
            finished.add(group[place])
            yield group[place], future.result()
        del future


class _StandardError:
    """Standard error of this process as it is when a worker begins, for the worker: its server may have begun with another."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        return _write_to, (reduction.DupFd(STANDARD_ERROR),)


def _write_to(descriptor: Any) -> None:
    taken = descriptor.detach()
    os.dup2(taken, STANDARD_ERROR)
    os.close(taken)


def _begin(environment: dict[str, str], _error: None, start: Start) -> None:
    """What foreign code prints in a worker must not mix with the results on standard output."""
    sys.stdout = sys.stderr
    os.environ.clear()  # that of the server is of an earlier moment
    os.environ.update(environment)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if start.begin:
        start.begin(*start.given)


def _end_with_parent() -> None:
    """Ends this process when its parent is gone: one that was killed cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C is heard a moment later."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
