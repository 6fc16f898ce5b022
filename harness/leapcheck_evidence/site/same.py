"""Whether two outputs are the same but for rounding errors, times and the width of columns."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\N{MULTIPLICATION SIGN}|[ ]?(?:ms|s)\b)?(?![\w.]*\w)")
RULES = re.compile(r"[─━╭╮╰╯│┃]+")
TINY = 1e-8
"""Numbers below this are rounding errors: they depend on the CPU."""

RELATIVE = 1e-2
"""Relative difference that a page need not follow."""


def is_same(one: str, other: str) -> bool:
    """Whether the words are the same, and the numbers where they are more than rounding, times or ratios of those."""
    words, others = _plain(one), _plain(other)
    if NUMBER.sub("#", words) != NUMBER.sub("#", others):
        return False
    return all(map(_is_near, NUMBER.findall(words), NUMBER.findall(others)))


def _plain(text: str) -> str:
    return " ".join(RULES.sub(" ", text).split())


def _is_near(one: str, other: str) -> bool:
    if one == other or not (one + other)[-1].isdigit():  # a ratio of rounding errors, or a time
        return True
    a, b = float(one), float(other)
    return math.isclose(a, b, rel_tol=RELATIVE) or max(abs(a), abs(b)) < TINY
