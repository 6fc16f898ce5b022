"""What a look at several versions yields: frozen records, failures included."""

from __future__ import annotations

from dataclasses import dataclass

from leapcheck.compare.records import Failure

WRONG = "wrong"
"""The verdict of a figure that is off by more than rounding explains."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity of one version against the truth: the largest scale-free `error`, and the largest in units of the expected
    `rounding`; `verdict` is "right to rounding", "right but imprecise" or "wrong".
    """

    version: str
    quantity: str
    error: float
    rounding: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One quantity of two versions against each other, in the same figures; `is_change`: more than rounding explains."""

    quantity: str
    before: str
    after: str
    error: float
    rounding: float
    is_change: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A quantity that changed between two versions, with the error of each against the truth (None where there is none).

    `error` and `rounding` are those of the one against the other, scale-free and in units of the expected rounding. `untested`
    are the released versions between them that could not be run: the change may have come with any of them. `exact` says that no
    other release lies between the two.
    """

    quantity: str
    before: str
    after: str
    error_before: float | None
    error_after: float | None
    error: float
    rounding: float
    untested: tuple[str, ...] = ()
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """Some versions held against the truth and against each other; `versions` are those that could be run."""

    versions: tuple[str, ...]
    figures: tuple[Figure, ...]
    differences: tuple[Difference, ...]
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class History:
    """Everything that was found; `route` says what the versions were given, `limits` what was not looked at."""

    package: str
    robot: str
    route: str
    states: int
    seed: int
    command: str
    versions: tuple[str, ...]
    figures: tuple[Figure, ...]
    changes: tuple[Change, ...]
    failures: tuple[Failure, ...]
    limits: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[Figure, ...]:
        """The figures that are off by more than rounding explains."""
        return tuple(figure for figure in self.figures if figure.verdict == WRONG)

    @property
    def exit_status(self) -> int:
        """1 where a quantity changed or is wrong; else 2 where a version could not be run; else 0."""
        if self.changes or self.wrong:
            return 1
        return 2 if self.failures or len(self.versions) < 2 else 0
