"""The Markdown report: whole tables, the run's figures, nothing hostile left."""

from __future__ import annotations

import re

import pytest

from leapcheck.records import Verdict
from leapcheck.report.comparison.page import markdown_report
from leapcheck.report.comparison.sparsity import sparsity_text
from leapcheck.report.markdown import escape
from leapcheck.report.words import DASH, factor, number, quantity_label, state_text, unit

pytestmark = pytest.mark.quick

RUNS = ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]


def tables(text):
    """The tables as lists of rows of cells; an escaped pipe is no border."""
    found, last = [], ""
    for line in text.splitlines():
        if line.startswith("|"):
            if not last.startswith("|"):
                found.append([])
            found[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        last = line
    return found


@pytest.mark.parametrize(
    "which", ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]
)
def test_every_table_is_whole(which, request):
    for table in tables(markdown_report(request.getfixturevalue(which))):
        assert len({len(row) for row in table}) == 1, table[0]
        assert set("".join(table[1])) <= set("-:"), table[0]


def test_equal_runs_give_equal_text(run):
    assert markdown_report(run) == markdown_report(run)


def test_the_order_of_the_sections(run):
    text = markdown_report(run)
    assert re.findall(r"^## (.*)$", text, re.M) == [
        "Summary",
        "Against the truth",
        "Quantities",
        "Discrepancies",
        "Failures",
        "Error over the entries of M",
        "Histograms of the error",
        "Sparsity of M",
        "What simpler rotors cost",
        "Worst cases",
        "Limits",
    ]
    assert text.startswith(f"# leapcheck mini_cheetah: Discrepancy\n\n**{run.verdict}**\n")
    assert "\n\n\n\n" not in text


def test_every_comparison_stands_in_a_table(run):
    rows = [tuple(row) for table in tables(markdown_report(run)) if table[0][0] == "engine" for row in table]
    for c in run.comparisons:
        sign = {Verdict.AGREE: "✓", Verdict.IMPRECISE: "≈", Verdict.DISCREPANCY: "✗"}[c.verdict]
        figures = (number(c.error), f"{number(c.absolute)} {unit(c.unit)}", factor(c.rounding), number(c.tolerance))
        found = [row for row in rows if row[:2] == (c.engine, c.against) and row[3:7] == figures]
        assert found, c
        assert found[0][-1].startswith(sign)


def test_every_accuracy_stands_in_the_table_against_the_truth(run):
    head, _, *rows = next(t for t in tables(markdown_report(run)) if t[0][1:] == [engine.name for engine in run.engines])
    cells = {(label, engine): cell for label, *row in rows for engine, cell in zip(head[1:], row, strict=True)}
    for a in run.accuracies:
        wrong = (a.quantity, a.engine) in {(d.quantity, d.engine) for d in run.discrepancies}
        shown = cells.pop((quantity_label(a.quantity), a.engine))
        assert shown == "✗ " * wrong + f"{number(a.median * 2**52)} / {number(a.worst * 2**52)}"
    assert set(cells.values()) == {DASH}


def test_a_run_without_a_truth_says_so(truthless_run):
    text = markdown_report(truthless_run)
    section = text[text.index("## Against the truth") : text.index("## Quantities")]
    assert section.split("\n")[2:] == ["Not available: this run had no values in double-double; see the limits.", "", ""]
    assert "- the truth on every state: it needs llvmlite" in text[text.index("## Limits") :]


def test_the_discrepancy_the_state_and_the_pattern_stand_there(run):
    text = markdown_report(run)
    d = run.discrepancies[0]
    for words in (d.cause_class, d.cause, d.evidence, f"\n    {d.command}\n"):
        assert words in text
    c = next(c for c in run.comparisons if c.verdict is Verdict.DISCREPANCY)
    for block in (state_text(c.worst), sparsity_text(run.pattern, run.dof_names)):
        assert "\n".join(f"    {line}" for line in block.split("\n")) in text


def test_hostile_names_stay_words(hostile_run):
    text = markdown_report(hostile_run)
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("    "))
    assert "<" not in prose
    assert not re.search(r"(?<!\\)[`*\[](?!\*|[^\n]*\*\*)", prose.replace("**", ""))
    assert "\x1b" not in text
    assert not re.search(r"^ {0,3}# head", text, re.M)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mass_matrix", "mass_matrix"),
        ("_x_ __y", r"\_x\_ \_\_y"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("a|b`c`*d*[e](f)", r"a\|b\`c\`\*d\*\[e\](f)"),
        ("$x$ ~~y~~ # z\\", r"\$x\$ \~\~y\~\~ \# z\\"),
        ("two\nlines", "two lines"),
    ],
)
def test_escaping(text, expected):
    assert escape(text) == expected
