"""What continuous integration reads: GitHub's annotations and job summary, and JUnit XML for other test panels."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

from leapcheck.records import Run
from leapcheck.report import words
from leapcheck.report.comparison import judgement
from leapcheck.report.comparison.cases import CaseOutcome, QuantityCase, cases, label
from leapcheck.report.comparison.page import FILTERS
from leapcheck.report.page import markdown_environment
from leapcheck.system.text import printable

LEVELS = {CaseOutcome.FAILED: "error", CaseOutcome.ERROR: "error", CaseOutcome.KNOWN: "notice"}

SourceOf = Callable[[str], str]
"""The path of an engine's source file, "" where it has none in this folder."""


def github_commands(run: Run, source_of: SourceOf = lambda _: "") -> str:
    """A line for each case that fails, then for each known discrepancy, then for the baseline."""
    shown = sorted((case for case in cases(run) if case.outcome in LEVELS), key=lambda case: not case.fails)
    lines = []
    for case in shown:
        text = "\n".join(filter(None, (case.title, case.text)))
        lines.append(_command(LEVELS[case.outcome], text, title=f"leapcheck: {label(case)}", file=source_of(case.engine)))
    if run.baseline is not None:
        gone = [f"{f.engine}, {f.quantity}: {f.words}" for f in run.baseline.findings if f.kind == "gone"]
        text = "\n".join([run.baseline.sentence, *gone, *run.baseline.notes])
        lines.append(_command("notice", text, title=f"leapcheck: baseline {run.baseline.file}"))
    return "".join(f"{line}\n" for line in lines)


def github_summary(run: Run) -> str:
    """The run as a short Markdown text: the verdict, the baseline, what fails, and why."""
    every = cases(run)
    context = {
        "run": run,
        "headline": words.headline(run),
        "cases": [case for case in every if case.outcome is not CaseOutcome.PASSED],
        "passed": sum(case.outcome is CaseOutcome.PASSED for case in every),
        "judgements": judgement.judgements(run),
    }
    return markdown_environment(FILTERS).get_template("summary.md.j2").render(context)


def _command(level: str, message: str, **properties: str) -> str:
    """The workflow command; its text may hold line breaks, but nothing in it can begin another command."""
    settings = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{level} {settings}::{_message(message)}"


def _message(text: str) -> str:
    safe = "\n".join(printable(line) for line in text.splitlines())
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def junit_xml(run: Run, seconds: float) -> str:
    """The run as JUnit XML: a suite of the robot that took these seconds (wall time), a test case per quantity and engine.

    A known discrepancy that the baseline accepts is a skipped case with its reason, a failed engine an error. A case has no time
    of its own: an engine answers all of a state's quantities in one call.
    """
    every, provenance = cases(run), run.provenance
    counts = {outcome: sum(case.outcome is outcome for case in every) for outcome in CaseOutcome}
    figures = {
        "tests": str(len(every)),
        "failures": str(counts[CaseOutcome.FAILED]),
        "errors": str(counts[CaseOutcome.ERROR]),
        "time": f"{seconds:.3f}",
    }
    skipped = str(counts[CaseOutcome.KNOWN])  # an attribute of the suite alone: Jenkins' schema has none for all suites
    suites = ET.Element("testsuites", {"name": "leapcheck", **figures})
    suite = ET.SubElement(suites, "testsuite", {"name": _text(f"leapcheck {provenance.robot}"), **figures, "skipped": skipped})
    properties = ET.SubElement(suite, "properties")
    settings = {
        "model_hash": provenance.model_hash,
        "states": provenance.states,
        "seed": provenance.seed,
        "command": provenance.command,
    }
    for name, value in (settings | dict(provenance.versions)).items():
        ET.SubElement(properties, "property", {"name": _text(name), "value": _text(str(value))})
    for case in every:
        suite.append(_element(case, provenance.robot))
    notes = [run.verdict, *((run.baseline.sentence, *run.baseline.notes) if run.baseline else ())]
    ET.SubElement(suite, "system-out").text = _text("\n".join(notes))
    ET.indent(suites, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _element(case: QuantityCase, robot: str) -> ET.Element:
    names = {"classname": _text(f"leapcheck.{robot}.{case.engine}"), "name": _text(case.quantity or "engine")}
    element = ET.Element("testcase", names)
    tags = {CaseOutcome.FAILED: "failure", CaseOutcome.ERROR: "error", CaseOutcome.KNOWN: "skipped"}
    if tag := tags.get(case.outcome):
        kind = {} if tag == "skipped" else {"type": case.title.partition(":")[0] if tag == "failure" else "failure of the engine"}
        child = ET.SubElement(element, tag, {"message": _text(case.title)} | {k: _text(v) for k, v in kind.items()})
        child.text = _text("\n".join(filter(None, (case.title, case.text, case.state))))
    return element


def _text(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
