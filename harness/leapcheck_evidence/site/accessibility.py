"""axe on every page of the built site, light and dark: what makes a page hard to use."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from html import unescape
from importlib.resources import files
from pathlib import Path

SCHEMES = ("default", "slate")
LEFT_OUT = re.compile(r"/404\.html$|/gallery/")
"""What only a server shows, with addresses from its root. Reports of the gallery have a test of their own."""

BATCH = 12
"""Pages of one start of the browser."""

BROWSER_SECONDS = 240

PROBE = """<style>* {{ transition: none !important }}</style><script src="{axe}"></script>
<script>addEventListener("load", async () => {{
  document.body.setAttribute("data-md-color-scheme", "{scheme}")
  await new Promise(done => setTimeout(done, 300))
  const rules = {{"color-contrast-enhanced": {{enabled: false}}}}
  const answer = await axe.run(document, {{rules, resultTypes: ["violations"], iframes: false}})
  const found = answer.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160)])
  parent.postMessage({{page: "{page}", found}}, "*")
}})</script></body>"""

COLLECTOR = """<!DOCTYPE html><pre id="answers"></pre><script>
const answers = {}
addEventListener("message", m => {
  if (m.data.page) answers[m.data.page] = m.data.found
  document.getElementById("answers").textContent = JSON.stringify(answers)
})</script>"""


def violations(site: Path, only: str = "") -> dict[str, list[tuple[str, int, str]]]:
    """By page (those with `only` in their path) and scheme: rule, how often, the first place; empty where nothing is wrong.

    Raises RuntimeError where there is no browser or it gives no answer for a page.
    """
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise RuntimeError("no chromium: install it to run axe")
    pages = sorted(path for path in site.resolve().rglob("*.html") if only in str(path) and not LEFT_OUT.search(str(path)))
    answers: dict[str, list[tuple[str, int, str]]] = {}
    for start in range(0, len(pages), BATCH):
        answers |= _answers(browser, site.resolve(), pages[start : start + BATCH])
    wanted = {_title(site.resolve(), page, scheme) for page in pages for scheme in SCHEMES}
    if missing := sorted(wanted - set(answers)):
        raise RuntimeError(f"axe gives no answer for {missing[0]} and {len(missing) - 1} more: run it again on a quieter machine")
    return answers


def _answers(browser: str, site: Path, pages: list[Path]) -> dict[str, list[tuple[str, int, str]]]:
    copies = list(_copies(site, pages))
    collector = site / "_axe.html"
    try:
        frames = "".join(f'<iframe src="{copy.as_uri()}" style="width: 1300px; height: 900px"></iframe>' for copy in copies)
        collector.write_text(COLLECTOR + frames, encoding="utf-8")
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            flags = [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--allow-file-access-from-files",
                f"--user-data-dir={profile}",
            ]
            command = [browser, *flags, "--dump-dom", "--virtual-time-budget=60000", collector.as_uri()]
            done = subprocess.run(command, capture_output=True, text=True, timeout=BROWSER_SECONDS, check=True)
    finally:
        for path in (*copies, collector):
            path.unlink(missing_ok=True)
    text = re.search(r'<pre id="answers">(.*?)</pre>', done.stdout, re.DOTALL)
    answers: dict[str, list[tuple[str, int, str]]] = json.loads(unescape(text[1]) or "{}") if text else {}
    return answers


def _copies(site: Path, pages: list[Path]) -> Iterator[Path]:
    """Copies of the pages, beside them, with axe in them: one for each scheme."""
    axe = Path(str(files("axe_core_python") / "axe.min.js")).as_uri()
    for page in pages:
        for scheme in SCHEMES:
            probe = PROBE.format(axe=axe, scheme=scheme, page=_title(site, page, scheme))
            copy = page.with_name(f"_{scheme}_{page.name}")
            copy.write_text(page.read_text(encoding="utf-8").replace("</body>", probe), encoding="utf-8")
            yield copy


def _title(site: Path, page: Path, scheme: str) -> str:
    return f"{page.relative_to(site)} {scheme}"
