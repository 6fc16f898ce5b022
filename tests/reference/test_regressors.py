"""Regressors: with the robot's own parameters torques and energies, and by each parameter their derivative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_reference.regressors import armature_force, body_count
from tests.reference.generic_states import Case, relative

pytestmark = pytest.mark.quick

ROUNDING = 1e-13  # of the largest entry; measured worst 3e-15


def test_times_the_parameters(case: Case) -> None:
    tree, q, v, vdot, pi = case.tree, case.q, case.v, case.vdot, reference.inertial_parameters(case.tree)
    tau = reference.inverse_dynamics(tree, q, v, vdot)
    Y = reference.joint_torque_regressor(tree, q, v, vdot)
    assert Y.shape == (tree.nv, 10 * body_count(tree))
    assert relative(Y @ pi + armature_force(tree, v, vdot), tau, np.abs(Y * pi).max()) <= ROUNDING
    kinetic = reference.kinetic_energy_regressor(tree, q, v) @ pi + v @ armature_force(tree, 0.0 * v, v) / 2.0
    np.testing.assert_allclose(kinetic, reference.kinetic_energy(tree, q, v), rtol=1e-12)
    row = reference.potential_energy_regressor(tree, q)
    np.testing.assert_allclose(row @ pi, reference.potential_energy(tree, q), atol=1e-13 * (1.0 + np.abs(row * pi).sum()))


def test_each_link_s_parameters(case: Case) -> None:
    """The columns of a link are what its parameters do alone: changed at random, for they are linear."""
    rng = np.random.default_rng(0)
    tree, (q, v, vdot) = case.tree, (case.q, case.v, case.vdot)
    i = int(rng.integers(len(tree.links)))
    ten, link = rng.normal(size=10), tree.links[i]
    entries = {pair: ten[4 + k] for k, pair in enumerate(((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))}
    I = np.array([[entries[min(a, b), max(a, b)] for a in range(3)] for b in range(3)])
    own = replace(link.inertia, mass=link.inertia.mass + ten[0], mc=link.inertia.mc + ten[1:4], I=link.inertia.I + I)
    changed = replace(tree, links=(*tree.links[:i], replace(link, inertia=own), *tree.links[i + 1 :]))
    after, before = (reference.inverse_dynamics(t, q, v, vdot) for t in (changed, tree))
    Y = reference.joint_torque_regressor(tree, q, v, vdot)[:, 10 * i : 10 * i + 10]
    assert relative(Y @ ten, after - before, max(1.0, np.abs(after).max())) <= ROUNDING
    kinetic = reference.kinetic_energy(changed, q, v) - reference.kinetic_energy(tree, q, v)
    row = reference.kinetic_energy_regressor(tree, q, v)[10 * i : 10 * i + 10]
    np.testing.assert_allclose(row @ ten, kinetic, atol=1e-12 * (1.0 + abs(reference.kinetic_energy(changed, q, v))))
