"""JUnit XML: a run for the test panels of GitLab, Jenkins, Azure and others."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from leapcheck.compare.records import Run
from leapcheck.report.cases import Case, Outcome, cases

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def junit_xml(run: Run) -> str:
    """The run as JUnit XML: a suite of the robot, a test case per quantity and engine.

    A known discrepancy that the baseline accepts is a skipped case with its reason, a failed engine an error.
    """
    found, made = cases(run), run.provenance
    counts = {outcome: sum(case.outcome is outcome for case in found) for outcome in Outcome}
    figures = {
        "tests": str(len(found)),
        "failures": str(counts[Outcome.FAILED]),
        "errors": str(counts[Outcome.ERROR]),
    }
    skipped = str(counts[Outcome.KNOWN])  # an attribute of the suite alone: Jenkins' schema has none for all suites
    suites = ET.Element("testsuites", {"name": "leapcheck", **figures})
    suite = ET.SubElement(suites, "testsuite", {"name": _text(f"leapcheck {made.robot}"), **figures, "skipped": skipped})
    properties = ET.SubElement(suite, "properties")
    told = {"model_hash": made.model_hash, "states": made.states, "seed": made.seed, "command": made.command}
    for name, value in (told | dict(made.versions)).items():
        ET.SubElement(properties, "property", {"name": _text(name), "value": _text(str(value))})
    for case in found:
        suite.append(_element(case, made.robot))
    notes = [run.verdict, *((run.baseline.sentence, *run.baseline.notes) if run.baseline else ())]
    ET.SubElement(suite, "system-out").text = _text("\n".join(notes))
    ET.indent(suites, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _element(case: Case, robot: str) -> ET.Element:
    names = {"classname": _text(f"leapcheck.{robot}.{case.engine}"), "name": _text(case.quantity or "engine")}
    element = ET.Element("testcase", names)
    tags = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.KNOWN: "skipped"}
    if tag := tags.get(case.outcome):
        kind = {} if tag == "skipped" else {"type": case.title.partition(":")[0] if tag == "failure" else "failure of the engine"}
        told = ET.SubElement(element, tag, {"message": _text(case.title)} | {k: _text(v) for k, v in kind.items()})
        told.text = _text("\n".join(filter(None, (case.title, case.text, case.state))))
    return element


def _text(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
