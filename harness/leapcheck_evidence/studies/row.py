"""A row of the table that says how exact jumps are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StudyRow:
    """What was measured, its goal, the measured figure, whether it meets the goal, and the protocol."""

    what: str
    goal: str
    figure: str
    met: bool
    detail: str = ""
