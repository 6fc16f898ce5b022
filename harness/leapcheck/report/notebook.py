"""What a notebook shows of a run: a fragment of HTML with inline styles and no script, readable on light and dark ground."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from leapcheck.report.page import page_environment
from leapcheck.report.words import Mark

COLOURS = {"good": "#2f855a", "warn": "#b7791f", "bad": "#d64545", "": "inherit"}


@dataclass(frozen=True, slots=True)
class NotebookRow:
    """A row of the table: its cells as text, and the tone of its figures."""

    cells: tuple[str, ...]
    tone: str = ""


def notebook_html(
    headline: Mark,
    subject: str,
    sentence: str,
    header: Sequence[str],
    rows: Sequence[NotebookRow],
    notes: Sequence[str],
    text: Collection[int] = (0,),
) -> str:
    """The verdict, a table and notes; every text is escaped. Columns `text` hold texts, the others figures."""
    template = page_environment({"colour": COLOURS.__getitem__}).get_template("notebook.html.j2")
    context = {
        "headline": headline,
        "subject": subject,
        "sentence": sentence,
        "header": header,
        "rows": rows,
        "notes": notes,
        "text": text,
    }
    return template.render(context).strip()
