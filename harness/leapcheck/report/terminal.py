"""What the reports in the terminal share: colours, tables, and text that is never parsed as markup; 80 columns are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.report import words
from leapcheck.system.text import terminal_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

COLOURS = {"good": "green", "warn": "yellow", "bad": "red"}
FOLDED = 16
"""Columns: the least width of a column whose text may be broken."""
ASCII = str.maketrans({**dict(zip("✓≈✗…⁻¹²ᵀ" + words.TIMES + words.DASH, "+~x~-12Tx-", strict=True)), "±": "+-", "→": "->"})


@dataclass(frozen=True, slots=True)
class Summary:
    """What rich prints of a result; signs turn to ASCII where the terminal knows no others, colour only where it has it.

    `parts` yields the renderables from top to bottom, in ASCII alone where its argument is true.
    """

    parts: Callable[[bool], Iterator[Any]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """The parts."""
        yield from self.parts(options.ascii_only)


def rich_text(plain: bool, *parts: tuple[str, str]) -> Any:
    """Rich text of (text, style) parts, never parsed as markup; ASCII only where `plain`."""
    from rich.text import Text

    return Text.assemble(*((in_ascii(terminal_text(text)) if plain else terminal_text(text), style) for text, style in parts))


def headline(plain: bool, mark: words.Mark, sentence: str) -> Any:
    """The verdict in a word and in a sentence."""
    return rich_text(plain, (f"{mark.sign} {mark.word}: ", f"bold {COLOURS[mark.tone]}"), (sentence, "bold"))


def rich_table(*titles: str, padding: int = 1) -> Any:
    """A table with a rule below its titles: the first column is text, the others are figures."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, padding), safe_box=True, header_style="dim")
    for i, title in enumerate(titles):
        table.add_column(title, justify="right" if i else "left", no_wrap=True)
    return table


@dataclass(frozen=True, slots=True)
class FittingTable:
    """A table; on a terminal too narrow for it each row is a paragraph, its figures with their titles, so that no name is cut."""

    table: Any

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """The table or its rows."""
        yield from (self.table,) if self._width() <= options.max_width else self._paragraphs()

    def _width(self) -> int:
        """The least width in which columns without line breaks are whole and the others are worth reading."""
        widths = [max(len(str(cell)) for cell in (column.header, *column.cells)) for column in self.table.columns]
        least = [width if c.no_wrap else min(width, FOLDED) for width, c in zip(widths, self.table.columns, strict=True)]
        _, right, _, left = self.table.padding
        return sum(least) + int(left + right) * len(least)

    def _paragraphs(self) -> Iterator[Any]:
        """Two lines per row: its name, then its figures with their titles; what has no title belongs to the figure before it."""
        from rich.text import Text

        titles = [str(column.header) for column in self.table.columns]
        first = next(i for i, title in enumerate(titles) if title)
        for row in zip(*(column.cells for column in self.table.columns), strict=True):
            cells = [Text(cell) if isinstance(cell, str) else cell for cell in row]
            yield Text(" ").join(cell for cell in cells[: first + 1] if cell.plain.strip())
            figures = Text("  ", overflow="fold")
            for title, cell in zip(titles[first + 1 :], cells[first + 1 :], strict=True):
                if cell.plain.strip():
                    start = ", " if title and len(figures) > 2 else " " * (not title)
                    figures.append(start + f"{title} " * bool(title), style="dim").append_text(cell)
            yield figures


def in_ascii(text: str) -> str:
    """The text in ASCII: our signs by others, unknown letters as question marks."""
    return text.translate(ASCII).encode("ascii", "replace").decode()


def plain_text(renderable: Any, width: int = 80) -> str:
    """What rich prints of a renderable in a terminal without colours, `width` columns wide."""
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(renderable)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]
