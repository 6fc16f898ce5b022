"""Attributes of an XML file changed in its text, every other byte as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr


class Edit(NamedTuple):
    """Bytes from `start` to `end` become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class StartTag:
    """An element: its tag, attributes, the number of its parent (-1 for the root), and the bytes of its start tag."""

    tag: str
    attributes: dict[str, str]
    parent: int
    start: int
    end: int


def start_tags(content: bytes) -> list[StartTag]:
    """All elements of an XML text in UTF-8, in document order; the file has been vetted by `read_xml`."""
    tags: list[StartTag] = []
    open_tags: list[int] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        first = parser.CurrentByteIndex
        tags.append(StartTag(tag, attributes, open_tags[-1] if open_tags else -1, first, _end_of_tag(content, first)))
        open_tags.append(len(tags) - 1)

    def end(_tag: str) -> None:
        open_tags.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(content, True)
    return tags


def _end_of_tag(content: bytes, start: int) -> int:
    """Where a start tag ends, behind its ">"; one may stand in quotation marks."""
    match = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""").match(content, start)
    assert match is not None  # expat has read it
    return match.end()


def set_attribute(content: bytes, tag: StartTag, name: str, value: str | None) -> Edit:
    """The edit that gives an attribute a value, a new one last in the tag; None takes it out."""
    text = content[tag.start : tag.end].decode()
    match = re.compile(rf"""(\s+{re.escape(name)}\s*=\s*)("[^"]*"|'[^']*')""").search(text)
    if match is None:
        assert value is not None  # there is nothing to take out
        closing = re.compile(r"\s*/?>$").search(text)
        assert closing is not None
        place = tag.start + len(text[: closing.start()].encode())
        return Edit(place, place, f" {name}={quoteattr(value)}")
    if value is None:
        return Edit(tag.start + len(text[: match.start()].encode()), tag.start + len(text[: match.end()].encode()), "")
    start = tag.start + len(text[: match.start(2)].encode())
    return Edit(start, tag.start + len(text[: match.end(2)].encode()), quoteattr(value))


def with_edits(content: bytes, edits: Iterable[Edit]) -> bytes:
    """The text with all edits, which do not overlap."""
    for edit in sorted(edits, reverse=True):
        content = content[: edit.start] + edit.text.encode() + content[edit.end :]
    return content
