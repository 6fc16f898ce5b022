"""ddmin finds what matters, whatever the order, and asks little."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leapcheck.judge.shrinking.delta import ddmin

pytestmark = pytest.mark.quick


class Asked:
    """Choices fail that hold all the culprits; counts rounds and choices."""

    def __init__(self, culprits: set[int]) -> None:
        self.culprits = culprits
        self.rounds = self.choices = 0

    def __call__(self, choices: Sequence[tuple[int, ...]]) -> int | None:
        self.rounds += 1
        self.choices += len(choices)
        return next((i for i, choice in enumerate(choices) if self.culprits <= set(choice)), None)


@given(st.integers(1, 60), st.data())
def test_exactly_the_culprits_are_left(size: int, data: st.DataObject) -> None:
    culprits = data.draw(st.sets(st.integers(0, size - 1), max_size=4))
    assert ddmin(range(size), Asked(culprits)) == tuple(sorted(culprits))


@given(st.integers(1, 12), st.data())
def test_nothing_can_be_left_out(size: int, data: st.DataObject) -> None:
    """1-minimal, also where less can fail than more: any failing family of subsets that holds the whole set."""
    failing = data.draw(st.sets(st.frozensets(st.integers(0, size - 1), max_size=size), max_size=20)) | {frozenset(range(size))}

    def first_failing(choices: Sequence[tuple[int, ...]]) -> int | None:
        return next((i for i, choice in enumerate(choices) if frozenset(choice) in failing), None)

    left = ddmin(range(size), first_failing)
    assert frozenset(left) in failing
    assert len(left) <= 1 or all(frozenset(left) - {item} not in failing for item in left)


def test_one_culprit_among_many_takes_few_rounds() -> None:
    asked = Asked({37})
    assert ddmin(range(64), asked) == (37,)
    assert asked.rounds == 7  # nothing at all, then halves
    assert asked.choices == 1 + 6 * 2


@pytest.mark.parametrize("items", [(), (5,)])
def test_few_items(items: tuple[int, ...]) -> None:
    assert ddmin(items, Asked(set(items))) == items
