"""Where a mistake stands: one link, all, a leg, a side, the same link of every leg, one kind of joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leapcheck_evidence.score.programs.slips import Kind
from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True, slots=True)
class Place:
    """Names of the links with the mistake, and a label."""

    label: str
    links: frozenset[str]


def one_link(spec: RobotSpec, of: Kind) -> list[Place]:
    """Each link of a kind by itself."""
    return [Place(f"of {body.name}", frozenset({body.name})) for body in spec.bodies if of(body)]


def all_links(spec: RobotSpec, of: Kind) -> Place:
    """All links of a kind."""
    return Place("of all links", frozenset(body.name for body in spec.bodies if of(body)))


def groups(spec: RobotSpec, of: Kind) -> list[Place]:
    """Parts of a robot over which a programmer loops, of at least two links of the kind, not all of them."""
    names = frozenset(body.name for body in spec.bodies if of(body))
    places = [Place(label, links & names) for label, links in _parts(spec)]
    return [place for place in places if 1 < len(place.links) < len(names)]


def _parts(spec: RobotSpec) -> Iterator[tuple[str, frozenset[str]]]:
    legs = legs_of(spec)
    everything = frozenset(body.name for body in spec.bodies)
    for leg, links in legs.items():
        yield f"of the leg {leg}", links
    for label, letter, index in (("right", "R", 1), ("left", "L", 1), ("front", "F", 0), ("hind", "HR", 0)):
        yield (
            f"of the {label} legs",
            frozenset().union(*(links for leg, links in legs.items() if leg[index] in letter), frozenset()),
        )
    for part in dict.fromkeys(name.partition("_")[2] for links in legs.values() for name in links):
        yield f"of the {part} of every leg", frozenset(f"{leg}_{part}" for leg in legs) & everything
    for kind in dict.fromkeys(str(body.joint.type) for body in spec.bodies):
        yield f"of all {kind} joints", frozenset(body.name for body in spec.bodies if str(body.joint.type) == kind)
    for rotor in (True, False):
        label = "with" if rotor else "without"
        yield f"of all links {label} a rotor", frozenset(body.name for body in spec.bodies if bool(body.rotor) is rotor)


def legs_of(spec: RobotSpec) -> dict[str, frozenset[str]]:
    """Links by leg, where names begin with FR_, FL_, HR_, HL_ or RR_, RL_."""
    legs: dict[str, set[str]] = {}
    for body in spec.bodies:
        leg = body.name.partition("_")[0]
        if leg in ("FR", "FL", "HR", "HL", "RR", "RL"):
            legs.setdefault(leg, set()).add(body.name)
    return {leg: frozenset(links) for leg, links in legs.items()}
