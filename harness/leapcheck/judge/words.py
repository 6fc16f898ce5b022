"""Wording shared by several causes: lists of names, fitted numbers, and what a common factor suggests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

SAME = 1e-6
"""Relative difference below which a fitted number is taken for a known one."""

FACTORS = {
    1000.0: "g for kg, or mm for m",
    0.001: "kg for g, or m for mm",
    9.81: "multiplied by g, weight for mass",
    1.0 / 9.81: "divided by g, mass for weight",
    2.0: "a factor 1/2 is missing",
    0.5: "a factor 1/2 too many",
    -1.0: "the opposite sign",
    0.0: "only zeros",
}
"""What a common factor suggests."""


def name_list(names: Iterable[str], most: int = 4) -> str:
    """Names, separated by commas, cut after `most`."""
    names = list(names)
    tail = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *tail])


def number_words(number: float) -> str:
    """A fitted number to seven digits; rounding left of a zero as 0, nearly 1 as the difference."""
    if 0.0 < abs(number - 1.0) < SAME:
        return f"1 {number - 1.0:+.2g}"
    return "0" if abs(number) < SAME**2 else f"{number:.7g}"


def is_same(a: float, b: float) -> bool:
    """Whether two numbers agree to the accuracy of a fit."""
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def suggestion(factor: float, known: Mapping[float, str] = FACTORS) -> str:
    """What a factor suggests, after a colon; empty for an unknown factor."""
    matches = [words for value, words in known.items() if is_same(factor, value) or abs(factor - value) < SAME**2]
    return f": {matches[0]}" if matches else ""
