"""Numbers of any set of bodies read wrongly in one way, by the whole engine or by some of its functions alone."""

from __future__ import annotations

from leapcheck.judge.belief import Hypothesis, Proposal
from leapcheck.judge.readings.gears import gear_readings
from leapcheck.judge.readings.in_part import numbers_in_part, rotors_in_part
from leapcheck.judge.readings.search import readings, readings_in

PROPOSALS: tuple[Proposal, ...] = (readings, gear_readings, rotors_in_part, numbers_in_part)
"""Hypotheses fitted to what a belief leaves unexplained."""


def is_of_whole_engine(hypothesis: Hypothesis) -> bool:
    """Whether all functions of the engine read these numbers so: then another robot would answer as it does."""
    return hypothesis.name.startswith("reading-") and hypothesis.answer_edit is None


__all__ = ["PROPOSALS", "gear_readings", "is_of_whole_engine", "readings", "readings_in"]
