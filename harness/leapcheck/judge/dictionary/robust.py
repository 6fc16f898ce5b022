"""Fits that other faults in the same answers do not disturb, and the share of the answers that a belief makes right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, tabulate
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.layout import in_order
from leapcheck_models.arrays import Floats

T = TypeVar("T")

ROUNDS = 25
"""Rounds of reweighting: each takes an outlier's pull down by its distance."""

NO_CHANGE = 1e-14
"""Relative change of the numbers at which reweighting ends."""

MOST_ROWS = 600
"""Equations that a fit uses at most."""

ROWS_PER_NUMBER = 3
"""Equations needed for each fitted number: with fewer, a fit would prove nothing."""

FEW = 6
"""States on which many hypotheses are compared."""

GAIN = 0.02
"""Share of the entries that a promising hypothesis makes right beyond those that were."""

CHEAP = in_order(
    (
        *("gravity_force", "mass_matrix", "contact_positions", "potential_energy", "bias_force", "contact_velocities"),
        *("kinetic_energy", "coriolis_force", "contact_jacobians", "contact_bias_accelerations"),
        *("qM", "csr", "cinert", "crb", "cdof", "forward_dynamics", "contact_inertia"),
    )
)
"""The order in which quantities are checked: the most telling for the least work first."""


class LinearFit(NamedTuple):
    """The numbers x (k,) of A x = b, and the share of the telling equations that hold to rounding."""

    x: Floats
    share: float


def linear_fit(A: Floats, b: Floats, tolerance: Floats) -> LinearFit | None:
    """The x for which the absolute residuals in units of the tolerance sum up to least; None for too few equations.

    Unlike least squares it is exact where fewer than about half of the equations (m,) are spoilt. By reweighting (Osborne,
    Finite Algorithms in Optimization and Data Analysis, chapter 5), then by least squares on the better half.
    """
    telling = np.flatnonzero(np.isfinite(A).all(axis=1) & np.isfinite(b) & (A != 0.0).any(axis=1))
    if len(telling) < ROWS_PER_NUMBER * A.shape[1]:
        return None
    if len(telling) > MOST_ROWS:
        telling = np.random.default_rng(0).permutation(telling)[:MOST_ROWS]
    A, b = A[telling] / tolerance[telling, None], b[telling] / tolerance[telling]
    norms = np.asarray(np.linalg.norm(A, axis=0))
    norms[norms == 0.0] = 1.0
    A = A / norms
    x = _reweight(A, b) if A.shape[1] > 1 else _weighted_median(A[:, 0], b)
    better = np.argsort(np.abs(A @ x - b))[: max(len(b) // 2, ROWS_PER_NUMBER * A.shape[1])]
    x = _least_squares(A[better], b[better])
    return LinearFit(x / norms, float((np.abs(A @ x - b) <= 1.0).mean()))


def _reweight(A: Floats, b: Floats) -> Floats:
    x = _least_squares(A, b)
    for _ in range(ROUNDS):
        weight = 1.0 / np.sqrt(np.maximum(np.abs(A @ x - b), 1.0))
        x, before = _least_squares(A * weight[:, None], b * weight), x
        if np.abs(x - before).max() <= NO_CHANGE * np.abs(x).max():
            break
    return x


def _least_squares(A: Floats, b: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=np.float64)


def _weighted_median(a: Floats, b: Floats) -> Floats:
    """What reweighting tends to for one number: the median of b / a, weighted by |a|."""
    order = np.argsort(b / a)
    weight = np.cumsum(np.abs(a[order]))
    middle = order[int(np.searchsorted(weight, 0.5 * weight[-1]))]
    return np.array([b[middle] / a[middle]])


def tolerance(evidence: Evidence, quantity: str, value: Floats | None = None) -> Floats:
    """How far (n, ...) each entry of the answers may be off by rounding."""
    scale = np.broadcast_to(evidence.scale[quantity], evidence.answers[quantity].shape)
    allowed = evidence.allowed[quantity].reshape(-1, *(1,) * (scale.ndim - 1))
    with np.errstate(all="ignore"):
        largest = scale if value is None else np.fmax(scale, np.abs(value))
    return np.asarray(largest * allowed)


def matching_share(belief: Belief, quantity: str) -> float:
    """Share of the entries that are right to rounding."""
    predicted = belief.prediction(quantity)
    with np.errstate(all="ignore"):
        off = np.abs(belief.evidence.answers[quantity] - predicted)
        return float((off <= tolerance(belief.evidence, quantity, predicted)).mean())


def deviating_quantities(belief: Belief, among: Iterable[str] = CHEAP, most: int | None = None) -> list[str]:
    """The quantities that a belief leaves wrong, in the order given, up to so many."""
    wrong = (name for name in among if name in belief.evidence.quantities and not belief.explains(name))
    return list(islice(wrong, most))


def sample_of(evidence: Evidence, most: int = FEW) -> Evidence:
    """The evidence at some ordinary states."""
    ordinary = [i for i, kind in enumerate(evidence.states.kind) if kind in ("generic", "file")]
    others = [i for i in range(len(evidence.states)) if i not in ordinary]
    return evidence.at_states(sorted([*ordinary, *others][:most]))


def promising(
    belief: Belief, family: Sequence[Hypothesis], most: int = 4, quantities: int = 2, among: Sequence[str] = CHEAP
) -> list[Hypothesis]:
    """Of many hypotheses those that make most of the wrong entries right, the best first.

    By the first few `quantities` of those that are wrong, on few states. What another fault makes wrong too stays so, but seldom
    all: where two faults hold at once, one of them nearly always comes first or second.
    """
    few = belief.about(sample_of(belief.evidence))
    beliefs = [few.plus(hypothesis) for hypothesis in family]
    gains = np.zeros(len(family))
    for quantity in deviating_quantities(belief, among, most=quantities) if family else ():
        tabulate(beliefs, quantity)
        before = matching_share(few, quantity)
        gains += [matching_share(other, quantity) - before for other in beliefs]
    best = np.argsort(-gains, kind="stable")[:most]
    return [family[i] for i in best if gains[i] > GAIN]


def grow(belief: Belief, start: T, items: Sequence[T], hypothesis_of: Callable[[tuple[T, ...]], Hypothesis]) -> tuple[T, ...]:
    """One item and others, each added while what is made of them makes more entries right."""
    few = belief.about(sample_of(belief.evidence))
    quantity = next(iter(deviating_quantities(belief, most=1)), "")
    chosen: tuple[T, ...] = (start,)
    while quantity and not few.plus(hypothesis_of(chosen)).explains(quantity):
        longer = [(*chosen, item) for item in items if item not in chosen]
        beliefs = [few.plus(hypothesis_of(several)) for several in longer]
        tabulate(beliefs, quantity)
        shares = [matching_share(one, quantity) for one in beliefs]
        if max(shares, default=0.0) <= matching_share(few.plus(hypothesis_of(chosen)), quantity) + GAIN:
            break
        chosen = longer[int(np.argmax(shares))]
    return chosen
