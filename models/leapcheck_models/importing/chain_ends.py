"""Where a robot without marked contact points touches: at the ends of its chains of moving joints."""

from collections.abc import Iterator

from leapcheck_models.spec import ContactPoint, JointType, RobotSpec
from leapcheck_models.xml_text import free_name

MOST_COMPUTED = 8
"""Points whose quantities are computed; hands have dozens of ends, and J M^-1 J^T grows with the square."""


def contact_points(spec: RobotSpec) -> tuple[ContactPoint, ...]:
    """One point per chain end, `<link>_point`: the centre of the last collision sphere there, else the last link's origin."""
    ends = list(_ends(spec))
    names = {body.name for body in spec.bodies}
    points: list[ContactPoint] = []
    for group in ends:
        spheres = [(name, s) for name in group for s in spec.bodies[spec.body_index(name)].shapes if s.kind == "sphere"]
        link, shape = spheres[-1] if spheres else (group[-1], None)
        position, radius = (shape.placement.p, shape.size[0]) if shape else ((0.0, 0.0, 0.0), 0.0)
        name = free_name(f"{link}_point", names)
        points.append(ContactPoint(name, link, position, shape is not None, len(points) < MOST_COMPUTED, radius))
    return tuple(points)


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
