"""Values as Python text: on one line where it fits, numbers with all their digits."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

WIDTH = 116


def python_text(value: Any, indent: int = 0) -> str:
    """Nested tuples, lists, dicts, arrays, texts and numbers as a Python literal whose lines are `indent` further in."""
    return _text(_plain(value), indent)


def text_literal(text: str) -> str:
    """A text of several lines as a Python literal, unchanged where that is possible."""
    if "\\" in text or '"""' in text or text.endswith('"') or not all(c.isprintable() or c == "\n" for c in text):
        return repr(text)
    return f'"""\\\n{text}"""'


def comment(text: str, indent: str = "# ") -> str:
    """A text as comment lines: whatever it contains, it stays a comment."""
    words = "".join(c if c.isprintable() else " " for c in text)
    return "\n".join(textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False))


def import_lines(text: str) -> str:
    """The lines of imports in a text, each once, those of names last."""
    lines = {line.strip() for line in text.splitlines() if line.strip()}
    return "\n".join(sorted(lines, key=lambda line: (line.startswith("from"), line)))


def wrap(text: str) -> str:
    """Prose in lines."""
    return "\n".join(textwrap.wrap(text, WIDTH, break_on_hyphens=False))


def plain(text: str) -> str:
    """A text for a docstring: printable, in one line, without quotes and backslashes."""
    return "".join(c if c.isprintable() and c not in '"\\' else " " for c in text)


def _leaf(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and value.isprintable() and not set(value) & set('"\\') else repr(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _text(value: Any, indent: int) -> str:
    flat = _in_one_line(value)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list | tuple):
        return flat
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]") if isinstance(value, list) else ("(", ")")
    inner = indent + 2
    if isinstance(value, dict):
        lines = _fill([f"{_leaf(key)}: {_text(item, inner)}" for key, item in value.items()], WIDTH - inner)
    else:
        items = [_text(item, inner) for item in value]
        lines = items if any(isinstance(item, dict | list | tuple) for item in value) else _fill(items, WIDTH - inner)
    separator = f",\n{' ' * inner}"
    return f"{opening}\n{' ' * inner}{separator.join(lines)},\n{' ' * indent}{closing}"


def _fill(items: Sequence[str], width: int) -> list[str]:
    """Items side by side, as many as fit on one line."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


def _in_one_line(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_leaf(key)}: {_in_one_line(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_in_one_line(item) for item in value) + "]"
    if isinstance(value, tuple):
        parts = [_in_one_line(item) for item in value]
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return _leaf(value)
