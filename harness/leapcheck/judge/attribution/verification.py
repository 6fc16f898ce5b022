"""Fits held against all quantities at all states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from leapcheck.judge.attribution.descent import EXPLAINED, Fit, descended
from leapcheck.judge.attribution.problem import Equation, posed, rows_of
from leapcheck.judge.attribution.screening import ORDER
from leapcheck.judge.belief import NEAR_ROUNDING, SHRINKS, SOLVED_FOR, Belief
from leapcheck.states import Floats

AT_ONCE = 2048
"""Robots times states that are evaluated at once."""

NEARLY = 1e5
"""Misfit of a fit that a last common fit to all quantities may yet bring to rounding."""

STATES = 4
"""States at which each quantity takes part in that."""


def verified(belief: Belief, fits: Sequence[Fit]) -> list[Fit]:
    """Those that explain all quantities at all states, after a common fit to all of them where they nearly do."""
    if not fits:
        return []
    misfits = _worst_misfits(belief, fits)
    near = [fit for fit, misfit in zip(fits, misfits, strict=True) if EXPLAINED < misfit <= NEARLY]
    good = [fit for fit, misfit in zip(fits, misfits, strict=True) if misfit <= EXPLAINED]
    if not near:
        return good
    common = _common(belief, near)
    return [*good, *(fit for fit, misfit in zip(common, _worst_misfits(belief, common), strict=True) if misfit <= EXPLAINED)]


def _worst_misfits(belief: Belief, fits: Sequence[Fit]) -> list[float]:
    """The largest misfit of any quantity under each fit; infinite as soon as one is hopeless."""
    worst = np.zeros(len(fits))
    for quantity in sorted(belief.evidence.quantities, key=ORDER.index):
        left = np.flatnonzero(worst <= NEARLY).tolist()
        for i, value in zip(left, _predicted(belief, quantity, [fits[k] for k in left]), strict=True):
            misfit = belief.evidence.misfit(quantity, value)
            if misfit > EXPLAINED and quantity in SOLVED_FOR and _is_solved(belief, quantity, value):
                misfit = EXPLAINED
            worst[i] = max(worst[i], misfit) if np.isfinite(misfit) else np.inf
    found: list[float] = worst.tolist()
    return found


def _is_solved(belief: Belief, quantity: str, value: Floats) -> bool:
    """Whether what an engine solved for has come down as far as the robot's conditioning lets it (see `Belief.explains`)."""
    before, after = belief.evidence.worst_error(quantity), belief.evidence.worst_error(quantity, value)
    return after <= NEAR_ROUNDING and after * SHRINKS <= before


def _predicted(belief: Belief, quantity: str, fits: Sequence[Fit]) -> Iterator[Floats]:
    """What the engine would answer (n, ...) under each fit."""
    problem = posed(belief, [])
    n = len(problem.read)
    at = Equation(quantity, problem.belief.evidence.found[quantity], np.zeros(0))
    step = max(1, AT_ONCE // n)
    for i in range(0, len(fits), step):
        X = np.array([fit.x for fit in fits[i : i + step]])
        value, _ = problem.answers(rows_of(problem.tree, problem.read, X), len(X), at)
        yield from value.reshape(len(X), n, *value.shape[1:])


def _common(belief: Belief, fits: Sequence[Fit]) -> list[Fit]:
    """The fits after a few steps more, to all quantities at some states each."""
    evidence = belief.evidence
    quantities = [q for q in evidence.quantities if evidence.misfit(q, evidence.expected[q]) > EXPLAINED]
    quantities = [q for q in quantities if q not in SOLVED_FOR] or quantities
    errors = (evidence.error(q, evidence.expected[q]) / evidence.allowed[q] for q in quantities)
    rows = dict.fromkeys(int(i) for error in errors for i in np.argsort(-error, kind="stable")[:STATES])
    return descended(posed(belief.at(evidence.at(list(rows))), quantities), [fit.again() for fit in fits])
