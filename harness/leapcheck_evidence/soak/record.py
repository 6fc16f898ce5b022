"""Cases of a soak, what each came to, and the whole of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one case came to: what it was, how much was tried by name, and what went wrong, empty where nothing did."""

    label: str
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SoakCase:
    """One case of a soak: its number decides all of it. `cpu_seconds` are those of its processes, less any that were killed."""

    number: int
    kind: str
    result: CaseResult
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Soak:
    """All cases that were run; `repeat` is the command that repeats one, less its number."""

    command: str
    repeat: str
    seconds: float
    cases: tuple[SoakCase, ...]

    @property
    def failures(self) -> tuple[SoakCase, ...]:
        """The cases with a problem."""
        return tuple(case for case in self.cases if case.result.problem)
