"""What a programmer gets wrong: a term of a code, what becomes of it, and the words by which it is named rightly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from leapcheck_evidence.score.programs.mutation import Edit
from leapcheck_models.spec import Body, JointType


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of an expression, `{}` in `text`, and how that is said: a regular expression."""

    label: str
    text: str
    words: str


LACKS = (
    r"missing|left out|leaves out|omit|forg[eo]t|lack|without|dropped|ignor|absent|not (counted|included|added|there)|is zero|"
    r"only zeros"
)

MISSING = Change("missing", "0.0 * ({})", LACKS)
NEGATED = Change("with the wrong sign", "-({})", r"sign|negat|revers|opposite|subtract|minus|times -1|exchanged|wrong order")
HALVED = Change("halved", "0.5 * ({})", r"half|halved|1/2|0\.5\b")
DOUBLED = Change("doubled", "2.0 * ({})", r"twice|double|two times|times 2|factor (of )?2\b")

Kind = Callable[[Body], bool]


def every(_body: Body) -> bool:
    """Any link."""
    return True


def revolute(body: Body) -> bool:
    """Links behind hinges."""
    return body.joint.type is JointType.REVOLUTE


def prismatic(body: Body) -> bool:
    """Links behind slides."""
    return body.joint.type is JointType.PRISMATIC


def ball(body: Body) -> bool:
    """Links behind ball joints."""
    return body.joint.type is JointType.BALL


def free(body: Body) -> bool:
    """Floating bases."""
    return body.joint.type is JointType.FREE


def moving(body: Body) -> bool:
    """Links behind any joint of some dof."""
    return body.joint.type is not JointType.FIXED


def has_rotor(body: Body) -> bool:
    """Links whose joints have rotors."""
    return body.rotor is not None


def with_armature(body: Body) -> bool:
    """Links whose joints have an armature."""
    return body.joint.armature > 0.0


def on_a_link(body: Body) -> bool:
    """Links on other links."""
    return body.parent != "world"


@dataclass(frozen=True, slots=True)
class Term:
    """An expression of a code: where it stands, by what words it goes, and what may become of it.

    `group` is the library that has it, or "any". A term of no link (`link` empty) is changed everywhere. `also` are
    edits made with it.
    """

    name: str
    group: str
    place: str
    old: str
    words: str
    of: Kind = every
    changes: tuple[Change, ...] = (MISSING, NEGATED, HALVED)
    link: str = "link"
    also: tuple[Edit, ...] = ()

    def edits(self, change: Change) -> tuple[Edit, ...]:
        """The edits that make the change."""
        return (Edit(self.place, self.old, change.text.format(self.old), self.link), *self.also)


@dataclass(frozen=True, slots=True)
class Slip:
    """A term with a change of it."""

    term: Term
    change: Change

    @property
    def label(self) -> str:
        """In words."""
        return f"{self.term.name} {self.change.label}"


def slips(terms: tuple[Term, ...]) -> Iterator[Slip]:
    """All of the terms, each with all of its changes."""
    return (Slip(term, change) for term in terms for change in term.changes)
