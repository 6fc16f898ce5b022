"""What the judge leaves out of its search for robots of many degrees of freedom, and that it says so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from leapcheck.judge.diagnosis import _excluded
from leapcheck.judge.solver import FaultSearch
from leapcheck.judge.terms.catalogue import Formulation
from leapcheck.judge.terms.effects import affordable_forms
from leapcheck_models.robots import load
from leapcheck_models.spec import Body, Inertia, Joint, JointType, Placement, RobotSpec
from leapcheck_reference import build

pytestmark = pytest.mark.quick


def chain(count: int) -> RobotSpec:
    """So many links, each turning on the one before."""
    bodies: list[Body] = []
    for i in range(count):
        joint = Joint(f"joint_{i}", JointType.REVOLUTE, (0.0, 1.0, 0.0))
        inertia = Inertia(1.0, (0.0, 0.0, 0.1), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01), "test")
        parent = {"parent": f"link_{i - 1}"} if i else {}
        bodies.append(Body(f"link_{i}", joint, inertia, placement=Placement((0.0, 0.0, 0.1)), **parent))
    return RobotSpec("chain", tuple(bodies))


def test_lagranges_equations_are_left_out_for_robots_of_many_dofs() -> None:
    assert affordable_forms(build(load("mini_cheetah"))) == tuple(Formulation)
    assert affordable_forms(build(chain(40))) == tuple(Formulation)
    assert set(Formulation) - set(affordable_forms(build(chain(41)))) == {Formulation.LAGRANGE}


@pytest.mark.parametrize("untried", [(), ("pairs of numbers",)])
def test_the_judge_says_what_it_left_out(untried: tuple[str, ...]) -> None:
    for count, named in ((12, False), (62, True)):
        trials = SimpleNamespace(fixed=(), root=SimpleNamespace(tree=build(chain(count))))
        search = SimpleNamespace(trials=trials, untried=untried, meter=SimpleNamespace(seconds=18.0))
        words = _excluded(cast(FaultSearch, search))
        assert (f"terms of Lagrange's equations, for a robot of {count} dofs" in words) is named
        assert all(what in words for what in untried)
