"""The page as data: parsed, counted and compared with the run."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import math
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from leapcheck.records import BaselineFinding, BaselineResult, Verdict
from leapcheck.report.comparison import view
from leapcheck.report.comparison.page import html_report
from leapcheck.report.words import DASH, factor, number, precise, unit

SIZE = 1_000_000  # bytes; measured 0.43 MB

VOID = {"meta", "br", "link", "img", "hr", "input"}
HOSTILE_TAGS = {"img", "iframe", "object", "embed", "link", "form", "base"}


class Page(HTMLParser):
    """What a page holds: tags with attributes, texts of cells by table, and whether its tags close in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.texts, self.rows, self.ids = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.texts))

    def cells(self, *beginning):
        """The rows that begin with these cells, white space folded."""
        rows = [[re.sub(r"\s+", " ", cell).strip() for cell in row] for row in self.rows]
        return [row for row in rows if tuple(row[: len(beginning)]) == beginning]


@pytest.fixture(scope="module")
def text(run):
    return html_report(run)


@pytest.fixture(scope="module")
def hostile_text(hostile_run):
    return html_report(hostile_run)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_size(text):
    assert len(text.encode()) < SIZE


def test_equal_runs_give_equal_text(run, text, hostile_text):
    assert text == html_report(dataclasses.replace(run))
    assert text != hostile_text


