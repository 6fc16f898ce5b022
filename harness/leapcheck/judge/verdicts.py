"""Each engine judged by the truth, quantity by quantity: right to rounding, right but imprecise, or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leapcheck.comparison.tally import Tally, TallyRow
from leapcheck.records import Diagnosis, EngineVerdict, Falls, TruthVerdict, Verdict
from leapcheck.rounding import ALLOWED_UNITS, allowance, base_distance
from leapcheck_models.spec import RobotSpec

OF_TALLY = {
    Verdict.AGREE: TruthVerdict.RIGHT,
    Verdict.IMPRECISE: TruthVerdict.IMPRECISE,
    Verdict.DISCREPANCY: TruthVerdict.WRONG,
}
"""What a tally against the truth says, in the words of a verdict over an engine."""

PRECISION = "precision/"
"""Beginning of the names of causes that take digits from an answer and leave it right: "precision/float32"."""

CONDITION = "condition/"
"""Beginning of the names of causes that say in which states an answer is wrong: "condition/q 3"."""


def verdict(spec: RobotSpec, row: TallyRow, tally: Tally) -> EngineVerdict:
    """The verdict over one engine and quantity, from the tally of its errors against the truth.

    Error and margin are those of the states near the origin and of discrepancies, as in every figure; what is imprecise
    far from the origin alone shows in the verdict. The margin of an exact answer is infinite.
    """
    rounding = max(float(tally.rounding.value[0]), 0.0)
    allowed = ALLOWED_UNITS * float(allowance(base_distance(spec, tally.rounding.states()))[0])
    return EngineVerdict(
        engine=row.engine,
        quantity=row.quantity,
        verdict=OF_TALLY[tally.verdict(0)],
        rounding=rounding,
        allowed=allowed,
        margin=allowed / rounding if rounding > 0.0 else float("inf"),
        index=int(tally.rounding.index[0]),
    )


def with_diagnoses(judged: Sequence[EngineVerdict], diagnoses: Sequence[Diagnosis]) -> tuple[EngineVerdict, ...]:
    """The verdicts, "right but imprecise" in place of "wrong" where few digits explain the whole error of a quantity."""
    imprecise = {
        (diagnosis.engine, falls.quantity)
        for diagnosis in diagnoses
        for falls in diagnosis.falls
        if _by_digits_alone(diagnosis, falls)
    }
    return tuple(
        replace(row, verdict=TruthVerdict.IMPRECISE)
        if row.verdict == TruthVerdict.WRONG and (row.engine, row.quantity) in imprecise
        else row
        for row in judged
    )


def _by_digits_alone(diagnosis: Diagnosis, falls: Falls) -> bool:
    """Whether few digits are all that is wrong with a quantity: the other causes, if any, leave it as it is."""
    few = [cause.name.startswith(PRECISION) for cause in diagnosis.causes]
    return any(few) and falls.quantity not in diagnosis.unexplained and (all(few) or falls.after == falls.before)
