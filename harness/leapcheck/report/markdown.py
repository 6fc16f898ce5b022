"""What the Markdown texts (GitHub's) share: templates that escape what they show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leapcheck.report.page import FILTERS, Filters
from leapcheck.system.text import printable

if TYPE_CHECKING:
    from jinja2 import Environment

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


def markdown_environment(filters: Filters) -> Environment:
    """The templates of Markdown: what they show is escaped, but for what is `Markdown`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("leapcheck.report", "templates"),
        autoescape=False,  # `finalize` escapes for Markdown instead
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markdown) else escape(value) if isinstance(value, str) else value,
    )
    environment.filters |= {**FILTERS, "code": code, "ready": Markdown, **filters}
    return environment
