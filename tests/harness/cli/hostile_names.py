"""Names that would steer whoever reads them, robots that have them, and what shows that nothing was obeyed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.sax.saxutils import quoteattr

from markdown_it import MarkdownIt

from leapcheck_models.robots import load
from leapcheck_models.spec import as_json
from leapcheck_models.urdf import urdf_text
from tests.harness.report.test_browser import BROWSER, browsed, console

SEEN = "::error::=1+1<img src=x onerror=PWNED()>"
"""A name that validation lets pass: every character is printable."""

UNSEEN = "\u202e\x85" + SEEN
"""One with a reversal of the line and a control character, for names that no validation sees."""

OBEYED = re.compile(r"^\s*::(error|warning)|##\[|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", re.M)
"""What a terminal, or the runner of a CI, obeys."""

FILE = UNSEEN.replace("/", "")
"""The same as the name of a file."""

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

TABLE_TAGS = ("table", "thead", "tbody", "tr", "th", "td")


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
    file = folder / (f"{FILE}.xml" if kind == "xml" else f"robot.{kind}")
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
    scripts = [tag for tag, _ in Page(pages[0]).seen if tag == "script"]
    assert len(scripts) == pages[0].count("<script")


def check_markdown(text: str) -> None:
    """A reader of Markdown makes no picture, link or other element out of a name."""
    tags = {tag for tag, _ in Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text)).seen}
    assert tags <= {"h1", "h2", "h3", "p", "ul", "ol", "li", "pre", "code", "strong", "em", "br", *TABLE_TAGS}, tags
