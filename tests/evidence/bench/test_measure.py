"""The reduction of samples, and that contenders take turns."""

from __future__ import annotations

from functools import partial

import pytest

from leapcheck_evidence.bench.measure import FEWEST_ROUNDS, SAMPLE_NS, Contender, Timing, interleave, ratio
from tests.evidence.bench.bench_cases import FakeClock

pytestmark = pytest.mark.quick


def test_minimum_and_median() -> None:
    timing = Timing((5.0, 3.0, 9.0, 4.0))
    assert (timing.minimum, timing.median) == (3.0, 4.5)
    assert Timing((7.0,)).median == 7.0


def test_a_ratio_is_of_minima_and_of_medians() -> None:
    times = ratio(Timing((20.0, 30.0, 40.0)), Timing((2.0, 5.0, 6.0)))
    assert (times.minima, times.medians) == (10.0, 6.0)


def works(clock: FakeClock, log: list[str], name: str, durations: list[int]) -> None:
    """Takes the next of its durations, the last of them for ever."""
    log.append(name)
    clock.now += durations.pop(0) if len(durations) > 1 else durations[0]


def test_contenders_take_turns_and_times_are_per_unit() -> None:
    clock, log = FakeClock(), []
    fast = Contender("fast", partial(works, clock, log, "fast", [SAMPLE_NS // 4]), 8)
    slow = Contender("slow", partial(works, clock, log, "slow", [SAMPLE_NS]), 2)
    found = interleave([fast, slow], seconds=1.0, clock=clock)
    assert found["fast"].minimum == found["fast"].median == SAMPLE_NS / 4 / 8
    assert found["slow"].median == SAMPLE_NS / 2
    assert len(found["fast"].samples) == len(found["slow"].samples)
    turns = log[4:]  # two runs of each to learn how long they are
    one_turn = ["fast"] * 5 + ["slow"] * 2  # the first of each is not timed
    assert turns == one_turn * (len(turns) // len(one_turn))
    assert clock.now == pytest.approx(1e9, rel=0.02)


def test_the_run_before_a_sample_is_not_timed() -> None:
    """Every other run finds cold caches, as the first one after another contender does."""
    clock = FakeClock()
    durations = [SAMPLE_NS] * 2 + [10 * SAMPLE_NS, SAMPLE_NS] * 100
    found = interleave([Contender("cold", partial(works, clock, [], "cold", durations), 1)], seconds=0.0, clock=clock)
    assert found["cold"].samples == (SAMPLE_NS,) * FEWEST_ROUNDS


def test_without_time_there_are_still_samples() -> None:
    clock = FakeClock()
    found = interleave([Contender("one", partial(works, clock, [], "one", [7]), 1)], seconds=0.0, clock=clock)
    assert found["one"].samples == (7.0,) * FEWEST_ROUNDS
