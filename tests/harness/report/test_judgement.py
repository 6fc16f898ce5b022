"""Judgements in all reports: who is wrong and why, once per engine; verdicts, laws, smallest cases and their files."""

from __future__ import annotations

import dataclasses
import io
import re

import pytest
from rich.console import Console

from leapcheck.quantities import DEFAULT
from leapcheck.records import Diagnosis, Discrepancy, Falls
from leapcheck.report.comparison.console import console_summary
from leapcheck.report.comparison.explanation import explanation, restrict
from leapcheck.report.comparison.files import FILES, write_report
from leapcheck.report.comparison.judgement import file_name, judgements, merge_diagnoses, stories
from leapcheck.report.comparison.page import html_report, markdown_report
from leapcheck.report.comparison.results import read_run
from leapcheck.report.comparison.tables import verdict_table
from leapcheck.report.words import DASH, factor, margin, number, quantity_label
from tests.harness.report.judged_case import ARMATURE, AXES, FLOAT32, LAWS, MASS, SCRIPT
from tests.harness.report.test_markdown import tables
from tests.harness.report.test_page import Page
from tests.harness.report.test_page import tables as page_tables

TITLES = ("pinocchio-mjcf is wrong in mass matrix M and bias force h", "mujoco-urdf is right but imprecise in 13 quantities")
FALLS = (("mass matrix M", "0.31", "2.2e-15", "✓ explained"), ("J M⁻¹ Jᵀ", "inf", "3.0e-3", "✗ not explained"))


@pytest.fixture(scope="module")
def page(judged_run):
    return Page(html_report(judged_run))


def printed(shown, width=100):
    """What a console of that width receives, in one line."""
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(shown)
    return " ".join(file.getvalue().split())


def test_the_judgement_comes_first(page):
    sections = [i for i in page.ids if not i.startswith(("state-", "quantity-"))]
    assert sections[:3] == ["verdict", "judgement", "truth"]
    assert sections[-2:] == ["limits", "provenance"]
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert {link.removeprefix("#") for link in links} <= set(page.ids)


def test_each_engine_is_judged_once_with_causes_alternatives_and_amounts(page, judged_run):
    told = page.text[page.text.index("Judged by the value in double-double") : page.text.index("model hash")]
    for title in TITLES:
        assert told.count(title) == 1
    for words in (
        "convention and model : 2 causes at once.",
        "The armature of the joints is left out. 12 joints, 0.00227 kg m² each.",
        "The mass of FR_hip is 0.65 kg, not 0.54 kg. Explains 99.99 % of the difference.",
        "2 other explanations fit these answers as well",
        "The rotors have no inertia about their axes; and the mass of FR_hip",
        "Angles are read in degrees.",
        "On the diagonal of the joints",
        "It computes in single precision. 24 bits.",
    ):
        assert words in told, words
    for row in FALLS:
        assert list(row) in page.cells(row[0])
    assert ["mass matrix M", "3.0e-7", "3.0e-7", "≈ few digits"] in page.cells("mass matrix M")


def test_the_smallest_case_stands_there_with_script_and_test(page, judged_run):
    empty, moving = judged_run.reproducers
    assert "every entry is zero" in page.text
    assert "v FR_hip_joint = -0.25 , q trunk quaternion w = 1.0 ; all else is zero" in page.text
    for case in (empty, moving):
        for part in (", ".join(case.bodies), f"reproducers/{file_name(case)}", f"reproducers/{file_name(case, test=True)}"):
            assert part in page.text
    text = html_report(judged_run)
    scripts = re.findall(r"<pre tabindex=\"0\">(&#34;&#34;&#34;The.*?)</pre>", text, re.S)
    assert len(scripts) == 4  # a script and a test of each case
    unescape = {"&#34;": '"', "&lt;": "<", "&gt;": ">", "&amp;": "&"}
    for entity, sign in unescape.items():
        scripts[0] = scripts[0].replace(entity, sign)
    assert scripts[0] == SCRIPT.rstrip("\n")
    commands = 1 + len(judged_run.discrepancies)  # of the run, and of each discrepancy
    assert sum(tag == "button" for tag, _ in page.tags) == 4 + commands


def test_only_its_own_script_may_run(judged_run):
    text = html_report(judged_run)
    assert text.count("<script>") == 1
    assert re.search(r"script-src 'sha256-[\w+/=]+'; base-uri", text)


