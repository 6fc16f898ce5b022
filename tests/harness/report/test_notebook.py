"""What notebooks show: every fragment is self-contained, escaped, and says verdict and figures."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from leapcheck.jumping.judging.rules import JumpVerdict
from leapcheck.report.comparison.notebook import summary_html
from leapcheck.report.jump.figures import headline_figures
from leapcheck.report.jump.notebook import jump_html
from leapcheck.report.words import headline, quantity_label
from tests.harness.report.jump_case import study

RUNS = ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]


@pytest.mark.parametrize("name", RUNS)
def test_a_comparison_is_one_escaped_fragment_with_its_verdict_and_quantities(name, request):
    run = request.getfixturevalue(name)
    html = summary_html(run)
    root = ET.fromstring(html.replace("<br>", "<br/>"))
    tags = {node.tag for node in root.iter()}
    assert tags <= {"div", "p", "b", "span", "br", "table", "thead", "tbody", "tr", "th", "td"}
    assert all(set(node.attrib) <= {"style"} for node in root.iter())
    assert "url(" not in html
    assert "http" not in html
    text = "".join(root.itertext())
    assert headline(run).word in text
    for quantity in {comparison.quantity for comparison in run.comparisons}:
        assert quantity_label(quantity) in text


def test_a_wrong_engine_is_named_with_its_cause(judged_run):
    text = "".join(ET.fromstring(summary_html(judged_run).replace("<br>", "<br/>")).itertext())
    assert all(diagnosis.engine in text for diagnosis in judged_run.diagnoses)
    assert judged_run.diagnoses[0].causes[0].words.lower() in text.lower()


@pytest.mark.parametrize("verdict", JumpVerdict)
def test_a_jump_is_one_fragment_with_its_verdict_and_headline_figures(verdict):
    run = study(verdict=verdict)
    text = "".join(ET.fromstring(jump_html(run).replace("<br>", "<br/>")).itertext())
    assert str(verdict) in text
    assert headline_figures(run)
    assert all(row.label in text and row.value in text for row in headline_figures(run))


def test_a_jump_that_says_markup_says_it_as_text():
    run = dataclasses.replace(study(verdict=JumpVerdict.GO), notes=("<script>alert(1)</script>",))
    assert "<script" not in jump_html(run)
