"""JUnit files, GitHub's commands and the summary of its job: complete, and steered by no text of others."""

from __future__ import annotations

import dataclasses
import re
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

from leapcheck.records import BaselineFinding, BaselineResult, Failure
from leapcheck.report.comparison.cases import CaseOutcome, cases
from leapcheck.report.comparison.ci import github_commands, github_summary, junit_xml

RUNS = ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]
ODD = "a,b:c%d\r\n::error::x\x1b[31m\x00\ufffe\ud800 <&>\"'\u202e"


def beside(run, *findings):
    """The run beside a baseline with these findings (kind, engine, quantity, words)."""
    told = tuple(BaselineFinding(e, q, kind, w, kind in ("new", "grown", "expired")) for kind, e, q, w in findings)
    return dataclasses.replace(run, baseline=BaselineResult("base,line.json", "A sentence.", told, ("A note.",)))


@pytest.mark.parametrize("which", RUNS)
def test_a_case_for_each_quantity_and_engine(which, request):
    run = request.getfixturevalue(which)
    found = cases(run)
    keys = [(case.engine, case.quantity) for case in found]
    assert len(keys) == len(set(keys))
    compared = {(engine, c.quantity) for c in run.comparisons for engine in (c.engine, c.against)}
    assert set(keys) == compared | {(failure.engine, failure.quantity) for failure in run.failures}
    bad = {(d.engine, d.quantity) for d in run.discrepancies} - {(f.engine, f.quantity) for f in run.failures}
    assert {(c.engine, c.quantity) for c in found if c.outcome is CaseOutcome.FAILED} == bad & set(keys)


@pytest.mark.parametrize("which", RUNS)
def test_junit_is_well_formed_and_counts_rightly(which, request):
    run = request.getfixturevalue(which)
    root = ET.fromstring(junit_xml(run, 1.25).encode())
    (suite,) = root
    tests = suite.findall("testcase")
    assert len(tests) == len(cases(run))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}"))
        assert root.get(attribute) in (suite.get(attribute), None)
    assert int(suite.get("tests")) == len(tests)
    assert suite.get("time") == root.get("time") == "1.250"
    assert suite.find("system-out").text.startswith(re.sub("[\x00-\x08\x0e-\x1f]", "\ufffd", run.verdict[:10]))
    assert [p.get("value") for p in suite.findall("properties/property") if p.get("name") == "model_hash"]


def test_what_xml_cannot_hold_is_replaced(judged_run):
    odd = dataclasses.replace(judged_run, verdict=ODD, failures=(Failure("engine" + ODD, "", ODD),))
    text = junit_xml(odd, 0.0)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\ud800]", text)
    (error,) = ET.fromstring(text.encode()).iter("error")
    assert error.get("message").startswith("a,b:c%d")


def test_outcomes_beside_a_baseline(run):
    first = run.discrepancies[0]
    known = beside(run, ("known", first.engine, first.quantity, "Accepted: issue 12"), ("gone", "mujoco", "crb", "Gone."))
    root = ET.fromstring(junit_xml(known, 0.0).encode())
    assert "known: Accepted: issue 12" in {element.get("message") for element in root.iter("skipped")}
    grown = beside(run, ("grown", "mujoco", "mass_matrix", "Its error was 1."))
    (case,) = [c for c in cases(grown) if (c.engine, c.quantity) == ("mujoco", "mass_matrix")]
    assert (case.outcome, case.title) == (CaseOutcome.FAILED, "grown: Its error was 1.")
    missing = beside(run, ("new", "nobody", "nothing", "Strange."))
    assert [c.title for c in cases(missing) if c.engine == "nobody"] == ["new: Strange."]
    commands = github_commands(known)
    assert "::notice title=leapcheck%3A baseline base%2Cline.json::A sentence.%0Amujoco, crb: Gone.%0AA note." in commands
    assert "::notice title=leapcheck%3A " in commands


@pytest.mark.parametrize("which", RUNS)
def test_every_line_for_github_is_one_command_with_plain_properties(which, request):
    run = beside(request.getfixturevalue(which), ("new", ODD, ODD, ODD), ("gone", ODD, ODD, ODD))
    lines = github_commands(run, lambda engine: "src/a,b:c.py" if engine else "").splitlines()
    assert lines
    for line in lines:
        match = re.fullmatch(r"::(error|notice) title=leapcheck%3A [^:,]*(,file=src/a%2Cb%3Ac.py)?::([^\r\n]*)", line)
        assert match, line
        assert match[3].isprintable()
        assert re.fullmatch("(%25|%0A|[^%])*", match[3])
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == sum(case.fails for case in cases(run))
    assert lines[: len(errors)] == errors


def test_the_message_is_the_cause_and_what_speaks_for_it(judged_run):
    first = judged_run.discrepancies[0]
    text = next(line for line in github_commands(judged_run).splitlines() if first.cause[:20] in unquote(line))
    said = unquote(text.partition("::")[2].partition("::")[2])
    assert said.startswith(f"{first.cause_class}: {first.cause}\n{first.evidence}\n")
    assert first.command in said
    assert "q = [" not in said  # a state of many numbers helps nobody beside a line of code


@pytest.mark.parametrize("which", RUNS)
def test_the_summary_is_short_and_harmless(which, request):
    run = beside(request.getfixturevalue(which), ("new", ODD, ODD, ODD))
    text = github_summary(run)
    assert "## " in text
    assert "A sentence." in text
    assert "\x1b" not in text
    assert "<script>" not in text
    assert len(text) < 100_000