def test_hostile_words_stay_words(hostile_judged_run):
    text = html_report(hostile_judged_run)
    page = Page(text)
    assert text.count("<script>") == 1
    assert "<script>alert('x')</script>" in page.text
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert "\x1b" not in text
    prose = "\n".join(line for line in markdown_report(hostile_judged_run).splitlines() if not line.startswith("    "))
    assert "<" not in prose
    assert "\x1b" not in printed(explanation(hostile_judged_run))


def test_the_verdict_table_has_each_engine_at_its_worst(page, judged_run):
    table = verdict_table(judged_run)
    for engine in table.rows:
        worst = table.worst(engine)
        its = [v for v in judged_run.verdicts if v.engine == engine]
        assert (worst.verdict == "wrong") == any(v.verdict == "wrong" for v in its)
        assert worst.margin == min(v.margin for v in its if v.verdict == worst.verdict)
        figures = [factor(worst.rounding), factor(worst.allowed), margin(worst.margin), str(worst.index)]
        assert [row for row in page.cells(engine) if row[2:] == [quantity_label(worst.quantity), *figures]], engine
    assert "✗ wrong in 2 of 13" in page.text
    engines, *rows = next(rows for rows in page_tables(page, "quantity") if rows[0][1:] == list(table.rows))
    rows = rows[: len(table.quantities)]
    assert [row[0] for row in rows] == [quantity_label(quantity) for quantity in table.quantities]
    for quantity, row in zip(table.quantities, rows, strict=True):
        found = [table.cell(quantity, engine) for engine in engines[1:]]
        assert [cell.removeprefix("✗ ").removeprefix("≈ ") for cell in row[1:]] == [
            factor(v.rounding) if v else DASH for v in found
        ]


def test_what_is_imprecise_far_from_the_origin_alone_is_said_to_be(judged_run, page):
    assert "≈ right but imprecise in 13 of 13, far from the origin" in " ".join(page.text.split())
    assert "mujoco-urdf right but imprecise far from the world's origin: worst in" in printed(explanation(judged_run))
    few = dataclasses.replace(judged_run.verdicts[2], engine="mujoco-urdf", verdict="right but imprecise", margin=1e-6)
    run = dataclasses.replace(judged_run, verdicts=(few,))
    assert "far from" not in printed(explanation(run)).split("laws hold")[0].split("mujoco-urdf right")[1]


def test_the_laws_stand_there_by_engine_and_the_broken_one_is_marked(page, judged_run):
    engines = [engine.name for engine in judged_run.engines]
    for i, (law, _) in enumerate(LAWS):
        (row,) = page.cells(law.replace("M^-1 J^T", "M⁻¹ Jᵀ"))
        found = {identity.engine: identity for identity in judged_run.identities if identity.law == law}
        for engine, cell in zip(engines, row[1:], strict=True):
            identity = found.get(engine)
            sign = "✗ " * bool(identity and not identity.holds)
            assert cell == (f"{sign}{number(identity.error)}of {number(identity.allowed)}" if identity else DASH), (i, engine)
    (row,) = page.cells("the columns of M are those of inverse dynamics")
    assert row[1:] == ["4", "2.0e-58", "1.0e-25", "✓"]


def test_a_run_without_a_judge_says_nothing_of_one(run):
    page = Page(html_report(run))
    assert not {"judgement", "laws"} & set(page.ids)
    assert "Laws" not in markdown_report(run)


def test_markdown_tells_the_same(judged_run):
    text = markdown_report(judged_run)
    assert re.findall(r"^## (.*)$", text, re.M)[:5] == [
        "Who is wrong, and why",
        "Summary",
        "Against the truth",
        "Laws",
        "Quantities",
    ]
    for title in TITLES:
        assert f" {title}\n" in text
    assert "- **model**: Part of it: The mass of FR_hip is 0.65 kg, not 0.54 kg. Explains 99.99 % of the difference.\n" in text
    assert "- Angles are read in degrees.\n" in text
    rows = [tuple(row) for table in tables(text) for row in table]
    for row in FALLS:
        assert row in rows
    assert ("M vdot + h = tau", *["2.0e-15 of 4.0e-13"] * 4, "✗ 0.030 of 4.0e-13") in rows
    assert "\n\n\n\n" not in text


