"""What the pages and the Markdown texts share: their templates with filters, drawings, style sheets and their hashes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from leapcheck.report import markdown, svg, words
from leapcheck.system.text import printable

if TYPE_CHECKING:
    from jinja2 import Environment

Filters = Mapping[str, Callable[..., Any]]

FILTERS: Filters = {
    "number": words.number,
    "precise": words.precise,
    "factor": words.factor,
    "margin": words.margin,
    "percent": words.percent,
    "unit": words.unit,
    "quantity": words.quantity_label,
    "mark": words.MARKS.__getitem__,
}
"""Filters of pages and of Markdown alike."""


def page_environment(filters: Filters) -> Environment:
    """The templates of pages: what they show is escaped, but for element trees (`svg`) and our own sources (`css`)."""
    from markupsafe import Markup, escape

    from leapcheck.report.templating import page_templates

    own: Filters = {
        "css": Markup,  # our own style sheet
        "svg": lambda node: Markup(svg.markup(node)),  # an element tree: escaped when it was serialised
        "code": _code,
        "unbroken": lambda text: Markup(words.unbroken(str(escape(printable(text))))),
    }
    return page_templates({**FILTERS, **own, **filters})


def markdown_environment(filters: Filters) -> Environment:
    """The templates of Markdown: what they show is escaped, but for what is `Markdown`."""
    from leapcheck.report.templating import markdown_templates

    return markdown_templates({**FILTERS, "code": markdown.code, "ready": markdown.Markdown, **filters})


def page_source(environment: Environment, *names: str) -> tuple[str, str]:
    """(text, hash as a Content-Security-Policy writes it) of style sheets or scripts among the templates, one after the other."""
    assert environment.loader is not None
    text = "\n".join(environment.loader.get_source(environment, name)[0].strip() for name in names)
    return text, "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(
    template: str,
    filters: Filters,
    context: Mapping[str, Any],
    styles: tuple[str, ...] = ("style.css",),
    scripts: tuple[str, ...] = (),
) -> str:
    """A self-contained page: styles, script and drawings inside, everything else escaped; deterministic.

    Its Content-Security-Policy allows the page's own style sheet and script, by their hashes, pictures that stand in the page,
    and nothing else.
    """
    environment = page_environment(filters)
    style, style_hash = page_source(environment, *styles)
    source, script_hash = page_source(environment, *scripts)
    return environment.get_template(template).render(
        style=style, style_hash=style_hash, script=source, script_hash=script_hash, **context
    )


def _code(text: str) -> Any:
    """A text of several lines, escaped, its lines kept."""
    from markupsafe import Markup, escape

    return Markup("\n").join(escape(printable(line)) for line in text.rstrip("\n").split("\n"))
