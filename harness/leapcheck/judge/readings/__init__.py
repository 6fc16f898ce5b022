"""Numbers of any set of bodies read wrongly in one way, by the whole engine or by some of its functions alone."""

from __future__ import annotations

from leapcheck.judge.belief import Proposal
from leapcheck.judge.readings.gears import gear_readings
from leapcheck.judge.readings.search import readings

PROPOSALS: tuple[Proposal, ...] = (readings, gear_readings)
"""Hypotheses fitted to what a belief leaves unexplained."""
