"""No error that another robot makes is put down to something else, and errors that none can make are known as such."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leapcheck.judge.belief import Belief
from leapcheck.judge.robots_reach import may_be_another_robot
from leapcheck_models.spec import RobotSpec
from tests.harness.judge import planted_conventions as c
from tests.harness.judge import planted_faults as p
from tests.harness.judge.dictionary_case import CHEETAH, FIXED, FLOATING, RIGID, on

OTHER_ROBOTS: dict[str, p.Fault] = {
    "a mass": p.with_inertia(lambda i: p.heavier(i, 1.3)),
    "coms": p.with_inertia(lambda i: replace(i, com=(0.01, -0.02, 0.03))),
    "all masses": p.in_units(1.1, 1.0),
    "lengths": p.in_units(1.0, 1.01),
    "armature": p.with_armature(2.0),
    "no gravity": p.with_gravity(0.0, 0.0, 0.0),
    "gravity": p.with_gravity(0.0, 1.0, -9.8),
    "no rotors": p.with_bodies(lambda b: replace(b, rotor=None)),
}


@pytest.mark.parametrize("name", OTHER_ROBOTS)
@pytest.mark.parametrize("robot", [FIXED, FLOATING, RIGID])
def test_another_robot_is_never_excluded(robot: str, name: str) -> None:
    assert may_be_another_robot(Belief(on(robot, OTHER_ROBOTS[name])))


def test_the_energy_of_a_link_on_the_world_is_no_contradiction() -> None:
    """It moves nothing but the zero of the potential energy."""
    assert may_be_another_robot(Belief(on(FIXED, c.only(("potential_energy",), lambda _s, _n, x, _: x + 3.0))))


@pytest.mark.parametrize(
    "quantity",
    ["mass_matrix", "kinetic_energy", "potential_energy", "coriolis_force", "forward_dynamics", "contact_jacobians"],
)
def test_one_quantity_alone_is_no_robot(quantity: str) -> None:
    assert not may_be_another_robot(Belief(on(CHEETAH, c.only((quantity,), lambda _s, _n, x, _: 1.01 * x))))


def test_an_error_near_rounding_excludes_nothing() -> None:
    """It may be too faint for the other quantities."""

    def faint(_spec: RobotSpec, _name: str, values: p.Array, _states: object) -> p.Array:
        return values * (1.0 + 1e-12)

    assert may_be_another_robot(Belief(on(CHEETAH, c.only(("kinetic_energy",), faint))))
