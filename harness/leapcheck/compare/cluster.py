"""Parts of a comparison on a Dask cluster: the same units and seeds, thus the same result as on one machine."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from functools import lru_cache
from threading import Lock

from leapcheck.compare.bench import Bench, Outcome
from leapcheck.compare.execution import bench_of, outcome_elsewhere
from leapcheck.compare.identity import Identity, difference, identity
from leapcheck.compare.plan import Plan, jobs

PATIENCE = "10s"
"""How long a scheduler has to answer at first."""

TRIES = 3
"""How often a part is begun again whose worker died."""

_ALONE = Lock()
"""Engines hold state: one part at a time in a process, whatever the number of its threads."""


def on_cluster(plan: Plan, numbers: Sequence[int], address: str) -> Generator[tuple[int, Outcome], None, None]:
    """The parts of these numbers as the workers of the scheduler at `address` finish them; a dead worker's part is begun again.

    The workers need the same versions, robot file and code of the user's, found from their own folder. Raises ValueError where
    they have others or an engine is no name, OSError where no scheduler answers, RuntimeError where the cluster is lost;
    ImportError where Dask is missing.
    """
    from distributed import Client, as_completed

    if not plan.is_portable:
        raise ValueError("an engine is an object of this process: name it as module:factory, as a cluster needs")
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise OSError(f"no Dask scheduler answers at '{address}' ({reason:.120}): start one with: dask scheduler") from error
    with client:
        packed, ours, parts = pickle.dumps(plan), identity(plan), jobs(plan)
        running = {client.submit(_part_on_worker, packed, parts[number], retries=TRIES, pure=False): number for number in numbers}
        try:
            for done in as_completed(list(running), loop=client.loop):
                found, theirs = _result(done)
                if other := difference(theirs, ours):
                    raise ValueError(f"a worker of '{address}' would compute something else: {other}: make them alike")
                yield running.pop(done), found
                del found, done
        finally:
            client.cancel(list(running), force=True)


def _result(done: object) -> tuple[Outcome, Identity]:
    from distributed import Future, KilledWorker

    assert isinstance(done, Future)
    try:
        found: tuple[Outcome, Identity] = done.result()
    except (KilledWorker, CancelledError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RuntimeError(f"the cluster lost a part ({reason:.200}): mend it and go on with --resume") from error
    return found


def _part_on_worker(packed: bytes, part: Sequence[range]) -> tuple[Outcome, Identity]:
    """What a part yields on a worker, and what it depends on there."""
    with _ALONE:
        plan, at, own = _made(packed)
        return outcome_elsewhere(plan, at, part), own


@lru_cache(maxsize=1)
def _made(packed: bytes) -> tuple[Plan, Bench, Identity]:
    """The plan, its bench and its identity in this process, made once."""
    plan: Plan = pickle.loads(packed)
    return plan, bench_of(plan), identity(plan)
