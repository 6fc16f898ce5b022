"""The committed pages in a real headless Chromium: the program wrote them, no policy is violated, and their scripts ran."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from pathlib import Path

import pytest
from PIL import Image

from tests.harness.report.test_browser import BROWSER, browsed, console

REPORTS = Path(__file__).parents[1] / "reports"
PAGES = sorted(REPORTS.rglob("*.html"))
SCENES = [page for page in PAGES if page.name == "scene3d.html"]

LEAST_COLOURS = 200
"""Colours of a window that shows the robot on its floor; measured 1000 and more, a blank one has some ten."""

needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium: apt-get install chromium")


def name(page: Path) -> str:
    return page.relative_to(REPORTS).as_posix()


def test_there_are_pages_and_a_scene() -> None:
    assert len(PAGES) >= 3
    assert SCENES


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_policy_of_a_page_allows_its_own_style_and_script(page: Path) -> None:
    """The hash of each is the one in the policy: nobody edited them by hand."""
    text = page.read_text(encoding="utf-8")
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    sources = re.findall(r"<(style|script)>(.*?)</\1>", text, re.S)
    assert sources
    for kind, source in sources:
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


@needs_browser
@pytest.mark.parametrize("page", [page for page in PAGES if page not in SCENES], ids=name)
def test_a_page_opens_without_an_error(page: Path) -> None:
    assert console(browsed(page, "--dump-dom")) == []


@needs_browser
@pytest.mark.parametrize("scene", SCENES, ids=name)
def test_a_scene_opens_without_an_error_and_draws_the_robot(scene: Path, tmp_path: Path) -> None:
    picture = tmp_path / "scene.png"
    done = browsed(scene, "--dump-dom", f"--screenshot={picture}", "--window-size=900,700")
    assert console(done) == []
    state = re.search(r'<output id="state"[^>]*>([^<]*)<', done.stdout)[1]
    assert re.fullmatch(r"\d\.\d{3} s · \w+ · com 0\.\d{3} m · ground force \d\.\d\d m g", state)
    colours = Image.open(picture).convert("RGB").getcolors(maxcolors=1 << 24)
    assert len(colours) > LEAST_COLOURS
