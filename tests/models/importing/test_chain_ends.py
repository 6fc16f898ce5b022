"""Contact points at the ends of chains of moving joints."""

from __future__ import annotations

import pytest

from leapcheck_models.importing.chain_ends import MOST_COMPUTED, contact_points
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, Shape, add_body

pytestmark = pytest.mark.quick

INERTIA = Inertia(1.0, rotational=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))


def hinge(name: str) -> Joint:
    return Joint(name, JointType.REVOLUTE, (0.0, 0.0, 1.0))


def star(arms: int) -> RobotSpec:
    """Arms on a free trunk, each with a tool fixed to it."""
    spec = add_body(RobotSpec("star"), "trunk", joint=Joint("free", JointType.FREE), inertia=INERTIA)
    for i in range(arms):
        spec = add_body(spec, f"arm{i}", joint=hinge(f"j{i}"), inertia=INERTIA, parent="trunk")
        spec = add_body(spec, f"tool{i}", joint=Joint(f"f{i}", JointType.FIXED), inertia=Inertia(0.0), parent=f"arm{i}")
    return spec


def test_one_point_per_end_on_the_last_link() -> None:
    points = contact_points(star(3))
    assert [(p.name, p.body) for p in points] == [(f"tool{i}_point", f"tool{i}") for i in range(3)]
    assert not any(p.is_foot for p in points)


def test_a_sphere_is_a_foot_wherever_it_stands_on_the_end() -> None:
    sphere = Shape("sphere", (0.02,), Placement((0.0, 0.0, -0.3)))
    spec = add_body(RobotSpec("leg"), "leg", joint=hinge("j"), inertia=INERTIA, shapes=(sphere,))
    spec = add_body(spec, "sensor", joint=Joint("f", JointType.FIXED), inertia=Inertia(0.0), parent="leg")
    (point,) = contact_points(spec)
    assert (point.body, point.position, point.radius, point.is_foot) == ("leg", (0.0, 0.0, -0.3), 0.02, True)


def test_many_ends_are_kept_and_not_all_computed() -> None:
    points = contact_points(star(MOST_COMPUTED + 2))
    assert [p.computed for p in points] == [True] * MOST_COMPUTED + [False] * 2


def test_what_is_fixed_to_the_world_has_none() -> None:
    spec = add_body(RobotSpec("post"), "post", joint=Joint("f", JointType.FIXED), inertia=INERTIA)
    assert contact_points(spec) == ()
