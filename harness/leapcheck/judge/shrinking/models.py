"""The smallest robot on which an engine still shows a fault: subtrees, rotors, points and all else cut by delta debugging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.engines.protocol import Engine
from leapcheck.judge.edits import edit_bodies, subtree
from leapcheck.judge.layout import force_columns
from leapcheck.judge.shrinking.delta import ddmin
from leapcheck.judge.shrinking.mismatch import AnswerErrors, Mismatch
from leapcheck.sampling import States
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, WORLD, ContactPoint, Joint, JointType, RobotSpec

DOWNWARDS = (0.0, 0.0, -9.81)

Cut = Callable[[RobotSpec, Set[str]], RobotSpec]
"""The robot without some items of one kind, by their names."""


@dataclass(frozen=True, slots=True, eq=False)
class Failing:
    """A robot, its engine, states at which it shows the fault, and the errors there."""

    spec: RobotSpec
    engine: Engine
    states: States
    errors: AnswerErrors


class ModelSearch:
    """The search for the smallest robot that shows the fault."""

    def __init__(self, mismatch: Mismatch, failing: Failing) -> None:
        """Starts with the whole robot."""
        self._mismatch = mismatch
        self.failing = failing

    def begin_with(self, parts: Sequence[RobotSpec]) -> None:
        """Takes the first of some parts of the robot that shows the fault, with the robot's contact points on it."""
        points = self.failing.spec.contact_points
        next((part for part in parts if self._try(replace(part, contact_points=_on(part, points)))), None)

    def shrink(self) -> None:
        """Cuts what can be cut, the largest parts first: `failing` is then the smallest robot found."""
        self._reduce(PLAIN, _without_extras)
        self._subtree_alone()
        self._cut_subtrees()
        self._reduce([b.name for b in self.failing.spec.bodies if b.rotor], _without_rotors)
        self._reduce([b.name for b in self.failing.spec.bodies if b.joint.armature], _without_armature)
        self._reduce([point.name for point in self.failing.spec.contact_points], _without_points)
        if self.failing.spec.gravity != DOWNWARDS:
            self._try(replace(self.failing.spec, gravity=DOWNWARDS))

    def _subtree_alone(self) -> None:
        """The smallest subtree that shows the fault when it hangs on the world by itself."""
        spec = self.failing.spec
        subtrees = sorted((subtree(spec, body.name) for body in spec.bodies), key=len)
        next((names for names in subtrees if self._try(part_of(spec, names))), None)

    def _cut_subtrees(self) -> None:
        """Whole subtrees, level by level from the roots (Misherghi and Su 2006, Hierarchical delta debugging, ICSE)."""
        level = [WORLD]
        while level:
            spec = self.failing.spec
            below = [body.name for body in spec.bodies if body.parent in level]
            self._reduce(below, _without_subtrees)
            level = [body.name for body in self.failing.spec.bodies if body.name in below]

    def _reduce(self, items: Sequence[str], cut: Cut) -> None:
        """Delta debugging of some items of the present robot."""
        start = self.failing.spec

        def first_failing(choices: Sequence[tuple[str, ...]]) -> int | None:
            tried = (i for i, choice in enumerate(choices) if self._try(cut(start, set(items) - set(choice))))
            return next(tried, None)

        ddmin(items, first_failing)

    def _try(self, spec: RobotSpec) -> bool:
        """Whether the fault shows on a smaller robot; if so, the search goes on with it."""
        before = self.failing
        engine = self._mismatch.engine(spec) if spec.nv and spec != before.spec else None
        if engine is None:
            return False
        states = states_for(before.spec, spec, before.states)
        judged = self._mismatch.errors_at(spec, engine, states)
        if (
            judged is None
            or not self._mismatch.shows(judged.error, judged.allowed).any()
            or _ignores_robot(before.errors, judged)
        ):
            return False
        self.failing = Failing(spec, engine, states, judged)
        return True


