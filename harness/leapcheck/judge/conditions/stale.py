"""What an engine may have kept from an earlier call: its answer, parts of its state, or M or h of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from leapcheck.judge.belief import NEAR_ROUNDING, SOLVED_FOR
from leapcheck.judge.draws import draws_of
from leapcheck.judge.evidence import Evidence, worst_errors
from leapcheck.judge.robot_rows import value
from leapcheck.judge.terms.solving import solve
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_reference.tree import Tree

FEWEST = 3
"""Wrong answers that a stale value must foretell."""

PARTS = STATE_PARTS


@dataclass(frozen=True, slots=True)
class StaleValue:
    """What is of an earlier call: parts of the state, or results that the engine goes on with; `words` have "{calls}"."""

    name: str
    words: str
    parts: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class StalePairs:
    """Wrong answers (n, ...), the states that were asked for, and those of an earlier call."""

    now: States
    before: States
    answers: Floats


def stale_values() -> Iterator[StaleValue]:
    """What may be stale, the likeliest first."""
    yield StaleValue("answer", "the answer is that of {calls}, not of the state asked for: a stale value", PARTS)
    for count in (1, 2):
        for parts in combinations(PARTS, count):
            words = f"computed with the {' and the '.join(parts)} of {{calls}}: a stale value"
            yield StaleValue("".join(parts), words, parts)
    matrix, force = "mass matrix M, or its factor,", "bias force h"
    yield StaleValue("mass_matrix", f"solved with the {matrix} of {{calls}}: a stale value", results=("mass_matrix",))
    yield StaleValue("bias_force", f"solved with the {force} of {{calls}}: a stale value", results=("bias_force",))


def stale_left(whole: Evidence, quantity: str, stale: StaleValue, blocks: Sequence[StalePairs]) -> float:
    """The largest error that is left of the wrong answers if that is stale; infinite where it does not explain them."""
    largest, count = 0.0, 0
    for pairs in blocks:
        error = _errors(whole, quantity, stale, pairs) if len(pairs.answers) else np.zeros(0)
        if error is None:
            return np.inf
        largest, count = max(largest, float(error.max(initial=0.0))), count + len(error)
    return largest if count >= FEWEST else np.inf


def _errors(whole: Evidence, quantity: str, stale: StaleValue, pairs: StalePairs) -> Floats | None:
    """The scale-free errors (n,) against what would then be answered; None where any is more than rounding."""
    if stale.results:
        if quantity not in SOLVED_FOR:
            return None
        error = worst_errors(quantity, pairs.answers, _solved(quantity, whole.tree, stale, pairs))
        return error if (error <= NEAR_ROUNDING).all() else None
    if not set(stale.parts) & set(QUANTITIES[quantity].arguments):
        return None
    mixed = replace(pairs.now, **{part: getattr(pairs.before, part) for part in stale.parts})
    draws = draws_of(whole.spec, whole.tree, mixed)
    error = worst_errors(quantity, pairs.answers, draws.value(quantity))
    return error if (error <= draws.allowed_error(quantity)).all() else None


def _solved(quantity: str, tree: Tree, stale: StaleValue, pairs: StalePairs) -> Floats:
    """M^-1 (tau - h) or J M^-1 J^T (n, ...) with some results of the earlier call."""

    def result(name: str) -> Floats:
        return value(name, tree, pairs.before if name in stale.results else pairs.now)

    M = result("mass_matrix")
    if quantity == "forward_dynamics":
        return solve(M, (pairs.now.tau - result("bias_force"))[..., None])[..., 0]
    J = result("contact_jacobians").reshape(len(M), -1, M.shape[-1])
    return np.asarray(J @ solve(M, J.swapaxes(1, 2)))
