"""Frames of links and contact points: against contact points, and velocities against differences on the manifold."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference import (
    contact_bias_accelerations,
    contact_jacobians,
    contact_positions,
    contact_velocities,
    frame_bias_accelerations,
    frame_jacobian_rates,
    frame_jacobians,
    frame_placements,
    frame_velocities,
)
from tests.reference.generic_states import Case, derivative, rate, relative

pytestmark = pytest.mark.quick

ROUNDING = 3e-13  # of the largest entry; measured worst 1e-14


def test_points_are_the_contact_points(case: Case) -> None:
    links = len(case.spec.bodies)
    if not case.tree.points:
        pytest.skip("no contact points")
    q, v = case.q, case.v
    assert relative(frame_placements(case.tree, q)[links:, :, 3], contact_positions(case.tree, q)) <= ROUNDING
    assert relative(frame_velocities(case.tree, q, v)[links:, 3:], contact_velocities(case.tree, q, v)) <= ROUNDING
    assert relative(frame_jacobians(case.tree, q)[links:, 3:], contact_jacobians(case.tree, q)) <= ROUNDING
    accelerations = frame_bias_accelerations(case.tree, q, v)[links:, 3:]
    assert relative(accelerations, contact_bias_accelerations(case.tree, q, v)) <= ROUNDING


def test_velocities_are_rates_of_placements(case: Case) -> None:
    qdot = rate(case.spec, case.q, case.v)
    placements = frame_placements(case.tree, case.q)
    change = derivative(lambda q: frame_placements(case.tree, q), (case.q, qdot))
    V = frame_velocities(case.tree, case.q, case.v)
    turning = np.array([np.cross(w, R.T).T for w, R in zip(V[:, :3], placements[..., :3], strict=True)])  # w x R
    assert relative(change[..., :3], turning) <= ROUNDING
    assert relative(change[..., 3], V[:, 3:]) <= ROUNDING
    assert relative(frame_jacobians(case.tree, case.q) @ case.v, V) <= ROUNDING


def test_bias_accelerations_are_rates_at_constant_v(case: Case) -> None:
    qdot = rate(case.spec, case.q, case.v)
    change = derivative(lambda q: frame_velocities(case.tree, q, case.v), (case.q, qdot))
    assert relative(frame_bias_accelerations(case.tree, case.q, case.v), change) <= ROUNDING


def test_jacobian_rates_are_rates_of_each_entry(case: Case) -> None:
    qdot = rate(case.spec, case.q, case.v)
    change = derivative(lambda q: frame_jacobians(case.tree, q), (case.q, qdot))
    rates = frame_jacobian_rates(case.tree, case.q, case.v)
    assert relative(rates, change) <= ROUNDING
    assert relative(rates @ case.v, frame_bias_accelerations(case.tree, case.q, case.v)) <= ROUNDING
