"""Parts of a planted defect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

from leapcheck.sampling import States
from leapcheck_evidence.score.planting.robot_file import NotHereError, RobotFile
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

T = TypeVar("T")
Rng = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What an altered answer may look at: the robot as it should be, the states given and read, and the engine's own answers."""

    spec: RobotSpec
    given: States
    read: States
    own: Callable[[str], Floats]


Edit = Callable[[RobotFile], None]
Reading = Callable[[RobotSpec, States], States]
Answering = Callable[[Asked, str, Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One thing done wrong: in the robot's file (`edit`), in reading a state, or in giving an answer.

    `names` are regular expressions, one of which the whole name of a right hypothesis matches: the fault itself, and what
    physics cannot tell from it. `answering` may write into the values that it is given. `body` is the link whose mass, com or
    inertia alone is changed: two such faults of one link are together a link with another inertia.
    """

    label: str
    names: tuple[str, ...]
    edit: Edit | None = None
    reading: Reading | None = None
    answering: Answering | None = None
    body: str = ""


Wanted = Literal["wrong", "imprecise", "right"]


@dataclass(frozen=True, slots=True, eq=False)
class Defect:
    """One or two faults in an engine on a robot; `quantities` are those that the engine answers.

    `wanted` is what a judge should say: "wrong", "imprecise" for single precision, "right" for rounding. `effect` is the
    largest scale-free difference that it makes to each quantity.
    """

    number: int
    kind: str
    label: str
    robot: str
    spec: RobotSpec
    base: str
    faults: tuple[Fault, ...]
    quantities: tuple[str, ...]
    wanted: Wanted = "wrong"
    effect: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_pair(self) -> bool:
        """Whether two faults are in it."""
        return len(self.faults) > 1


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a fault is to be planted: a robot by name, its spec, and the engine."""

    robot: str
    spec: RobotSpec
    base: str


Drawer = Callable[[Rng, Setting], Fault]
"""Draws a fault of one kind for a robot; NotHereError where that has no place for it."""


def choice(rng: Rng, candidates: Sequence[T]) -> T:
    """One of the candidates; NotHereError if there are none."""
    if not candidates:
        raise NotHereError("the robot has no such element")
    return candidates[int(rng.integers(len(candidates)))]


def random_sign(rng: Rng, size: float) -> float:
    """The size with either sign."""
    return size if rng.random() < 0.5 else -size
