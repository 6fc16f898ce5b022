"""The differences of two robots as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from leapcheck.robot_diff.records import Aspect, Effect, RobotDifference

WIDTH = 79
MOST_PLACES = 6

HEADINGS = {
    Aspect.DYNAMICS: "Dynamics, by what each difference does alone (worst state)",
    Aspect.GRAVITY: "Gravity",
    Aspect.CONSTRAINTS: "Closed loops and coupled joints, which M and h leave out",
    Aspect.LOSSES: "Damping and friction",
    Aspect.DRIVES: "Drives",
    Aspect.LIMITS: "Joint limits",
    Aspect.CONTACT: "Shapes that touch",
    Aspect.SILENCE: "Said by one of them only: no difference, but not the same either",
    Aspect.FRAMES: "Frames: choices, no physics",
    Aspect.NAMES: "Names and order: no physics",
    Aspect.DIGITS: "Printed digits",
}

Group = list[RobotDifference]


def groups(differences: Sequence[RobotDifference]) -> list[Group]:
    """Differences of the same size in several places (the legs of a robot) together, in the order of the first of each."""
    together: dict[tuple[str, str, str], Group] = {}
    for difference in differences:
        together.setdefault((difference.aspect, difference.what, difference.message), []).append(difference)
    return list(together.values())


def difference_text(sentence: str, names: tuple[str, str], differences: Sequence[RobotDifference], total: Effect | None) -> str:
    """Legend, the groups under their headings, all of them together, and the sentence."""
    lines = [f"A  {names[0]}", f"B  {names[1]}"]
    heading = None
    for group in groups(differences):
        if group[0].aspect is not heading:
            heading = group[0].aspect
            lines += ["", HEADINGS[heading]]
        lines += _group_lines(group)
    if total is not None and any(difference.effect for difference in differences):
        lines += ["", *_wrap(f"All together: {effect_words(total)}", "")]
    return "\n".join([*lines, "", *_wrap(sentence, "")])


def effect_words(effect: Effect) -> str:
    """What a difference does to M and h, with entry and state."""
    words = [
        f"{name} by {value:.2g} [{entry}; state {state}]"
        for name, value, entry, state in (
            ("M", effect.M, effect.M_entry, effect.M_state), ("h", effect.h, effect.h_entry, effect.h_state)
        )
        if value > 1e-12
    ]  # fmt: skip
    return f"changes {' and '.join(words)}" if words else "changes neither M nor h"


def place_words(group: Group) -> str:
    """The names of the places of a group, those of the first robot; of the second where only it has them."""
    names = [difference.place or difference.other for difference in group]
    shown = ", ".join(names[:MOST_PLACES])
    return f"{shown}, ... ({len(names)})" if len(names) > MOST_PLACES else shown


def _group_lines(group: Group) -> Iterator[str]:
    worst = max(group, key=lambda difference: difference.size)
    place = place_words(group)
    yield from _wrap(f"{worst.what}{' of ' if place else ''}{place}: {worst.message}", "  ")
    if worst.detail:
        yield from _wrap(f"{f'{worst.place}: ' if len(group) > 1 else ''}{worst.detail}", "      ")
    if worst.effect is not None:
        yield from _wrap(effect_words(worst.effect), "      ")


def _wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ", break_on_hyphens=False, break_long_words=False
    )
