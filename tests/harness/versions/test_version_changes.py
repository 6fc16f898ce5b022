"""Between which versions a quantity changed, and with which release: on figures that are made up."""

from __future__ import annotations

from itertools import combinations

import pytest

from leapcheck.records import Failure, VersionDifference, VersionFigure, VersionHistory, VersionMeasurement
from leapcheck.report.versions.history import change_line, history_markdown, sentence
from leapcheck.versions.changes import Bracket, bisect_changes, changes, releases_between
from leapcheck.versions.run import parse_releases, refine_changes

pytestmark = pytest.mark.quick

RELEASED = tuple(f"3.{i}" for i in range(12))


def synthetic(errors: dict[str, dict[str, float]], failures: tuple[Failure, ...] = ()) -> VersionMeasurement:
    """Errors by version and quantity; two versions differ by as much as their errors do, and a change is more than 1e-12."""
    figures = tuple(
        VersionFigure(version, quantity, error, error / 1e-16, "wrong" if error > 1e-12 else "right to rounding")
        for version, of_version in errors.items()
        for quantity, error in of_version.items()
    )
    differences = tuple(
        VersionDifference(quantity, a, b, apart, apart / 1e-16, apart > 1e-12)
        for a, b in combinations(errors, 2)
        for quantity in (name for name in errors[a] if name in errors[b])
        for apart in [abs(errors[a][quantity] - errors[b][quantity])]
    )
    return VersionMeasurement(tuple(errors), figures, differences, failures)


def history(measurement: VersionMeasurement) -> VersionHistory:
    found = measurement.versions, measurement.figures, changes(measurement), measurement.failures
    return VersionHistory("mujoco", "box", "MJCF as it is", 16, 0, "leapcheck versions", *found)


def differing(*firsts: str, broken: tuple[str, ...] = ()):
    """A quantity that changed with each of the releases `firsts`; `broken` ones cannot be run. Counts what is asked."""
    asked = []

    def level(version: str) -> int:
        return sum(RELEASED.index(version) >= RELEASED.index(first) for first in firsts)

    def differs(a: str, b: str) -> bool | None:
        asked.append(b)
        return None if b in broken else level(a) != level(b)

    return differs, asked


@pytest.mark.parametrize("first", RELEASED[1:])
def test_the_first_changed_release_is_found(first: str) -> None:
    differs, asked = differing(first)
    assert bisect_changes(RELEASED, differs) == (Bracket(RELEASED[RELEASED.index(first) - 1], first, ()),)
    assert len(asked) <= 5


def test_every_one_of_several_changes_is_found() -> None:
    differs, _ = differing("3.2", "3.3", "3.9")
    assert [bracket.after for bracket in bisect_changes(RELEASED, differs)] == ["3.2", "3.3", "3.9"]


def test_releases_that_cannot_be_run_are_passed_over_and_told() -> None:
    differs, _ = differing("3.6", broken=("3.4", "3.5"))
    assert bisect_changes(RELEASED, differs) == (Bracket("3.3", "3.6", ("3.4", "3.5")),)
    differs, _ = differing("3.8", broken=("3.5", "3.6"))
    assert bisect_changes(RELEASED, differs) == (Bracket("3.7", "3.8", ()),)
    differs, _ = differing("3.1", broken=RELEASED[1:-1])
    assert bisect_changes(RELEASED, differs) == (Bracket("3.0", "3.11", RELEASED[1:-1]),)


def test_releases_between_two_versions_in_either_direction() -> None:
    assert releases_between(RELEASED, "3.2", "3.4") == ("3.2", "3.3", "3.4")
    assert releases_between(RELEASED, "3.4", "3.2") == ("3.4", "3.3", "3.2")
    with pytest.raises(ValueError, match=r"version 2\.9 is not among those that pip lists: give one of 3\.0, 3\.1"):
        releases_between(RELEASED, "2.9", "3.2")


def test_what_pip_prints_is_read_oldest_first() -> None:
    text = "mujoco (4.0.0)\nAvailable versions: 4.0.0, 3.17.0, 3.10.0\n  INSTALLED: 4.0.0\n  LATEST:    4.0.0\n"
    assert parse_releases(text) == ("3.10.0", "3.17.0", "4.0.0")
    with pytest.raises(ValueError, match=r"use pip 21\.2 or later"):
        parse_releases("nothing of the kind")


def test_a_change_is_told_once_between_neighbours_that_answer() -> None:
    measurement = synthetic({"1": {"M": 2.3e-7, "a": 0.0}, "2": {"M": 2.3e-7}, "3": {"M": 1e-15, "a": 0.5}})
    found = changes(measurement)
    assert [(c.quantity, c.before, c.after) for c in found] == [("a", "1", "3"), ("M", "2", "3")]
    assert change_line(found[1]) == "M: changed between 2 and 3: 2.3e-7 -> 1.0e-15 (apart by 2.3e-7)"
    assert history(measurement).exit_status == 1
    assert "| M | **2.3e9\N{MULTIPLICATION SIGN}** | **2.3e9\N{MULTIPLICATION SIGN}** | 10" in history_markdown(
        history(measurement)
    )


@pytest.mark.parametrize(
    ("errors", "failures", "status", "words"),
    [
        ({"1": {"M": 1e-15}, "2": {"M": 1e-15}}, (), 0, "mujoco 1, 2 agree to rounding"),
        ({"1": {"M": 0.1}, "2": {"M": 0.1}}, (), 1, "wrong in M in every version"),
        ({"1": {"M": 1e-15}, "2": {"M": 1e-15}}, (Failure("mujoco-3", "", "no"),), 2, "agree to rounding"),
        ({"1": {"M": 1e-15}}, (Failure("mujoco-3", "", "no"),), 2, "only mujoco 1 could be run"),
        ({}, (Failure("mujoco-3", "", "no"),), 2, "No version of mujoco could be run"),
    ],
)
def test_exit_status(errors: dict[str, dict[str, float]], failures: tuple[Failure, ...], status: int, words: str) -> None:
    found = history(synthetic(errors, failures))
    assert found.exit_status == status
    assert words in sentence(found)


def test_each_pair_is_held_once_for_all_quantities_and_each_gets_its_own_release() -> None:
    def error(version: str, first: str) -> float:
        return 1e-15 if RELEASED.index(version) >= RELEASED.index(first) else 1e-3

    def hold(versions: tuple[str, ...]) -> VersionMeasurement:
        pairs.append(frozenset(versions))
        ran = [version for version in versions if version != "3.6"]
        failures = tuple(Failure(f"mujoco-{version}", "", "too old") for version in versions if version == "3.6")
        return synthetic({version: {"M": error(version, "3.3"), "h": error(version, "3.7")} for version in ran}, failures)

    pairs: list[frozenset[str]] = []
    coarse = hold(("3.0", "3.11"))
    found, figures, limits = refine_changes(changes(coarse), coarse, RELEASED, hold)
    assert [(c.quantity, c.before, c.after, c.exact, c.untested) for c in found] == [
        ("M", "3.2", "3.3", True, ()),
        ("h", "3.5", "3.7", False, ("3.6",)),
    ]
    assert change_line(found[1]).startswith(
        "h: changed between 3.5 and 3.7: somewhere among 3.6, which could not be run, and 3.7"
    )
    assert len(pairs) == len(set(pairs))
    order = [RELEASED.index(figure.version) for figure in figures]
    assert order == sorted(order)
    assert limits == ("mujoco-3.6: too old",)
