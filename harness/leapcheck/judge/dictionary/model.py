"""Another model as a whole: rotors, armature, placements, and inertias that a file format or a compiler refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.edits import edit_answers, edit_bodies, edit_inertias
from leapcheck.judge.layout import link_groups
from leapcheck.judge.words import name_list
from leapcheck_models.rotors import rotation_matrix, with_lumped_rotors
from leapcheck_models.spec import WORLD, Body, Inertia, RobotSpec, Symmetric3
from leapcheck_models.validation import rotational_matrix

LUMPED = "the rotors are lumped into the links and counted as armature: their coupling gear ratio x inertia is missing"
MASSLESS = "the rotors count as armature only: their mass on the links and their coupling are missing"


def armature(belief: Belief) -> Iterator[Hypothesis]:
    """The armature of all joints left out or counted twice."""
    joints = [body.joint for body in belief.evidence.spec.bodies if body.joint.armature]
    for name, share, words in (("left-out", 0.0, "left out"), ("doubled", 2.0, "counted twice")) if joints else ():
        amounts = name_list((f"{joint.name} {(share - 1.0) * joint.armature:+.6g}" for joint in joints), 12)
        details = f"M's joint diagonal is off by {amounts} kg m^2 or kg"
        cause = f"the armature of every joint is {words}"
        yield model_fault(f"armature/{name}", cause, edit_bodies(_armature_times(share)), details=details)


def _lumped(belief: Belief) -> Hypothesis:
    """All rotors lumped; those on the world with their constant potential energy where only that explains the engine's."""
    plain = model_fault("rotor/coupling-missing", LUMPED, with_lumped_rotors)
    energy = _energy_on_world(belief.evidence.spec)
    if not energy or "potential_energy" not in belief.evidence.quantities or belief.plus(plain).explains("potential_energy"):
        return plain
    words = f"{LUMPED}; those on the world still have their potential energy, {energy:+.7g} J"
    edit = edit_answers(("potential_energy",), lambda _view, values: values + energy)
    kept = model_fault(plain.name, words, with_lumped_rotors, answer_edit=edit)
    return kept if belief.plus(kept).explains("potential_energy") else plain


def rotors(belief: Belief) -> Iterator[Hypothesis]:
    """All rotors lumped, left out, not turning, massless, or turning the other way."""
    if any(body.rotor for body in belief.evidence.spec.bodies):
        yield _lumped(belief)
        yield model_fault("rotor/left-out", "the rotors are left out altogether", edit_bodies(_without_rotor))
        words = "the rotors ride on the links but do not turn: gear ratio^2 x inertia is missing"
        yield model_fault("rotor/not-turning", words, edit_bodies(_gear_times(0.0)), prior=2.0)
        yield model_fault("rotor/massless", MASSLESS, _massless_rotors, prior=2.0)
        words = "every rotor turns against its joint: the gear ratio has the opposite sign"
        yield model_fault("rotor/reversed", words, edit_bodies(_gear_times(-1.0)))


def rotors_of_limbs(belief: Belief) -> Iterator[Hypothesis]:
    """The rotors of several joints left out, not turning, or turning the other way: of all knees, of one leg, of two."""
    spec = belief.evidence.spec
    geared = frozenset(body.name for body in spec.bodies if body.rotor)
    groups = link_groups([body.name for body in spec.bodies], map(spec.parent_index, spec.bodies), geared)
    for names in (group for group in groups if 1 < len(group) < len(geared)):
        joints = name_list((body.rotor.name for body in spec.bodies if body.name in names and body.rotor), 12)
        for kind, (words, change) in SEVERAL_ROTORS.items():
            yield model_fault(f"rotor/{kind}:{joints}", words.format(joints), edit_bodies(change, names), prior=2.5)


def unreal_inertias(belief: Belief) -> Iterator[Hypothesis]:
    """Inertias that no body can have, replaced as file formats and compilers do."""
    unreal = [body.name for body in belief.evidence.spec.bodies if not body.inertia.realisable and body.inertia.nearest]
    if unreal:
        words = f"the nearest realisable inertia is used for the true one of {name_list(unreal)}"
        yield model_fault("inertia/nearest", words, edit_inertias(_nearest))
        words = f"the principal moments of {name_list(unreal)} are set to their mean (MuJoCo's balanceinertia)"
        yield model_fault("inertia/balanced", words, edit_inertias(_mean_moments))


def placements(belief: Belief) -> Iterator[Hypothesis]:
    """The fixed rotations of all links the wrong way round, or left out."""
    if any(any(body.placement.quaternion[1:]) for body in belief.evidence.spec.bodies):
        words = "the rotations of the links in their parents are"
        edit = edit_bodies(lambda body: _with_quaternion(body, -1.0))
        yield model_fault("axes/transposed-placements", f"{words} transposed: R_BP is used for R_PB", edit, prior=2.0)
        edit = edit_bodies(lambda body: _with_quaternion(body, 0.0))
        yield model_fault("axes/no-placement-rotations", f"{words} left out", edit, prior=2.0)


def _energy_on_world(spec: RobotSpec) -> float:
    """Potential energy (J) of the rotors that sit on the world, at angle zero."""
    on_world = [body.rotor for body in spec.bodies if body.rotor and body.parent == WORLD]
    coms = [rotation_matrix(r.placement.quaternion) @ r.inertia.com + r.placement.p for r in on_world]
    return -sum(r.inertia.mass * float(np.dot(spec.gravity, com)) for r, com in zip(on_world, coms, strict=True))


def _armature_times(share: float) -> Callable[[Body], Body]:
    return lambda body: replace(body, joint=replace(body.joint, armature=share * body.joint.armature))


def _without_rotor(body: Body) -> Body:
    return replace(body, rotor=None)


def _massless_rotors(spec: RobotSpec) -> RobotSpec:
    lumped = {body.name: body.joint.armature for body in with_lumped_rotors(spec).bodies}
    return edit_bodies(lambda b: replace(b, rotor=None, joint=replace(b.joint, armature=lumped[b.name])))(spec)


def _gear_times(share: float) -> Callable[[Body], Body]:
    return lambda body: replace(body, rotor=body.rotor and replace(body.rotor, gear_ratio=share * body.rotor.gear_ratio))


SEVERAL_ROTORS: dict[str, tuple[str, Callable[[Body], Body]]] = {
    "left-out": ("the rotors {} are left out", _without_rotor),
    "not-turning": ("the rotors {} ride on their links but do not turn: gear ratio^2 x inertia is missing", _gear_times(0.0)),
    "reversed": ("the rotors {} turn against their joints: the sign of the gear ratio", _gear_times(-1.0)),
}
"""What may be wrong with several rotors, with their names in place of the brackets."""


def _nearest(inertia: Inertia) -> Inertia:
    if inertia.realisable or inertia.nearest is None:
        return inertia
    return replace(inertia, rotational=inertia.nearest, realisable=True, nearest=None)


def _mean_moments(inertia: Inertia) -> Inertia:
    if inertia.realisable:
        return inertia
    mean = float(np.trace(rotational_matrix(inertia.rotational))) / 3.0
    sphere: Symmetric3 = (mean, 0.0, 0.0, mean, 0.0, mean)
    return replace(inertia, rotational=sphere, realisable=True, nearest=None)


def _with_quaternion(body: Body, factor: float) -> Body:
    """The body with the turn of its placement reversed (-1) or left out (0)."""
    w, x, y, z = body.placement.quaternion
    quaternion = (w if factor else 1.0, factor * x, factor * y, factor * z)
    return replace(body, placement=replace(body.placement, quaternion=quaternion))
