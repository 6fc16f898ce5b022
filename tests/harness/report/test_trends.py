"""The page of trends: each quantity's error from run to run, in numbers that the curves have, and names that stay names."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from leapcheck.report.comparison.trends import LEAST, LabelledRun, trend_plot, trends_page
from tests.harness.report.test_page import Page


def test_a_curve_has_the_errors_of_the_runs(judged_run):
    first = judged_run.accuracies[0]
    grown = replace(first, rounding=1e6)
    later = replace(judged_run, accuracies=(grown, *judged_run.accuracies[1:]))
    plot = trend_plot(first.quantity, [LabelledRun("a", judged_run), LabelledRun("b", later)])
    titles = [node.text for node in plot.iter() if node.tag.endswith("title")]
    low = math.log10(max(first.rounding, LEAST))
    assert any(t.startswith(f"{first.engine} from ") and t.endswith(" to 6.0") for t in titles if t), (titles, low)


def test_names_stay_names_and_the_page_is_whole(hostile_run):
    text = trends_page([LabelledRun("<script>alert('x')</script>\u202e", hostile_run), LabelledRun("later", hostile_run)])
    page = Page(text)
    assert text.count("<script>") == 1
    assert "\u202e" not in text
    assert {attrs["href"].removeprefix("#") for tag, attrs in page.tags if tag == "a"} <= set(page.ids)


def test_one_run_is_no_trend(run):
    with pytest.raises(ValueError, match="at least two runs"):
        trends_page([LabelledRun("a", run)])
