"""Results: one planted defect, and the whole score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """One defect: what was planted, and what the judge made of it.

    `effect` are the largest scale-free changes of M, of the bias and of any quantity. `named`: all faults of the defect and no
    other are among what was said, or in a set that the judge calls equivalent; of rounding, that no fault was said to be. `said`
    is the judge's first choice, `equivalents` the number of its other choices. `entries` is the number of non-zero entries of
    the smallest state in a reproducer, `allows_few` whether three or fewer can show the defect.
    """

    number: int
    kind: str
    label: str
    robot: str
    base: str
    pair: bool
    wanted: str
    effect: tuple[float, float, float]
    found: bool
    named: bool
    said: tuple[str, ...]
    equivalents: int
    unexplained: tuple[str, ...]
    entries: int | None
    allows_few: bool
    failure: str = ""

    @property
    def is_demanded(self) -> bool:
        """Whether the defect is large enough that it must be found."""
        return self.wanted == "wrong" and max(self.effect) > LEAST_DEMANDED


LEAST_DEMANDED = 1e-9
"""Scale-free effect above which a defect must be found."""


@dataclass(frozen=True, slots=True)
class CleanRun:
    """Engines without a fault on one robot: how many states, and what was wrongly called a fault."""

    robot: str
    states: int
    engines: tuple[str, ...]
    alarms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """All results; `repeat` is the command that repeats one defect, less its number."""

    command: str
    repeat: str
    seed: int
    whole: bool
    outcomes: tuple[Outcome, ...]
    clean: tuple[CleanRun, ...]
    catalogue: str = "engines"
