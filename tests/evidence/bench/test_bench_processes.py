"""What is measured in processes of their own, and the cost of a whole comparison out of its parts."""

from __future__ import annotations

import pytest

from leapcheck_evidence.bench.comparison import ENGINES, WholeComparison, plan, whole_comparison
from leapcheck_evidence.bench.own import NotAvailable
from leapcheck_evidence.bench.processes import child, comparison, first_uses, help_time


def test_the_cost_of_a_comparison() -> None:
    whole = WholeComparison(states=1_000_000, workers=2, wall=1.5, engines={"one": 1.25, "truth": 0.75})
    assert whole.rate == pytest.approx(1e6 / 1.5)
    assert whole.cost == pytest.approx(1.5 * 2 / 2.0)


def test_every_engine_of_a_comparison_is_timed_and_the_truth_with_them() -> None:
    whole = whole_comparison("two_link_arm", 300)
    assert plan("two_link_arm", 10).engines == ENGINES
    assert whole.engines.keys() == {"mujoco", "pinocchio", "truth"}
    assert min(whole.engines.values()) > 0.0
    assert sum(whole.engines.values()) < whole.wall * whole.workers


def test_a_comparison_in_narrower_vectors_is_one_too() -> None:
    whole = comparison("two_link_arm", 300, 2)
    assert (whole.states, whole.engines.keys()) == (300, {"mujoco", "pinocchio", "truth"})
    assert whole.statement.startswith("300 states, ")


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
