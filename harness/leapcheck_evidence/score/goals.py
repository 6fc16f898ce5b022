"""What a score must reach, and whether it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leapcheck_evidence.score.few_entries import FEW
from leapcheck_evidence.score.planting.catalogue import ENGINES, WHOLE_BODIES
from leapcheck_evidence.score.record import LEAST_DEMANDED, Outcome, Score

LEAST_PLANTED = {ENGINES: 400, WHOLE_BODIES: 150}
NAMED_SINGLE, NAMED_PAIR, SHRUNK = 0.97, 0.85, 0.90


@dataclass(frozen=True, slots=True)
class ScoreGoal:
    """One line of the verdict: `part` of `whole`, of which at least the share `least` is required."""

    label: str
    part: int
    whole: int
    least: float

    @property
    def is_reached(self) -> bool:
        """Whether the share is reached; nothing to count counts as reached."""
        return self.part >= self.least * self.whole


def goals(score: Score) -> tuple[ScoreGoal, ...]:
    """All goals; that of the number planted only for a whole score."""
    outcomes = score.outcomes
    faults = [o for o in outcomes if o.wanted == "wrong"]
    single, pairs = [o for o in faults if not o.pair], [o for o in faults if o.pair]
    demanded = [o for o in faults if o.is_demanded]
    allowing = [o for o in faults if o.allows_few]
    noise, single_precision = ([o for o in outcomes if o.wanted == wanted] for wanted in ("right", "imprecise"))
    rows = [
        ScoreGoal(
            f"found, of those that change M, h or another answer by more than {LEAST_DEMANDED:g}",
            _found_count(demanded),
            len(demanded),
            1.0,
        ),
        ScoreGoal("named rightly, single faults", _named_count(single), len(single), NAMED_SINGLE),
        ScoreGoal("named rightly, both of a pair", _named_count(pairs), len(pairs), NAMED_PAIR),
        ScoreGoal(
            f"smallest state of at most {FEW} entries, of those that allow it",
            sum(map(_is_small, allowing)),
            len(allowing),
            SHRUNK,
        ),
        ScoreGoal("rounding noise not called a fault", _named_count(noise), len(noise), 1.0),
        ScoreGoal("single precision called imprecise", _named_count(single_precision), len(single_precision), 1.0),
    ]
    if score.catalogue == WHOLE_BODIES:  # no pairs, no rounding, no shrinking there
        rows = [row for row in rows if row.whole]
    if score.clean:
        states = sum(run.states for run in score.clean)
        alarms = sum(len(run.alarms) for run in score.clean)
        rows.append(
            ScoreGoal(
                f"clean comparisons without an alarm ({states} states, {alarms} alarms)", _clean(score), len(score.clean), 1.0
            )
        )
    if score.whole:
        rows.insert(0, ScoreGoal("planted", len(outcomes), LEAST_PLANTED[score.catalogue], 1.0))
    return tuple(rows)


def _found_count(outcomes: Sequence[Outcome]) -> int:
    return sum(outcome.found for outcome in outcomes)


def _named_count(outcomes: Sequence[Outcome]) -> int:
    return sum(outcome.named for outcome in outcomes)


def _is_small(outcome: Outcome) -> bool:
    return outcome.entries is not None and outcome.entries <= FEW


def _clean(score: Score) -> int:
    return sum(not run.alarms for run in score.clean)
