"""The report of a jump as data: every record is shown, nothing breaks out of it, and a run that went wrong is still a report."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import json
import math
import re

import numpy as np
import pytest
from rich.console import Console

from leapcheck.jumping.act import planned_act
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.report.jump import view as jump_view
from leapcheck.report.jump.console import jump_summary
from leapcheck.report.jump.files import JUMP_FILES, write_jump_report
from leapcheck.report.jump.page import jump_markdown, jump_page
from leapcheck.report.jump.results import jump_json
from leapcheck.report.jump.words import between, plain_number, with_error, with_signs
from leapcheck.report.words import DASH
from leapcheck_reference.simulate.actuator import drives
from tests.harness.report import jump_case
from tests.harness.report.jump_case import HOSTILE, TINY_PNG, cut, hardware, monte_carlo, study
from tests.harness.report.test_page import HOSTILE_TAGS, Page

SIZE = 700_000  # bytes; measured 0.27 MB of two simulators, 0.32 MB of five real ones


@pytest.fixture(scope="module")
def run():
    return study()


@pytest.fixture(scope="module")
def full(run):
    """With everything that a study may have."""
    log = run.logs["rigid"]
    return dataclasses.replace(
        run,
        monte_carlo=monte_carlo(),
        hardware=hardware(log),
        pictures={"the jump": TINY_PNG, HOSTILE: TINY_PNG},
        notes=("no MP4: no GL library", HOSTILE),
        failures={"mujoco": f"mujoco: {HOSTILE}"},
    )


@pytest.fixture(scope="module")
def text(full):
    return jump_page(full)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.fixture(scope="module")
def run_text(run):
    return jump_page(run)


def text_of(renderable, width=80, encoding="utf-8"):
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding), width=width, force_terminal=False)
    console.print(renderable)
    console.file.flush()
    return console.file.buffer.getvalue().decode(encoding)


def test_sections_stand_in_order_and_the_contents_lead_to_them(page):
    expected = ["verdict", "reasons", "figures", "simulators", "motion", "ground", "drives", "power"]
    assert page.ids == [*expected, "ledger-plots", "ledgers", "robustness", "hardware", "limits", "provenance"]
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert links == [*(f"#{name}" for name in page.ids[1:]), "scene3d.html"]


@pytest.mark.parametrize("verdict", list(JumpVerdict))
def test_the_verdict_is_said_once_in_a_word_and_once_in_a_sentence(run, verdict):
    one = dataclasses.replace(run, judgement=jump_case.judgement(verdict, "torque is 1.2 +- 0.1"))
    text = Page(jump_page(one)).text
    assert "Torque is 1.2 ± 0.1." in text
    assert f"{verdict}: " not in text.replace(f"{verdict}: jump of", "")
    assert ("What to change" in text) == (verdict is not JumpVerdict.GO)
    assert jump_markdown(one).startswith(f"# Jump of mini_cheetah_armature: {verdict}\n")
    assert f"{verdict}: Torque is 1.2 ± 0.1." in text_of(jump_summary(one))


def test_every_figure_is_shown_with_error_bar_spread_and_each_simulator(run, run_text):
    page = Page(run_text)
    assert len(run.estimates) > 50
    for estimate in run.estimates:
        label = re.sub(r"\^2", "²", f"{estimate.label} {estimate.unit}".removesuffix(" 1"))
        values = [with_error(v.value, v.error) for v in (estimate.by_simulator[name] for name in ("rigid", "soft"))]
        rows = [row for row in page.rows if re.sub(r"\s+", " ", row[0]).strip().startswith(label)]  # then where it is largest
        cells = [[cell.strip() for cell in row[1:5]] for row in rows]
        assert [row for row in cells if (row[0], row[2:]) == (with_error(estimate.value, estimate.error), values)], label


def test_reasons_mark_the_figure_that_they_are_about(run_text):
    assert run_text.count('<td class="warn"><b>') == 1
    row = re.search(r'<span title="[^"]*">([^<]*)</span>(?:<small>[^<]*</small>)?</th>\s*<td class="warn">', run_text)
    assert row[1] == "torque asked / peak torque"


def test_ledgers_show_by_how_much_they_are_out(run, run_text):
    out = [ledger for ledgers in run.ledgers.values() for ledger in ledgers if not ledger.met]
    assert len(out) > 3  # a jump made by hand balances nothing
    section = run_text[run_text.index('id="ledgers"') :]
    assert section.count('<td class="bad"') == len(out)
    assert jump_markdown(run).count("| rigid | momentum |") == 1


def test_robustness_and_hardware_say_their_numbers(page):
    low, high = monte_carlo().interval
    assert (
        f"37 of 40 varied jumps succeed (seed 3): with 95 % confidence the probability of success is {low:.3f} to {high:.3f}"
        in page.text
    )
    assert page.cells("trunk hit the ground") == [["trunk hit the ground", "3", "2"]]
    assert page.cells("|latency|") == [["|latency|", "-0.61", DASH]]
    assert page.cells("joint_0")[0][:5] == ["joint_0", "q", "0.10", "0.20", "0.5 s"]
    assert "shifted by -0.25 s" in page.text
    assert len(page.cells("joint_9")) == 1


def test_everything_of_others_is_escaped(full, text, page, tmp_path):
    for written in (text, jump_markdown(full), (write_jump_report(full, tmp_path)[-1]).read_text(encoding="utf-8")):
        assert "<script>alert" not in written
        assert "\u202e" not in written
    assert not {tag for tag, _ in page.tags} & (HOSTILE_TAGS - {"img"})
    assert [attrs["src"].partition(",")[0] for tag, attrs in page.tags if tag == "img"] == ["data:image/png;base64"] * 2
    assert not [attrs for _, attrs in page.tags if "style" in attrs or any(name.startswith("on") for name in attrs)]
    assert "alert('x')" in page.text
    assert "[bold red]x[/]" in text_of(jump_summary(full), width=200)
    assert json.loads(jump_json(full))["failures"]["mujoco"] == f"mujoco: {HOSTILE}"
    evil = jump_case.judgement(JumpVerdict.NO_GO, HOSTILE)
    evil = dataclasses.replace(evil, remedies=(HOSTILE,), reasons=(dataclasses.replace(evil.reasons[0], simulator=HOSTILE),))
    origin = dataclasses.replace(full.provenance, robot=HOSTILE, command=HOSTILE, versions={HOSTILE: HOSTILE}, machine=HOSTILE)
    named = dataclasses.replace(full, provenance=origin, judgement=evil)
    shown = jump_page(named)
    assert Page(shown).text.count("alert('x')") > 8
    assert "<script>alert" not in shown + jump_markdown(named)


def test_the_policy_is_the_hash_of_the_style(text):
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    assert len(text.encode()) < SIZE


def test_equal_runs_give_equal_text(full, text):
    again = dataclasses.replace(full)
    assert jump_page(again) == text
    for made in (jump_markdown, jump_json):
        assert made(full) == made(again)


def test_json_holds_the_records(full):
    content = json.loads(jump_json(full))
    assert content["verdict"] == "MARGINAL"
    assert len(content["estimates"]) == len(full.estimates)
    for written, estimate in zip(content["estimates"], full.estimates, strict=True):
        assert float(written["value"]) == pytest.approx(estimate.value, rel=0, abs=0, nan_ok=True)
        assert set(written["by_simulator"]) == set(estimate.by_simulator)
    assert content["monte_carlo"]["interval"] == list(full.monte_carlo.interval)
    assert content["monte_carlo"]["drivers"][0]["with_rise"] == "nan"
    assert content["ledgers"]["rigid"][0]["met"] is False
    assert content["setup"]["thresholds"]["utilisation_no_go"] == 1.0
    assert content["plan"] is None
    assert "no MP4: no GL library" in content["limits"]


@pytest.mark.parametrize("pitch", [None, 0.1])
def test_the_plan_stands_in_every_report(run, pitch):
    spec = run.setup.spec
    plan = plan_jump(spec, JumpRequest(0.2, pitch=pitch), drives(spec))
    one = dataclasses.replace(run, setup=dataclasses.replace(run.setup, act=planned_act(plan)))
    page = Page(jump_page(one))
    assert "plan" in page.ids
    for check in plan.checks:
        assert page.cells(check.name)[0][1] == plain_number(check.value)
    asked = "open" if pitch is None else "0.1 rad"
    assert f"height 0.2 m, distance 0 m, pitch {asked}, friction 0.8 |" in jump_markdown(one)
    assert json.loads(jump_json(one))["plan"]["request"]["pitch"] == pitch


def test_a_run_that_stopped_says_where_and_shows_what_there_is(run):
    why = "the controller stopped at t = 0.6000 s: ZeroDivisionError"
    logs = {
        "rigid": [cut(run.logs["rigid"], 600, why)],
        "soft": [cut(run.logs["soft"], 0, "soft stopped at t = 0.0000 s: singular")],
    }
    stopped = study(logs, JumpVerdict.NO_GO)
    page = Page(jump_page(stopped))
    assert page.cells("rigid", f"✗ stopped: {why}")[0][2] == "0.6 s"
    assert page.cells("soft", "✗ stopped: soft stopped at t = 0.0000 s: singular")[0][4] == "0"
    assert "motion" in page.ids
    for text in (jump_markdown(stopped), text_of(jump_summary(stopped), width=200)):
        assert why.split(":")[1].strip() in text


def test_states_that_are_no_numbers_end_the_plots_there(run):
    log = run.logs["rigid"]
    q = log.q.copy()
    q[700:] = np.nan
    broken = study({"rigid": [dataclasses.replace(log, q=q, stopped="rigid diverged")]}, JumpVerdict.NO_GO)
    text = jump_page(broken)
    assert not re.search(r' d="[^"]*nan', text)
    assert "✗ stopped" in text


def test_without_any_run_there_is_still_a_report(run, tmp_path):
    nothing = dataclasses.replace(
        run,
        setup=dataclasses.replace(run.setup, act=None),
        logs={},
        estimates=(),
        ledgers={},
        failures={"rigid": "rigid: no such thing"},
        judgement=jump_case.judgement(JumpVerdict.NO_GO, "no simulator gave a run"),
        notes=("a height of 2 m is not feasible",),
    )
    page = Page(jump_page(nothing))
    assert page.ids == ["verdict", "reasons", "simulators", "limits", "provenance"]
    assert page.cells("rigid", "✗ failed: no such thing")
    assert page.cells("soft", f"{DASH} not run")
    assert page.text.count("a height of 2 m is not feasible") == 2
    assert [path.name for path in write_jump_report(nothing, tmp_path / "new")] == [*JUMP_FILES[:3]]
    assert "a height of 2 m is not feasible" in text_of(jump_summary(nothing))


def test_files_are_written_whole_or_not_at_all(run, tmp_path, monkeypatch):
    paths = write_jump_report(run, tmp_path / "a" / "b")
    assert [path.name for path in paths] == list(JUMP_FILES)
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == sorted(JUMP_FILES)
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(NotADirectoryError, match="is a file: name another folder"):
        write_jump_report(run, blocked)
    monkeypatch.setattr("leapcheck.report.folder.tempfile.mkdtemp", lambda **_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_jump_report(run, tmp_path / "c" / "d")
    assert not (tmp_path / "c").exists()


def test_limits_say_what_was_left_out(run, full):
    alone = dataclasses.replace(run, logs={"rigid": run.logs["rigid"]}, setup=dataclasses.replace(run.setup, levels=1))
    assert sum("robustness was not examined" in line for line in jump_view.limits(run)) == 1
    assert sum("contact models" in line for line in jump_view.limits(alone)) == 1
    assert sum("error bars" in line for line in jump_view.limits(alone)) == 1
    assert not any("robustness was not examined" in line for line in jump_view.limits(full))
    assert all(
        any(word in line for line in jump_view.limits(full)) for word in ("flexible", "inductance", "estimator", "one friction")
    )


def test_the_terminal_needs_80_columns_and_can_do_with_ascii(full):
    lines = text_of(jump_summary(full)).splitlines()
    assert max(map(len, lines)) <= 80
    plain = text_of(jump_summary(full), encoding="ascii")
    assert "! MARGINAL: Torque asked of FR_knee is 1.2 +- 0.1, above 1." in plain
    assert "\x1b" not in plain


@pytest.mark.parametrize(("count", "line"), [(6, None), (8, "and 2 more to change in the report")])
def test_the_terminal_says_how_many_remedies_it_leaves_out(run, count, line):
    remedies = tuple(f"way {k}" for k in range(count))
    one = dataclasses.replace(run, judgement=dataclasses.replace(run.judgement, remedies=remedies))
    lines = [words.strip() for words in text_of(jump_summary(one)).splitlines()]
    assert sum(words.startswith("to change: way") for words in lines) == 6
    assert (line in lines) == (line is not None)
    assert any("more to change" in words for words in lines) == (line is not None)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (1.97965, 0.00012, "1.97965 ± 0.00012"),
        (0.895, 0.0109, "0.895 ± 0.011"),
        (534.2, 10.4, "534 ± 10"),
        (0.0, 0.0, "0"),
        (3.3519, math.nan, "3.352"),
        (2.3e-15, 3e-12, "0 ± 3e-12"),
        (0.000782485, 9.9e-6, "0.0007825 ± 0.0000099"),
        (math.nan, 0.1, DASH),
        (-12345678.0, 2e6, "-1.23457e7 ± 2.0e6"),
    ],
)
def test_an_error_bar_decides_the_decimals(value, error, words):
    assert with_error(value, error) == words


def test_numbers_in_words():
    assert with_signs("peak 18 -> 20 +- 1 N m") == "peak 18 → 20 ± 1 N m"
    assert [plain_number(x) for x in (0.0, -0.0, 1234567.0, 12.3456, 1e-5, math.inf)] == [
        "0",
        "0",
        "1.235e6",
        "12.35",
        "1.000e-5",
        "inf",
    ]
    assert between(0.1907, 0.1991) == "0.1907 to 0.1991"
    assert between(1.0, 1.0) == ""
    assert between(-1.03e-12, 1.6e-14) == ""
