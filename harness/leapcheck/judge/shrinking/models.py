"""The smallest robot on which an engine still shows a fault: subtrees, rotors, points and all else cut by delta debugging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.engines.protocol import Engine
from leapcheck.judge.shrinking.delta import ddmin
from leapcheck.judge.shrinking.mismatch import Judged, Mismatch
from leapcheck.states import States
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, WORLD, Body, ContactPoint, Joint, JointType, RobotSpec

DOWNWARDS = (0.0, 0.0, -9.81)

CutTo = Callable[[RobotSpec, Sequence[str], Sequence[str]], RobotSpec]
"""A robot, items of one kind by their names, and those of them to keep: the robot without the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Failing:
    """A robot, the engine that holds it, states at which it shows the fault, and what was judged there."""

    spec: RobotSpec
    engine: Engine
    states: States
    judged: Judged


class ModelSearch:
    """Smaller and smaller robots in one engine."""

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
        self._reduce([b.name for b in self.failing.spec.bodies if b.rotor], _with_rotors)
        self._reduce([b.name for b in self.failing.spec.bodies if b.joint.armature], _with_armature)
        self._reduce([point.name for point in self.failing.spec.contact_points], _with_points)
        if self.failing.spec.gravity != DOWNWARDS:
            self._try(replace(self.failing.spec, gravity=DOWNWARDS))

    def _subtree_alone(self) -> None:
        """The smallest subtree that shows the fault when it hangs on the world by itself."""
        spec = self.failing.spec
        subtrees = sorted((subtree(spec, body.name) for body in spec.bodies), key=len)
        next((names for names in subtrees if self._try(kept(spec, names))), None)

    def _cut_subtrees(self) -> None:
        """Whole subtrees, level by level from the roots (Misherghi and Su 2006, Hierarchical delta debugging, ICSE)."""
        level = [WORLD]
        while level:
            spec = self.failing.spec
            below = [body.name for body in spec.bodies if body.parent in level]
            self._reduce(below, _with_subtrees)
            level = [body.name for body in self.failing.spec.bodies if body.name in below]

    def _reduce(self, items: Sequence[str], cut_to: CutTo) -> None:
        """Delta debugging of some items of the present robot."""
        start = self.failing.spec

        def first_failing(choices: Sequence[tuple[str, ...]]) -> int | None:
            tried = (i for i, choice in enumerate(choices) if self._try(cut_to(start, items, choice)))
            return next(tried, None)

        ddmin(items, first_failing)

    def _try(self, spec: RobotSpec) -> bool:
        """Whether the fault shows on a smaller robot; if so, that is the one to go on with."""
        before = self.failing
        engine = self._mismatch.engine(spec) if spec.nv and spec != before.spec else None
        if engine is None:
            return False
        states = restricted(before.spec, spec, before.states)
        judged = self._mismatch.judged(spec, engine, states)
        if judged is None or not self._mismatch.shows(judged.error, judged.allowed).any() or _is_deaf(before.judged, judged):
            return False
        self.failing = Failing(spec, engine, states, judged)
        return True


def subtree(spec: RobotSpec, root: str) -> set[str]:
    """Names of a body and of all that hangs on it."""
    names = {root}
    for body in spec.bodies:
        if body.parent in names:
            names.add(body.name)
    return names


def kept(spec: RobotSpec, names: Iterable[str]) -> RobotSpec:
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
    )


def restricted(spec: RobotSpec, smaller: RobotSpec, states: States) -> States:
    """The states of a robot for one that has some of its joints."""
    in_q, in_v = _columns(spec, CONFIGURATION_SIZE), _columns(spec, VELOCITY_SIZE)
    joints = [body.joint.name for body in smaller.bodies]
    q = [i for joint in joints for i in in_q[joint]]
    v = [i for joint in joints for i in in_v[joint]]
    assert len(q) == smaller.nq
    return replace(states, q=states.q[:, q], v=states.v[:, v], tau=states.tau[:, v])


def _on(spec: RobotSpec, points: Sequence[ContactPoint]) -> tuple[ContactPoint, ...]:
    names = {body.name for body in spec.bodies}
    return tuple(point for point in points if point.body in names)


def _columns(spec: RobotSpec, size: dict[JointType, int]) -> dict[str, range]:
    columns, start = {}, 0
    for body in spec.bodies:
        columns[body.joint.name] = range(start, start + size[body.joint.type])
        start += size[body.joint.type]
    return columns


def _is_deaf(before: Judged, after: Judged) -> bool:
    """Whether the engine's answers stayed the same to the bit while the right ones changed: it holds a robot of its own."""
    if before.found.shape != after.found.shape:
        return False
    return np.array_equal(before.found, after.found) and not np.allclose(before.expected, after.expected, rtol=1e-14, atol=0.0)


def _with_subtrees(spec: RobotSpec, items: Sequence[str], choice: Sequence[str]) -> RobotSpec:
    gone = set().union(*(subtree(spec, name) for name in items if name not in choice))
    return kept(spec, [body.name for body in spec.bodies if body.name not in gone])


def _with_rotors(spec: RobotSpec, items: Sequence[str], choice: Sequence[str]) -> RobotSpec:
    return _with_bodies(spec, items, choice, lambda body: replace(body, rotor=None))


def _with_armature(spec: RobotSpec, items: Sequence[str], choice: Sequence[str]) -> RobotSpec:
    return _with_bodies(spec, items, choice, lambda body: replace(body, joint=replace(body.joint, armature=0.0)))


def _with_points(spec: RobotSpec, items: Sequence[str], choice: Sequence[str]) -> RobotSpec:
    return replace(spec, contact_points=tuple(p for p in spec.contact_points if p.name in choice or p.name not in items))


def _with_bodies(spec: RobotSpec, items: Sequence[str], choice: Sequence[str], stripped: Callable[[Body], Body]) -> RobotSpec:
    return replace(spec, bodies=tuple(b if b.name in choice or b.name not in items else stripped(b) for b in spec.bodies))


PLAIN = ("shapes", "actuators", "poses", "losses", "limits", "sources")
"""What is not to change any of the quantities."""


def _without_extras(spec: RobotSpec, _items: Sequence[str], choice: Sequence[str]) -> RobotSpec:
    """The robot without those of `PLAIN` that are not in the choice."""
    gone = set(PLAIN) - set(choice)
    if "sources" in gone:
        spec = replace(spec, source="", description="", bodies=tuple(replace(body, source="") for body in spec.bodies))
    if "actuators" in gone:
        spec = replace(spec, actuators=())
    if "poses" in gone:
        spec = replace(spec, poses=())
    if "shapes" in gone:
        spec = replace(spec, bodies=tuple(replace(body, shapes=()) for body in spec.bodies))

    def joint(of: Joint) -> Joint:
        of = replace(of, damping=0.0, friction=0.0) if "losses" in gone else of
        return replace(of, limits=None) if "limits" in gone else of

    return replace(spec, bodies=tuple(replace(body, joint=joint(body.joint)) for body in spec.bodies))
