"""Reports and explanations lead to the pages on the faults that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.report.comparison.explanation import explanation
from leapcheck.report.comparison.page import html_report
from leapcheck.report.comparison.results import read_run
from leapcheck.report.terminal import plain_text

pytestmark = pytest.mark.quick

RUN = read_run(Path(__file__).parents[3] / "reports" / "example_discrepancy")  # a hip without its Ixy


def test_an_explanation_names_the_page() -> None:
    assert "means leapcheck rule inertia" in " ".join(plain_text(explanation(RUN)).split())


def test_a_report_holds_the_page() -> None:
    page = html_report(RUN)
    assert page.count("<summary>Rotational inertia of a link: what this means</summary>") == 1
    assert "<code>leapcheck rule inertia</code>" in page
