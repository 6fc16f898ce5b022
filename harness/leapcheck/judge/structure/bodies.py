"""Bodies that are missing, counted twice or exchanged for one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from leapcheck.judge.belief import Hypothesis
from leapcheck.judge.coordinates import places
from leapcheck.judge.structure.edits import NO_INERTIA, ancestors, body_of, scaled, subtree, with_bodies
from leapcheck.judge.structure.locking import without_motion, without_rows
from leapcheck.judge.structure.scope import Scope
from leapcheck.judge.words import listed
from leapcheck_models.spec import ONE_DOF, Body, Inertia, JointType, RobotSpec

INERTIA_PRIOR = 1.5
"""Above that of the attribution, which says the same of one body's inertia in its own words."""


def bodies_missing(scope: Scope) -> Iterator[Hypothesis]:
    """A body, or a subtree, without inertia: its links alone, with the rotors inside it, with those of its first joint too;
    or absent altogether, so that its joints answer zero.
    """
    for body in _in(scope):
        name, rotor = body.name, body.rotor
        below = subtree(scope.spec, name)
        if _has_inertia(body.inertia):
            words = f"the body {name} is missing: its inertia is left out"
            yield Hypothesis(f"missing/{name}", "model", words, with_bodies(_without_inertia, [name]), prior=INERTIA_PRIOR)
        if rotor:
            words = f"the body {name} is missing, and the rotor {rotor.name} of its joint with it"
            yield Hypothesis(f"missing/{name} (rotor)", "model", words, with_bodies(_without_drive, [name]), prior=2.0)
        if len(below) > 1:
            yield from _massless_subtree(scope.spec, name, below)
        dofs = [
            dof for at in places(scope.spec) if scope.spec.bodies[at.body].name in below for dof in range(at.v.start, at.v.stop)
        ]
        if dofs and len(dofs) < scope.spec.nv:
            words = f"the whole subtree from {name} on is missing, joints, rotors and all ({listed(below)})"
            absent = f"missing-subtree/{name} (rotors)"
            yield Hypothesis(absent, "model", words, tree=without_motion(below, True), answering=without_rows(dofs), prior=1.2)


def _massless_subtree(spec: RobotSpec, name: str, below: list[str]) -> Iterator[Hypothesis]:
    words = f"the whole subtree from {name} on has no inertia ({listed(below)})"
    yield Hypothesis(f"missing-subtree/{name}", "model", words, with_bodies(_without_inertia, below))
    geared = [other for other in below if body_of(spec, other).rotor]
    if not geared:
        return
    without = _both(with_bodies(_without_inertia, below), with_bodies(_without_drive, below))
    all_words = f"{words}, nor have the rotors of its joints"
    yield Hypothesis(f"missing-subtree/{name} (massless, rotors too)", "model", all_words, without, prior=1.5)
    if name in geared and len(geared) > 1:
        inside = _both(with_bodies(_without_inertia, below), with_bodies(_without_drive, below[1:]))
        words = f"{words}, nor have the rotors that ride in it"
        yield Hypothesis(f"missing-subtree/{name} (massless, rotors inside too)", "model", words, inside, prior=1.5)


def bodies_twice(scope: Scope) -> Iterator[Hypothesis]:
    """A body counted twice, its inertia alone or with its joint's rotor; or a rotor."""
    for body in _in(scope):
        name, rotor = body.name, body.rotor
        if _has_inertia(body.inertia):
            words = f"the body {name} is counted twice"
            yield Hypothesis(f"twice/{name}", "model", words, with_bodies(_doubled, [name]), prior=INERTIA_PRIOR)
        if rotor:
            words = f"the rotor {rotor.name} is counted twice"
            yield Hypothesis(f"twice/{rotor.name}", "model", words, with_bodies(_with_doubled_rotor, [name]), prior=INERTIA_PRIOR)
            words = f"the body {name} and its rotor {rotor.name} are counted twice"
            both = _both(with_bodies(_doubled, [name]), with_bodies(_with_doubled_rotor, [name]))
            yield Hypothesis(f"twice/{name} (rotor)", "model", words, both, prior=2.0)


