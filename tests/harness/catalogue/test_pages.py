from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from leapcheck.catalogue.pages import fault_page, fault_pages, page_of, rule_pages

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[3]
MAKERS = ("convention", "model_fault", "engine_fault", "rounding_fault", "CauseRow", "Parameter")
FINDING = re.compile(r'Finding\(\s*"([^"]+)"')


def sources(*folders: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]


def cause_names() -> set[str]:
    """The first argument of each call that makes a cause, an X for each part that is filled in; not those that begin so."""
    names = set()
    for text in sources("harness/leapcheck/judge"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS and node.args:
                first = node.args[0]
                parts = first.values if isinstance(first, ast.JoinedStr) else [first]
                words = [part.value if isinstance(part, ast.Constant) else "X" for part in parts]
                names.add("".join(map(str, words)))
    return {name for name in names if not name.startswith("X")}


def test_every_lint_rule_has_a_page_and_every_page_a_rule() -> None:
    rules = {name for text in sources("models", "harness/leapcheck") for name in FINDING.findall(text)}
    rules |= {"tendons", "mocap", "Pinocchio", "compiler options"}  # written on a line of their own, or in a table
    assert rules == set(rule_pages())


def test_every_cause_that_the_judge_makes_has_a_page() -> None:
    names = cause_names()
    assert len(names) > 60
    assert sorted(name for name in names if fault_page(name) is None) == []


def test_every_cause_that_was_ever_named_has_a_page() -> None:
    """Of the planted defects of the last score."""
    for file in ("score.json", "programs.json"):
        outcomes = json.loads((ROOT / "reports" / "score" / file).read_text(encoding="utf-8"))["outcomes"]
        names = {name for outcome in outcomes for name in outcome.get("said", ())}
        assert len(names) > 300
        assert sorted(name for name in names if fault_page(name) is None) == []


def test_the_longest_beginning_counts() -> None:
    pages = fault_pages()
    assert fault_page("com-x/FR_hip") is pages["com-place"]
    assert fault_page("com/from-base") is pages["momentum"]
    assert fault_page("engine/not-finite") is pages["not-finite"]
    assert fault_page("engine/depth-first") is pages["known-defects"]
    assert fault_page("massive/FR_hip") is None


def test_a_wrong_name_is_answered_by_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean 'realisability'"):
        page_of("realisabilty")


def test_pages_are_whole() -> None:
    for page in [*rule_pages().values(), *fault_pages().values()]:
        assert page.what.endswith((".", ".)")), page.title
        assert page.remedy[-1] in ".`", page.title
        assert page.example, page.title
