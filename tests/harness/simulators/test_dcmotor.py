"""The drives' law against MuJoCo's dcmotor, through a real MuJoCo model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leapcheck_evidence.studies.dcmotor import DcMotors, Input
from leapcheck_evidence.studies.envelope import GOAL, grid, rows
from leapcheck_models.robots import load
from leapcheck_models.spec import Actuator
from leapcheck_reference.simulate.actuator import drive_response, drives

pytestmark = pytest.mark.quick

CHEETAH = load("mini_cheetah")
DRIVES = drives(CHEETAH)


@pytest.mark.parametrize("way", list(Input))
def test_it_is_the_same_law(way: Input) -> None:
    """On a grid over all four quadrants, far beyond peak torque and no-load speed: braking, plugging, overspeed."""
    desired, qd = grid(DRIVES, points=33)
    ours = drive_response(DRIVES, desired, qd)
    torque = DRIVES.gear_ratio * ours.motor_torque
    theirs = DcMotors(DRIVES, way).torque(desired, qd)
    assert np.abs(theirs - torque).max() < GOAL
    shaft = torque * qd
    peak = np.abs(ours.motor_torque) == DRIVES.torque_limit
    cut = (np.abs(torque - desired) > 1e-9) & ~peak
    for found in (shaft > 0.0, shaft < 0.0, (shaft < 0.0) & (desired * qd > 0.0), peak & (shaft < 0.0), cut & (shaft > 0.0)):
        assert found.mean() > 0.02  # driving, braking, turned faster than it can drive, braking at the limit, at the voltage


def test_a_changed_constant_shows() -> None:
    """The comparison can fail: one part in 10^9 more resistance is a difference."""
    desired, qd = grid(DRIVES, points=9)
    changed = replace(DRIVES, resistance=DRIVES.resistance * (1 + 1e-9))
    ours = DRIVES.gear_ratio * drive_response(changed, desired, qd).motor_torque
    assert np.abs(DcMotors(DRIVES, Input.TORQUE).torque(desired, qd) - ours).max() > 100 * GOAL


def test_the_table_says_so() -> None:
    (row,) = rows()
    assert row.met
    assert row.goal == "1e-12 N m"
    assert "braking" in row.detail


def test_a_servo_without_electrical_figures_is_refused() -> None:
    servo = Actuator("servo", CHEETAH.actuators[1].joint, torque_limit=2.0, speed_limit=10.0)
    laws = drives(replace(CHEETAH, actuators=(CHEETAH.actuators[0], servo)))
    with pytest.raises(ValueError, match="'servo' has no motor: give its torque constant"):
        DcMotors(laws, Input.VOLTAGE)
