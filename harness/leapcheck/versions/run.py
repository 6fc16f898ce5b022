"""Several versions of an engine compared: the answers of each, what changed and, by bisection, with which release."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from leapcheck.engines.other_version.engine import RegistryOutOfReach, environment, pip_environment
from leapcheck.records import VersionChange, VersionFigure, VersionHistory, VersionMeasurement
from leapcheck.versions.changes import bisect_changes, changes, find_difference, releases_between, version_change
from leapcheck.versions.measure import Progress, VersionQuestion, measure_versions

Measure = Callable[[Sequence[str]], VersionMeasurement]
PIP_LIST = re.compile(r"^Available versions: (.+)$", re.MULTILINE)


def history(
    question: VersionQuestion, versions: Sequence[str], bisect: bool, command: str, progress: Progress | None = None
) -> VersionHistory:
    """The versions compared in the order given; with `bisect` each change is narrowed down to one release where these run."""
    measure = partial(measure_versions, question, progress=progress)
    measurement = measure(versions)
    rows, figures = changes(measurement), measurement.figures
    limits: tuple[str, ...] = ()
    if bisect and rows:
        try:
            python = environment(question.package, measurement.versions[0], question.folder)
            releases = released_versions(question.package, python)
        except RegistryOutOfReach as error:  # report what is known without it
            limits = (str(error),)
        else:
            rows, figures, limits = refine_changes(rows, measurement, releases, measure)
    return VersionHistory(
        question.package,
        question.robot,
        question.model.words,
        question.states,
        question.seed,
        command,
        tuple(dict.fromkeys(figure.version for figure in figures)) or measurement.versions,
        figures,
        rows,
        measurement.failures,
        limits,
    )


def refine_changes(
    coarse: Sequence[VersionChange], first: VersionMeasurement, releases: Sequence[str], measure: Measure
) -> tuple[tuple[VersionChange, ...], tuple[VersionFigure, ...], tuple[str, ...]]:
    """The changes between neighbouring releases, all figures in the order of release, and what could not be run.

    `releases` are oldest first. Two versions are compared once, for all quantities.
    """
    measurements = {frozenset(first.versions): first} | {frozenset((row.before, row.after)): first for row in coarse}

    def pair(before: str, after: str) -> VersionMeasurement:
        key = frozenset((before, after))
        if key not in measurements:
            measurements[key] = measure((before, after))
        return measurements[key]

    def differs(quantity: str, before: str, after: str) -> bool | None:
        difference = find_difference(pair(before, after), quantity, before, after)
        return difference.is_change if difference else None

    fine = []
    for row in coarse:
        between = releases_between(releases, row.before, row.after)
        for bracket in bisect_changes(between, partial(differs, row.quantity)):
            ends = pair(bracket.before, bracket.after)
            if difference := find_difference(ends, row.quantity, bracket.before, bracket.after):
                change = version_change(ends.figures, difference)
                fine.append(replace(change, untested=bracket.untested, exact=not bracket.untested))
    figures = {(figure.version, figure.quantity): figure for one in measurements.values() for figure in one.figures}
    order = {version: i for i, version in enumerate(releases)}
    known = {failure.engine for failure in first.failures}
    failures = [failure for one in measurements.values() for failure in one.failures if failure.engine not in known]
    return (
        tuple(fine),
        tuple(sorted(figures.values(), key=lambda figure: order.get(figure.version, -1))),
        tuple(dict.fromkeys(f"{failure.engine}: {failure.message}" for failure in failures)),
    )


def released_versions(package: str, python: Path) -> tuple[str, ...]:
    """The versions that the pip of this Python can install, oldest first; RegistryOutOfReach where it lists none."""
    command = [str(python), "-m", "pip", "index", "versions", package, "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=pip_environment())
    try:
        return parse_releases(done.stdout)
    except ValueError as error:
        words = " ".join(done.stderr.split())[-300:]
        raise RegistryOutOfReach(f"pip lists no versions of {package} ({words}): is the registry in reach?") from error


def parse_releases(text: str) -> tuple[str, ...]:
    """The versions in the output of `pip index versions`, oldest first; ValueError where it has no such line."""
    line = PIP_LIST.search(text)
    if not line:
        raise ValueError("pip lists no versions: use pip 21.2 or later")
    return tuple(reversed([version.strip() for version in line[1].split(",")]))


def environments_folder() -> Path:
    """The folder of the environments, in the user's cache folder."""
    from leapcheck_reference.trace.cache import folder

    return folder() / "environments"
