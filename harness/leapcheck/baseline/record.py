"""The content of a baseline file: robot by robot the accepted errors and the known discrepancies."""

from __future__ import annotations

from dataclasses import dataclass

BASELINE_VERSION = 1

TRUTH = "truth"
"""What errors are measured `against` where a run has values in extended precision."""


@dataclass(frozen=True, slots=True)
class AcceptedError:
    """The largest error of one quantity of an engine `against` the truth (or another engine), over `states` states.

    `rounding` is in units of the expected rounding, `error` scale-free; `seed` is None for the user's own states.
    """

    engine: str
    quantity: str
    against: str
    rounding: float
    error: float
    states: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class KnownDiscrepancy:
    """A discrepancy accepted for a `reason`, up to and including the day `expires` (ISO 8601; None: for good).

    `causes` are the names of its causes, none where it is unexplained; `words` describe them. `error` is scale-free, `tolerance`
    the one at the worst of `states` states of `seed` (None: the user's own).
    """

    engine: str
    quantity: str
    cause_class: str
    causes: tuple[str, ...]
    words: str
    error: float
    tolerance: float
    states: int
    seed: int | None
    reason: str
    expires: str | None


@dataclass(frozen=True, slots=True)
class RobotBaseline:
    """What is accepted of one robot: its name, the hash of its description and the versions that were compared."""

    robot: str
    model_hash: str
    versions: tuple[tuple[str, str], ...]
    accepted: tuple[AcceptedError, ...]
    known: tuple[KnownDiscrepancy, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A whole baseline file."""

    robots: tuple[RobotBaseline, ...]
    baseline_version: int = BASELINE_VERSION
