"""The page, the JSON and the CSV of a leg's jump: read back, and the page in a real browser."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pandas
import pytest

from leapcheck.jumping.leg_jump.study import LegJumpStudy, leg_jump_study
from leapcheck.report.leg_jump.charts import leg_picture, main_charts
from leapcheck.report.leg_jump.files import FILES, leg_jump_json, write_leg_jump_report
from leapcheck.report.leg_jump.page import leg_jump_page
from leapcheck_reference.classical.leg_jump import KGF_CM
from tests.harness.jumping.leg_jump.leg_cases import SHALLOW, SLOW, text_case
from tests.harness.report.test_browser import BROWSER, BROWSERS, MEASURE, browsed, console, measured

COMMAND = "leapcheck leg-jump <&>"


@pytest.fixture(scope="module")
def run() -> LegJumpStudy:
    """A jump that the servo does not quite manage."""
    return leg_jump_study(text_case(servo=SLOW))


@pytest.fixture(scope="module")
def short() -> LegJumpStudy:
    """A jump whose stroke does not suffice."""
    return leg_jump_study(text_case(pose=SHALLOW))


def test_the_json_holds_the_case_the_verdict_and_the_course(run: LegJumpStudy) -> None:
    found = json.loads(leg_jump_json(run, COMMAND))
    assert found["verdict"] == "NO-GO"
    assert found["command"] == COMMAND
    assert found["case"]["carried_mass"] == 0.5
    assert found["case"]["servo"]["torque"] == pytest.approx(6 * KGF_CM)
    assert found["plan"]["duration"] == run.plan.duration
    assert found["peaks"][1]["joint"] == "knee"
    assert found["highest"]["height"] > found["highest_at_this_acceleration"]["height"]
    course = found["course"]
    assert len(course["time_s"]) == 401
    assert course["knee_torque_kgf_cm"][0] * KGF_CM == pytest.approx(course["knee_torque_N_m"][0], rel=1e-15)
    assert math.radians(course["knee_speed_deg_per_s"][-1]) == pytest.approx(course["knee_speed_rad_per_s"][-1], rel=1e-15)
    assert leg_jump_json(leg_jump_study(text_case(servo=SLOW)), COMMAND) == leg_jump_json(run, COMMAND)


def test_a_jump_without_a_course_is_told_too(short: LegJumpStudy) -> None:
    found = json.loads(leg_jump_json(short, COMMAND))
    assert found["verdict"] == "NO-GO"
    assert found["course"] is found["com_rise"] is found["highest"] is None
    assert found["peaks"] == []
    page = leg_jump_page(short, COMMAND)
    assert "<svg" not in page
    assert "straight after 35.1 mm" in page


def test_an_unrated_servo_has_no_use_in_the_json() -> None:
    text = leg_jump_json(leg_jump_study(text_case()), COMMAND)
    assert "NaN" not in text
    assert json.loads(text)["peaks"][0]["use"] is None


def test_the_files_are_written_whole_and_replace_those_of_an_earlier_run(
    run: LegJumpStudy, short: LegJumpStudy, tmp_path: Path
) -> None:
    folder = tmp_path / "a" / "b"
    written = write_leg_jump_report(run, COMMAND, folder)
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    table = pandas.read_csv(folder / "leg_jump.csv")
    assert list(table["time_s"]) == list(run.course.motion.times)
    assert table["knee_torque_N_m"].to_numpy() == pytest.approx(run.course.torque[:, 1], rel=1e-15)
    write_leg_jump_report(short, COMMAND, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["leg_jump.html", "leg_jump.json"]


def test_the_page_says_what_the_run_says_and_escapes_it(run: LegJumpStudy) -> None:
    page = leg_jump_page(run, COMMAND)
    assert page == leg_jump_page(run, COMMAND)
    words = unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))
    assert run.reason[1:] in words
    for remedy in run.remedies:
        assert remedy.replace("m/s^2", "m/s²") in words
    assert COMMAND in words
    assert COMMAND not in page
    assert "<script" not in page
    for part in ("3.98", "3.37", "1055", "0.057", "12.6 mm", "13.8 mm"):
        assert part in words


def test_the_charts_hold_the_course_and_the_servos_line(run: LegJumpStudy) -> None:
    assert run.course is not None
    charts = {chart.label: chart for chart in main_charts(run, run.course)}
    torque = charts["Joint torque"]
    assert [limit.value for limit in torque.limits] == [pytest.approx(6.0), pytest.approx(-6.0)]
    assert max(torque.series[1].y) == pytest.approx(3.977, abs=1e-3)
    assert max(charts["Joint speed"].series[1].y) == pytest.approx(1055.1, abs=0.1)
    line = charts["Torque over speed; below zero it brakes"].series[-1]
    assert (line.x[0], line.y[0], line.y[-1]) == (0.0, pytest.approx(6.0), 0.0)
    assert line.x[-1] == pytest.approx(1500.0)
    assert len(charts) == 6


def test_the_picture_pins_the_foot(run: LegJumpStudy) -> None:
    assert run.course is not None
    legs = leg_picture(run, run.course).findall(".//polyline")
    feet = {leg.get("points", "").split()[2] for leg in legs}
    assert len(legs) == 6
    assert len(feet) == 1
    heights = [float(leg.get("points", "").split()[0].split(",")[1]) for leg in legs]
    assert heights == sorted(heights, reverse=True)
    assert isinstance(leg_picture(run, run.course), ElementTree.Element)


@pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
def test_in_a_browser_nothing_is_refused_and_nothing_is_wider_than_the_window(run: LegJumpStudy, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(leg_jump_page(run, COMMAND), encoding="utf-8")
    assert console(browsed(page, "--dump-dom")) == []
    frames = measured({"page": (page.read_text(encoding="utf-8"), MEASURE)}, tmp_path / "frames.html")["page"]
    assert all(found["scroll"] <= found["width"] for found in frames), frames
