"""The work of a comparison, part by part: in this process, in several, or on a cluster; the same result everywhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from leapcheck.comparison.engine_set import EngineSet, engine_set_of
from leapcheck.comparison.parts import Parts
from leapcheck.comparison.plan import Plan, jobs
from leapcheck.comparison.results import BlockResult, part_result, part_result_elsewhere
from leapcheck.engines.registry import FACTORIES
from leapcheck.records import Failure
from leapcheck.system.garbage import rare_collection

Progress = Callable[[int, int], None]
Stage = Callable[[str], object]
"""Is told in words what is being done."""
NumberedResults = Generator[tuple[int, BlockResult], None, None]


def no_stage(_words: str) -> None:
    """Nobody is told."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What computes a comparison: processes here, or the Dask cluster behind a scheduler's address; `shard` (k, n) asks for the
    k-th of n shares of its parts alone.
    """

    workers: int = 1
    scheduler: str = ""
    shard: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"{self.workers} workers: give at least 1, or 0 for one per core")

    def share(self, numbers: Iterable[int]) -> list[int]:
        """Those of the parts that are this shard's."""
        k, n = self.shard
        return [number for number in numbers if number % n == k - 1]


def whole_result(
    plan: Plan,
    engine_set: EngineSet,
    resources: Resources = Resources(),
    progress: Progress | None = None,
    parts: Parts | None = None,
) -> BlockResult:
    """The result over all states; with `parts` in a folder, over those that are finished when Ctrl-C comes.

    It is the same, bit by bit, for any resources, and for any number of runs that it took.
    """
    total = BlockResult(failures=list(engine_set.failures))
    early: dict[int, BlockResult] = {}
    turn = 0
    try:
        with closing(_results(plan, engine_set, resources, progress, parts)) as results:
            for number, result in results:
                early[number] = result
                del result  # a result lives no longer than it must
                while turn in early:
                    total.merge(early.pop(turn))
                    turn += 1
    except KeyboardInterrupt:  # it may have come in the middle of a merge
        total = BlockResult(failures=list(engine_set.failures))
        for number in range(len(jobs(plan)) if parts is not None else 0):
            if parts is not None and (finished := parts.read(number)) is not None:
                total.merge(finished)
        if not total.states:
            raise
    names = [engine if isinstance(engine, str) else engine.name for engine in plan.engines]

    def place(failure: Failure) -> tuple[int, int]:
        return names.index(failure.engine), plan.quantities.index(failure.quantity) if failure.quantity else -1

    total.failures.sort(key=place)
    return total


def compute_missing(
    plan: Plan, engine_set: EngineSet, resources: Resources, parts: Parts, progress: Progress | None = None
) -> int:
    """Computes the parts of this shard that are missing and keeps each as soon as it is finished; returns how many it has."""
    mine = resources.share(range(len(jobs(plan))))
    missing = [number for number in mine if parts.read(number) is None]
    with closing(_compute(plan, engine_set, resources, missing, progress)) as results:
        for number, result in results:
            parts.write(number, result)
    return len(mine)


def _results(
    plan: Plan, engine_set: EngineSet, resources: Resources, progress: Progress | None, parts: Parts | None
) -> NumberedResults:
    """The results of all parts: those in the folder, then those that are missing there, which are kept as they come."""
    missing = []
    for number in range(len(jobs(plan))):
        if parts is None or (result := parts.read(number)) is None:
            missing.append(number)
        else:
            yield number, result
            del result
    with closing(_compute(plan, engine_set, resources, missing, progress)) as results:
        for number, result in results:
            if parts is not None:
                parts.write(number, result)
            yield number, result
            del result


def _compute(
    plan: Plan, engine_set: EngineSet, resources: Resources, numbers: Sequence[int], progress: Progress | None
) -> NumberedResults:
    """The parts of these numbers as they are finished, in any order."""
    total = len(resources.share(range(len(jobs(plan)))))
    if resources.scheduler:
        from leapcheck.comparison.cluster import results_of_cluster

        source = results_of_cluster(plan, numbers, resources.scheduler)
    elif resources.workers > 1 and len(numbers) > 1 and plan.is_portable and plan.is_long:
        source = _in_processes(plan, engine_set, numbers, resources.workers)
    else:
        source = _here(plan, engine_set, numbers)
    with closing(source) as results:
        for done, numbered in enumerate(results, start=total - len(numbers) + 1):
            yield numbered
            del numbered
            if progress is not None:
                progress(done, total)


def _here(plan: Plan, engine_set: EngineSet, numbers: Sequence[int]) -> NumberedResults:
    parts = jobs(plan)
    for number in numbers:
        yield number, part_result(plan, engine_set, parts[number])


def _in_processes(plan: Plan, engine_set: EngineSet, numbers: Sequence[int], workers: int) -> NumberedResults:
    """In so many processes. This one is among them, and may be copied, unless a user's engine might end it."""
    from leapcheck.system.processes import Start, job_results  # multiprocessing, for long runs alone

    parts = jobs(plan)
    work = [(parts[number],) for number in numbers]
    is_safe = all(isinstance(engine, str) and engine in FACTORIES for engine in plan.engines)
    own, others = (partial(part_result, plan, engine_set), workers - 1) if is_safe else (None, workers)
    _worker[:] = [(plan, engine_set)]  # for copies of this process
    start = Start(_begin_worker, (plan,), "copy" if is_safe else "server")
    try:
        with closing(job_results(_part_in_worker, work, others, start, help_by=own)) as results:
            for place, result in results:
                yield numbers[place], result
                del result
    finally:
        _worker.clear()


_worker: list[tuple[Plan, EngineSet]] = []
"""The plan and its engines of a worker; made once."""


def _begin_worker(plan: Plan) -> None:
    """Makes the engines, unless this process is a copy of one that has them."""
    if not _worker or _worker[0][0] is not plan:
        with rare_collection():
            _worker[:] = [(plan, engine_set_of(plan))]


def _part_in_worker(part: Sequence[range]) -> BlockResult:
    ((plan, engine_set),) = _worker
    with rare_collection():
        return part_result_elsewhere(plan, engine_set, part)
