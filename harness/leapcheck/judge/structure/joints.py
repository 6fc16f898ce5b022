"""Joints of another type, joints that do not move, and joints exchanged for one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from leapcheck.judge.belief import Hypothesis, View
from leapcheck.judge.coordinates import DOF_AXES, places
from leapcheck.judge.structure.edits import ancestors, body_of
from leapcheck.judge.structure.locking import without_motion, without_rows
from leapcheck.judge.structure.scope import Scope
from leapcheck.states import Floats, States
from leapcheck_models.spec import ONE_DOF, Body, Joint, JointType, RobotSpec

OTHER_TYPE = {JointType.REVOLUTE: JointType.PRISMATIC, JointType.PRISMATIC: JointType.REVOLUTE}
MOTION = {JointType.REVOLUTE: "turns about", JointType.PRISMATIC: "slides along"}


def joint_types(scope: Scope) -> Iterator[Hypothesis]:
    """A hinge taken for a slide about the same axis, or the other way round."""
    for body in scope.spec.bodies:
        joint = body.joint
        if joint.type not in OTHER_TYPE or body.name not in scope.bodies:
            continue
        other = OTHER_TYPE[joint.type]

        def held(spec: RobotSpec, name: str = body.name, other: JointType = other) -> RobotSpec:
            body = body_of(spec, name)
            new = replace(body, joint=replace(body.joint, type=other))
            return replace(spec, bodies=tuple(new if b.name == name else b for b in spec.bodies))

        words = f"the joint {joint.name} is taken for {other}: it {MOTION[other]} its axis, and should be {joint.type}"
        yield Hypothesis(f"type/{joint.name}:{other}", "model", words, held)


def joints_locked(scope: Scope) -> Iterator[Hypothesis]:
    """A joint that is fixed at zero, with no answers of its own; or whose coordinate, or whose velocity too, is not read."""
    for at in places(scope.spec):
        body, q, v = scope.spec.bodies[at.body], at.q.start, at.v.start
        if body.joint.type not in ONE_DOF or body.name not in scope.bodies:
            continue
        name = body.joint.name
        words = f"the joint {name} is locked at zero: its coordinate is not read and its rows are zero"
        yield Hypothesis(f"locked/{name}", "model", words, tree=without_motion([body.name]), answering=without_rows([v]))
        words = f"the coordinate of the joint {name} is not read: it counts as zero"
        yield Hypothesis(f"locked/{name} (q)", "model", words, reading=_unread(q, None), prior=1.5)
        words = f"neither the coordinate nor the velocity of the joint {name} is read: they count as zero"
        yield Hypothesis(f"locked/{name} (q, v)", "model", words, reading=_unread(q, v), prior=2.0)


def joints_exchanged(scope: Scope) -> Iterator[Hypothesis]:
    """Type, axis and armature of two joints of one chain or of siblings exchanged."""
    for a, b in _pairs(scope):
        if (a.joint.type, a.joint.axis, a.joint.armature) == (b.joint.type, b.joint.axis, b.joint.armature):
            continue

        def held(spec: RobotSpec, a: str = a.name, b: str = b.name) -> RobotSpec:
            one, other = body_of(spec, a).joint, body_of(spec, b).joint
            joints = {a: _like(one, other), b: _like(other, one)}
            return replace(spec, bodies=tuple(replace(x, joint=joints.get(x.name, x.joint)) for x in spec.bodies))

        words = f"the joints {a.joint.name} and {b.joint.name} are exchanged: each has the other's type and axis"
        yield Hypothesis(f"exchanged/{a.joint.name}:{b.joint.name}", "model", words, held)


def coordinates_exchanged(scope: Scope) -> Iterator[Hypothesis]:
    """The coordinates of two joints of different types exchanged, in the state or in state and answers."""
    at = {scope.spec.bodies[place.body].name: (place.q.start, place.v.start) for place in places(scope.spec)}
    for a, b in (pair for pair in _pairs(scope) if pair[0].joint.type is not pair[1].joint.type):
        name, both = f"exchanged/{a.joint.name}:{b.joint.name}", f"the joints {a.joint.name} and {b.joint.name}"
        reading = _swapped_reading(at[a.name], at[b.name])
        answering = _swapped_rows(at[a.name][1], at[b.name][1])
        words = f"the coordinates of {both} are exchanged in the state, not in the answers"
        yield Hypothesis(f"{name} (state)", "convention", words, reading=reading, prior=2.0)
        words = f"the coordinates of {both} are exchanged in state and answers"
        yield Hypothesis(f"{name} (state and answers)", "convention", words, reading=reading, answering=answering, prior=2.0)


def _pairs(scope: Scope) -> Iterator[tuple[Body, Body]]:
    """Pairs of joints of one dof that follow each other in a chain, or are siblings."""
    for a, b in combinations([body for body in scope.spec.bodies if body.joint.type in ONE_DOF], 2):
        if scope.has_one_of((a.name, b.name)) and (a.parent == b.parent or a.name in ancestors(scope.spec, b.name)):
            yield a, b


def _like(joint: Joint, other: Joint) -> Joint:
    return replace(joint, type=other.type, axis=other.axis, armature=other.armature)


def _unread(q: int, v: int | None) -> Callable[[RobotSpec, States], States]:
    def reading(_spec: RobotSpec, states: States) -> States:
        read = replace(states, q=states.q.copy())
        read.q[:, q] = 0.0
        if v is not None:
            read = replace(read, v=states.v.copy())
            read.v[:, v] = 0.0
        return read

    return reading


def _swapped_reading(a: tuple[int, int], b: tuple[int, int]) -> Callable[[RobotSpec, States], States]:
    def reading(_spec: RobotSpec, states: States) -> States:
        q, v, tau = states.q.copy(), states.v.copy(), states.tau.copy()
        q[:, [a[0], b[0]]] = q[:, [b[0], a[0]]]
        for block in (v, tau):
            block[:, [a[1], b[1]]] = block[:, [b[1], a[1]]]
        return replace(states, q=q, v=v, tau=tau)

    return reading


def _swapped_rows(a: int, b: int) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        order = np.arange(view.spec.nv)
        order[[a, b]] = b, a
        for axis in DOF_AXES.get(quantity, ()):
            values = np.take(values, order, axis=axis)
        return values

    return answering
