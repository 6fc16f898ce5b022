"""Faults of a robot's structure: bodies, parents, joints, legs, rotors and contact points that are not where they belong."""

from __future__ import annotations

from collections.abc import Iterator

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.robots_reach import may_be_another_robot
from leapcheck.judge.structure.bodies import doubled_bodies, exchanged_inertias, exchanged_placements, missing_bodies
from leapcheck.judge.structure.extra import extra_bodies
from leapcheck.judge.structure.joints import exchanged_coordinates, exchanged_joints, joint_types, locked_joints
from leapcheck.judge.structure.mirrors import mirrored_legs
from leapcheck.judge.structure.parents import wrong_parents
from leapcheck.judge.structure.placements import wrong_placements, wrong_points
from leapcheck.judge.structure.rotors import rotors_on_links, wrong_rotors
from leapcheck.judge.structure.scope import Scope, promising

__all__ = ["candidates", "proposals"]

OF_INERTIAS = (missing_bodies, doubled_bodies, exchanged_inertias, wrong_rotors, rotors_on_links)

OF_PLACES = (
    *(exchanged_placements, wrong_parents, joint_types, locked_joints, exchanged_joints, exchanged_coordinates),
    *(mirrored_legs, wrong_placements),
)


def proposals(belief: Belief) -> Iterator[Hypothesis]:
    """Structure faults that take some of the remaining error away, the most promising first; then an extra body.

    Where no other robot answers so, only those that read states or answer otherwise, too.
    """
    if may_be_another_robot(belief):
        yield from promising(belief, candidates)
        yield from extra_bodies(belief)
    else:
        yield from promising(belief, readings)


def candidates(scope: Scope) -> Iterator[Hypothesis]:
    """Every structure fault that is known, of the bodies and contact points in question."""
    families = (*(OF_INERTIAS if scope.has_inertia else ()), *OF_PLACES, *((wrong_points,) if scope.has_points else ()))
    for family in families:
        yield from family(scope)


def readings(scope: Scope) -> Iterator[Hypothesis]:
    """Those of them that read states otherwise or alter answers."""
    return (fault for fault in candidates(scope) if fault.state_edit or fault.answer_edit)
