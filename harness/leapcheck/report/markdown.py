"""Markdown (GitHub's) out of any text: escaped, or a block of code."""

from __future__ import annotations

import re

from leapcheck.system.text import printable

ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_SPECIAL = re.compile(r"[\\`*<>\[\]|~$#&]|(?<![^\W_])_|_(?![^\W_])")


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def escape(text: str) -> str:
    """The text with everything that Markdown or HTML would read made harmless, in one line."""
    return _SPECIAL.sub(lambda match: ENTITIES.get(match[0], "\\" + match[0]), printable(text))


def code(text: str) -> Markdown:
    """The text as an indented code block, out of which nothing breaks."""
    return Markdown("\n".join(f"    {printable(line)}" for line in text.rstrip("\n").split("\n")))
