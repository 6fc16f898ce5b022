"""Delta debugging: the algorithm ddmin, over anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

Item = TypeVar("Item")

FirstFailing = Callable[[Sequence[tuple[Item, ...]]], int | None]
"""The place of the first among some choices of items that still shows the fault, None where none does."""


def ddmin(items: Sequence[Item], first_failing: FirstFailing[Item]) -> tuple[Item, ...]:
    """Some of the items, in their order, that still show the fault of all of them, none of which can be left out alone.

    Zeller and Hildebrandt 2002, Simplifying and isolating failure-inducing input, IEEE TSE 28(2), figure 5; the choices of
    one round are tried together. All items together are taken to fail.
    """
    kept, count = tuple(items), 2
    if not kept or first_failing([()]) is not None:
        return ()
    while len(kept) > 1:
        parts = _parts(kept, count)
        rests = [_without(parts, i) for i in range(count)] if count > 2 else []
        failing = first_failing([*parts, *rests])
        if failing is not None:
            kept, count = (parts[failing], 2) if failing < len(parts) else (rests[failing - len(parts)], count - 1)
        elif count == len(kept):
            break
        count = min(2 * count if failing is None else count, len(kept))
    return kept


def _parts(items: tuple[Item, ...], count: int) -> list[tuple[Item, ...]]:
    """The items in `count` parts of about the same size."""
    ends = [len(items) * i // count for i in range(count + 1)]
    return [items[start:end] for start, end in pairwise(ends)]


def _without(parts: list[tuple[Item, ...]], left_out: int) -> tuple[Item, ...]:
    return tuple(item for i, part in enumerate(parts) if i != left_out for item in part)
