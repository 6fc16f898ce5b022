"""The highest jump: feasible itself, no higher one is, and it says why."""

import dataclasses

import numpy as np
import pytest

from leapcheck.jumping.planning.plan import CLOSE, highest_jump, plan_jump
from leapcheck.jumping.planning.records import Infeasible, JumpRequest
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives

FIXED = JumpRequest(1.0, crouch=0.2, push_time=0.132)
"""A crouch and a push time leave the height alone."""


def test_mini_cheetah_is_limited_by_voltage() -> None:
    """Independent trials found 0.41 to 0.52 m, by crouch; with the crouch left open it goes deeper than theirs."""
    spec = load("mini_cheetah")
    found = highest_jump(spec, JumpRequest(1.0), drives(spec))
    assert 0.41 < found.height < 0.6
    assert found.limited_by.startswith("voltage (")
    assert "_knee, push" in found.limited_by
    assert found.plan.utilisation <= 1.0
    assert found.plan.request.height == found.height
    with pytest.raises(Infeasible, match="voltage"):
        plan_jump(spec, JumpRequest(found.height + 0.005), drives(spec))


def test_what_limits_it_follows_the_drives() -> None:
    spec = load("mini_cheetah")
    motors = drives(spec)
    weak = highest_jump(spec, FIXED, dataclasses.replace(motors, torque_limit=np.full(12, 1.0)))
    plan_jump(spec, dataclasses.replace(FIXED, height=weak.height + 0.1), motors)  # the usual ones jump higher
    assert weak.limited_by.startswith("torque (")
    assert weak.height > CLOSE


def test_no_jump_at_all() -> None:
    spec = load("mini_cheetah")
    motors = dataclasses.replace(drives(spec), torque_limit=np.full(12, 0.1))
    with pytest.raises(Infeasible, match="'mini_cheetah' cannot do such a jump at any height: torque"):
        highest_jump(spec, JumpRequest(1.0, crouch=0.2), motors)
