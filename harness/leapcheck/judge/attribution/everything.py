"""All numbers of a robot off by little at once, as numbers are that were written with few digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck.judge.attribution.change import change
from leapcheck.judge.attribution.descent import Fit, descended
from leapcheck.judge.attribution.hypotheses import explained
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.attribution.problem import TURNED, Problem, posed
from leapcheck.judge.attribution.screening import unexplained, unit_columns
from leapcheck.judge.attribution.verification import verified
from leapcheck.judge.belief import Belief, Hypothesis

LARGEST = 1e-5
"""Scale-free error that six digits can make: they round by up to 5e-6."""

NUMBERS = 3
"""Numbers fitted to for each parameter: with fewer, a fit would prove nothing."""

SHOWN = 1e-12
"""Share of the largest eigenvalue of the columns' Gram matrix below which a combination does not show."""

STEPS = 4
"""Gauss-Newton steps at most: so small an error is nearly linear in all parameters."""

PRIOR = 6.0


def everything(belief: Belief) -> Hypothesis | None:
    """The least change of all parameters together, relative to their sizes, that explains all found answers, if those are off
    by no more than lost digits make; None where none does, or where the answers are too few to prove it.
    """
    evidence = belief.evidence
    if not evidence.deviating or max(map(evidence.worst_error, evidence.deviating)) > LARGEST:
        return None
    singles = tuple(p for p in parameters(belief.spec, belief.tree) if p.kind != "own-turn" and not p.name.startswith("offset/"))
    problem = _posed(belief, len(singles))
    if problem is None or _told(problem) < NUMBERS * _rank(problem, singles):
        return None
    fitted = verified(belief, descended(problem, [Fit(singles, problem.x, np.zeros(len(singles)))], STEPS))
    if not fitted:
        return None
    return Hypothesis(
        name="digits/all",
        cause_class="model",
        words="all numbers of the model are off a little",
        tree=change(problem.tree, problem.x, fitted[0].x),
        prior=PRIOR,
        details=f"{len(singles)} numbers fitted: explains {explained(fitted[0])} of the difference",
    )


def _posed(belief: Belief, count: int) -> Problem | None:
    """The first quantities of each family at so many states that there are enough numbers for a `count` of parameters."""
    first = unexplained(belief, NUMBERS, most=3)
    if first is None:
        return None
    states = belief.evidence.states
    wanted = -(-NUMBERS * count * len(first.read) // max(1, _told(first)))
    near = [i for i, kind in enumerate(states.kind) if kind != "far"] or list(range(len(states)))
    rows = near[:: max(1, len(near) // wanted)]
    return posed(belief.at(belief.evidence.at(rows)), [at.quantity for at in first.equations if at.quantity != TURNED])


def _told(problem: Problem) -> int:
    """How many numbers there are to fit to: of M and J M^-1 J^T, which are symmetric, one triangle."""
    total = 0
    for at in problem.equations:
        n, *shape = at.found.shape
        square = len(shape) == 2 and shape[0] == shape[1]
        total += n * (shape[0] * (shape[0] + 1) // 2 if square else int(np.prod(shape, dtype=int)))
    return total


def _rank(problem: Problem, singles: Sequence[Parameter]) -> int:
    """How many combinations of the parameters show."""
    rates = np.array([parameter.rate(problem.x) for parameter in singles])
    units = unit_columns(problem.linearised(np.tile(problem.x, (len(singles), 1)), rates)[1])
    squares = np.linalg.eigvalsh(units @ units.T)
    return int((squares > SHOWN * squares.max(initial=0.0)).sum())
