"""Bodies that are missing, counted twice or exchanged with one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from leapcheck.judge.belief import Hypothesis, model_fault
from leapcheck.judge.edits import NO_INERTIA, ancestors, body_of, edit_bodies, exchange_bodies, in_turn, scale_inertia, subtree
from leapcheck.judge.layout import places
from leapcheck.judge.structure.joints import without_motion, without_rows
from leapcheck.judge.structure.scope import Scope
from leapcheck.judge.words import name_list
from leapcheck_models.spec import ONE_DOF, Body, Inertia, JointType, RobotSpec

INERTIA_PRIOR = 1.5
"""Above that of the attribution, which says the same of one body's inertia in its own words."""


def missing_bodies(scope: Scope) -> Iterator[Hypothesis]:
    """A body, or a subtree, without inertia: its links alone, with the rotors inside it, with those of its first joint too;
    or absent altogether, so that its joints answer zero.
    """
    spec = scope.spec
    for body in _in(scope):
        name, below = body.name, subtree(spec, body.name)
        if _has_inertia(body.inertia):
            words = f"the body {name} is missing: its inertia is left out"
            yield model_fault(f"missing/{name}", words, edit_bodies(_without_inertia, [name]), prior=INERTIA_PRIOR)
        if body.rotor:
            words = f"the body {name} is missing, and the rotor {body.rotor.name} of its joint with it"
            yield model_fault(f"missing/{name} (rotor)", words, edit_bodies(_without_drive, [name]), prior=2.0)
        if len(below) > 1:
            yield from _massless_subtree(spec, name, below)
        dofs = [dof for place in places(spec) if spec.bodies[place.body].name in below for dof in range(spec.nv)[place.v]]
        if dofs and len(dofs) < spec.nv:
            words = f"the whole subtree from {name} on is missing, joints, rotors and all ({name_list(below)})"
            edit, rows = without_motion(below, absent=True), without_rows(dofs)
            yield model_fault(f"missing-subtree/{name} (rotors)", words, tree_edit=edit, answer_edit=rows, prior=1.2)


def massless_subtree_words(name: str, below: list[str]) -> tuple[str, str]:
    """Name and words of the fault that a subtree has no inertia; `below` are its links."""
    return f"missing-subtree/{name}", f"the whole subtree from {name} on has no inertia ({name_list(below)})"


def _massless_subtree(spec: RobotSpec, name: str, below: list[str]) -> Iterator[Hypothesis]:
    fault, words = massless_subtree_words(name, below)
    massless = edit_bodies(_without_inertia, below)
    yield model_fault(fault, words, massless)
    geared = [other for other in below if body_of(spec, other).rotor]
    variants = [("rotors too", "nor have the rotors of its joints", below)] if geared else []
    if name in geared and len(geared) > 1:
        variants.append(("rotors inside too", "nor have the rotors that ride in it", below[1:]))
    for variant, more, without_drive in variants:
        edit = in_turn(massless, edit_bodies(_without_drive, without_drive))
        yield model_fault(f"missing-subtree/{name} (massless, {variant})", f"{words}, {more}", edit, prior=1.5)


def doubled_bodies(scope: Scope) -> Iterator[Hypothesis]:
    """A body counted twice, its inertia alone or with its joint's rotor; or a rotor."""
    for body in _in(scope):
        name, rotor = body.name, body.rotor
        twice, rotor_twice = edit_bodies(_doubled_body, [name]), edit_bodies(_with_doubled_rotor, [name])
        if _has_inertia(body.inertia):
            yield model_fault(f"twice/{name}", f"the body {name} is counted twice", twice, prior=INERTIA_PRIOR)
        if rotor:
            words = f"the rotor {rotor.name} is counted twice"
            yield model_fault(f"twice/{rotor.name}", words, rotor_twice, prior=INERTIA_PRIOR)
            words = f"the body {name} and its rotor {rotor.name} are counted twice"
            yield model_fault(f"twice/{name} (rotor)", words, in_turn(twice, rotor_twice), prior=2.0)


def exchanged_inertias(scope: Scope) -> Iterator[Hypothesis]:
    """The inertias of two bodies exchanged: siblings, neighbours along a chain, and bodies of the same place in two legs."""
    spec = scope.spec
    for a, b in combinations(_in(scope), 2):
        alike = _place_in_chain(spec, a) == _place_in_chain(spec, b) and len(subtree(spec, a.name)) == len(subtree(spec, b.name))
        if (a.parent == b.parent or alike or a.name == b.parent) and a.inertia != b.inertia:
            edit = exchange_bodies(a, b, lambda body, other: replace(body, inertia=other.inertia))
            words = f"the inertias of {a.name} and {b.name} are exchanged"
            yield model_fault(f"exchanged/{a.name}:{b.name} (inertias)", words, edit, prior=2.0)


def exchanged_placements(scope: Scope) -> Iterator[Hypothesis]:
    """The placements of two siblings exchanged, with those of their drives or without."""
    for a, b in combinations(scope.spec.bodies, 2):
        if a.parent == b.parent and scope.has_one_of((a.name, b.name)) and a.placement != b.placement:
            name, words = f"exchanged/{a.name}:{b.name}", f"the placements of {a.name} and {b.name} are exchanged"
            edit = exchange_bodies(a, b, lambda body, other: replace(body, placement=other.placement))
            yield model_fault(name, words, edit)
            if a.rotor and b.rotor:
                words = f"{words}, those of the rotors of their joints too"
                both = in_turn(edit, exchange_bodies(a, b, _with_rotor_placement))
                yield model_fault(f"{name} (rotors)", words, both, prior=2.0)


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


def _doubled_body(body: Body) -> Body:
    return replace(body, inertia=scale_inertia(body.inertia, 2.0))


def _with_doubled_rotor(body: Body) -> Body:
    return replace(body, rotor=body.rotor and replace(body.rotor, inertia=scale_inertia(body.rotor.inertia, 2.0)))


def _with_rotor_placement(body: Body, other: Body) -> Body:
    rotor = body.rotor and other.rotor and replace(body.rotor, placement=other.rotor.placement)
    return replace(body, rotor=rotor or body.rotor)
