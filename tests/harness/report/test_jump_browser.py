"""The pages of a jump in a real headless Chromium, from the disk and without a network."""

from __future__ import annotations

import dataclasses
import json
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest

from leapcheck.report.chart import ChartPhase
from leapcheck.report.jump.page import jump_page
from leapcheck.report.jump.scene3d import RATE, scene_page
from leapcheck.system.text import printable
from tests.harness.report.jump_case import HOSTILE, PHASES, TINY_PNG, cut, hardware, jump_log, monte_carlo, robot, study
from tests.harness.report.test_browser import BROWSER, BROWSERS, MEASURE, browsed, console, measured

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(BROWSERS)} is on the PATH")

COLOURS = 40  # a blank canvas has 1; measured 400 to 600
SAME = 1e-4  # share of pixels that may differ between two pictures that should be equal; measured 0

# Uses the page as a person would, and writes down what the page then shows.
USE = Path(__file__).with_name("use_scene.js").read_text(encoding="utf-8")
READABLE = """<script>{
  const getContext = HTMLCanvasElement.prototype.getContext // a canvas that is read often, or the browser complains
  HTMLCanvasElement.prototype.getContext = function (kind) { return getContext.call(this, kind, {willReadFrequently: true}) }
}
const frames = [] // the page's clock stands still but when the test moves it
performance.now = () => 0
window.requestAnimationFrame = frame => frames.push(frame)
</script>"""


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    log = jump_log()
    logs = {"rigid": log, HOSTILE: cut(jump_log("soft", lift=0.1), 800, f"stopped at t = 0.8 s: {HOSTILE}")}
    path = tmp_path_factory.mktemp("scene") / "scene3d.html"
    plan = SimpleNamespace(times=log.time, q=jump_log("plan", lift=0.05).q, duration=1.0)
    path.write_text(scene_page(robot(), logs, tuple(ChartPhase(*phase) for phase in PHASES), plan=plan), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def used(scene):
    """What the page showed while it was used, in a window of 700 x 600."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", scene.read_text(encoding="utf-8"))
    copy = scene.with_name("used.html")
    text = text.replace("<body>", f"<body>{READABLE}").replace("</body>", f"<script>{USE}</script></body>")
    copy.write_text(text, encoding="utf-8")
    done = browsed(copy, "--dump-dom", "--window-size=700,600")
    assert console(done) == []
    return json.loads(unescape(re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)[1]))


def test_the_scene_opens_from_the_disk_without_an_error(scene):
    done = browsed(scene, "--dump-dom")
    assert console(done) == []
    state = re.search(r'<output id="state"[^>]*>([^<]*)<', done.stdout)[1]
    assert re.fullmatch(r"\d\.\d{3} s · \w+ · com 0\.\d{3} m · ground force \d\.\d\d m g", state)
    assert "alert(" in done.stdout  # the run's name, as text
    assert "<script>alert" not in done.stdout


def test_the_scene_plays_and_pauses(used):
    assert used["errors"] == []
    assert (used["playing"], used["paused"]) == ("Pause", "Play")
    assert used["step"] == pytest.approx(1 / RATE)
    assert used["first"].startswith("0.000 s · crouch")
    assert used["later"] == pytest.approx(0.4)  # 24 frames of 1/60 s at full speed
    assert used["end"] == pytest.approx(1.2)


def test_the_scene_shows_the_robot(used):
    assert used["colours"] > COLOURS
    assert used["home"].startswith("0.000 s · crouch · com 0.2")
    assert "· flight ·" in used["flight"]
    assert used["flight"].endswith("ground force 0.00 m g")
    assert used["size"][0] == 700
    assert used["size"][1] > 200


def test_the_scene_turns_zooms_moves_and_goes_back(used):
    assert used["again"] <= SAME
    assert used["reset"] <= SAME
    assert used["reset_again"] <= SAME
    for action in ("forces", "traces", "all", "ghost", "turned", "zoomed", "moved", "pinched"):
        assert used[action] > 5 * SAME, action


def test_the_scene_names_what_it_lays_over_the_run(used):
    assert used["ghost_legend"] == "plan"
    assert used["all_legend"] == printable(HOSTILE)  # the other run's name, as text
    assert used["legend_hidden"]


def test_a_run_that_stopped_says_so_in_the_scene(used):
    said, hidden, end = used["second"]
    assert said.startswith("stopped at t = 0.8 s: <script>alert('x')</script>")
    assert not hidden
    assert end == pytest.approx(0.8)


def test_the_policy_of_the_scene_refuses_other_scripts(scene):
    spoilt = scene.with_name("spoilt.html")
    evil = "<script>document.title = 'ran'</script><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"
    spoilt.write_text(scene.read_text(encoding="utf-8").replace("</body>", f"{evil}</body>"), encoding="utf-8")
    done = browsed(spoilt, "--dump-dom")
    assert sum("Content Security Policy" in line for line in console(done)) == 2
    assert "<title>ran</title>" not in done.stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = study()
    full = dataclasses.replace(
        run,
        monte_carlo=monte_carlo(),
        hardware=hardware(run.logs["rigid"]),
        pictures={"the jump": TINY_PNG},
        failures={HOSTILE: HOSTILE * 4},
        notes=(HOSTILE, "x" * 300),
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(jump_page(full), encoding="utf-8")
    return path


def test_the_report_opens_with_its_pictures_and_without_an_error_and_prints(page):
    pdf = page.with_name("report.pdf")
    done = browsed(page, "--dump-dom", f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
    assert console(done) == []
    assert "<script" not in done.stdout
    pages = int(re.search(rb"/Type /Pages\s.*?/Count (\d+)", pdf.read_bytes(), re.S)[1])
    assert 4 <= pages <= 20  # measured 8


def test_nothing_of_the_report_and_the_scene_is_wider_than_the_window(page, scene):
    drawn_once = scene.read_text(encoding="utf-8").replace("setPlaying(true);", ";")  # not for 5 s
    pages = {"report": (page.read_text(encoding="utf-8"), MEASURE), "scene": (drawn_once, MEASURE)}
    frames = measured(pages, page.with_name("frames.html"))
    assert all(found["scroll"] <= found["width"] for of_page in frames.values() for found in of_page), frames
    assert [found["wide"] for found in frames["report"]] == [[], []]