def part_of(spec: RobotSpec, names: Iterable[str]) -> RobotSpec:
    """The robot with some bodies alone, their contact points and actuators; one whose parent is gone hangs on the world."""
    names = set(names)
    bodies = tuple(
        replace(body, parent=body.parent if body.parent in names else WORLD) for body in spec.bodies if body.name in names
    )
    joints = {body.joint.name for body in bodies}
    return replace(
        spec,
        bodies=bodies,
        contact_points=tuple(point for point in spec.contact_points if point.body in names),
        actuators=tuple(actuator for actuator in spec.actuators if actuator.joint in joints),
        poses=(),
        loops=tuple(loop for loop in spec.loops if {loop.body1, loop.body2} <= {*names, WORLD}),
        couplings=tuple(c for c in spec.couplings if {c.joint, c.leader} <= {*joints, ""}),
    )


def states_for(spec: RobotSpec, smaller: RobotSpec, states: States) -> States:
    """The states of a robot for one that has some of its joints."""
    in_q, in_v = _columns(spec, CONFIGURATION_SIZE), _columns(spec, VELOCITY_SIZE)
    joints = [body.joint.name for body in smaller.bodies]
    q = [i for joint in joints for i in in_q[joint]]
    v = [i for joint in joints for i in in_v[joint]]
    assert len(q) == smaller.nq
    forces = states.contact_forces
    if forces.shape[1]:
        names = [point.name for point in spec.contact_points if point.computed]
        forces = forces[:, force_columns([names.index(point.name) for point in smaller.contact_points if point.computed])]
    return replace(
        states, q=states.q[:, q], v=states.v[:, v], tau=states.tau[:, v], vdot=states.vdot[:, v], contact_forces=forces
    )


def _on(spec: RobotSpec, points: Sequence[ContactPoint]) -> tuple[ContactPoint, ...]:
    names = {body.name for body in spec.bodies}
    return tuple(point for point in points if point.body in names)


def _columns(spec: RobotSpec, size: dict[JointType, int]) -> dict[str, range]:
    columns, start = {}, 0
    for body in spec.bodies:
        columns[body.joint.name] = range(start, start + size[body.joint.type])
        start += size[body.joint.type]
    return columns


def _ignores_robot(before: AnswerErrors, after: AnswerErrors) -> bool:
    """Whether the engine's answers stayed the same to the bit while the right ones changed: it ignores the robot."""
    if before.answers.shape != after.answers.shape:
        return False
    return np.array_equal(before.answers, after.answers) and not np.allclose(
        before.expected, after.expected, rtol=1e-14, atol=0.0
    )


def _without_subtrees(spec: RobotSpec, gone: Set[str]) -> RobotSpec:
    cut = {name for root in gone for name in subtree(spec, root)}
    return part_of(spec, [body.name for body in spec.bodies if body.name not in cut])


def _without_rotors(spec: RobotSpec, gone: Set[str]) -> RobotSpec:
    return edit_bodies(lambda body: replace(body, rotor=None), gone)(spec)


def _without_armature(spec: RobotSpec, gone: Set[str]) -> RobotSpec:
    return edit_bodies(lambda body: replace(body, joint=replace(body.joint, armature=0.0)), gone)(spec)


def _without_points(spec: RobotSpec, gone: Set[str]) -> RobotSpec:
    return replace(spec, contact_points=tuple(point for point in spec.contact_points if point.name not in gone))


PLAIN = ("shapes", "actuators", "poses", "losses", "limits", "sources")
"""What no quantity depends on, but for those of the group "joints"."""


def _without_extras(spec: RobotSpec, gone: Set[str]) -> RobotSpec:
    """The robot without some of `PLAIN`."""
    if "sources" in gone:
        spec = replace(spec, source="", description="")
        spec = edit_bodies(lambda body: replace(body, source=""))(spec)
    if "actuators" in gone:
        spec = replace(spec, actuators=())
    if "poses" in gone:
        spec = replace(spec, poses=())
    if "shapes" in gone:
        spec = edit_bodies(lambda body: replace(body, shapes=()))(spec)

    def joint(of: Joint) -> Joint:
        of = replace(of, damping=0.0, friction=0.0, stiffness=0.0, springref=0.0) if "losses" in gone else of
        return replace(of, limits=None) if "limits" in gone else of

    return edit_bodies(lambda body: replace(body, joint=joint(body.joint)))(spec)
