"""The search of the site opened from a folder, without a network: its worker runs in a frame, in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "docs/javascripts/iframe-worker.js"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

PAGE = """<!DOCTYPE html><title>search</title><script src="iframe-worker.js"></script><script>
const worker = new Worker("part/worker.js")
worker.addEventListener("message", answer => {
  document.body.append(Object.assign(document.createElement("pre"), {id: "answer", textContent: answer.data.text}))
})
worker.postMessage({question: "where?"})
</script><body></body>"""

WORKER = """addEventListener("message", async asked => {
  const own = document.querySelector("script[src]").src.split("/part/")[0]
  await importScripts(`${own}/part/more.js`)
  postMessage({text: `${asked.data.question} ${more()} ${"IFrameWorker" in parent}`})
})"""


def test_the_site_takes_its_worker_from_itself() -> None:
    """The plugin for reading offline looks for this name, and else writes an address of the network into each page."""
    assert re.search(r"^  polyfills: \[javascripts/iframe-worker\.js\]", (ROOT / "mkdocs.yml").read_text(), re.M)


@pytest.mark.skipif(BROWSER is None, reason="no chromium on the PATH")
def test_a_worker_answers_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    for name, text in (("page.html", PAGE), ("part/worker.js", WORKER), ("part/more.js", "const more = () => 'here'")):
        (tmp_path / name).write_text(text)
    shutil.copy(SCRIPT, tmp_path)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={profile}",
        )
        command = [str(BROWSER), *flags, "--dump-dom", "--virtual-time-budget=5000", (tmp_path / "page.html").as_uri()]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True).stdout
    assert '<pre id="answer">where? here true</pre>' in shown
