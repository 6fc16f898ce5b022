"""Terms of the algorithms that an engine may have forgotten, and the textbooks' forms in which they stand."""

from __future__ import annotations

from leapcheck.judge.belief import Proposal
from leapcheck.judge.terms.pairs import term_pairs_in
from leapcheck.judge.terms.search import terms, terms_in
from leapcheck.judge.terms.solving import regularised_matrices, spoilt_matrices, wrong_forces

PROPOSALS: tuple[Proposal, ...] = (terms, spoilt_matrices, regularised_matrices, wrong_forces)
"""Hypotheses fitted to what a belief leaves unexplained."""

__all__ = ["PROPOSALS", "term_pairs_in", "terms_in"]
