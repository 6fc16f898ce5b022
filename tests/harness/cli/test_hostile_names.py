"""Names that would steer whoever reads them, planted wherever a name can come from, through every output of the command line."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

import pytest

from leapcheck_models.robots import load
from leapcheck_models.spec import as_json
from leapcheck_models.urdf import urdf_text
from tests.harness.cli.command_line import Leapcheck
from tests.harness.report.test_browser import BROWSER, browsed, console

SEEN = "::error::=1+1<img src=x onerror=PWNED()>"
"""A name that validation lets pass: every character is printable."""

UNSEEN = "\u202e\x85" + SEEN
"""One with a reversal of the line and a control character, for names that no validation sees."""

OBEYED = re.compile(r"^\s*::(error|warning)|##\[|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", re.M)
"""What a terminal, or the runner of a CI, obeys."""

MJCF = f"""<mujoco model={quoteattr(SEEN + "model")}>
  <asset><texture name="t" file={quoteattr(UNSEEN + ".png")} type="2d"/><material name={quoteattr(UNSEEN)} texture="t"/>
    <mesh name={quoteattr(UNSEEN)} file={quoteattr(UNSEEN + ".stl")}/></asset>
  <worldbody><body name={quoteattr(SEEN + "upper")}><inertial mass="1" pos="0.1 0 0" diaginertia="1 1 1"/>
    <joint name={quoteattr(SEEN + "hip")} axis="0 1 0"/><site name={quoteattr(UNSEEN)}/><camera name={quoteattr(UNSEEN)}/>
    <geom name={quoteattr(UNSEEN)} type="mesh" mesh={quoteattr(UNSEEN)} material={quoteattr(UNSEEN)}/>
    <body name={quoteattr("=" + SEEN)} pos="0.3 0 0">
      <joint name={quoteattr("-" + SEEN)}/><geom size="0.1" pos="0.2 0.1 0"/></body>
  </body></worldbody>
  <actuator><motor name={quoteattr(SEEN)} joint={quoteattr(SEEN + "hip")} ctrllimited="true" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name={quoteattr(UNSEEN)} joint={quoteattr(SEEN + "hip")}/></sensor>
  <keyframe><key name={quoteattr(SEEN)} qpos="0.1 0.2"/></keyframe>
</mujoco>"""

ENGINE = """
from leapcheck_reference import build, mass_matrix

class Heavy:
    name = version = NAME
    quantities = ["mass_matrix"]

    def __init__(self, tree):
        self.tree = tree

    def mass_matrix(self, q):
        print(NAME)
        if abs(q[0]) > 3:
            raise ValueError(NAME)
        return 1.01 * mass_matrix(self.tree, q)

def make(spec):
    return Heavy(build(spec))
""".replace("NAME", repr(UNSEEN))


class Page(HTMLParser):
    """The tags of a page and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def robot(kind: str, folder: Path) -> str:
    """A robot file of that kind with hostile names; of an MJCF its own name is one, too."""
    file = folder / (f"{UNSEEN.replace('/', '')}.xml" if kind == "xml" else f"robot.{kind}")
    plain = load("two_link_arm")
    text = {"xml": lambda: MJCF, "urdf": lambda: urdf_text(plain), "json": lambda: as_json(plain)}[kind]()
    if kind != "xml":
        body, joint = plain.bodies[-1].name, plain.bodies[-1].joint.name
        for name in (body, joint):
            hostile = SEEN + name
            text = text.replace(f'"{name}"', quoteattr(hostile) if kind == "urdf" else json.dumps(hostile))
    file.write_text(text, encoding="utf-8")
    return str(file)


def check_shown(text: str) -> None:
    """Nothing in a text for terminals is obeyed."""
    found = OBEYED.search(text)
    assert found is None, ascii(text[max(0, found.start() - 80) : found.end() + 40])


@pytest.mark.parametrize("kind", ["xml", "urdf", "json"])
def test_lint_shows_names_and_obeys_none(kind: str, tmp_path: Path, leapcheck: Leapcheck) -> None:
    said = leapcheck("lint", robot(kind, tmp_path))
    assert said.status == 0
    assert "PWNED" in said.out
    check_shown(said.out + said.err)


@pytest.mark.parametrize("word", ["{}.xml", "{}.urdf", "{}.json", "{}", "no_module:{}"])
def test_a_refusal_shows_names_and_obeys_none(word: str, leapcheck: Leapcheck) -> None:
    for command in (("lint",), ("compare",), ("explain",), ("compare", "box", "--engine"), ("compare", "box", "--states-file")):
        said = leapcheck(*command, word.format("\x1b[31m\n##[error]" + UNSEEN.replace("/", "")))
        assert said.status == 2
        assert said.err.count("\n") == 1
        check_shown(said.out + said.err)


@pytest.mark.parametrize("kind", ["xml", "urdf", "json"])
def test_every_output_of_a_comparison_shows_names_and_obeys_none(
    kind: str, tmp_path: Path, leapcheck: Leapcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    (tmp_path / "hostile_engine.py").write_text(ENGINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    engine = f"{UNSEEN.replace('/', '')}.toml"
    (tmp_path / engine).write_text('python = "hostile_engine:make"')
    words = ("--engines", "reference", "mujoco", "--engine", engine, "--quantities", "mass_matrix", "--states", "32")
    said = leapcheck("compare", robot(kind, tmp_path), *words, "--out", "out", "--junit", "out/junit.xml", "--github")
    assert said.status == 1, said
    commands = [line for line in said.out.splitlines() if line.startswith("::")]
    assert commands
    assert all(line.startswith("::error title=leapcheck%3A ") for line in commands)
    check_shown("\n".join(line for line in said.out.splitlines() if line not in commands) + said.err)
    check_shown(re.sub("^::error title=leapcheck%3A ", "", "\n".join(commands), flags=re.M))
    out = tmp_path / "out"
    for text in (
        leapcheck("explain", "out").out,
        leapcheck("explain", "out", "--details").out,
        leapcheck("diff", "out", "out").out,
    ):
        check_shown(text)
    baseline = leapcheck("baseline", "out", "--out", "accepted.json", "--reason", SEEN)
    check_shown(baseline.out + baseline.err)
    check_page(out / "report.html")
    for markdown in (out / "report.md", summary):
        assert "<img" not in re.sub(r"^    .*$|`[^`]*`", "", markdown.read_text(encoding="utf-8"), flags=re.M)
    for table in out.glob("*.csv"):
        for row in csv.reader(StringIO(table.read_text(encoding="utf-8"))):
            assert not [cell for cell in row if re.match(r"[=@\t\r]|[+-](?![\d.]|inf|nan)", cell)], table
    tags = {element.tag for element in ET.parse(out / "junit.xml").iter()}
    assert tags <= {"testsuites", "testsuite", "testcase", "failure", "error", "skipped", "properties", "property", "system-out"}
    assert json.loads((out / "results.json").read_text(encoding="utf-8"))["provenance"]


def check_page(page: Path) -> None:
    """No element came out of a name, for a parser and for a browser, which runs no script but the page's own."""
    assert "PWNED" in page.read_text(encoding="utf-8")
    pages = [page.read_text(encoding="utf-8")]
    if BROWSER is not None:
        done = browsed(page, "--dump-dom")
        assert console(done) == []
        pages.append(done.stdout)
    for text in pages:
        seen = Page(text).seen
        assert not [tag for tag, attributes in seen if tag == "img" or any(key.startswith("on") for key in attributes)]
    check = [tag for tag, _ in Page(pages[0]).seen if tag == "script"]
    assert len(check) == pages[0].count("<script>")
