"""Which feet stand when, and for how long: the phases that a jump is planned over."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

PACE = 0.1694
"""sqrt(trunk's height / gravity) s of Mini Cheetah, whose durations are given; those of other robots go with theirs."""
FLIP_TIP = 0.12
"""Longest push (s) of two feet alone in a flip: tipping over them, the trunk turns what it lacks of spin into more than that."""
HOP = (0.06, 0.15)
"""Shortest and longest flight (s) of a run-up's hop: long enough to be one, shorter than that of the jump."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a jump: contacts that stand (numbers of the planned forces), moments, and seconds from `least` to `most`."""

    name: str
    standing: tuple[int, ...]
    moments: int
    least: float
    most: float

    @property
    def guess(self) -> float:
        """Seconds to begin from."""
        return math.sqrt(self.least * self.most)


def schedule(
    every: tuple[int, ...], pace: float, last: tuple[int, ...] = (), run_up: bool = False, flip: bool = False
) -> tuple[Stage, ...]:
    """Crouch, push, flight, landing; `last`: contacts that push on alone when the others have left; `run_up`: a hop before.

    `pace` s: sqrt(trunk's height / gravity).
    """
    tip = (Stage("tip", last, 14, 0.04, FLIP_TIP if flip else 0.2),) if last else ()
    hop = (Stage("hop", every, 20, 0.08, 0.3), Stage("run-up", (), 13, *HOP)) if run_up else ()
    stages = (
        Stage("crouch", every, 20, 0.25, 0.6),
        *hop,
        Stage("push", every, 20, 0.08, 0.3),
        *tip,
        Stage("flight", (), 25, 0.1, 1.0),
        Stage("landing", every, 29, 0.35, 0.8),
    )
    slower = pace / PACE
    return tuple(replace(stage, least=slower * stage.least, most=slower * stage.most) for stage in stages)
