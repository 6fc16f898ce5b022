"""Disagreements in words: who is wrong by the extended-precision truth, why by the fingerprints, and how to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from leapcheck.compare.records import Comparison, Discrepancy, Verdict, WorstState
from leapcheck.engines.protocol import Engine
from leapcheck.judge.case import Cause
from leapcheck.judge.fingerprints import explanation
from leapcheck.judge.truth import truth
from leapcheck.quantities import QUANTITIES
from leapcheck.states import States, generated_states, joined
from leapcheck_models.spec import RobotSpec

EVIDENCE_STATES = 48
"""Seeded states on which a cause is looked for, next to the worst one."""


def with_truth(spec: RobotSpec, rows: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons, with the true value of the worst entry for each discrepancy and each quantity's worst pair."""
    worst = {row.quantity: row for row in sorted(rows, key=lambda row: row.rounding)}
    return tuple(
        replace(row, worst=replace(row.worst, truth=_true_entry(spec, row.quantity, row.worst)))
        if row.worst is not None and (row.verdict is Verdict.DISCREPANCY or worst[row.quantity] is row)
        else row
        for row in rows
    )


def discrepancies(
    spec: RobotSpec, robot: str, seed: int, which: Sequence[str], engines: Sequence[Engine], rows: Sequence[Comparison]
) -> tuple[Discrepancy, ...]:
    """One paragraph for each quantity and engine that is wrong; where the truth clears both sides, for each pair.

    `which` are the words of the command line that give the run's states.
    """
    by_name = {engine.name: engine for engine in engines}
    found: dict[tuple[str, str], Discrepancy] = {}
    for row in rows:
        if row.verdict is not Verdict.DISCREPANCY or row.worst is None:
            continue
        wrong = _wrong_engine(row, row.worst)
        engine, against = (row.against, row.engine) if wrong == row.against else (row.engine, row.against)
        if (row.quantity, engine) in found:
            continue
        cause = _cause(spec, row.quantity, by_name[engine], by_name[against], seed, _one_state(row.worst))
        words = ("--engines", engine, against, "--quantities", row.quantity, *which, "--only", str(row.worst.index))
        found[row.quantity, engine] = Discrepancy(
            quantity=row.quantity,
            engine=engine,
            against=against,
            cause_class=cause.cause_class,
            cause=_sentence(cause.cause),
            evidence=_sentence(cause.evidence),
            who_is_wrong=_who_in_words(row, row.worst, wrong),
            command=shlex.join(("leapcheck", "compare", robot, *words)),
        )
    return tuple(found.values())


def _cause(spec: RobotSpec, quantity: str, engine: Engine, against: Engine, seed: int, worst: States) -> Cause:
    """Why they differ at the worst state and some more; an engine that fails at those is judged at the worst one alone."""
    reason = ""
    for states in (joined([worst, generated_states(spec, EVIDENCE_STATES, seed, 0)]), worst):
        try:
            return explanation(spec, quantity, engine, against, states)
        except Exception as error:  # foreign code is asked again: its failure must not cost the report
            reason = " ".join(str(error).split())
    return Cause("unexplained", "the engine failed when it was asked again", reason)


def _true_entry(spec: RobotSpec, quantity: str, worst: WorstState) -> float:
    values = truth(spec, quantity, np.array(worst.q), np.array(worst.v), np.array(worst.tau))
    return float(values[worst.place])


def _wrong_engine(row: Comparison, worst: WorstState) -> str:
    """The side that lies farther from the true value of the worst entry."""
    if worst.truth is None:
        return ""
    if not np.isfinite(worst.value):
        return row.engine
    return row.engine if abs(worst.value - worst.truth) >= abs(worst.against_value - worst.truth) else row.against


def _who_in_words(row: Comparison, worst: WorstState, wrong: str) -> str:
    if worst.truth is None:
        return "Who is wrong was not judged."
    right = row.against if wrong == row.engine else row.engine
    off = {row.engine: abs(worst.value - worst.truth), row.against: abs(worst.against_value - worst.truth)}
    label = QUANTITIES[row.quantity].label
    return (
        f"{wrong} is wrong: its {label} entry [{worst.entry}] is off the extended-precision value {worst.truth!r} by "
        f"{off[wrong]:.3g}, {right}'s by {off[right]:.3g}."
    )


def _one_state(worst: WorstState) -> States:
    q, v, tau = (np.array([part]) for part in (worst.q, worst.v, worst.tau))
    return States(q, v, tau, np.array([worst.index]), (worst.kind,))


def _sentence(text: str) -> str:
    """The text with a capital and a full stop; a name that opens it keeps its spelling."""
    first = text.split(maxsplit=1)[:1]
    start = text[:1].upper() + text[1:] if first and first[0].isalpha() else text
    return start if start.endswith((".", "!", "?")) else f"{start}."
