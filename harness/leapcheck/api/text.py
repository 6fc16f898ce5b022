"""How results show themselves."""

from __future__ import annotations

from typing import Protocol


class Printer(Protocol):
    """IPython's printer."""

    def text(self, text: str) -> None:
        """Prints a text."""


class Text(str):
    """A text that a terminal or a notebook shows as it is, without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Shown:
    """A result with a short summary: `str` gives it, IPython shows it in a terminal."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        """What IPython shows in a terminal."""
        printer.text(repr(self) if cycle else str(self))
