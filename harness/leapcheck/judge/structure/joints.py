"""Joints of another type, joints that do not move, and joints exchanged with one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Hypothesis, StateEdit, TreeEdit, convention, model_fault
from leapcheck.judge.edits import ancestors, edit_bodies, edit_state, exchange_bodies
from leapcheck.judge.layout import DOF_AXES, places
from leapcheck.judge.structure.scope import MASS_MATRICES, Scope
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, Body, JointType, RobotSpec
from leapcheck_reference.links import Link
from leapcheck_reference.spatial import RigidInertia, inertia_to_parent
from leapcheck_reference.tree import Tree

OTHER_TYPE = {JointType.REVOLUTE: JointType.PRISMATIC, JointType.PRISMATIC: JointType.REVOLUTE}
MOTION = {JointType.REVOLUTE: "turns about", JointType.PRISMATIC: "slides along"}


def joint_types(scope: Scope) -> Iterator[Hypothesis]:
    """A hinge taken for a slide along the same axis, or the other way round."""
    for body in scope.spec.bodies:
        joint = body.joint
        if joint.type in OTHER_TYPE and body.name in scope.bodies:
            other = OTHER_TYPE[joint.type]
            words = f"the joint {joint.name} is taken for {other}: it {MOTION[other]} its axis, and should be {joint.type}"
            yield model_fault(f"type/{joint.name}:{other}", words, edit_bodies(_with_other_type, [body.name]))


def locked_joints(scope: Scope) -> Iterator[Hypothesis]:
    """A joint that is fixed at zero, with no answers of its own; or whose coordinate, or whose velocity too, is not read."""
    for place in places(scope.spec):
        body, q, v = scope.spec.bodies[place.body], place.q.start, place.v.start
        if body.joint.type in ONE_DOF and body.name in scope.bodies:
            name = body.joint.name
            words = f"the joint {name} is locked at zero: its coordinate is not read and its rows are zero"
            rows = without_rows([v])
            yield model_fault(f"locked/{name}", words, tree_edit=without_motion([body.name]), answer_edit=rows)
            words = f"the coordinate of the joint {name} is not read: it counts as zero"
            yield model_fault(f"locked/{name} (q)", words, state_edit=_zero(q, None), prior=1.5)
            words = f"neither the coordinate nor the velocity of the joint {name} is read: they count as zero"
            yield model_fault(f"locked/{name} (q, v)", words, state_edit=_zero(q, v), prior=2.0)


def exchanged_joints(scope: Scope) -> Iterator[Hypothesis]:
    """Type, axis and armature of two joints of one chain or of siblings exchanged."""
    for a, b in _pairs(scope):
        if (a.joint.type, a.joint.axis, a.joint.armature) != (b.joint.type, b.joint.axis, b.joint.armature):
            words = f"the joints {a.joint.name} and {b.joint.name} are exchanged: each has the other's type and axis"
            yield model_fault(f"exchanged/{a.joint.name}:{b.joint.name}", words, exchange_bodies(a, b, _with_joint_of))


def exchanged_coordinates(scope: Scope) -> Iterator[Hypothesis]:
    """The coordinates of two joints of different types exchanged, in the state or in state and answers."""
    starts = {scope.spec.bodies[place.body].name: (place.q.start, place.v.start) for place in places(scope.spec)}
    for a, b in (pair for pair in _pairs(scope) if pair[0].joint.type is not pair[1].joint.type):
        name = f"exchanged/{a.joint.name}:{b.joint.name}"
        words = f"the coordinates of the joints {a.joint.name} and {b.joint.name} are exchanged in"
        state_edit = _swap_coordinates(starts[a.name], starts[b.name])
        yield convention(f"{name} (state)", f"{words} the state, not in the answers", state_edit=state_edit, prior=2.0)
        rows = _swap_rows(starts[a.name][1], starts[b.name][1])
        both = f"{words} state and answers"
        yield convention(f"{name} (state and answers)", both, state_edit=state_edit, answer_edit=rows, prior=2.0)


def _pairs(scope: Scope) -> Iterator[tuple[Body, Body]]:
    """Pairs of joints of one dof that follow each other in a chain, or are siblings."""
    for a, b in combinations([body for body in scope.spec.bodies if body.joint.type in ONE_DOF], 2):
        if scope.has_one_of((a.name, b.name)) and (a.parent == b.parent or a.name in ancestors(scope.spec, b.name)):
            yield a, b


def _with_other_type(body: Body) -> Body:
    return replace(body, joint=replace(body.joint, type=OTHER_TYPE[body.joint.type]))


def _with_joint_of(body: Body, other: Body) -> Body:
    joint = other.joint
    return replace(body, joint=replace(body.joint, type=joint.type, axis=joint.axis, armature=joint.armature))


def _zero(in_q: int, in_v: int | None) -> StateEdit:
    def edit(_spec: RobotSpec, q: Floats, v: Floats, _tau: Floats) -> None:
        q[:, in_q] = 0.0
        if in_v is not None:
            v[:, in_v] = 0.0

    return edit_state(edit)


def _swap_coordinates(a: tuple[int, int], b: tuple[int, int]) -> StateEdit:
    def edit(_spec: RobotSpec, q: Floats, v: Floats, tau: Floats) -> None:
        for block, k in ((q, 0), (v, 1), (tau, 1)):
            block[:, [a[k], b[k]]] = block[:, [b[k], a[k]]]

    return edit_state(edit)


def _swap_rows(a: int, b: int) -> AnswerEdit:
    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        order = np.arange(view.spec.nv)
        order[[a, b]] = b, a
        for axis in DOF_AXES.get(quantity, ()):
            values = np.take(values, order, axis=axis)
        return values

    return edit


def without_motion(names: Sequence[str], absent: bool = False) -> TreeEdit:
    """The edit of a tree that makes the joints of some links rigid at zero, or takes the links out, their rotors with them.

    Each dof stays, with a unit inertia of its own, so that M can still be inverted; `without_rows` takes it out of the answers.
    """

    def edit(tree: Tree) -> Tree:
        links = list(tree.links)
        for i, link in enumerate(tree.links):
            if link.name not in names:
                continue
            inertia = _zero_inertia(links[i].inertia) if absent else links[i].inertia
            links[i] = replace(link, type=JointType.FIXED, S=0.0 * link.S, armature=1.0, rotor=None, inertia=inertia)
            if link.rotor and link.parent >= 0 and not absent:
                links[link.parent] = _with_rotor(links[link.parent], link)
        return replace(tree, links=tuple(links))

    return edit


def _zero_inertia(inertia: RigidInertia) -> RigidInertia:
    return RigidInertia(0.0 * inertia.mass, 0.0 * inertia.mc, 0.0 * inertia.I)


def _with_rotor(parent: Link, link: Link) -> Link:
    """The link on which a joint's rotor rides, with it as a part."""
    assert link.rotor is not None
    return replace(parent, inertia=parent.inertia + inertia_to_parent(link.rotor.placement, link.rotor.inertia))


def without_rows(dofs: Sequence[int]) -> AnswerEdit:
    """Answers without the inertia, the energy and the acceleration that `without_motion` leaves to some dofs."""
    rows = np.array(dofs)

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        values = values.copy()
        if quantity in MASS_MATRICES:
            values[:, rows, rows] = 0.0
        elif quantity == "forward_dynamics":
            values[:, rows] = 0.0
        elif quantity == "kinetic_energy":
            values -= 0.5 * (view.read.v[:, rows] ** 2).sum(axis=1)
        return values

    return edit
