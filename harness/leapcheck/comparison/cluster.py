"""Parts of a comparison on a Dask cluster: the same units and seeds, thus the same result as on one machine."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from functools import lru_cache
from threading import Lock

from leapcheck.comparison.engine_set import EngineSet, engine_set_of
from leapcheck.comparison.identity import RunIdentity, difference, run_identity
from leapcheck.comparison.plan import Plan, jobs
from leapcheck.comparison.results import BlockResult, part_result_elsewhere

PATIENCE = "10s"
"""How long a scheduler has to answer at first."""

TRIES = 3
"""How often a part is begun again whose worker died."""

_ALONE = Lock()
"""Engines hold state: one part at a time in a process, whatever the number of its threads."""


def results_of_cluster(plan: Plan, numbers: Sequence[int], address: str) -> Generator[tuple[int, BlockResult], None, None]:
    """The parts of these numbers as the workers of the scheduler at `address` finish them; a dead worker's part is begun again.

    The workers need the same versions, robot file and code of the user's, found from their own folder. Raises ValueError where
    they have others or an engine is no name, OSError where no scheduler answers, RuntimeError where the cluster is lost;
    ImportError where Dask is missing.
    """
    from distributed import Client, as_completed

    for handler in logging.getLogger("distributed").handlers:
        handler.setLevel(logging.CRITICAL)  # what is lost is told once, in words
    if not plan.is_portable:
        raise ValueError("an engine is an object of this process, which a cluster cannot use: name it as module:factory")
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise OSError(f"no Dask scheduler answers at '{address}' ({reason:.120}): start one with: dask scheduler") from error
    with client:
        packed, ours, parts = pickle.dumps(plan), run_identity(plan), jobs(plan)
        running = {client.submit(_part_on_worker, packed, parts[number], retries=TRIES, pure=False): number for number in numbers}
        try:
            for done in as_completed(list(running), loop=client.loop):
                result, theirs = _result(done)
                if other := difference(theirs, ours):
                    raise ValueError(f"a worker of '{address}' would compute something else: {other}: make both the same")
                yield running.pop(done), result
                del result, done
        finally:
            client.cancel(list(running), force=True)


def _result(done: object) -> tuple[BlockResult, RunIdentity]:
    from distributed import Future, KilledWorker

    assert isinstance(done, Future)
    try:
        result: tuple[BlockResult, RunIdentity] = done.result()
    except (KilledWorker, CancelledError, OSError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RuntimeError(f"the cluster lost a part ({reason:.200}): repair the cluster and continue with --resume") from error
    return result


def _part_on_worker(packed: bytes, part: Sequence[range]) -> tuple[BlockResult, RunIdentity]:
    """The result of a part on a worker, and what it depends on there."""
    with _ALONE:
        plan, engine_set, own = _setup(packed)
        return part_result_elsewhere(plan, engine_set, part), own


@lru_cache(maxsize=1)
def _setup(packed: bytes) -> tuple[Plan, EngineSet, RunIdentity]:
    """The plan, its engines and its identity in this process, made once."""
    plan: Plan = pickle.loads(packed)
    return plan, engine_set_of(plan), run_identity(plan)
