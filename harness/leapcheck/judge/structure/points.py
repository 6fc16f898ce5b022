"""Contact points that sit on another link, or in the place of another point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from leapcheck.judge.belief import Hypothesis
from leapcheck.judge.structure.edits import with_point
from leapcheck.judge.structure.scope import Scope
from leapcheck_models.spec import ContactPoint


def wrong_points(scope: Scope) -> Iterator[Hypothesis]:
    """Each computed point on every other link at the same coordinates, and in the place of every other point."""
    points = [point for point in scope.spec.contact_points if point.computed]
    for point in (point for point in points if point.name in scope.points):
        for body in scope.spec.bodies:
            if body.name != point.body:
                words = f"the contact point {point.name} sits on {body.name} instead of on {point.body}"

                def on_other(point: ContactPoint, body: str = body.name) -> ContactPoint:
                    return replace(point, body=body)

                yield Hypothesis(f"point-on-link/{point.name}:{body.name}", "model", words, with_point(point.name, on_other))
        for other in points:
            if other.name != point.name and (other.body, other.position) != (point.body, point.position):
                words = f"the contact point {point.name} is in the place of {other.name}"

                def as_other(point: ContactPoint, other: ContactPoint = other) -> ContactPoint:
                    return replace(point, body=other.body, position=other.position)

                yield Hypothesis(f"point-as/{point.name}:{other.name}", "model", words, with_point(point.name, as_other))
