"""The Markdown report: whole tables, the run's figures, nothing hostile left."""

from __future__ import annotations

import re

import pytest

from leapcheck.compare.records import Verdict
from leapcheck.report import markdown_report, sparsity_text
from leapcheck.report.text import escaped
from leapcheck.report.words import factor, number, state_text, unit


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


@pytest.mark.parametrize("which", ["run", "hostile_run", "agreeing_run", "empty_run"])
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
    assert escaped(text) == expected
