"""The page in a real headless Chromium, from the disk and without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import escape, unescape
from importlib.resources import files
from pathlib import Path

import pytest

from leapcheck.report.comparison.page import html_report
from leapcheck.report.comparison.tables import in_eps, truth_table, verdict_table
from leapcheck.report.words import DASH, quantity_label
from tests.harness.report.judged_case import judged

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome-headless-shell")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--v=0",
)
SECONDS = 300  # one start takes 1 to 2 s, the frames 20 s of CPU, minutes on a busy machine; a stuck browser is ended
WIDTHS = (360, 1400)  # px: the narrowest phone in use, a desktop window

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(BROWSERS)} is on the PATH")

MEASURE = """<script>addEventListener("load", () => {
  const wide = [...document.querySelectorAll("body :not(svg *)")].filter(e => e.getBoundingClientRect().right > innerWidth + 0.5
    && !e.closest(".scroll, svg.wide, pre, nav")).map(e => e.outerHTML.slice(0, 80));
  parent.postMessage({width: innerWidth, scroll: document.documentElement.scrollWidth, wide: wide}, "*")
})</script>"""

TABLE = """<script>addEventListener("load", () => {
  const box = document.querySelector("[aria-label='Error of each engine against the truth']")
  const rows = [...box.querySelectorAll("tbody tr")]
  const left = e => e.getBoundingClientRect().left, right = e => e.getBoundingClientRect().right
  box.scrollLeft = 0
  const columns = [...box.querySelectorAll("thead th")].slice(1).map((_, i) => rows.map(row => row.cells[i + 1])
    .filter(cell => cell.querySelector("span")?.innerText.length <= 4).map(cell => left(cell.querySelector("span"))))
  box.scrollLeft = box.scrollWidth
  parent.postMessage({
    width: innerWidth,
    cells: rows.map(row => [...row.cells].map(cell => cell.innerText)),
    scrolled: box.scrollLeft,
    names: Math.max(...rows.map(row => Math.abs(left(row.cells[0]) - left(box)))),
    last: Math.max(...rows.map(row => right(row.cells[row.cells.length - 1]) - right(box))),
    spread: Math.max(...columns.filter(c => c.length).map(c => Math.max(...c) - Math.min(...c))),
  }, "*")
})</script>"""

FRAMES = """<!DOCTYPE html><pre id="found"></pre><script>
  const found = []
  addEventListener("message", m => {
    const frame = [...document.querySelectorAll("iframe")].find(frame => frame.contentWindow === m.source)
    found.push({...m.data, page: frame.title})
    document.getElementById("found").textContent = JSON.stringify(found)
  })
</script>"""


def browsed(page: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """The browser's output for a page opened from the disk."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(BROWSER), *FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)


