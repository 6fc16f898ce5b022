"""Diagnoses of what an engine does wrong in some states only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.conditions.misreadings import misreadings
from leapcheck.judge.conditions.probe import CLEAR, NoAnswerError
from leapcheck.judge.conditions.search import LEAST_SHARE, MOST_WORDS, StateCondition, condition
from leapcheck.judge.evidence import Evidence, evidence, rows_of
from leapcheck.judge.solver import FaultSearch
from leapcheck.judge.telling import cost
from leapcheck.judge.verdicts import CONDITION
from leapcheck.records import CauseClass, CauseRow, Diagnosis, Falls
from leapcheck.sampling import join_states

INSIDE, OUTSIDE = 24, 8
"""States inside a region, and outside, at which causes are checked."""

MOST = 3
"""Conditions sought in one engine."""

MOST_ALTERNATIVES = 12

SHORTCUTS = {
    1: "angle: a shortcut for small angles, such as R = 1",
    2: "square of the angle: a shortcut for small angles, such as cos q = 1",
    3: "cube of the angle: a shortcut for small angles, such as sin q = q",
}
"""What an error of a small angle suggests that grows with a power of it."""

NEARLY = 0.05
"""By how much such a power may seem to miss a whole number."""


@dataclass(frozen=True, slots=True, eq=False)
class InsideCause:
    """What explains the answers inside a region: sets of causes, the first of them named, and the error that it leaves."""

    causes: tuple[Hypothesis, ...]
    alternatives: tuple[tuple[Hypothesis, ...], ...]
    left: dict[str, float]


def state_dependence(whole: Evidence) -> Iterator[Diagnosis]:
    """A diagnosis for each condition, of the quantities that are wrong under it; none where there is no condition."""
    left, tried = list(whole.deviating), 0
    for quantity in _cheapest_first(whole, left):
        if quantity not in left or tried == MOST:
            continue
        tried += 1
        if (own := condition(whole, quantity)) is None:
            continue
        try:
            local = _evidence_of(own, whole)
        except Exception:  # foreign code at states that nobody gave
            continue
        covered = [name for name in left if name == quantity or _is_foretold(own, whole, local, name)]
        left = [name for name in left if name not in covered]
        yield _diagnosis(own, whole, local.of_quantities(covered))


def _cheapest_first(whole: Evidence, quantities: Sequence[str]) -> list[str]:
    """The quantities that are wrong at some states and right at others, in the order of what they take to check."""
    mixed = [name for name in quantities if (whole.error(name, whole.expected[name]) <= whole.allowed[name]).any()]
    return sorted(mixed, key=cost)


def _evidence_of(own: StateCondition, whole: Evidence) -> Evidence:
    """The engine's answers at states inside the condition's regions and some outside, in all that is wrong."""
    probe = own.probe
    inside, clear = own.contains(probe.states), ~own.is_near(probe.states) & probe.is_drawn
    rows = [np.flatnonzero(clear & inside & (probe.ratio > 1.0))[:INSIDE], np.flatnonzero(clear & ~inside)[:OUTSIDE]]
    states = join_states([rows_of(probe.states, [int(i) for i in part]) for part in rows if len(part)])
    return evidence(whole.spec, whole.engine, states, whole.deviating)


def _is_foretold(own: StateCondition, whole: Evidence, local: Evidence, quantity: str) -> bool:
    """Whether the condition foretells where another quantity is right and wrong."""
    for known in (whole, local):
        wrong = known.error(quantity, known.expected[quantity]) > known.allowed[quantity]
        inside, counted = own.contains(known.states), ~own.is_near(known.states)
        if (wrong & ~inside & counted).any():
            return False
    return float(np.mean(wrong[inside])) >= LEAST_SHARE


def _diagnosis(own: StateCondition, whole: Evidence, local: Evidence) -> Diagnosis:
    """The condition, and what explains the numbers inside, if anything does."""
    cause = _misread_cause(own, local) or _inside_cause(own, local)
    words = own.words
    first = (
        CauseRow(
            f"{CONDITION}{'/'.join(region.feature.name for region in own.regions)}",
            CauseClass.ENGINE,
            f"{words}, right elsewhere" + ("" if cause else _growth_words(own) or "; the numbers there match no known fault"),
            _details(own),
        ),
    )
    rest = [] if cause is None else [_rows(cause.causes), *map(_rows, cause.alternatives)]
    falls = tuple(Falls(q, whole.worst_error(q), _outside_error(own, whole, q, cause)) for q in local.quantities)
    causes = first + (rest[0] if rest else ())
    others = tuple(first + rows for rows in rest[1 : MOST_ALTERNATIVES + 1])
    return Diagnosis(whole.engine.name, causes, others, falls, (), "")


def _growth_words(own: StateCondition) -> str:
    """With which power of a small angle the error grows, where the region is that the angle is small; else nothing."""
    region, probe = own.regions[0], own.probe
    low, high = region.intervals[0]
    is_small = np.isfinite(high) and (low == -high or (region.feature.is_size and np.isinf(low)))
    if len(own.regions) > 1 or len(region.feature.columns) != 1 or region.feature.unit != "rad" or not is_small:
        return ""
    rows = np.flatnonzero(probe.is_drawn & (probe.ratio <= 1.0))[:OUTSIDE].tolist()
    errors = []
    for share in (0.8, 0.4):
        states = rows_of(probe.states, rows)
        q = states.q.copy()
        q[:, region.feature.columns[0]] = share * high
        try:
            errors.append(probe.errors(replace(states, q=q)))
        except NoAnswerError:
            return ""
    power = float(np.median(np.log2(errors[0] / errors[1])))
    known = SHORTCUTS.get(round(power), "") if abs(power - round(power)) < NEARLY and np.median(errors[1]) > CLEAR else ""
    return f"; the error grows there with the {known}" if known else ""


def _rows(causes: Sequence[Hypothesis]) -> tuple[CauseRow, ...]:
    return tuple(CauseRow(c.name, c.cause_class, f"{c.words} there", c.details) for c in causes)


def _details(own: StateCondition) -> str:
    foretold = f"right and wrong were foretold at {own.checked} of {own.checked} states drawn for it"
    everywhere = f"wrong where {' or '.join(region.words for region in own.regions)}; " if len(own.regions) > MOST_WORDS else ""
    return everywhere + foretold


def _outside_error(own: StateCondition, whole: Evidence, quantity: str, cause: InsideCause | None) -> float:
    """The error of one quantity outside the regions, and that which the cause leaves inside."""
    error = whole.error(quantity, whole.expected[quantity])
    outside = ~own.contains(whole.states) & ~own.is_near(whole.states)
    return max(float(error[outside].max(initial=0.0)), cause.left[quantity] if cause else 0.0)


def _misread_cause(own: StateCondition, local: Evidence) -> InsideCause | None:
    """The states are misread inside: then the true answers at the states as read are the engine's, everywhere."""
    for hypothesis in misreadings(own.regions, local):
        belief = Belief(local, (hypothesis,))
        if all(belief.explains(q) for q in local.quantities):
            left = {q: local.worst_error(q, belief.prediction(q)) for q in local.quantities}
            return InsideCause((hypothesis,), (), left)
    return None


def _inside_cause(own: StateCondition, local: Evidence) -> InsideCause | None:
    """One simple fault that explains the answers inside."""
    rows = [int(i) for i in np.flatnonzero(own.contains(local.states))]
    inside = local.at_states(rows)
    best = FaultSearch(inside).simple_explanation() if inside.deviating else None
    if best is None:
        return None
    # What is wrong in a branch is rather the branch's own code than the robot that it holds.
    ranked = sorted([best.belief.hypotheses, *best.alternatives], key=lambda causes: sum(c.answer_edit is None for c in causes))
    left = {q: inside.worst_error(q, best.belief.prediction(q)) for q in local.quantities}
    return InsideCause(ranked[0], tuple(ranked[1:]), left)
