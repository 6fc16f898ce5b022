"""What is measured in processes of their own, and the cost of a whole comparison out of its parts."""

from __future__ import annotations

import pytest

from leapcheck.bench.comparison import ENGINES, WholeComparison, engine_contenders, plan
from leapcheck.bench.measure import Timing
from leapcheck.bench.own import NotAvailable
from leapcheck.bench.processes import child, first_uses, help_time
from leapcheck.states import UNIT
from leapcheck_models.robots import load


def test_the_cost_of_a_comparison() -> None:
    engines = {"one": Timing((1000.0, 3000.0, 3000.0)), "two": Timing((500.0, 500.0, 900.0))}
    whole = WholeComparison(states=1_000_000, workers=2, wall=1.5, engines=engines)
    assert whole.rate == pytest.approx(1e6 / 1.5)
    assert whole.cost_by_minima == pytest.approx(1.5 * 2 / (1e6 * 1500e-9))
    assert whole.cost_by_medians == pytest.approx(1.5 * 2 / (1e6 * 3500e-9))


def test_every_engine_of_the_comparison_is_timed_by_itself() -> None:
    asked = plan("two_link_arm", 10)
    timed = engine_contenders(load("two_link_arm"))
    assert asked.engines == ENGINES == tuple(contender.name for contender in timed)[: len(ENGINES)]
    for contender in timed:
        contender.run()
        assert contender.count == UNIT


def test_a_child_that_fails_is_named_by_its_last_words() -> None:
    with pytest.raises(NotAvailable, match="nobody"):
        child("first_use", "nobody")
    with pytest.raises(NotAvailable, match="largest worker times their number"):
        child("something", "else")


def test_first_uses_have_an_empty_cache_and_a_full_one() -> None:
    empty, cached = first_uses("two_link_arm", repeats=1)
    assert (len(empty.samples), len(cached.samples)) == (1, 1)
    assert cached.minimum > 0.0
    assert empty.minimum > 0.0


def test_help_is_a_process_of_its_own() -> None:
    assert len(help_time(repeats=2).samples) == 2


@pytest.mark.slow
def test_memory_is_that_of_a_whole_process() -> None:
    assert 2**24 < child("memory", "two_link_arm", "256") < 2**36
