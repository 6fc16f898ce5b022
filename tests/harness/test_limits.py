"""States within limits: nothing beyond them, what was within them as it was, and the run says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leapcheck.api.comparison import comparison_setup
from leapcheck.api.options import CompareOptions
from leapcheck.comparison.identity import run_identity
from leapcheck.comparison.plan import repeat_text
from leapcheck.limits import within_limits
from leapcheck.sampling import generated_states, joint_slices
from leapcheck_models.robots import load
from leapcheck_models.spec import Actuator, RobotSpec

pytestmark = pytest.mark.quick


def limited(low: float = -0.4, high: float = 1.1) -> RobotSpec:
    """An arm whose first joint has limits of each kind."""
    spec = load("two_link_arm")
    first, *others = spec.bodies
    first = replace(first, joint=replace(first.joint, limits=(low, high)))
    return replace(spec, bodies=(first, *others), actuators=(Actuator("motor", first.joint.name, 5.0, 2.0),))


@given(low=st.floats(-10, 9), width=st.floats(1e-3, 20))
def test_nothing_lies_beyond_a_limit_and_what_lay_within_stays(low: float, width: float) -> None:
    spec = limited(low, low + width)
    wild = generated_states(spec, 64, 0, 0)
    tame = within_limits(spec, wild)
    for before, after, least, most in (
        (wild.q, tame.q, low, low + width),
        (wild.v, tame.v, -2.0, 2.0),
        (wild.tau, tame.tau, -5.0, 5.0),
    ):
        inside = (before[:, 0] >= least) & (before[:, 0] <= most)
        assert ((after[:, 0] >= least) & (after[:, 0] <= most)).all()
        np.testing.assert_array_equal(after[inside, 0], before[inside, 0])
        np.testing.assert_array_equal(after[:, 1:], before[:, 1:])


def test_mini_cheetah_keeps_within_its_drives() -> None:
    spec = load("mini_cheetah")
    tame = within_limits(spec, generated_states(spec, 256, 0, 0))
    columns = {name: place.start for name, _, _, place in joint_slices(spec)}
    for drive in spec.actuators:
        assert np.abs(tame.tau[:, columns[drive.joint]]).max() <= drive.torque_limit
    assert set(tame.kind) == {"generic", "large", "singular", "rest", "far", "pose"}


def test_a_run_says_that_it_kept_within_limits() -> None:
    options = CompareOptions(states=300, within_limits=True)
    plan = comparison_setup("mini_cheetah", (), options).plan
    assert plan.command == "leapcheck compare mini_cheetah --states 300 --seed 0 --within-limits"
    assert "--seed 0 --within-limits --only 7" in repeat_text(plan, ["mujoco"], "mass_matrix", 7)
    assert "within_limits=True" in repeat_text(replace(plan, only_in_python=("mujoco",)), ["mujoco"], "mass_matrix", 7)
    assert run_identity(plan)["states"] == "300 of seed 0, within limits"
    np.testing.assert_array_equal(plan.unit(1).q, plan.block((0, 1)).q[256:])
    with pytest.raises(ValueError, match="yours are given"):
        comparison_setup("mini_cheetah", (), options, plan.unit(0))
