"""What differs between two robots, as records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Aspect(StrEnum):
    """What a difference is about; the first six are physics, the others are not."""

    DYNAMICS = "dynamics"
    GRAVITY = "gravity"
    CONSTRAINTS = "constraints"
    LOSSES = "losses"
    DRIVES = "drives"
    LIMITS = "limits"
    CONTACT = "contact"
    SILENCE = "said by one file only"
    FRAMES = "frames"
    NAMES = "names and order"
    DIGITS = "printed digits"


PHYSICS = (
    Aspect.DYNAMICS, Aspect.GRAVITY, Aspect.CONSTRAINTS, Aspect.LOSSES, Aspect.DRIVES, Aspect.LIMITS, Aspect.CONTACT,
)  # fmt: skip
"""Aspects in which two files of one robot must agree."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The worst change over the states: of M in sqrt(M_ii M_jj), of h in its largest entry, at least its median over states."""

    M: float
    M_entry: str
    M_state: int
    h: float
    h_entry: str
    h_state: int


@dataclass(frozen=True, slots=True)
class RobotDifference:
    """One difference: `what` of `place` (the first robot's name of it, `other` the second's), in words, with its size.

    `absolute` is in `unit`; `relative` is that over the larger of both values, None where that means nothing;
    `detail` has the vectors that the words leave out. `effect` is None
    where M and h do not depend on it, or where the robots have other degrees of freedom.
    """

    aspect: Aspect
    what: str
    place: str
    other: str
    message: str
    absolute: float
    unit: str
    relative: float | None = None
    detail: str = ""
    effect: Effect | None = None

    @property
    def is_physics(self) -> bool:
        """Whether the robots move differently for it."""
        return self.aspect in PHYSICS

    @property
    def size(self) -> float:
        """By how much it changes M or h, whichever is more; 0 without effect."""
        return 0.0 if self.effect is None else max(self.effect.M, self.effect.h)


@dataclass(frozen=True, slots=True)
class MatchedJoint:
    """A joint of the first robot and its counterpart, and by what they were matched: "name" or "shape"."""

    first: str
    second: str
    by: str
