"""Where a robot without marked contact points touches: at the ends of its chains of moving joints."""

import math
import re
from collections.abc import Iterator, Sequence

from leapcheck_models.importing.marks import Mark, Spot, shape_spots
from leapcheck_models.spec import ContactPoint, JointType, RobotSpec
from leapcheck_models.xml_text import free_name

MOST_COMPUTED = 8
"""Points whose quantities are computed; hands have dozens of ends, and J M^-1 J^T grows with the square."""

SAME_PLACE = 1e-9
"""Distance (m) below which two places are one."""

FOOT = re.compile("foot|feet|toe|sole", re.IGNORECASE)
"""In the name of a site: it marks a foot."""


def contact_points(spec: RobotSpec, marks: Sequence[Mark] = ()) -> tuple[ContactPoint, ...]:
    """One point per chain end, called as the site or the empty link that marks it, else `<link>_point`.

    The centre of the last collision sphere there, else the last site that is called a foot, else the free end of the last
    capsule: these are feet; else the last link's origin.
    """
    taken: set[str] = set()
    points: list[ContactPoint] = []
    for group in _ends(spec):
        feet = list(_feet(spec, marks, group))
        link, spot = feet[0] if feet else (group[-1], Spot((0.0, 0.0, 0.0)))
        name = free_name(_marker(spec, marks, link, spot) or f"{link}_point", taken)
        taken.add(name)
        points.append(ContactPoint(name, link, spot.position, bool(feet), len(points) < MOST_COMPUTED, spot.radius))
    return tuple(points)


def _marker(spec: RobotSpec, marks: Sequence[Mark], link: str, spot: Spot) -> str:
    """Name of a site, or of a link without mass and shape fixed to the link, that stands at a spot; "" for none."""
    sites = [(mark.name, mark.spots[0].position) for mark in marks if mark.kind == "site" and mark.body == link]
    fixed = [body for body in spec.bodies if body.parent == link and body.joint.type is JointType.FIXED]
    empty = [(body.name, body.placement.p) for body in fixed if not (body.inertia.mass or body.shapes)]
    return next((name for name, p in (*sites, *empty) if math.dist(p, spot.position) <= SAME_PLACE), "")


def _feet(spec: RobotSpec, marks: Sequence[Mark], group: Sequence[str]) -> Iterator[tuple[str, Spot]]:
    """Links and spots of a chain end that may be its foot, the likeliest first."""
    shapes = [(name, shape) for name in reversed(group) for shape in reversed(spec.bodies[spec.body_index(name)].shapes)]
    yield from ((name, spot) for name, shape in shapes if shape.kind == "sphere" for spot in shape_spots(shape))
    sites = [mark for mark in marks if mark.kind == "site" and mark.body in group and FOOT.search(mark.name)]
    yield from ((mark.body, mark.spots[0]) for mark in reversed(sites))
    yield from ((name, shape_spots(shape)[-1]) for name, shape in shapes if shape.kind == "capsule")


def _ends(spec: RobotSpec) -> Iterator[list[str]]:
    """Links that move as one and carry no joint that moves; each group begins with the link that moves. A lone base has none."""
    group_of: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    carrying: set[str] = set()
    for body in spec.bodies:
        if body.joint.type is JointType.FIXED and body.parent in group_of:
            group_of[body.name] = group_of[body.parent]
            groups[group_of[body.name]].append(body.name)
        elif body.joint.type is not JointType.FIXED:
            carrying.add(group_of.get(body.parent, ""))
            group_of[body.name] = body.name
            groups[body.name] = [body.name]
    yield from (group for name, group in groups.items() if name not in carrying)
