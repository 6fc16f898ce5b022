"""Files give the least mass and inertia that compilers take to links that move without; all else stays as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leapcheck_models.least_inertia import LEAST, holds_least, smallest_moment, with_least_inertia
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.spec import Inertia, Joint, JointType, RobotSpec, add_body

SOLID = Inertia(1.0, rotational=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
HINGE = Joint("hinge", JointType.REVOLUTE, (0.0, 0.0, 1.0))


def chain(first: Inertia, second: Inertia, kind: JointType = JointType.PRISMATIC) -> RobotSpec:
    axis = None if kind is JointType.FIXED else (1.0, 0.0, 0.0)
    spec = add_body(RobotSpec("chain"), "first", joint=HINGE, inertia=first)
    return add_body(spec, "second", joint=Joint("second", kind, axis), inertia=second, parent="first")


@pytest.mark.parametrize("name", ROBOTS)
def test_named_robots_need_none(name: str) -> None:
    spec = load(name)
    assert with_least_inertia(spec) is spec
    assert not holds_least(spec)


def test_a_link_between_joints_gets_the_least() -> None:
    written = with_least_inertia(chain(Inertia(0.0), SOLID))
    assert written.bodies[0].inertia == Inertia(LEAST, rotational=(LEAST, 0.0, 0.0, LEAST, 0.0, LEAST))
    assert written.bodies[1].inertia == SOLID
    assert holds_least(written)


def test_a_link_with_a_mass_fixed_to_it_needs_none() -> None:
    spec = chain(Inertia(0.0), SOLID, JointType.FIXED)
    assert with_least_inertia(spec) is spec


def test_a_rod_gets_a_moment_about_its_line() -> None:
    rod = replace(SOLID, rotational=(0.1, 0.0, 0.0, 0.1, 0.0, 0.0))
    (body, _) = with_least_inertia(chain(rod, SOLID)).bodies
    assert body.inertia.mass == 1.0
    assert smallest_moment(body.inertia.rotational) == pytest.approx(LEAST, rel=1e-3)
    assert smallest_moment(rod.rotational) == 0.0


def test_of_an_inertia_that_no_body_has_the_nearest_is_raised() -> None:
    odd = Inertia(1.0, rotational=(0.0,) * 5 + (1.0,), realisable=False, nearest=(0.0,) * 6, source="a file")
    (body, _) = with_least_inertia(chain(odd, SOLID)).bodies
    assert body.inertia.rotational == odd.rotational
    assert body.inertia.nearest == (LEAST, 0.0, 0.0, LEAST, 0.0, LEAST)
