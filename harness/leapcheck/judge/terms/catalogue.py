"""The terms of the textbooks' forms by name: what a programmer calls each, and the equation that it stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum

from leapcheck.judge.terms.lagrange import PARTS
from leapcheck_models.spec import JointType
from leapcheck_reference.links import Link
from leapcheck_reference.tree import Tree


class Formulation(Enum):
    """A way of writing the equations of motion."""

    VECTOR = "Newton-Euler recursion with 3-vectors"
    SPATIAL = "Newton-Euler recursion with spatial vectors"
    COMPOSITE = "composite rigid bodies"
    LAGRANGE = "Lagrange's equations"
    JACOBIAN = "Jacobian column by column"
    ARTICULATED = "articulated bodies"


class ElementKind(StrEnum):
    """What a term belongs to."""

    LINK = "link"
    JOINT = "joint"
    MOVING_FRAME = "joint that slides or floats"
    ROTOR = "rotor"
    POINT = "contact point"
    PART = "part"
    MOVING = "joint with columns"
    TURNING = "joint that turns freely"


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a form: its `key` in the form's text, a noun for it ("{}": its element), and the equation it stands in.

    `instead` says in words what stands in its place where it is no multiple of the term.
    """

    form: Formulation
    key: str
    kind: ElementKind
    noun: str
    equation: str
    instead: str = ""

    @property
    def is_additive(self) -> bool:
        """Whether the effects of several elements add up."""
        return self.key not in MULTIPLIED and self.form is not Formulation.ARTICULATED

    @property
    def amounts(self) -> tuple[float, ...]:
        """Amounts by which it may be moved: all the way to what stands instead, or any that has a name."""
        return (1.0,) if self.instead else tuple(KNOWN_AMOUNTS)


KNOWN_AMOUNTS = {
    1.0: "is missing",
    2.0: "has the opposite sign",
    0.5: "is halved",
    -1.0: "is doubled",
}
"""What an amount says in words."""

MULTIPLIED = frozenset(
    {
        *("joint rate", "spin", "arm velocity", "carried force", "carried moment", "carried wrench", "rotor joint rate"),
        *(
            "spatial spin",
            "rotor spatial spin",
            "rotor spin",
            "rotor fixed",
            "composite",
            "parallel axis",
            "parallel axis of first moment",
        ),
        *("first moment unshifted", "coupling", "coupling arm", "rate"),
    }
)
"""Keys of terms in which one element's change also changes what another's does, or whose effects are no multiples of amounts."""


def elements(tree: Tree, term: Term) -> Iterator[tuple[int, str]]:
    """Number and name of every element that has the term: of its own link, joint, rotor or contact point."""
    if term.kind is ElementKind.POINT:
        yield from ((k, point.name) for k, point in enumerate(tree.points))
        return
    if term.kind is ElementKind.PART:
        yield from enumerate(PARTS)
        return
    for i, link in enumerate(tree.links):
        if term.kind is ElementKind.ROTOR:
            if link.rotor:
                yield i, link.rotor.name
        elif _HAS[term.kind](link) or term.key == "armature":
            yield i, link.name


_HAS: dict[ElementKind, Callable[[Link], bool]] = {
    ElementKind.LINK: lambda _link: True,
    ElementKind.JOINT: lambda link: link.parent >= 0,
    ElementKind.MOVING_FRAME: lambda link: link.type in (JointType.FREE, JointType.PRISMATIC),
    ElementKind.TURNING: lambda link: link.type in (JointType.FREE, JointType.BALL),
    ElementKind.MOVING: lambda link: link.S.shape[1] > 0,
}
"""Which links have an element of a kind."""
