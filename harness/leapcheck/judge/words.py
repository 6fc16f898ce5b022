"""Wording that several causes share."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 4) -> str:
    """Names in a row, cut after `most`."""
    names = list(names)
    tail = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *tail])
