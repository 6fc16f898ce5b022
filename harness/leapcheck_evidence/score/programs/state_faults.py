"""Faults of some states only: what draws them, and how many of each."""

from __future__ import annotations

from collections.abc import Callable

from leapcheck_evidence.score.planting.fault import Rng
from leapcheck_evidence.score.programs import state_answers, state_readings
from leapcheck_evidence.score.programs.defect import StateFault
from leapcheck_models.spec import RobotSpec

Drawer = Callable[[Rng, RobotSpec], StateFault]

DRAWERS: tuple[tuple[Drawer, int], ...] = (
    (state_readings.clipped_angle, 5),
    (state_readings.clipped_angle_above, 3),
    (state_readings.absolute_angle, 3),
    (state_readings.small_angle_at_zero, 3),
    (state_readings.clipped_rate, 3),
    (state_readings.deadband_rate, 3),
    (state_readings.absolute_rate, 2),
    (state_answers.coulomb_friction, 3),
    (state_answers.no_velocity_terms_when_slow, 2),
    (state_answers.singular_guard, 2),
    (state_answers.upside_down, 2),
    (state_readings.negative_quaternion, 2),
    (state_readings.far_away, 1),
    (state_readings.clipped_torque, 3),
    (state_answers.stale_matrix, 2),
    (state_answers.stale_where_nothing_moves, 1),
    (state_answers.one_in_many, 3),
    (state_answers.end_of_batch, 2),
    (state_answers.noise, 2),
)
"""What draws a fault of some states, and how many of each."""
