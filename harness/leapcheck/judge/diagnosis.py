"""Why one engine is off, in records: what the solver finds over all its quantities together, and where the error sits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from leapcheck.compare.records import CauseRow, Diagnosis, Falls
from leapcheck.engines.protocol import Engine
from leapcheck.judge import precision, rounding
from leapcheck.judge.belief import Hypothesis
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.judge.pattern import pattern
from leapcheck.judge.solver import explanation
from leapcheck.quantities import QUANTITIES
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

MOST_ALTERNATIVES = 12
"""Sets of causes that cannot be told apart and are listed, the simplest first."""


def diagnosed(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> tuple[Diagnosis, ...]:
    """Why the engine is off over a block of states (up to 64 are enough): at most one diagnosis for the canonical quantities,
    and one for MuJoCo's own; none where it is right to rounding.

    All of `quantities` that it answers count: those that are right speak too.
    """
    own = [name for name in quantities if QUANTITIES[name].in_mujoco_coordinates]
    canonical = [name for name in quantities if name not in own]
    groups = [names for names in (canonical, own) if names]
    return tuple(found for names in groups for found in _of(evidence(spec, engine, states, names)))


def _of(at: Evidence) -> Iterator[Diagnosis]:
    """The diagnosis of one group of quantities, if any of them is off."""
    deviating = at.deviating
    if not deviating:
        return
    if cause := rounding.not_finite(at):
        falls = tuple(Falls(q, at.worst_error(q), at.worst_error(q)) for q in deviating)
        yield Diagnosis(at.engine.name, _rows((cause,)), (), falls, (), pattern(at, deviating))
        return
    imprecise = precision.diagnosis(at)
    coarse = replace(at, allowed=precision.allowed(at)) if imprecise else at
    found = explanation(coarse if not coarse.deviating else at)
    if imprecise and found.unexplained:
        found = explanation(coarse)
    elif coarse.deviating:  # a wild model rounds wildly: that is no lack of digits
        imprecise = None
    causes = (*((imprecise,) if imprecise else ()), *found.belief.hypotheses)
    falls = tuple(Falls(q, at.worst_error(q), at.worst_error(q, found.belief.predicted(q))) for q in deviating)
    others = tuple(_rows(causes) for causes in found.alternatives[:MOST_ALTERNATIVES])
    yield Diagnosis(at.engine.name, _rows(causes), others, falls, found.unexplained, pattern(at, found.unexplained or deviating))


def _rows(causes: Sequence[Hypothesis]) -> tuple[CauseRow, ...]:
    return tuple(CauseRow(cause.name, cause.cause_class, cause.words, cause.details) for cause in causes)