def test_equal_text_in_another_process(run, tmp_path):
    """Hash seeds, dict order or a clock would show."""
    from leapcheck.report.comparison.results import run_json

    (tmp_path / "results.json").write_text(run_json(run))
    code = (
        "import sys, hashlib; from leapcheck.report.comparison.page import html_report, markdown_report\n"
        "from leapcheck.report.comparison.results import read_run\n"
        "r = read_run(sys.argv[1]); print(hashlib.sha256((html_report(r) + markdown_report(r)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "results.json")],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_verdict_and_order_of_the_sections(page, run):
    assert run.verdict in page.text
    assert page.ids[:1] == ["verdict"]
    sections = [i for i in page.ids if not i.startswith(("state-", "quantity-"))]
    assert sections == [
        "verdict",
        "truth",
        "failures",
        "quantities",
        "worst",
        "discrepancies",
        "pairs",
        "heat",
        "histograms",
        "sparsity",
        "cost",
        "limits",
        "provenance",
    ]


def test_every_link_has_its_target(page):
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert len(links) > 100
    assert {link.removeprefix("#") for link in links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_provenance_and_engines(page, run):
    for value in (run.provenance.model_hash, run.provenance.command, run.provenance.machine):
        assert value in page.text
    for engine in run.engines:
        assert page.cells(engine.name, engine.version) == [
            [engine.name, engine.version, engine.route, str(len(engine.quantities))]
        ]


def test_the_table_of_pairs_holds_every_comparison(page, run):
    signs = {Verdict.AGREE: "", Verdict.IMPRECISE: "≈ ", Verdict.DISCREPANCY: "✗ "}
    label_of = {group.quantity: group.label for group in view.groups(run)}
    expected = {
        (c.against, label_of[c.quantity], c.engine): f"{signs[c.verdict]}{number(c.error)}{factor(c.rounding)}"
        for c in run.comparisons
    }
    seen = {}
    shown = tables(page, "quantity")[-len({c.against for c in run.comparisons}) :]
    for against, (heads, *rows) in zip(dict.fromkeys(c.against for c in run.comparisons), shown, strict=True):
        assert all(set(row[1:]) != {DASH} for row in rows)
        seen |= {
            (against, label, engine): cell
            for label, *cells in rows
            for engine, cell in zip(heads[1:], cells, strict=True)
            if cell != DASH
        }
    assert seen == expected


def test_the_table_against_the_truth_holds_every_engine(page, run):
    """Median / worst of each accuracy in units of 2^-52, in the column of its engine; a dash elsewhere."""
    table = next(rows for rows in tables(page, "quantity") if rows[0][1:] == [engine.name for engine in run.engines])
    assert [row[0] for row in table[1:]] == [group.label for group in view.groups(run)]
    found = {(a.quantity, a.engine): a for a in run.accuracies}
    wrong = {(d.quantity, d.engine) for d in run.discrepancies}
    for group, row in zip(view.groups(run), table[1:], strict=True):
        for engine, cell in zip(run.engines, row[1:], strict=True):
            a = found.pop((group.quantity, engine.name), None)
            sign = "✗ " * ((group.quantity, engine.name) in wrong)
            assert cell == (f"{sign}{number(a.median * 2**52)} / {number(a.worst * 2**52)}" if a else DASH)
    assert not found
    assert sum(cell.startswith("✗") for row in table for cell in row) == len(wrong) == 1
    assert "medians over the first 1750" in page.text


def tables(page, corner):
    """The tables with this word in their first cell, as rows of cells, white space folded."""
    rows = [[re.sub(r"\s+", " ", cell).strip() for cell in row] for row in page.rows]
    starts = [i for i, row in enumerate(rows) if row[0] == corner]
    ends = [next((j for j in range(i + 1, len(rows)) if len(rows[j]) != len(rows[i])), len(rows)) for i in starts]
    return [rows[i:end] for i, end in zip(starts, ends, strict=True)]


def test_a_run_without_a_truth_says_so_and_why(truthless_run):
    page = Page(html_report(truthless_run))
    told = page.text[page.text.rindex("Engines against the truth") :]
    assert "this run had no values in double-double; see the limits" in told
    assert "it needs llvmlite" in told
    assert {"#truth", "#limits"} <= {attrs["href"] for tag, attrs in page.tags if tag == "a"}
    assert "eps" not in page.text


def test_a_run_with_nothing_but_the_truth_shows_it(run):
    """One engine of two could not be made: no pairs, but the other's error."""
    page = Page(html_report(dataclasses.replace(run, comparisons=(), accuracies=run.accuracies[:1])))
    a = run.accuracies[0]
    assert page.cells("mass matrix M") == [["mass matrix M", f"{number(a.median * 2**52)} / {number(a.worst * 2**52)}"]]


def test_a_median_of_no_states_is_a_dash(run):
    odd = dataclasses.replace(run.accuracies[0], sampled=0, median=2.0**-50, worst=2.0**-50)
    page = Page(html_report(dataclasses.replace(run, comparisons=(), accuracies=(odd,))))
    assert page.cells("mass matrix M") == [["mass matrix M", f"{DASH} / 4.0"]]


def test_the_tables_hold_every_figure_of_every_comparison(page, run):
    for c in run.comparisons:
        figures = [f"{number(c.error)}{number(c.absolute)} {unit(c.unit)}", factor(c.rounding), number(c.tolerance)]
        rows = [row for row in page.cells(f"{c.engine}against {c.against}") if row[2:5] == figures]
        assert rows, c
        assert rows[0][-1].endswith(view_word(c.verdict))


def test_no_number_of_the_verdict_is_broken_across_lines(run):
    said = dataclasses.replace(run, verdict="5 engines agree on 17 quantities over 1 002 048 states of two 2 arms.")
    assert "over 1\N{NO-BREAK SPACE}002\N{NO-BREAK SPACE}048 states of two 2 arms." in html_report(said)


def view_word(verdict):
    return {Verdict.AGREE: "agree", Verdict.IMPRECISE: "imprecise", Verdict.DISCREPANCY: "discrepancy"}[verdict]


def test_the_worst_quantity_stands_first_and_open(page):
    details = [attrs for tag, attrs in page.tags if tag == "details" and "row" in attrs.get("class", "")]
    opened = ["open" in attrs for attrs in details]
    assert opened == [True] + [False] * 17


def test_the_discrepancy_is_told_in_full(page, run):
    d = run.discrepancies[0]
    for words in (d.cause_class, d.cause, d.evidence, d.who_is_wrong, d.command):
        assert words in page.text
    c = next(c for c in run.comparisons if c.verdict is Verdict.DISCREPANCY)
    assert (d.engine, d.against) == (c.against, c.engine)  # who is wrong comes first
    told = page.text[page.text.index(d.evidence) : page.text.index(d.command)]
    assert f"{c.engine} {precise(c.worst.value)}" in told  # each engine with its own value
    assert f"{c.against} {precise(c.worst.against_value)}" in told
    assert ", ".join(repr(x) for x in c.worst.q) in page.text[page.text.index(d.command) :]


def test_failures_and_limits_are_told(page, run):
    assert run.failures[0].message in page.text
    for line in run.not_compared:
        assert line in page.text


def test_every_worst_state_stands_in_full_once(page, run):
    assert [i for i in page.ids if i.startswith("state-")] == [f"state-{n}" for n in range(1, len(view.states(run)) + 1)]
    distinct = {c.worst.q for c in run.comparisons if c.worst}
    assert len(view.states(run)) == len(distinct)
    for q in distinct:
        assert f'"q": [{", ".join(repr(x) for x in q)}]' in page.text


@pytest.mark.parametrize("which", ["text", "hostile_text"])
def test_nothing_points_outside_and_the_policy_forbids_it(which, request):
    text = request.getfixturevalue(which)
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & HOSTILE_TAGS
    assert [tag for tag, _ in page.tags].count("script") == 1
    for tag, attrs in page.tags:
        assert not [name for name in attrs if name.startswith("on") or name in ("src", "style", "srcset", "xlink:href")], tag
        assert attrs.get("href", "#").startswith("#")
    assert "@import" not in text
    assert "url(" not in text
    policy = next(attrs["content"] for tag, attrs in page.tags if "http-equiv" in attrs)
    style, script = (
        base64.b64encode(hashlib.sha256(re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)[1].encode()).digest()).decode()
        for tag in ("style", "script")
    )
    allowed = f"style-src 'sha256-{style}'; script-src 'sha256-{script}'"
    assert policy == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def test_hostile_names_are_shown_as_they_are(page, hostile_text):
    tame, text = page, hostile_text
    page = Page(text)
    assert "<script>alert('x')</script>" in page.text
    assert text.count("<style>") == 1
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert [tag for tag, _ in page.tags if tag in ("section", "table", "svg", "pre")] == [
        tag for tag, _ in tame.tags if tag in ("section", "table", "svg", "pre")
    ]


def test_the_heat_map_has_a_cell_for_each_entry(run):
    from leapcheck.report.comparison.matrix_plot import heat_plot, step

    heat_map = run.heat_maps[3]
    drawing = heat_plot(heat_map, run.dof_names)
    drawn = {path.get("class"): path.get("d").count("M") for path in drawing.iter("path")}
    values = [x for row in heat_map.values for x in row if x]
    assert drawn == {name: sum(step(x) == name for x in values) for name in {step(x) for x in values}}
    assert drawn["h8"] == 12  # the joint diagonal
    assert [e.text for e in drawing.iter("text") if e.get("class") == "name"] == list(run.dof_names)


@pytest.mark.parametrize(
    ("value", "name"),
    [(1e-18, "h0"), (1e-17, "h0"), (1.1e-17, "h1"), (1e-3, "h7"), (2e-3, "h8"), (1e9, "h8"), (math.nan, "hx"), (math.inf, "hx")],
)
def test_the_steps_of_the_heat_map(value, name):
    from leapcheck.report.comparison.matrix_plot import step

    assert step(value) == name


def test_a_histogram_draws_each_pair_and_each_filled_bin(run):
    from leapcheck.report.comparison.line_plot import histogram_plot, last_decade

    group = view.groups_worst_first(run)[0]
    paths = list(histogram_plot(group, last_decade(run.comparisons)).iter("path"))
    assert [path.get("class") for path in paths] == ["outline good"] * 9 + ["outline bad"]  # the worst on top
    for path, row in zip(paths, sorted(group.rows, key=view.badness), strict=True):
        assert path.get("d").count("H") == sum(count > 0 for count in row.histogram)
        assert path.get("d").endswith("V130.0")  # back on the axis


def test_not_a_number_is_the_worst(run):
    nan = dataclasses.replace(run.comparisons[0], error=math.nan, rounding=math.nan, verdict=Verdict.DISCREPANCY)
    odd = dataclasses.replace(run, comparisons=(*run.comparisons, nan))
    assert view.groups_worst_first(odd)[0].worst is nan
    assert "nan" in Page(html_report(odd)).text


def test_of_equals_the_one_with_a_truth_is_the_worst(run):
    told = run.comparisons[0]
    untold = dataclasses.replace(told, engine="other", worst=dataclasses.replace(told.worst, truth=None))
    assert view.worst_first([untold, told]) == view.worst_first([told, untold]) == [told, untold]


@pytest.mark.parametrize(("which", "word"), [("run", "Discrepancy"), ("agreeing_run", "Agree"), ("empty_run", "Could not run")])
def test_the_headline(which, word, request):
    assert Page(html_report(request.getfixturevalue(which))).text.strip().startswith(f"{word}: ")


def test_a_failure_without_a_discrepancy_is_incomplete(agreeing_run, run):
    odd = dataclasses.replace(agreeing_run, failures=run.failures, exit_status=2)
    assert Page(html_report(odd)).text.strip().startswith("Incomplete: ")


def test_importing_the_report_is_light():
    code = "import sys, leapcheck.report; print({'pandas', 'jinja2', 'rich', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_the_baseline_has_a_section_and_nothing_in_it_is_markup(hostile_judged_run):
    found = (
        BaselineFinding("<script>e", "<b>", "new", "<i>&amp;", True),
        BaselineFinding("mine", "mass_matrix", "gone", "Gone.", False),
    )
    beside = BaselineResult("</table>.json", "Worse: <x>.", found, ("<note>",))
    assert 'id="baseline"' not in html_report(hostile_judged_run)
    text = html_report(dataclasses.replace(hostile_judged_run, baseline=beside, exit_status=1))
    section = text.partition('<h2 id="baseline">')[2].partition("</section>")[0]
    assert "&lt;/table&gt;.json" in section
    for words in ("Worse: &lt;x&gt;.", "&lt;script&gt;e", "&lt;i&gt;&amp;amp;", "&lt;note&gt;", "✗ new", "✓ gone"):
        assert words in section, words
    assert '<a href="#baseline">' in text
