"""What the reports in the terminal share: colours, and text that is shown and never obeyed."""

from __future__ import annotations

from typing import Any

from leapcheck.report import words

COLOURS = {"good": "green", "warn": "yellow", "bad": "red"}
ASCII = str.maketrans("✓≈✗…⁻¹²ᵀ" + words.TIMES + words.DASH, "+~x~-12Tx-")


def styled(plain: bool, *parts: tuple[str, str]) -> Any:
    """Rich text of (text, style) parts, never markup: what others named is shown, not obeyed; ASCII alone where `plain`."""
    from rich.text import Text

    return Text.assemble(*((in_ascii(words.printable(text)) if plain else words.printable(text), style) for text, style in parts))


def in_ascii(text: str) -> str:
    """The text in ASCII: our signs by others, unknown letters as question marks."""
    return text.translate(ASCII).encode("ascii", "replace").decode()
