"""Every hypothesis that the judge knows about single faults, put together from where each kind is written."""

from __future__ import annotations

from collections.abc import Iterator

from leapcheck.judge import attribution, consistency, defects, dictionary, readings, terms
from leapcheck.judge.belief import Belief, Hypothesis

MOST_NUMBERS = 6
"""Single numbers of the robot that are proposed for one quantity."""


def fixed_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The dictionary's hypotheses that have no number to fit."""
    return (hypothesis for proposal in (*dictionary.FIXED, *defects.FIXED) for hypothesis in proposal(belief))


def fitted_hypotheses(belief: Belief) -> Iterator[Hypothesis]:
    """The dictionary's hypotheses that fit numbers or orders to what the belief leaves unexplained."""
    return (
        hypothesis
        for proposal in (*dictionary.FITTED, *defects.FITTED, *terms.PROPOSALS, *readings.PROPOSALS)
        for hypothesis in proposal(belief)
    )


def late(belief: Belief) -> Iterator[Hypothesis]:
    """Explanations by many numbers at once, or by a contradiction: for what nothing else explains."""
    for proposal in (*defects.LATE, consistency.self_contradictions):
        yield from proposal(belief)


def hypotheses_fitted_to(belief: Belief, quantity: str) -> Iterator[Hypothesis]:
    """Hypotheses fitted to what the belief leaves of one quantity, whatever else is wrong, too.

    Numbers may be read wrongly by the whole engine, though it shows so in this quantity alone.
    """
    alone = Belief(belief.evidence.of_quantities((quantity,)), belief.hypotheses)
    for proposal in (*dictionary.FITTED, *defects.FITTED, readings.readings, readings.gear_readings):
        yield from proposal(alone)
    yield from attribution.singles(alone)[:MOST_NUMBERS]
    yield from (*terms.terms_in(belief, quantity), *readings.readings_in(belief, quantity))
