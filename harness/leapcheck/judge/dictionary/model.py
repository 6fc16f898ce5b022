"""Another model as a whole: rotors, armature, placements, and inertias that a file format or a compiler refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis
from leapcheck.judge.words import listed
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import Body, Inertia, RobotSpec, Symmetric3
from leapcheck_models.validation import rotational_matrix

Model = Callable[[RobotSpec], RobotSpec]

LUMPED = "the rotors are lumped into the links and counted as armature: their coupling gear ratio x inertia is missing"
MASSLESS = "the rotors count as armature only: their mass on the links and their coupling are missing"


def armature(belief: Belief) -> Iterator[Hypothesis]:
    """The armature of all joints left out or counted twice."""
    joints = [body.joint for body in belief.evidence.spec.bodies if body.joint.armature]
    if joints:
        for name, share, words in (("left-out", 0.0, "left out"), ("doubled", 2.0, "counted twice")):
            amounts = listed((f"{joint.name} {(share - 1.0) * joint.armature:+.6g}" for joint in joints), 12)
            details = f"M's joint diagonal is off by {amounts} kg m^2 or kg"
            cause = f"the armature of every joint is {words}"
            yield Hypothesis(f"armature/{name}", "model", cause, _of_bodies(_with_armature_times(share)), details=details)


def rotors(belief: Belief) -> Iterator[Hypothesis]:
    """All rotors lumped, left out, riding along, without mass, or turning the other way round."""
    if any(body.rotor for body in belief.evidence.spec.bodies):
        yield Hypothesis("rotor/coupling-missing", "model", LUMPED, with_lumped_rotors)
        words = "the rotors are left out altogether"
        yield Hypothesis("rotor/left-out", "model", words, _of_bodies(lambda body: replace(body, rotor=None)))
        words = "the rotors ride on the links but do not turn: gear ratio^2 x inertia is missing"
        yield Hypothesis("rotor/not-turning", "model", words, _of_bodies(_with_gear_times(0.0)), prior=2.0)
        yield Hypothesis("rotor/massless", "model", MASSLESS, _massless, prior=2.0)
        words = "the rotors turn against their joints: the sign of the gear ratio"
        yield Hypothesis("rotor/reversed", "model", words, _of_bodies(_with_gear_times(-1.0)))


def unreal_inertias(belief: Belief) -> Iterator[Hypothesis]:
    """Inertias that no body has, replaced as file formats and compilers do."""
    unreal = [body.name for body in belief.evidence.spec.bodies if _is_unreal(body.inertia)]
    if unreal:
        words = f"the nearest realisable inertia stands for the true one of {listed(unreal)}"
        yield Hypothesis("inertia/nearest", "model", words, _of_inertias(_nearest))
        words = f"the principal moments of {listed(unreal)} are set to their mean (MuJoCo's balanceinertia)"
        yield Hypothesis("inertia/balanced", "model", words, _of_inertias(_balanced))


def placements(belief: Belief) -> Iterator[Hypothesis]:
    """The fixed rotations of all links, or of all rotors, the wrong way round, or left out."""
    if any(any(body.placement.quaternion[1:]) for body in belief.evidence.spec.bodies):
        words = "the rotations of the links in their parents are transposed: R_BP stands for R_PB"
        yield Hypothesis("axes/transposed-placements", "model", words, _of_bodies(_turned_back), prior=2.0)
        words = "the rotations of the links in their parents are left out"
        yield Hypothesis("axes/no-placement-rotations", "model", words, _of_bodies(_unturned), prior=2.0)


def _of_bodies(changed: Callable[[Body], Body]) -> Model:
    return lambda spec: replace(spec, poses=(), bodies=tuple(changed(body) for body in spec.bodies))


def _of_inertias(changed: Callable[[Inertia], Inertia]) -> Model:
    return _of_bodies(lambda body: replace(body, inertia=changed(body.inertia)))


def _with_armature_times(share: float) -> Callable[[Body], Body]:
    return lambda body: replace(body, joint=replace(body.joint, armature=share * body.joint.armature))


def _with_armature_of(spec: RobotSpec, other: RobotSpec) -> RobotSpec:
    own = {body.name: body.joint.armature for body in other.bodies}
    return _of_bodies(lambda body: replace(body, joint=replace(body.joint, armature=own[body.name])))(spec)


def _massless(spec: RobotSpec) -> RobotSpec:
    return _with_armature_of(_of_bodies(lambda body: replace(body, rotor=None))(spec), with_lumped_rotors(spec))


def _with_gear_times(share: float) -> Callable[[Body], Body]:
    return lambda body: replace(body, rotor=body.rotor and replace(body.rotor, gear_ratio=share * body.rotor.gear_ratio))


def _is_unreal(inertia: Inertia) -> bool:
    return not inertia.realisable and inertia.nearest is not None


def _nearest(inertia: Inertia) -> Inertia:
    if inertia.realisable or inertia.nearest is None:
        return inertia
    return replace(inertia, rotational=inertia.nearest, realisable=True, nearest=None)


def _balanced(inertia: Inertia) -> Inertia:
    if inertia.realisable:
        return inertia
    mean = float(np.trace(rotational_matrix(inertia.rotational))) / 3.0
    sphere: Symmetric3 = (mean, 0.0, 0.0, mean, 0.0, mean)
    return replace(inertia, rotational=sphere, realisable=True, nearest=None)


def _turned_back(body: Body) -> Body:
    w, x, y, z = body.placement.quaternion
    return replace(body, placement=replace(body.placement, quaternion=(w, -x, -y, -z)))


def _unturned(body: Body) -> Body:
    return replace(body, placement=replace(body.placement, quaternion=(1.0, 0.0, 0.0, 0.0)))
