"""Parameters that may be off together: a com, an inertia, a body, a joint's place, all armatures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.judge.attribution.parameters import COORDINATES, TURNS, Parameter
from leapcheck.judge.layout import limb_places
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.parametric import Part, numbers, places
from leapcheck_reference.tree import Tree

TOGETHER = {"com": "com", "inertia": "inertia", "place": "place", "turn": "turn", "point": "point", "gravity": "gravity"}
"""Kinds of parameters whose entries for one body, joint or point make a block of that name."""

IN_LIMBS = frozenset({"inertia", "gear", "armature", "placement"})
"""Parts whose numbers may be off alike in several limbs."""

SAME = 1e-12
"""Largest difference of numbers that are called the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Parameters under one name, e.g. "com/FR_hip"; `is_of_limbs`: one number of several limbs, e.g. "mass/FR_hip+FL_hip"."""

    name: str
    parameters: tuple[Parameter, ...]
    is_of_limbs: bool = False

    def far_starts(self, x: Floats) -> list[Floats]:
        """All numbers (N,) of robots from which a fit may begin besides the present one: with quarter and half turns."""
        turns = [parameter for parameter in self.parameters if parameter.kind in ("turn", "axis", "turned-inertia")]
        starts = [parameter.apply(x, angle) for parameter in turns for angle in TURNS[1:]] if not self.is_of_limbs else []
        return [start for start in starts if not np.allclose(start, x, rtol=0.0, atol=SAME)]


def blocks_of(spec: RobotSpec, tree: Tree, singles: Sequence[Parameter]) -> list[Block]:
    """All blocks of a robot, of its single parameters and of some that are no singles."""
    bodies = list(_bodies(singles))
    limbs = _limbs(tree, [*singles, *(parameter for block in bodies for parameter in block.parameters)])
    return [*_common_factors(tree), *bodies, *_entries(singles), *_axes(singles), *_joints(spec, singles), *limbs]


def _entries(singles: Sequence[Parameter]) -> Iterator[Block]:
    groups: dict[tuple[str, str], list[Parameter]] = defaultdict(list)
    for parameter in singles:
        if parameter.kind in TOGETHER and not parameter.name.startswith("offset/"):
            groups[TOGETHER[parameter.kind], parameter.of].append(parameter)
    for (kind, of), members in groups.items():
        yield Block(f"{kind}/{of}" if of else "gravity/direction", tuple(members))
    for (kind, of), members in groups.items():
        if kind == "place" and ("turn", of) in groups:
            yield Block(f"pose/{of}", (*members, *groups["turn", of]))


def _bodies(singles: Sequence[Parameter]) -> Iterator[Block]:
    """Of each body: all ten numbers, one factor, and its rotational inertia turned."""
    groups: dict[str, list[Parameter]] = defaultdict(list)
    for parameter in singles:
        if parameter.part.kind == "inertia":
            groups[parameter.of].append(parameter)
    for body, members in groups.items():
        first = members[0]
        yield Block(f"scaled/{body}", (Parameter(f"scaled/{body}", "scaled", body, first.part, first.places),))
        yield Block(
            f"turned-inertia/{body}",
            tuple(
                Parameter(f"turned-inertia-{axis}/{body}", "turned-inertia", body, first.part, first.places, u)
                for axis, u in COORDINATES
            ),
        )
        yield Block(f"body/{body}", tuple(members))


def _limbs(tree: Tree, members: Sequence[Parameter]) -> Iterator[Block]:
    """One number of every link, joint or rotor equally far from the root: code loops over legs, and so does its fault.

    Gear ratios at any distance too.
    """
    links = limb_places(link.parent for link in tree.links)
    groups: dict[tuple[str, bool, int], dict[str, Parameter]] = defaultdict(dict)
    for parameter in members:
        if parameter.part.kind in IN_LIMBS and not parameter.name.startswith("offset/"):
            what = parameter.name.partition("/")[0]
            for distance in (links[parameter.part.index].depth, *((-1,) if what == "gear" else ())):
                groups[what, parameter.part.rotor, distance].setdefault(parameter.of, parameter)
    yield from (block_of_limbs(list(alike.values())) for alike in groups.values() if len(alike) > 1)


def block_of_limbs(alike: Sequence[Parameter]) -> Block:
    """The block of one number of several links, joints or rotors."""
    what = alike[0].name.partition("/")[0]
    return Block(f"{what}/{'+'.join(parameter.of for parameter in alike)}", tuple(alike), is_of_limbs=True)


def _axes(singles: Sequence[Parameter]) -> Iterator[Block]:
    """Each axis turned any way."""
    done: set[str] = set()
    for parameter in singles:
        if parameter.kind == "axis" and parameter.of not in done:
            done.add(parameter.of)
            turns = [replace(parameter, name=f"axis-about-{axis}/{parameter.of}", direction=u) for axis, u in COORDINATES]
            yield Block(f"axis/{parameter.of}", tuple(turns))


def _joints(spec: RobotSpec, singles: Sequence[Parameter]) -> Iterator[Block]:
    """The armatures of all joints that have armature or a rotor, and of all joints."""
    geared = {body.joint.name for body in spec.bodies if body.joint.armature or body.rotor}
    armatures = tuple(parameter for parameter in singles if parameter.kind == "armature")
    some = tuple(parameter for parameter in armatures if parameter.of in geared)
    if len(some) > 1:
        yield Block("armature/several", some)
    if len(armatures) > max(1, len(some)):
        yield Block("armature/all", armatures)


def _common_factors(tree: Tree) -> Iterator[Block]:
    """All masses and inertias by one factor, all gear ratios, gravity."""
    where_parts = places(tree)
    for name, kind, part_kind in (("scaled/all", "scaled", "inertia"), ("gear/all", "scaled", "gear")):
        where = [np.arange(place.start, place.stop) for part, place in where_parts.items() if part.kind == part_kind]
        if len(where) > 1:
            yield Block(name, (Parameter(name, kind, "all", Part(part_kind, 0), np.concatenate(where)),))
    place = where_parts[Part("gravity", 0)]
    gravity: Floats = numbers(tree)[place]
    if gravity.any():
        yield Block("gravity/size", (Parameter("gravity/size", "scaled", "", Part("gravity", 0), place),))
