"""Fingerprints of another model: rotors, armature, and inertias that a file format or a compiler refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, listed, values
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import Body, Inertia, RobotSpec, Symmetric3
from leapcheck_models.validation import rotational_matrix

Variant = tuple[str, RobotSpec]


def other_model(at: Case) -> Cause | None:
    """Rotors lumped, left out or reversed; armature left out or doubled; unreal inertias replaced; or two of these at once."""
    return first_explanation(at, _models(at))


def _models(at: Case) -> Iterator[Hypothesis]:
    for rotors, spec in (("", at.spec), *_rotor_variants(at.spec)):
        for inertias, held in (("", spec), *inertia_variants(spec)):
            words = "; ".join(part for part in (rotors, inertias) if part)
            if words:
                yield Hypothesis("model", words, values(at.quantity, held, at.states))


def _rotor_variants(spec: RobotSpec) -> Iterator[Variant]:
    if any(body.joint.armature for body in spec.bodies):
        yield "the armature of every joint is left out", _with_bodies(spec, lambda body: _with_armature(body, 0.0))
        doubled = _with_bodies(spec, lambda body: _with_armature(body, 2.0 * body.joint.armature))
        yield "the armature of every joint is counted twice", doubled
    if not any(body.rotor for body in spec.bodies):
        return
    lumped = with_lumped_rotors(spec)
    reflected = {body.name: body.joint.armature for body in lumped.bodies}
    own = {body.name: body.joint.armature for body in spec.bodies}
    yield "the rotors are lumped into the links and counted as armature: their coupling gear ratio x inertia is missing", lumped
    yield "the rotors are left out altogether", _with_bodies(spec, lambda body: replace(body, rotor=None))
    riding = _with_bodies(lumped, lambda body: _with_armature(body, own[body.name]))
    yield "the rotors ride on the links but do not turn: gear ratio^2 x inertia is missing", riding
    massless = _with_bodies(spec, lambda body: _with_armature(replace(body, rotor=None), reflected[body.name]))
    yield "the rotors count as armature only: their mass on the links and their coupling are missing", massless
    yield "the rotors turn against their joints: the sign of the gear ratio", _with_bodies(spec, _reversed)


def inertia_variants(spec: RobotSpec) -> Iterator[Variant]:
    """The robot with its unreal inertias replaced, as file formats and compilers do, and the words for it."""
    unreal = [body for body in spec.bodies if not body.inertia.realisable and body.inertia.nearest]
    if unreal:
        names = listed(body.name for body in unreal)
        nearest = _with_bodies(spec, lambda body: replace(body, inertia=_nearest(body.inertia)))
        yield f"the nearest realisable inertia stands for the true one of {names}", nearest
        balanced = _with_bodies(spec, lambda body: replace(body, inertia=_balanced(body.inertia)))
        yield f"the principal moments of {names} are set to their mean (MuJoCo's balanceinertia)", balanced


def _with_bodies(spec: RobotSpec, changed: Callable[[Body], Body]) -> RobotSpec:
    return replace(spec, bodies=tuple(changed(body) for body in spec.bodies))


def _with_armature(body: Body, armature: float) -> Body:
    return replace(body, joint=replace(body.joint, armature=armature))


def _reversed(body: Body) -> Body:
    return replace(body, rotor=replace(body.rotor, gear_ratio=-body.rotor.gear_ratio)) if body.rotor else body


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