def console(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What the page said on the browser's console: errors of scripts, refused resources, broken policy."""
    return [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def measured(pages: dict[str, tuple[str, str]], place: Path, widths: tuple[int, ...] = WIDTHS) -> dict[str, list[dict]]:
    """What a script says of each page (its text and the script) in a frame of each width, all in one start of the browser: of
    copies without the policy, everything unfolded.
    """
    frames = []
    for name, (text, script) in pages.items():
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        text = escape(text.replace("<details", "<details open").replace("</body>", f"{script}</body>"))
        for width in widths:
            frames.append(f'<iframe title="{name}" style="border: 0; width: {width}px; height: 900px" srcdoc="{text}"></iframe>')
    place.write_text(FRAMES + "".join(frames), encoding="utf-8")
    done = browsed(place, "--dump-dom", "--virtual-time-budget=5000")
    found = json.loads(unescape(re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)[1]))
    by_page = {name: sorted((m for m in found if m["page"] == name), key=lambda m: m["width"]) for name in pages}
    assert {name: [m["width"] for m in of_page] for name, of_page in by_page.items()} == dict.fromkeys(pages, sorted(widths))
    return by_page


@pytest.fixture(scope="module")
def page(hostile_run, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_report(hostile_run), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def opened(page):
    """The page opened once: its document, and it printed."""
    return browsed(page, "--dump-dom", f"--print-to-pdf={page.with_name('report.pdf')}", "--no-pdf-header-footer")


TABLES = """<script>addEventListener("load", () => {
  const shown = selector => [...document.querySelectorAll(selector)].filter(e => e.offsetParent !== null)
  const table = document.querySelector("[aria-label='Verdicts by quantity'] table")
  const names = () => [...table.tBodies[0].rows].map(row => row.cells[0].innerText)
  const first = names(), button = table.tHead.rows[0].cells[1].querySelector("button")
  const figures = () => [...table.tBodies[0].rows].map(row => parseFloat(row.cells[1].innerText.replace(/[^\\d.e-]/g, "")))
  button.click()
  const up = figures()
  button.click()
  const down = figures(), sorted = table.querySelector("[aria-sort]").getAttribute("aria-sort")
  const [engine, quantity] = document.querySelectorAll(".filters select")
  engine.value = "2"
  quantity.value = "1"
  engine.dispatchEvent(new Event("change", {bubbles: true}))
  parent.postMessage({
    width: innerWidth, first: first, up: up, down: down, sorted: sorted,
    heads: shown("[aria-label='Verdicts by quantity'] thead th").map(e => e.innerText.trim()),
    rows: shown("[aria-label='Verdicts by quantity'] tbody th").map(e => e.innerText.trim()),
    anchors: document.querySelectorAll("h2 a.anchor").length,
  }, "*")
})</script>"""

AXE = """<script>addEventListener("load", async () => {
  const kinds = new WeakMap()
  const thin = e => {
    const seen = new Set()
    for (const child of [...e.children]) {
      thin(child)
      if (seen.has(kinds.get(child)) && !child.matches("th, td")) child.remove() // a cell's column may give it its colour
      seen.add(kinds.get(child))
    }
    const look = ["class", "style", "fill", "open"].map(name => e.getAttribute(name))
    const says = [...e.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())
    kinds.set(e, JSON.stringify([e.tagName, look, says, [...e.children].map(child => kinds.get(child))]))
  }
  const found = await axe.run(document, {resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}})
  thin(document.body)
  const contrast = await axe.run(document, {runOnly: {type: "rule", values: ["color-contrast"]}})
  const places = violation => violation.nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join("; ")
  const violations = [...found.violations, ...contrast.violations].map(v => `${v.id}: ${places(v)}`)
  parent.postMessage({width: innerWidth, violations: violations, texts: contrast.passes[0].nodes.length}, "*")
})</script>"""
"""What axe finds. The contrast of a text, nine tenths of its time, depends on the looks of the text and of what it stands in:
it is measured where elements that look like one before them, with all they hold, are left out."""


def dark(text: str) -> str:
    """The page as one who prefers dark colours sees it."""
    return text.replace("(prefers-color-scheme: dark)", "all")


@pytest.fixture(scope="module")
def frames(page, judged_page, run, judged_run, small_run, tmp_path_factory):
    """All that scripts say of the pages, in one start of the browser."""
    small = html_report(judged(small_run))
    pages = {
        "page": (page.read_text(encoding="utf-8"), MEASURE),
        "judged page": (judged_page.read_text(encoding="utf-8"), MEASURE),
        "table": (html_report(run), TABLE),
        "copy": (small, COPY),
        "copy without clipboard": (small, COPY_WITHOUT_CLIPBOARD),
        "tables": (html_report(judged_run), TABLES),
    }
    return measured(pages, tmp_path_factory.mktemp("frames") / "frames.html")


def test_it_opens_without_an_error_and_holds_the_verdict(opened, hostile_run):
    done = opened
    assert console(done) == []
    headline = re.search(r'<h1[^>]*id="verdict">(.*?)</h1>', done.stdout, re.S)[1]
    assert re.sub(r"<[^>]+>", "", headline).strip().endswith("Discrepancy")
    assert escape(hostile_run.engines[0].name, quote=False) in done.stdout
    assert done.stdout.count("<script") == 1


def test_its_policy_refuses_scripts_styles_and_pictures(page):
    """A page with its policy intact but spoilt: the console shows that nothing of it ran, and that the console is heard."""
    spoilt = page.with_name("spoilt.html")
    evil = (
        "<script>document.title = 'ran'</script><p style='color: red'></p><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"
    )
    spoilt.write_text(page.read_text(encoding="utf-8").replace("</body>", f"{evil}</body>"), encoding="utf-8")
    done = browsed(spoilt, "--dump-dom")
    assert sum("Content Security Policy" in line for line in console(done)) == 3
    assert "<title>ran</title>" not in done.stdout


@pytest.mark.parametrize("name", ["page", "judged page"])
def test_nothing_is_wider_than_the_window(frames, name):
    """Wide tables scroll in their own box."""
    for found in frames[name]:
        assert found["scroll"] <= found["width"], found["wide"][:5]
        assert found["wide"] == []


def test_the_table_against_the_truth_can_be_read_on_a_phone(run, frames):
    """Scrolled to its last engine the quantities still stand at its left, and median and worst part in one line down a column."""
    narrow, wide = frames["table"]
    assert narrow["scrolled"] > 0
    assert wide["scrolled"] == 0
    table = truth_table(run)
    for found in (narrow, wide):
        assert [row[0] for row in found["cells"]] == [quantity_label(name) for name in table.rows]
        for name, row in zip(table.rows, found["cells"], strict=True):
            for engine, cell in zip(table.engines, row[1:], strict=True):
                a = table.cell(name, engine)
                assert cell.removeprefix("✗ ") == (" / ".join(in_eps(a)) if a else DASH)
        assert found["names"] < 1.0
        assert found["last"] < 1.0
        assert found["spread"] < 1.0


def test_tables_are_sorted_and_filtered(judged_run, frames):
    table = verdict_table(judged_run)
    engine, quantity = judged_run.engines[1].name, table.quantities[0]
    for found in frames["tables"]:
        assert found["first"] == [quantity_label(name) for name in table.quantities]
        assert (found["up"], found["down"]) == (sorted(found["up"]), sorted(found["down"], reverse=True))
        assert found["up"][0] < found["up"][-1]
        assert found["sorted"] == "descending"
        assert (found["heads"], found["rows"]) == (["quantity", engine], [quantity_label(quantity)])
        assert found["anchors"] > 5


@pytest.mark.parametrize(
    ("colours", "width"),
    [
        (str, max(WIDTHS)),
        (dark, min(WIDTHS)),
        pytest.param(str, min(WIDTHS), marks=pytest.mark.slow),
        pytest.param(dark, max(WIDTHS), marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing(judged_run, tmp_path, colours, width):
    """Contrast, names of controls, landmarks, order of headings; everything unfolded.

    Each in a browser of its own: frames beside each other take axe five times as long.
    """
    axe = f"<script>{(files('axe_core_python') / 'axe.min.js').read_text(encoding='utf-8')}</script>"
    pages = {"page": (colours(html_report(judged_run)), axe + AXE)}
    (found,) = measured(pages, tmp_path / "frames.html", (width,))["page"]
    assert found["violations"] == []
    assert found["texts"] > 400  # 767 at 1400 px: one of each look


def test_it_prints(opened, page):
    content = page.with_name("report.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    pages = int(re.search(rb"/Type /Pages\s.*?/Count (\d+)", content, re.S)[1])
    assert 5 <= pages <= 30  # 12: every section, none cut off in one endless page


COPY = """<script>addEventListener("load", async () => {
  const button = document.querySelector("button.copy"), text = button.nextElementSibling
  let copied = null
  Object.defineProperty(navigator, "clipboard", {value: {writeText: async said => { copied = said }}})
  button.click()
  await new Promise(done => setTimeout(done, 50))
  const box = button.getBoundingClientRect(), around = text.getBoundingClientRect()
  parent.postMessage({
    width: innerWidth, copied: copied, said: button.textContent,
    inside: box.right <= around.right && box.top >= around.top && box.bottom <= around.bottom,
  }, "*")
})</script>"""

COPY_WITHOUT_CLIPBOARD = COPY.replace("{value: {writeText: async said => { copied = said }}}", "{value: undefined}").replace(
    "copied: copied", "copied: getSelection().toString()"
)


@pytest.fixture(scope="module")
def judged_page(hostile_judged_run, tmp_path_factory):
    path = tmp_path_factory.mktemp("judged") / "report.html"
    path.write_text(html_report(hostile_judged_run), encoding="utf-8")
    return path


def test_a_judged_page_opens_without_an_error_and_runs_its_own_script_alone(judged_page):
    spoilt = judged_page.with_name("spoilt.html")
    evil = "<script>document.title = 'ran'</script>"
    spoilt.write_text(judged_page.read_text(encoding="utf-8").replace("</body>", f"{evil}</body>"), encoding="utf-8")
    assert console(browsed(judged_page, "--dump-dom")) == []
    done = browsed(spoilt, "--dump-dom")
    assert sum("Content Security Policy" in line for line in console(done)) == 1
    assert "<title>ran</title>" not in done.stdout


@pytest.mark.parametrize("name", ["copy", "copy without clipboard"])
def test_a_script_is_copied_whole(frames, name, judged_run):
    for found in frames[name]:
        assert found["copied"].rstrip("\n") == judged_run.reproducers[0].script.rstrip("\n")
        assert found["said"] == "copied"
        assert found["inside"]