def inertias_exchanged(scope: Scope) -> Iterator[Hypothesis]:
    """The inertias of two bodies exchanged: siblings, neighbours along a chain, and bodies of the same place in two legs."""
    spec = scope.spec
    for a, b in combinations(_in(scope), 2):
        alike = _place_in_chain(spec, a) == _place_in_chain(spec, b) and len(subtree(spec, a.name)) == len(subtree(spec, b.name))
        if (a.parent == b.parent or alike or a.name == b.parent) and a.inertia != b.inertia:
            words = f"the inertias of {a.name} and {b.name} are exchanged"
            edit = _exchanged(a, b, _with_inertia)
            yield Hypothesis(f"exchanged/{a.name}:{b.name} (inertias)", "model", words, edit, prior=2.0)


def placements_exchanged(scope: Scope) -> Iterator[Hypothesis]:
    """The placements of two siblings exchanged, with those of their drives or without."""
    for a, b in combinations(scope.spec.bodies, 2):
        if a.parent == b.parent and scope.has_one_of((a.name, b.name)) and a.placement != b.placement:
            name, words = f"exchanged/{a.name}:{b.name}", f"the placements of {a.name} and {b.name} are exchanged"
            yield Hypothesis(name, "model", words, _exchanged(a, b, _with_placement))
            if a.rotor and b.rotor:
                words = f"{words}, those of the rotors of their joints too"
                edit = _both(_exchanged(a, b, _with_placement), _exchanged(a, b, _with_rotor_placement))
                yield Hypothesis(f"{name} (rotors)", "model", words, edit, prior=2.0)


def _in(scope: Scope) -> list[Body]:
    return [body for body in scope.spec.bodies if body.name in scope.bodies]


def _place_in_chain(spec: RobotSpec, body: Body) -> tuple[JointType, ...]:
    """Types of the joints from a body to the world: bodies of the same place in different legs have the same."""
    return (body.joint.type, *(body_of(spec, name).joint.type for name in ancestors(spec, body.name)))


def _has_inertia(inertia: Inertia) -> bool:
    return inertia.mass != 0.0 or any(inertia.rotational)


def _without_inertia(body: Body) -> Body:
    return replace(body, inertia=NO_INERTIA)


def _without_drive(body: Body) -> Body:
    """The body with neither inertia, nor rotor, nor armature of its joint."""
    joint = replace(body.joint, armature=0.0) if body.joint.type in ONE_DOF else body.joint
    return replace(body, inertia=NO_INERTIA, rotor=None, joint=joint)


def _doubled(body: Body) -> Body:
    return replace(body, inertia=scaled(body.inertia, 2.0))


def _with_doubled_rotor(body: Body) -> Body:
    return replace(body, rotor=body.rotor and replace(body.rotor, inertia=scaled(body.rotor.inertia, 2.0)))


def _exchanged(a: Body, b: Body, given: Callable[[Body, Body], Body]) -> Callable[[RobotSpec], RobotSpec]:
    """The edit that gives two bodies something of each other's, as the spec has it that is edited."""

    def edit(spec: RobotSpec) -> RobotSpec:
        one, other = body_of(spec, a.name), body_of(spec, b.name)
        new = {a.name: given(one, other), b.name: given(other, one)}
        return replace(spec, bodies=tuple(new.get(body.name, body) for body in spec.bodies))

    return edit


def _with_placement(body: Body, other: Body) -> Body:
    return replace(body, placement=other.placement)


def _with_rotor_placement(body: Body, other: Body) -> Body:
    rotor = body.rotor and other.rotor and replace(body.rotor, placement=other.rotor.placement)
    return replace(body, rotor=rotor or body.rotor)


def _with_inertia(body: Body, other: Body) -> Body:
    return replace(body, inertia=other.inertia)


def _both(*edits: Callable[[RobotSpec], RobotSpec]) -> Callable[[RobotSpec], RobotSpec]:
    """One edit after the other."""

    def edit(spec: RobotSpec) -> RobotSpec:
        for part in edits:
            spec = part(spec)
        return spec

    return edit
