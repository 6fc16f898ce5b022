"""Timings taken in turns: a disturbance of the machine meets every contender alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns

Clock = Callable[[], int]

SAMPLE_NS = 2_000_000
"""How long a sample should last: thousands of times the clock's resolution and the cost of reading it."""

FEWEST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to be timed: `run` does the work of `count` states (or of any other unit)."""

    name: str
    run: Callable[[], object]
    count: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Samples of one contender in ns per unit."""

    samples: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """The least disturbed sample."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """What is usual on this machine while it does whatever else it does."""
        return median(self.samples)


@dataclass(frozen=True, slots=True)
class Ratio:
    """One timing over another: of their minima and of their medians."""

    minima: float
    medians: float


def ratio(numerator: Timing, denominator: Timing) -> Ratio:
    """How many times longer the first takes."""
    return Ratio(numerator.minimum / denominator.minimum, numerator.median / denominator.median)


def interleave(contenders: Sequence[Contender], seconds: float, clock: Clock = perf_counter_ns) -> dict[str, Timing]:
    """The timing of each contender, by its name: one sample of each in turn, until the time is used up.

    Before a sample the contender runs once untimed, since the one before it has emptied the caches.
    """
    repeats = {contender.name: _repeats(contender, clock) for contender in contenders}
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    end, rounds = clock() + round(seconds * 1e9), 0
    while rounds < FEWEST_ROUNDS or clock() < end:
        for contender in contenders:
            samples[contender.name].append(_sample(contender, repeats[contender.name], clock))
        rounds += 1
    return {name: Timing(tuple(taken)) for name, taken in samples.items()}


def _repeats(contender: Contender, clock: Clock) -> int:
    """How often the contender must run to fill a sample."""
    contender.run()
    start = clock()
    contender.run()
    return max(1, round(SAMPLE_NS / max(clock() - start, 1)))


def _sample(contender: Contender, repeats: int, clock: Clock) -> float:
    run = contender.run
    run()
    start = clock()
    for _ in range(repeats):
        run()
    return (clock() - start) / (repeats * contender.count)
