"""Edits of a robot's JSON record, to break it in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Edit = Callable[[dict[str, Any]], Any]


def _parent(record: dict[str, Any], way: list[str | int]) -> Any:
    inner: Any = record
    for step in way:
        inner = inner[step]
    return inner


def put(*place: str | int, value: Any) -> Edit:
    """Sets the value at a place."""

    def edit(record: dict[str, Any]) -> None:
        *way, last = place
        _parent(record, way)[last] = value

    return edit


def drop(*place: str | int) -> Edit:
    """Removes what is at a place."""

    def edit(record: dict[str, Any]) -> None:
        *way, last = place
        del _parent(record, way)[last]

    return edit
