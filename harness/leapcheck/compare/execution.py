"""The work of a comparison, part by part: in this process, in several, or on a cluster; the same result everywhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from leapcheck.compare.bench import Bench, Outcome, bench, known, outcome
from leapcheck.compare.parts import Parts
from leapcheck.compare.plan import Plan, jobs
from leapcheck.compare.records import Failure
from leapcheck.processes import completed

Progress = Callable[[int, int], None]
Numbered = tuple[int, Outcome]


@dataclass(frozen=True, slots=True)
class Means:
    """With what a comparison is computed: processes here, or the Dask cluster behind a scheduler's address; `shard` (k, n) asks
    for the k-th of n shares of its parts alone.
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


def whole_outcome(
    plan: Plan, at: Bench, means: Means = Means(), progress: Progress | None = None, parts: Parts | None = None
) -> Outcome:
    """What all states yielded; with `parts` in a folder, what those yielded that are finished when Ctrl-C comes.

    The result is the same, bit by bit, for any means, and for any number of runs that it took.
    """
    total = Outcome(failures=list(at.failures))
    if parts is None:
        with closing(_in_order(_computed(plan, at, means, range(len(jobs(plan))), progress))) as outcomes:
            for later in outcomes:
                total.merge(later)
    else:
        try:
            compute_missing(plan, at, means, parts, progress)
        except KeyboardInterrupt:
            if not parts.finished(len(jobs(plan))):
                raise
        for number in range(len(jobs(plan))):
            if (found := parts.read(number)) is not None:
                total.merge(found)
    total.failures.sort(key=partial(_place, plan))
    return total


def compute_missing(plan: Plan, at: Bench, means: Means, parts: Parts, progress: Progress | None = None) -> int:
    """Computes the parts that are this shard's and not finished, and keeps each as soon as it is; returns how many are its."""
    count = len(jobs(plan))
    mine, done = means.share(range(count)), set(parts.finished(count))
    with closing(_computed(plan, at, means, [number for number in mine if number not in done], progress)) as outcomes:
        for number, found in outcomes:
            parts.write(number, found)
    return len(mine)


def _place(plan: Plan, failure: Failure) -> tuple[int, int]:
    """Where a failure stands among others: in the order of the engines, then of the quantities; one of no quantity first."""
    names = [engine if isinstance(engine, str) else engine.name for engine in plan.engines]
    return names.index(failure.engine), plan.quantities.index(failure.quantity) if failure.quantity else -1


def _in_order(outcomes: Generator[Numbered, None, None]) -> Generator[Outcome, None, None]:
    """Outcomes that come in any order, in that of their parts; an outcome lives no longer than it must."""
    early: dict[int, Outcome] = {}
    turn = 0
    with closing(outcomes):
        for number, found in outcomes:
            early[number] = found
            del found
            while turn in early:
                yield early.pop(turn)
                turn += 1


def _computed(
    plan: Plan, at: Bench, means: Means, numbers: Sequence[int], progress: Progress | None
) -> Generator[Numbered, None, None]:
    """The parts of these numbers as they are finished."""
    total = len(means.share(range(len(jobs(plan)))))
    with closing(_source(plan, at, means, numbers)) as outcomes:
        for done, numbered in enumerate(outcomes, start=total - len(numbers) + 1):
            yield numbered
            del numbered
            if progress is not None:
                progress(done, total)


def _source(plan: Plan, at: Bench, means: Means, numbers: Sequence[int]) -> Generator[Numbered, None, None]:
    if means.scheduler:
        from leapcheck.compare.cluster import on_cluster

        return on_cluster(plan, numbers, means.scheduler)
    if means.workers > 1 and len(numbers) > 1 and plan.is_portable and plan.is_long:
        return _in_processes(plan, numbers, means.workers)
    return _here(plan, at, numbers)


def _here(plan: Plan, at: Bench, numbers: Sequence[int]) -> Generator[Numbered, None, None]:
    parts = jobs(plan)
    for number in numbers:
        yield number, part_outcome(plan, at, parts[number])


def _in_processes(plan: Plan, numbers: Sequence[int], workers: int) -> Generator[Numbered, None, None]:
    parts = jobs(plan)
    with closing(completed(_part_in_worker, [(parts[number],) for number in numbers], workers, _begin_worker, (plan,))) as found:
        for place, part in found:
            yield numbers[place], part
            del part


def part_outcome(plan: Plan, at: Bench, part: Sequence[range]) -> Outcome:
    """What the states of one part yield, block by block."""
    total = Outcome()
    for units in part:
        total.merge(outcome(at, plan.block(units)))
    return total


def outcome_elsewhere(plan: Plan, at: Bench, part: Sequence[range]) -> Outcome:
    """The same in another process: engines that could not be made there are failures of the part."""
    found = part_outcome(plan, at, part)
    found.failures = [*at.failures, *(f for f in found.failures if not known(f, at.failures))]
    return found


def bench_of(plan: Plan) -> Bench:
    """The plan's robot in its engines, made in this process."""
    return bench(plan.spec, plan.engines, plan.quantities, plan.is_long)


_worker: list[tuple[Plan, Bench]] = []
"""The plan and the bench of this process, where it is a worker; made once."""


def _begin_worker(plan: Plan) -> None:
    """Makes the bench."""
    _worker[:] = [(plan, bench_of(plan))]


def _part_in_worker(part: Sequence[range]) -> Outcome:
    ((plan, at),) = _worker
    return outcome_elsewhere(plan, at, part)
