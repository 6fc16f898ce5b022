"""Passive forces of users' engines: what is left out, turned round, smoothed or counted in elsewhere is named."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from tests.reference.passive_joints import spring_energy, with_passive_joints

pytestmark = pytest.mark.quick

SPEC = with_passive_joints("random:30")  # one base, a rotor, armature
TREE = reference.build(SPEC)
STATES = generated_states(SPEC, 16, 1, 0)
JOINTS = {body.joint.name: body.joint for body in SPEC.bodies}


def other(**joint: float) -> reference.Tree:
    """The robot with these values in every joint that has some."""
    bodies = (replace(b, joint=replace(b.joint, **joint)) if b.joint.damping else b for b in SPEC.bodies)
    return reference.build(replace(SPEC, bodies=tuple(bodies)))


def causes(**functions: Any) -> list[str]:
    diagnoses = diagnose(SPEC, user_engine(SimpleNamespace(**functions), SPEC), STATES, tuple(functions))
    assert not any(diagnosis.unexplained for diagnosis in diagnoses)
    return [cause.name for diagnosis in diagnoses for cause in diagnosis.causes]


def passive(q: Floats, v: Floats) -> Floats:
    return reference.passive_forces(TREE, q, v)


UNDAMPED, SPRINGLESS, AT_ZERO = other(damping=0.0), other(stiffness=0.0), other(springref=0.0)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda q, v: reference.passive_forces(UNDAMPED, q, v), "passive/no-damping"),
        (lambda q, v: reference.passive_forces(SPRINGLESS, q, v), "passive/no-springs"),
        (lambda q, v: reference.passive_forces(AT_ZERO, q, v), "passive/at-zero"),
        (lambda q, v: 2.0 * reference.passive_forces(UNDAMPED, q, v) - passive(q, v), "passive/damping-sign"),
        (lambda q, v: 2.0 * reference.passive_forces(SPRINGLESS, q, v) - passive(q, v), "passive/spring-sign"),
        (lambda q, v: passive(q, v) + reference.dry_friction(TREE, v), "passive/with-friction"),
        (lambda q, v: -passive(q, v), "passive/sign"),
    ],
)
def test_forms_of_passive_forces_are_named(function: Any, name: str) -> None:
    assert causes(passive_forces=function) == [name]


def test_one_joint_with_other_coefficients_is_named() -> None:
    last = [body for body in SPEC.bodies if body.joint.damping][-1]
    changed = replace(last, joint=replace(last.joint, springref=np.degrees(last.joint.springref), damping=0.0))
    tree = reference.build(replace(SPEC, bodies=tuple(changed if body is last else body for body in SPEC.bodies)))
    functions = {"passive_forces": lambda q, v: reference.passive_forces(tree, q, v)}
    assert causes(**functions) == [f"passive/coefficients:{last.joint.name}"]


def test_dry_friction_smoothed_or_as_its_bound_is_named() -> None:
    friction = np.abs(reference.dry_friction(TREE, np.ones(SPEC.nv)))
    assert causes(dry_friction=lambda v: -friction * np.tanh(v / 0.4)) == ["passive/smoothed:dry_friction"]
    assert causes(dry_friction=lambda v: friction) == ["passive/friction-bound"]
    smooth = causes(passive_forces=lambda q, v: passive(q, v) - friction * v / np.sqrt(v**2 + 0.3**2))
    assert smooth == ["passive/smoothed:passive_forces"]


def test_springs_counted_in_elsewhere_are_named() -> None:
    energy = causes(potential_energy=lambda q: reference.potential_energy(TREE, q) + spring_energy(SPEC, q))
    assert energy == ["passive/spring-energy"]
    springs = causes(bias_force=lambda q, v: reference.bias_force(TREE, q, v) - reference.passive_forces(UNDAMPED, q, v))
    assert springs == ["passive/springs-in-bias"]
