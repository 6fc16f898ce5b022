"""The runs of a Monte Carlo: in units of a fixed size, on any number of processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial

from leapcheck.jumping.robustness.control import Trial
from leapcheck.jumping.robustness.loop import recordings
from leapcheck.jumping.robustness.outcome import TrialOutcome, outline_of
from leapcheck.jumping.robustness.series import series_outcome
from leapcheck.jumping.robustness.variation import Variation, draw
from leapcheck.simulators.mujoco.batch import MujocoBatch
from leapcheck.system.processes import TRIES, ProcessDiedError, job_results

Progress = Callable[[int, int], None]

UNIT = 50
"""Simulations of a unit, at most: enough that NumPy's own time is small, few enough that the caches hold them."""

LARGEST_RECORD = 120_000
"""Steps times simulations that a unit records, at most: about 100 MB."""


def units(count: int, steps: int) -> list[range]:
    """The simulations 0..count - 1 in units, whose size depends on the number of steps alone."""
    size = max(1, min(UNIT, LARGEST_RECORD // max(steps, 1)))
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def run_outcomes(
    trial: Trial, variation: Variation, seed: int, floor_time: float, count: int, workers: int, progress: Progress | None
) -> list[TrialOutcome]:
    """The outcomes of the simulations 0..count - 1, in this order, whatever the number of workers.

    The units of a process that dies are begun anew; RuntimeError names the simulations where that does not help. ValueError for
    a controller that another process cannot be given.
    """
    parts, run = units(count, trial.steps), partial(outcomes, trial, variation, seed, floor_time)
    by_unit: dict[int, list[TrialOutcome]] = {}
    alone = workers == 1 or len(parts) == 1
    results = (numbered for numbered in enumerate(map(run, parts))) if alone else _in_processes(run, parts, workers)
    with closing(results):  # so that an interrupt ends the processes now, and not when somebody forgets the traceback
        for number, of_unit in results:
            by_unit[number] = of_unit
            if progress:
                progress(sum(map(len, by_unit.values())), count)
    return [one for number in range(len(parts)) for one in by_unit[number]]


def outcomes(trial: Trial, variation: Variation, seed: int, floor_time: float, index: Sequence[int]) -> list[TrialOutcome]:
    """The outcomes of the simulations `index`, run together."""
    body, draws = outline_of(trial.spec, trial.terrain), draw(variation, seed, index)
    batch = MujocoBatch(trial.spec, trial.contact, trial.dt, draws, trial.start, trial.terrain)
    return [series_outcome(body, run, trial) for run in recordings(trial, draws, seed, floor_time, batch)]


def _in_processes(
    run: Callable[[Sequence[int]], list[TrialOutcome]], parts: Sequence[range], workers: int
) -> Generator[tuple[int, list[TrialOutcome]], None, None]:
    """(number of the unit, its outcomes) as they are finished."""
    _check_portable(run)
    try:
        with closing(job_results(run, [(part,) for part in parts], workers)) as finished:
            yield from finished
    except ProcessDiedError as error:
        lost = ", ".join(f"{parts[number].start} to {parts[number].stop - 1}" for number in error.jobs)
        reason = f"the process that ran the simulations {lost} died {TRIES} times: run them with one worker to see why"
        raise RuntimeError(reason) from error


def _check_portable(run: Callable[[Sequence[int]], list[TrialOutcome]]) -> None:
    try:
        pickle.dumps(run)
    except Exception as error:  # pickle lets through whatever the controller's own code raises
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"the controller cannot be given to another process ({reason}): make it by a function of a module, or use 1 worker"
        ) from error
