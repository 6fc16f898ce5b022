"""Values as Python or JSON text: on one line where it fits, numbers with all their digits."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

WIDTH = 116

Leaf = Callable[[Any], str]


def python_text(value: Any, indent: int = 0) -> str:
    """Nested tuples, lists, arrays, texts and numbers as a Python literal whose lines are `indent` further in."""
    return _text(_plain(value), _python_leaf, indent)


def json_text(value: Any) -> str:
    """Nested dicts, lists, texts, numbers and None as JSON."""
    return _text(value, json.dumps, 0)


def text_literal(text: str) -> str:
    """A text of several lines as a Python literal, unchanged where that is possible."""
    if "\\" in text or '"""' in text or text.endswith('"') or not all(c.isprintable() or c == "\n" for c in text):
        return repr(text)
    return f'"""\\\n{text}"""'


def comment(text: str, indent: str = "# ") -> str:
    """A text as comment lines: whatever it contains, it stays a comment."""
    words = "".join(c if c.isprintable() else " " for c in text)
    return "\n".join(textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False))


def wrap(text: str) -> str:
    """Prose in lines."""
    return "\n".join(textwrap.wrap(text, WIDTH, break_on_hyphens=False))


def plain(text: str) -> str:
    """A text for a docstring: printable, in one line, without quotes and backslashes."""
    return "".join(c if c.isprintable() and c not in '"\\' else " " for c in text)


def _python_leaf(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and value.isprintable() and not set(value) & set('"\\') else repr(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _text(value: Any, leaf: Leaf, indent: int) -> str:
    flat = _in_one_line(value, leaf)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list | tuple):
        return flat
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]") if isinstance(value, list) else ("(", ")")
    last = "," if leaf is _python_leaf else ""
    inner = indent + 2
    if isinstance(value, dict):
        items = [f"{leaf(key)}: {_text(item, leaf, inner)}" for key, item in value.items()]
    else:
        items = [_text(item, leaf, inner) for item in value]
    lines = items if any(isinstance(item, dict | list | tuple) for item in _items(value)) else _fill(items, WIDTH - inner)
    separator = f",\n{' ' * inner}"
    return f"{opening}\n{' ' * inner}{separator.join(lines)}{last}\n{' ' * indent}{closing}"


def _fill(items: Sequence[str], width: int) -> list[str]:
    """Items side by side, as many as fit on one line."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


def _in_one_line(value: Any, leaf: Leaf) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{leaf(key)}: {_in_one_line(item, leaf)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_in_one_line(item, leaf) for item in value) + "]"
    if isinstance(value, tuple):
        parts = [_in_one_line(item, leaf) for item in value]
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return leaf(value)


def _items(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value
