"""Between which versions a quantity changed: pure functions of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from leapcheck.versions.records import Change, Difference, Figure, Held

Differs = Callable[[str, str], "bool | None"]
"""Whether a quantity differs between two versions; None where one of them cannot be run or does not answer it."""


class Bracket(NamedTuple):
    """The last version that is as the first one, the first that is not, and those between them that could not be run."""

    before: str
    after: str
    untested: tuple[str, ...]


def changes(held: Held) -> tuple[Change, ...]:
    """Every quantity's changes from each version to the next one that answers it, in the order of the versions."""
    found = []
    for quantity in dict.fromkeys(difference.quantity for difference in held.differences):
        asked = {v for d in held.differences if d.quantity == quantity for v in (d.before, d.after)}
        answering = [version for version in held.versions if version in asked]
        for before, after in pairwise(answering):
            difference = difference_of(held, quantity, before, after)
            if difference and difference.is_change:
                found.append(change(held.figures, difference))
    return tuple(sorted(found, key=lambda c: held.versions.index(c.before)))


def change(figures: Sequence[Figure], difference: Difference) -> Change:
    """The change that a difference is, with the errors of both versions."""
    name, before, after = difference.quantity, difference.before, difference.after
    errors = _error(figures, before, name), _error(figures, after, name)
    return Change(name, before, after, *errors, difference.error, difference.rounding)


def difference_of(held: Held, quantity: str, before: str, after: str) -> Difference | None:
    """The difference of a quantity between two versions; None where one of them has no answer."""
    return next((d for d in held.differences if d.quantity == quantity and {d.before, d.after} == {before, after}), None)


def between(released: Sequence[str], before: str, after: str) -> tuple[str, ...]:
    """The released versions from `before` to `after`, both included, in that direction; ValueError for one not released."""
    for version in (before, after):
        if version not in released:
            raise ValueError(f"version {version} is not among those that pip names: give one of {', '.join(released)}")
    i, j = released.index(before), released.index(after)
    return tuple(released[i : j + 1] if i <= j else released[j : i + 1][::-1])


def bisected(versions: Sequence[str], differs: Differs) -> tuple[Bracket, ...]:
    """Every place where a quantity changed, given that the last of the versions differs from the first one.

    `differs` is asked for about log2 of the versions per change. A version that cannot be run is passed over for its neighbour.
    A change that is taken back between two versions that give the same is not seen.
    """
    found: list[Bracket] = []
    left = list(versions)
    while len(left) > 1 and (not found or differs(left[0], left[-1])):
        found.append(_first(left, differs))
        left = left[left.index(found[-1].after) :]
    return tuple(found)


def _first(versions: Sequence[str], differs: Differs) -> Bracket:
    """The first change, by halving."""
    low, high = 0, len(versions) - 1
    untested: set[int] = set()
    while candidates := [i for i in range(low + 1, high) if i not in untested]:
        middle = min(candidates, key=lambda i: abs(2 * i - low - high))
        answer = differs(versions[0], versions[middle])
        if answer is None:
            untested.add(middle)
        elif answer:
            high = middle
        else:
            low = middle
    return Bracket(versions[low], versions[high], tuple(versions[low + 1 : high]))


def _error(figures: Sequence[Figure], version: str, quantity: str) -> float | None:
    return next((f.error for f in figures if (f.version, f.quantity) == (version, quantity)), None)
