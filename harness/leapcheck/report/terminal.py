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
