"""A table as Markdown and in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType


def markdown_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """GitHub's Markdown; a bar in a cell becomes a stroke."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"


def console_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    """The same for rich."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for number, title in enumerate(titles):
        table.add_column(title, overflow="fold", no_wrap=number > 0)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
