"""Many runs of one robot as a page: each quantity's error from run to run, and what changed between them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from leapcheck.records import Run
from leapcheck.report import words
from leapcheck.report.chart import Chart, Limit, Series, chart_plot
from leapcheck.report.comparison.difference import SENSE_MARKS, run_difference
from leapcheck.report.comparison.view import in_usual_order
from leapcheck.report.page import Filters, page
from leapcheck.rounding import ALLOWED_UNITS

LEAST = 1e-2
"""Errors below this many expected roundings, zero among them, are drawn here."""


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A run and what it is called on the page: its folder, a commit."""

    label: str
    run: Run


def trends_page(runs: Sequence[LabelledRun]) -> str:
    """The page of at least two runs of one robot, the oldest first; ValueError for fewer, or for different robots."""
    if len(runs) < 2:
        raise ValueError("a page of trends needs at least two runs: give more folders")
    steps = [run_difference(old.run, new.run) for old, new in pairwise(runs)]
    last = runs[-1].run
    context = {
        "headline": words.headline(last),
        "robot": last.provenance.robot,
        "runs": runs,
        "steps": [(old, new, step) for (old, new), step in zip(pairwise(runs), steps, strict=True)],
        "plots": [(words.quantity_label(name), trend_plot(name, runs)) for name in _quantities(runs)],
        "last_label": runs[-1].label,
        "worse": sum(step.exit_status for step in steps),
    }
    filters: Filters = {"run_mark": words.headline, "sense": SENSE_MARKS.__getitem__}
    return page("trends.html.j2", filters, context, scripts=("copy.js", "tables.js"))


def _quantities(runs: Sequence[LabelledRun]) -> list[str]:
    return in_usual_order(name for each in runs for name in _errors(each.run))


def _errors(run: Run) -> dict[str, dict[str, float]]:
    """By quantity and engine the largest error in expected roundings: against the truth, without one between engines."""
    errors: dict[str, dict[str, float]] = {}
    if run.accuracies:
        for a in run.accuracies:
            errors.setdefault(a.quantity, {})[a.engine] = a.rounding
    else:
        for c in run.comparisons:
            errors.setdefault(c.quantity, {})[f"{c.engine} / {c.against}"] = c.rounding
    return errors


def trend_plot(quantity: str, runs: Sequence[LabelledRun]) -> ET.Element:
    """The error of one quantity over the runs, numbered from 1, as powers of ten; a line per engine and the tolerance."""
    errors = [_errors(each.run).get(quantity, {}) for each in runs]
    names = list(dict.fromkeys(name for row in errors for name in row))
    x = np.arange(1.0, len(runs) + 1.0)
    series = tuple(Series(name, x, np.array([_power(row.get(name, math.nan)) for row in errors])) for name in names)
    limits = (Limit("allowed: 10 to the", round(math.log10(ALLOWED_UNITS), 2)),)
    label = f"{words.quantity_label(quantity)} over {len(runs)} runs"
    return chart_plot(Chart(label, "run", "error ÷ expected rounding, power of ten", series, limits=limits))


def _power(error: float) -> float:
    return math.log10(max(error, LEAST)) if math.isfinite(error) else math.nan
