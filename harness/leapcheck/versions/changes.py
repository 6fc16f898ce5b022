"""Between which versions a quantity changed: pure functions of the measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from leapcheck.records import VersionChange, VersionDifference, VersionFigure, VersionMeasurement

Differs = Callable[[str, str], "bool | None"]
"""Whether a quantity differs between two versions; None where one of them cannot be run or does not answer it."""


class Bracket(NamedTuple):
    """The last version like the first one, the first that differs, and those in between that could not be run."""

    before: str
    after: str
    untested: tuple[str, ...]


def changes(measurement: VersionMeasurement) -> tuple[VersionChange, ...]:
    """Every quantity's changes from each version to the next that answers it, in the order of the versions."""
    versions, differences = measurement.versions, measurement.differences
    rows = []
    for quantity in dict.fromkeys(difference.quantity for difference in differences):
        answering = {v for d in differences if d.quantity == quantity for v in (d.before, d.after)}
        for before, after in pairwise(version for version in versions if version in answering):
            difference = find_difference(measurement, quantity, before, after)
            if difference and difference.is_change:
                rows.append(version_change(measurement.figures, difference))
    return tuple(sorted(rows, key=lambda change: versions.index(change.before)))


def version_change(figures: Sequence[VersionFigure], difference: VersionDifference) -> VersionChange:
    """The difference as a change, with the errors of both versions."""
    name, before, after = difference.quantity, difference.before, difference.after
    errors = {figure.version: figure.error for figure in figures if figure.quantity == name}
    return VersionChange(name, before, after, errors.get(before), errors.get(after), difference.error, difference.rounding)


def find_difference(measurement: VersionMeasurement, quantity: str, before: str, after: str) -> VersionDifference | None:
    """The difference of a quantity between two versions; None where one of them has no answer."""
    pair = {before, after}
    return next((d for d in measurement.differences if d.quantity == quantity and {d.before, d.after} == pair), None)


def releases_between(releases: Sequence[str], before: str, after: str) -> tuple[str, ...]:
    """The releases from `before` to `after`, both included, in that direction; ValueError for a version that is no release."""
    for version in (before, after):
        if version not in releases:
            raise ValueError(f"version {version} is not among those that pip lists: give one of {', '.join(releases)}")
    i, j = releases.index(before), releases.index(after)
    return tuple(releases[i : j + 1] if i <= j else releases[j : i + 1][::-1])


def bisect_changes(versions: Sequence[str], differs: Differs) -> tuple[Bracket, ...]:
    """Every place where a quantity changed, given that the last version differs from the first.

    Asks `differs` about log2(number of versions) times per change. A version that cannot be run is replaced by its neighbour.
    A change that is reverted between two versions that give the same is not seen.
    """
    brackets: list[Bracket] = []
    rest = list(versions)
    while len(rest) > 1 and (not brackets or differs(rest[0], rest[-1])):
        brackets.append(_first_change(rest, differs))
        rest = rest[rest.index(brackets[-1].after) :]
    return tuple(brackets)


def _first_change(versions: Sequence[str], differs: Differs) -> Bracket:
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
