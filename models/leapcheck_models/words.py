"""Words of messages: counts with their noun, and the name that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches


def plural(count: int, noun: str, many: str = "") -> str:
    """The count and its noun: "1 state", "2 048 states", "3 entries"; `many` is the plural where the rule does not hold."""
    return f"{count:,} ".replace(",", " ") + (noun if count == 1 else many or nouns(noun))


def nouns(noun: str) -> str:
    """The plural of a noun: entry, entries; box, boxes; state, states."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest known name as a remark in brackets, with a blank before it; empty where none is near."""
    near = get_close_matches(word[:100], list(known), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""
