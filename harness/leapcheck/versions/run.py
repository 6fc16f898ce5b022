"""A whole look at several versions: what each answers, what changed, and, by bisection, with which release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from leapcheck.engines.other_version import RegistryOutOfReach, environment
from leapcheck.versions.changes import between, bisected, change, changes, difference_of
from leapcheck.versions.measure import Progress, Question, held
from leapcheck.versions.records import Change, Figure, Held, History
from leapcheck.versions.released import released

Hold = Callable[[Sequence[str]], Held]


def history(question: Question, versions: Sequence[str], bisect: bool, command: str, progress: Progress | None = None) -> History:
    """The versions in the order given; with `bisect` each change is narrowed down to one release, as far as these run."""

    def hold(some: Sequence[str]) -> Held:
        return held(question, some, progress)

    found = hold(versions)
    changed, figures = changes(found), found.figures
    limits: tuple[str, ...] = ()
    if bisect and changed:
        try:
            every = released(question.package, environment(question.package, found.versions[0], question.folder))
        except RegistryOutOfReach as error:  # what is known without it is told all the same
            limits = (str(error),)
        else:
            changed, figures, limits = refined(changed, found, every, hold)
    return History(
        question.package,
        question.robot,
        question.model.words,
        question.states,
        question.seed,
        command,
        tuple(dict.fromkeys(figure.version for figure in figures)) or found.versions,
        figures,
        changed,
        found.failures,
        limits,
    )


def refined(
    coarse: Sequence[Change], found: Held, every: Sequence[str], hold: Hold
) -> tuple[tuple[Change, ...], tuple[Figure, ...], tuple[str, ...]]:
    """The changes between neighbouring releases, all figures on the way in the order of release, and what could not be run.

    `every` are the released versions, oldest first. Two versions are held against each other once, for all quantities.
    """
    pairs: dict[frozenset[str], Held] = {frozenset(found.versions): found}
    for coarser in coarse:
        pairs[frozenset((coarser.before, coarser.after))] = found

    def pair(before: str, after: str) -> Held:
        key = frozenset((before, after))
        if key not in pairs:
            pairs[key] = hold((before, after))
        return pairs[key]

    narrow = []
    for coarser in coarse:
        releases = between(every, coarser.before, coarser.after)
        for bracket in bisected(releases, _differs(coarser.quantity, pair)):
            ends = pair(bracket.before, bracket.after)
            difference = difference_of(ends, coarser.quantity, bracket.before, bracket.after)
            if difference:
                found_there = change(ends.figures, difference)
                narrow.append(replace(found_there, untested=bracket.untested, exact=not bracket.untested))
    figures = {(figure.version, figure.quantity): figure for one in pairs.values() for figure in one.figures}
    limits = tuple(dict.fromkeys(f"{f.engine}: {f.message}" for one in pairs.values() for f in one.failures))
    known = {failure.engine for failure in found.failures}
    return (
        tuple(narrow),
        tuple(sorted(figures.values(), key=lambda figure: every.index(figure.version) if figure.version in every else -1)),
        tuple(line for line in limits if line.partition(":")[0] not in known),
    )


def _differs(quantity: str, pair: Callable[[str, str], Held]) -> Callable[[str, str], bool | None]:
    """Whether that quantity differs between two versions."""

    def differs(first: str, version: str) -> bool | None:
        difference = difference_of(pair(first, version), quantity, first, version)
        return difference.is_change if difference else None

    return differs


def environments_folder() -> Path:
    """Where the environments are kept: in the user's cache folder."""
    from leapcheck_reference.trace.cache import folder

    return folder() / "environments"
