"""Two terms of one form that are both wrong in one quantity: effects add up, so all pairs are weighed by one Gram matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.terms.catalogue import KNOWN_AMOUNTS, Formulation, Term
from leapcheck.judge.terms.changes import Change
from leapcheck.judge.terms.effects import affordable_forms
from leapcheck.judge.terms.excess import ordinary
from leapcheck.judge.terms.search import NEAR, added_by, effect_on_answers, excesses_of_form, named_hypothesis, reach, trials
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats

UNLIKE = 1e-9
"""Least 1 - cos^2 of the angle between two effects that can be told apart."""

UNEXPLAINED = 1e-9
"""Share of the squared excess that a pair may leave, before it is checked to rounding."""

MOST_CHECKED, MOST_PAIRS = 64, 6
"""Pairs that are checked to rounding, and that are proposed."""

MOST_CHANGES = 3000
"""With more changes than these their Gram matrix would not fit."""

TermChange = tuple[Term, Change]


def term_pairs_in(belief: Belief, quantity: str) -> Iterator[tuple[Hypothesis, Hypothesis]]:
    """Pairs of terms that together explain one quantity, whatever else is wrong, in what they explain of it all."""
    wrong = [name for name in belief.evidence.quantities if not belief.explains(name)]
    if QUANTITIES[quantity].in_mujoco_coordinates:
        return
    few = belief.about(belief.evidence.at_states(ordinary(belief, [quantity])))
    for form in (form for form in affordable_forms(few.tree) if quantity in reach(form)):
        pairs = list(_fitted_pairs(few, form, quantity))[:MOST_PAIRS]
        concerned = [name for name in wrong if name in reach(form)]
        for pair in pairs:
            wide = [named_hypothesis(few, term, change, concerned) for term, change in pair]
            if scope := [name for name in concerned if few.plus(*wide).explains(name)]:
                first, second = (
                    replace(named_hypothesis(few, term, change, scope), wider=None if scope == concerned else wider)
                    for (term, change), wider in zip(pair, wide, strict=True)
                )
                yield first, second


def _fitted_pairs(few: Belief, form: Formulation, quantity: str) -> Iterator[tuple[TermChange, TermChange]]:
    """Pairs of changes of the form's terms that explain the excess to rounding, each by a known amount."""
    for excess in excesses_of_form(few, form, [quantity]):
        known = [(trial.term, change) for trial in trials(few.tree, form) for change in trial.changes]
        if len(known) > MOST_CHANGES:
            return
        added = added_by(few, form, [change for _, change in known], excess.quantity)
        near = excess.near.ravel()
        A = effect_on_answers(few, excess.quantity, added).reshape(len(known), -1) / near
        b = excess.off.ravel() / near
        for i, j in _likely_pairs(A, b):
            if known[i][0] is known[j][0]:  # sets of one term are fitted elsewhere
                continue
            x = np.linalg.lstsq(A[[i, j]].T, b, rcond=None)[0]
            amounts = [_amount(known[k][0], float(value)) for k, value in zip((i, j), x, strict=True)]
            if all(amounts) and np.abs(b - np.array(amounts) @ A[[i, j]]).max() <= 1.0:
                first, second = (
                    (known[k][0], {place: amount * own for place, own in known[k][1].items()})
                    for k, amount in zip((i, j), amounts, strict=True)
                )
                yield first, second


def _likely_pairs(A: Floats, b: Floats) -> Sequence[tuple[int, int]]:
    """Pairs of rows of A (k, m) whose plane holds b (m,) but for `UNEXPLAINED`; best first."""
    norms = np.linalg.norm(A, axis=1)
    shown = np.flatnonzero(np.isfinite(norms) & (norms > 1.0))
    unit = A[shown] / norms[shown, None]
    c, G = unit @ (b / np.linalg.norm(b)), unit @ unit.T
    apart = 1.0 - G**2
    with np.errstate(all="ignore"):
        gain = np.where(apart > UNLIKE, (c[:, None] ** 2 - 2.0 * np.outer(c, c) * G + c**2) / apart, 0.0)
    gain[np.tril_indices(len(gain))] = 0.0
    best = np.argsort(-gain, axis=None)[:MOST_CHECKED]
    rows, columns = np.unravel_index(best[gain.ravel()[best] >= 1.0 - UNEXPLAINED], gain.shape)
    return [(int(shown[i]), int(shown[j])) for i, j in zip(rows, columns, strict=True)]


def _amount(term: Term, fitted: float) -> float:
    """The known amount of the term that a fitted one is; 0 where there is none."""
    known = KNOWN_AMOUNTS if term.is_additive else (1.0,)
    return next((amount for amount in known if abs(amount - fitted) <= NEAR and amount in term.amounts), 0.0)