def test_the_terminal_tells_it_in_brief_and_in_full(judged_run):
    brief, full = printed(explanation(judged_run)), printed(explanation(judged_run, details=True))
    for text in (printed(console_summary(judged_run)), brief, full):
        for words in (*TITLES, "[model] Part of it: The mass of FR_hip is 0.65 kg", "mass matrix M: 0.31 -> 2.2e-15, explained"):
            assert words in text, words
        assert "J M⁻¹ Jᵀ: inf -> 3.0e-3, not explained" in text
        assert "mass matrix M: 3.0e-7 -> 3.0e-7, few digits" in text
        assert judged_run.discrepancies[0].command in text
    assert judged_run.discrepancies[0].who_is_wrong in full
    assert judged_run.discrepancies[0].who_is_wrong not in brief
    assert "20 of 21 laws hold" in full
    assert "pinocchio-mjcf: M vdot + h = tau misses by 0.030, allowed 4.0e-13" in full


def test_what_is_alike_is_counted_and_told_only_in_detail(judged_run):
    alike = tuple(Falls(name, 0.02 / (i + 1), 1e-15) for i, name in enumerate(list(DEFAULT)[:5]))
    diagnosis = dataclasses.replace(judged_run.diagnoses[0], falls=alike, unexplained=(), pattern="on the diagonal")
    run = dataclasses.replace(judged_run, diagnoses=(diagnosis,))
    brief, full = printed(explanation(run)), printed(explanation(run, details=True))
    assert "error mass matrix M: 0.020 -> 1.0e-15, explained and 4 more" in brief
    assert brief.count(" -> 1.0e-15, explained") == 1
    named = "and 4 more, explained: bias force h, gravity force, Coriolis force, forward dynamics"
    assert named in brief
    assert full.count(" -> 1.0e-15, explained") == 5
    assert "and 1 more: mass matrix M" in brief  # the other smallest case
    assert brief.count("reproducers/") == 1 < full.count("reproducers/")
    assert "On the diagonal" in full
    assert "On the diagonal" not in brief  # the cause says it
    assert "reference, mujoco, pinocchio right to rounding: worst" in brief
    assert "reference right to rounding: worst in" in full


def test_a_long_list_of_alternatives_is_cut_and_whole_in_detail(judged_run):
    diagnosis = dataclasses.replace(judged_run.diagnoses[0], alternatives=((AXES,),) * 5)
    run = dataclasses.replace(judged_run, diagnoses=(diagnosis,))
    assert "and 2 more" in printed(explanation(run))
    assert printed(explanation(run, details=True)).count("Angles are read in degrees.") == 5


def test_an_engine_that_differs_without_a_truth_is_not_called_wrong(judged_run):
    (first, second) = judgements(dataclasses.replace(judged_run, verdicts=()))
    assert first.title == "pinocchio-mjcf differs in mass matrix M, bias force h and J M⁻¹ Jᵀ"
    assert (first.mark.tone, second.title) == ("bad", "mujoco-urdf differs in mass matrix M")


def test_an_engine_without_a_diagnosis_has_its_discrepancies_told_with_its_cases(judged_run):
    run = dataclasses.replace(judged_run, diagnoses=())
    d = run.discrepancies[0]
    (only,) = judgements(run)
    assert [story.cause for story in only.stories] == [d.cause]
    for text in (printed(console_summary(run), 300), printed(explanation(run), 300)):
        assert text.count(d.cause) == 1
        assert f"[convention] {d.cause}" in text
    for text in (Page(html_report(run)).text, markdown_report(run)):
        assert text.count(d.cause) == 2  # with the cases, and among the discrepancies


def test_one_cause_in_two_diagnoses_is_told_once():
    falls = [Falls(name, 1.0, 0.0) for name in ("mass_matrix", "qM", "csr")]
    here, there, other = (
        Diagnosis("a", (ARMATURE,), ((AXES,), (MASS,)), (falls[0],), (), "here"),
        Diagnosis("a", (ARMATURE,), ((MASS,),), (falls[1],), ("qM",), "there"),
        Diagnosis("a", (FLOAT32,), (), (falls[2],), (), ""),
    )
    together, alone = merge_diagnoses([here, there, other])
    assert together == Diagnosis("a", (ARMATURE,), ((MASS,),), tuple(falls[:2]), ("qM",), "Here. There.")
    assert alone is other


def test_what_has_no_cause_is_not_merged():
    unknown = [Diagnosis("a", (), (), (Falls(name, 1.0, 1.0),), (name,), "") for name in ("mass_matrix", "qM", "csr")]
    assert list(merge_diagnoses(unknown)) == unknown


