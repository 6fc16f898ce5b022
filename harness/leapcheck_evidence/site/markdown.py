"""Markdown that generated pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Text in a table's cell: one line, no bar that would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown already."""
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def anchor(name: str) -> str:
    """A name as part of an address: "mirror symmetry" becomes mirror-symmetry."""
    return re.sub(r"[^\w-]+", "-", name.lower()).strip("-")
