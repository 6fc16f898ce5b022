"""Passive forces: springs lose no energy, dampers and dry friction take it away; every scalar agrees."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

import leapcheck_reference as reference
from leapcheck_reference.scalar import array_of
from tests.reference.generic_states import configuration, gradient, joint_slices
from tests.reference.passive_joints import spring_energy, with_passive_joints

pytestmark = pytest.mark.quick

ROBOTS = ("mini_cheetah", "tree4_5", "random:19", "random:24", "random:30")
ROUNDING = 1e-14


@pytest.mark.parametrize("robot", ROBOTS)
def test_power(robot: str) -> None:
    spec, rng = with_passive_joints(robot), np.random.default_rng(1)
    tree, q, v = reference.build(spec), configuration(spec, rng), 2.0 * rng.normal(size=spec.nv)
    springs = reference.passive_forces(tree, q, np.zeros(spec.nv))
    np.testing.assert_allclose(springs, -gradient(spec, lambda x: spring_energy(spec, x), q), atol=1e-14)
    joints = zip(spec.bodies, joint_slices(spec), strict=True)
    slides_or_turns = np.concatenate([np.full(at.stop - at.start, body.joint.axis is not None) for body, (_, _, at) in joints])
    for force in (reference.passive_forces(tree, q, v) - springs, reference.dry_friction(tree, v)):
        assert (force[slides_or_turns] * v[slides_or_turns] < 0.0).all()
        assert not force[~slides_or_turns].any()
    np.testing.assert_array_equal(reference.dry_friction(tree, v), reference.dry_friction(tree, 1e-6 * v))
    assert not reference.dry_friction(tree, 0.0 * v).any()


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:30"])
def test_every_scalar_agrees(robot: str) -> None:
    spec, rng = with_passive_joints(robot), np.random.default_rng(1)
    tree, q = reference.build(spec), np.stack([configuration(spec, rng) for _ in range(3)])
    v = 2.0 * rng.normal(size=(3, spec.nv))
    v[:, -1] = (-1e-12, 0.0, 1e-12)
    answers = reference.kernel(tree, ("passive_forces", "dry_friction"))(q, v)
    balls = reference.build(spec, scalar=arb)
    for i in range(3):
        passive, friction = reference.passive_forces(tree, q[i], v[i]), reference.dry_friction(tree, v[i])
        np.testing.assert_allclose(answers["passive_forces"][i], passive, rtol=ROUNDING)
        np.testing.assert_array_equal(answers["dry_friction"][i], friction)
        exact = reference.passive_forces(balls, array_of(q[i], arb), array_of(v[i], arb))
        np.testing.assert_allclose([float(arb(x)) for x in exact], passive, rtol=1e-13, atol=1e-15)
        np.testing.assert_array_equal([float(arb(x)) for x in reference.dry_friction(balls, array_of(v[i], arb))], friction)