def test_a_cause_of_five_quantities_is_told_once(judged_run):
    first = judged_run.discrepancies[0]
    names = ("mass_matrix", "bias_force", "gravity_force", "kinetic_energy", "csr")
    found = tuple(dataclasses.replace(first, quantity=name, who_is_wrong=f"wrong in {name}") for name in names)
    other = Discrepancy("mass_matrix", "mujoco", "reference", "model", "Another.", "Evidence.", "mujoco.", "command")
    run = dataclasses.replace(judged_run, discrepancies=(*found, other), diagnoses=(), reproducers=())
    assert [(s.engine, len(s.rows)) for s in stories(run)] == [("pinocchio-mjcf", 5), ("mujoco", 1)]
    page = Page(html_report(run))
    assert page.text.count(first.cause) == 1
    assert markdown_report(run).count(first.cause) == 1
    assert printed(console_summary(run), 300).count(first.cause) == 1
    for name in names:
        assert f"wrong in {name}" in page.text
        assert f"wrong in {name}" in markdown_report(run).replace("\\", "")


def test_the_reproducers_are_files_and_those_of_the_run_before_go(judged_run, small_run, tmp_path):
    (tmp_path / "reproducers").mkdir()
    (tmp_path / "reproducers" / "mine.py").write_text("kept")
    run = dataclasses.replace(judged_run, comparisons=judged_run.comparisons[:2], heat_maps=())
    paths = write_report(run, tmp_path)
    names = [file_name(case, test) for case in run.reproducers for test in (False, True)]
    assert paths == (*(tmp_path / name for name in FILES), *(tmp_path / "reproducers" / name for name in names))
    assert [path.read_text() for path in paths[-4:]] == [text for r in run.reproducers for text in (r.script, r.test)]
    one = dataclasses.replace(run, reproducers=run.reproducers[1:])
    write_report(one, tmp_path)
    left = sorted(path.name for path in (tmp_path / "reproducers").iterdir())
    assert left == sorted([*names[2:], "mine.py"])
    (tmp_path / "reproducers" / "mine.py").unlink()
    write_report(small_run, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    assert read_run(tmp_path) == small_run


def test_a_file_in_place_of_the_folder_of_reproducers_is_named(judged_run, tmp_path):
    (tmp_path / "reproducers").write_text("")
    with pytest.raises(NotADirectoryError, match=r"reproducers' is a file: name another folder"):
        write_report(judged_run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["reproducers"]


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        ("pinocchio-mjcf", "pinocchio_mjcf_csr.py"),
        ("my.module:make", "my_module_make_csr.py"),
        ("../../etc/x", "etc_x_csr.py"),
        ("\x00", "csr.py"),
    ],
)
def test_names_of_reproducers_are_names_of_modules(engine, name, judged_run):
    case = dataclasses.replace(judged_run.reproducers[0], engine=engine, quantity="csr")
    assert file_name(case) == name
    assert file_name(case, test=True) == f"test_{name}"


def test_an_explanation_of_one_engine_or_quantity_reads_that_alone(judged_run):
    run = restrict(judged_run, "pinocchio-mjcf", "bias_force")
    (diagnosis,) = run.diagnoses
    assert [falls.quantity for falls in diagnosis.falls] == ["bias_force"]
    assert diagnosis.unexplained == ()
    assert [(v.engine, v.quantity) for v in run.verdicts] == [("pinocchio-mjcf", "bias_force")]
    assert {i.engine for i in run.identities} == {"pinocchio-mjcf"}
    assert all("bias_force" in i.quantities for i in run.identities)
    assert [r.quantity for r in run.reproducers] == ["bias_force"]
    assert run.discrepancies == run.failures == ()
    assert restrict(judged_run, quantity="contact_inertia").diagnoses[0].unexplained == ("contact_inertia",)
    assert restrict(judged_run, "mujoco").diagnoses == ()
    assert restrict(judged_run) == judged_run


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"engine": "drake"}, "no engine 'drake': use one of reference, mujoco, mujoco-urdf"),
        ({"quantity": "mass"}, "no quantity 'mass': use one of mass_matrix, bias_force"),
    ],
)
def test_what_the_run_has_not_is_refused_by_name(asked, reason, judged_run):
    with pytest.raises(ValueError, match=reason):
        restrict(judged_run, **asked)
