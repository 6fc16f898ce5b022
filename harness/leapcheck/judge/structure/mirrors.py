"""Legs mirrored wrongly: one leg, one side or all legs have the signs of the other side along x or y."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from leapcheck.judge.belief import Hypothesis, SpecEdit, model_fault
from leapcheck.judge.edits import edit_bodies, subtree, with_rotational
from leapcheck.judge.structure.scope import Scope
from leapcheck.judge.words import name_list
from leapcheck_models.spec import WORLD, Body, Inertia, Placement, RobotSpec, Symmetric3, Vector3

AXES = {"y": 1, "x": 0}

PARTS = {
    "placements, inertias, points": "the placements, the coms, the products of inertia and the contact points",
    "placements, inertias": "the placements, the coms and the products of inertia",
    "inertias": "the coms and the products of inertia",
    "placements": "the placements",
    "coms": "the coms",
    "products": "the products of inertia",
    "first placement": "the place on the body",
}
"""What is mirrored, in words; what comes first is named where parts make no difference."""


def mirrored_legs(scope: Scope) -> Iterator[Hypothesis]:
    """Each leg, all legs of one side and all legs together, along y and along x, by parts."""
    spec = scope.spec
    parts = {part: words for part, words in PARTS.items() if scope.has_inertia or "place" in part}
    for axis, k in AXES.items():
        for name, legs in _groups(spec, k):
            seen: set[RobotSpec] = set()
            for part, words in parts.items() if scope.has_one_of(legs) else ():
                edit = _mirror(spec, legs, k, part)
                if (changed := edit(spec)) == spec or changed in seen:
                    continue
                seen.add(changed)
                whose = f"{words} of {'the leg' if len(legs) == 1 else 'the legs'} {name_list(legs)}"
                cause = f"{whose} have the signs of the other side along {axis}: mirrored wrongly"
                yield model_fault(f"mirrored/{name} ({axis}: {part})", cause, edit, prior=1.0 + 0.1 * len(seen))


def _groups(spec: RobotSpec, k: int) -> Iterator[tuple[str, list[str]]]:
    """Legs, one by one and together: branches that are siblings of one another, by the names of their first links."""
    children: dict[str, list[Body]] = {}
    for body in spec.bodies:
        if body.parent != WORLD:
            children.setdefault(body.parent, []).append(body)
    branching = [its for its in children.values() if len(its) > 1]
    for legs in branching:
        for leg in legs:
            yield leg.name, [leg.name]
        sides = [[leg.name for leg in legs if sign * leg.placement.p[k] > 0.0] for sign in (-1.0, 1.0)]
        for side in sides:
            if 1 < len(side) < len(legs):
                yield "+".join(side), side
        yield "all" if len(branching) == 1 else f"all on {legs[0].parent}", [leg.name for leg in legs]


def _mirror(spec: RobotSpec, legs: list[str], k: int, part: str) -> SpecEdit:
    names = set(legs) if part == "first placement" else {name for leg in legs for name in subtree(spec, leg)}

    edit_links = edit_bodies(lambda body: _mirror_body(body, k, part), names)

    def edit(spec: RobotSpec) -> RobotSpec:
        points = spec.contact_points
        if "points" in part:
            points = tuple(replace(p, position=_flip(p.position, k)) if p.body in names else p for p in points)
        return replace(edit_links(spec), contact_points=points)

    return edit


def _mirror_body(body: Body, k: int, part: str) -> Body:
    rotor = body.rotor
    if "placement" in part:
        body = replace(body, placement=_placement(body.placement, k))
        rotor = rotor and replace(rotor, placement=_placement(rotor.placement, k))
    if "inertias" in part or part == "coms":
        body = replace(body, inertia=replace(body.inertia, com=_flip(body.inertia.com, k)))
    if "inertias" in part or part == "products":
        body = replace(body, inertia=_with_flipped_products(body.inertia, k))
    return replace(body, rotor=rotor)


def _placement(placement: Placement, k: int) -> Placement:
    return replace(placement, p=_flip(placement.p, k))


def _flip(vector: Vector3, k: int) -> Vector3:
    x, y, z = (-c if i == k and c != 0.0 else c for i, c in enumerate(vector))
    return (x, y, z)


def _with_flipped_products(inertia: Inertia, k: int) -> Inertia:
    """The products of inertia with the axis k change sign."""
    xx, xy, xz, yy, yz, zz = inertia.rotational
    entries: Symmetric3 = (xx, -xy, -xz, yy, yz, zz) if k == 0 else (xx, -xy, xz, yy, -yz, zz)
    return inertia if entries == inertia.rotational else with_rotational(inertia, entries)
