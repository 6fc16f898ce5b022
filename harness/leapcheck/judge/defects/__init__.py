"""Defects of real engines and misprints of texts, as hypotheses: the lists that the solver tries besides its dictionary."""

from __future__ import annotations

from leapcheck.judge.attribution.together import turned_inertias
from leapcheck.judge.belief import Proposal
from leapcheck.judge.defects import errata, geometry, readers
from leapcheck.judge.defects.digits import all_numbers, lost_axes, six_digits
from leapcheck.judge.defects.mimic import mimic_coriolis

FIXED: tuple[Proposal, ...] = (
    errata.fixed_hypotheses, readers.fixed_hypotheses, geometry.geometry_hypotheses, mimic_coriolis, six_digits,
)  # fmt: skip
"""Nothing to fit."""

FITTED: tuple[Proposal, ...] = (errata.fitted_hypotheses, readers.fitted_hypotheses)
"""Numbers fitted to what a belief leaves unexplained; none where they explain nothing."""

LATE: tuple[Proposal, ...] = (lost_axes, all_numbers, turned_inertias)
"""Fits of very many numbers, seconds each: for what nothing else explains."""
