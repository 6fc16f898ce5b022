"""Jumps asked for by a box or a gap: the ground and the jump that are chosen."""

import numpy as np
import pytest

from leapcheck.jumping.goals import jump_to_goal
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.setup import jump_setup
from leapcheck.jumping.study import jump_act
from leapcheck_models.robots import load
from leapcheck_reference import contact_positions
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.tree import build

SPEC = load("mini_cheetah")
FEET = [i for i, point in enumerate(build(SPEC).points) if point.name.endswith("foot")]


def chosen(**goal: float) -> JumpOptions:
    return jump_to_goal(SPEC, JumpOptions(planner="optimised", **goal))


def test_a_jump_without_such_a_goal_stays_as_it_is() -> None:
    options = JumpOptions(height=0.2)
    assert jump_to_goal(SPEC, options) is options


@pytest.mark.parametrize("height", [0.1, 0.3])
def test_the_box_is_as_high_as_asked_and_ahead_of_the_feet(height: float) -> None:
    options = chosen(onto_box=height)
    options.check()
    top, front = map(float, options.box[0].split(","))
    assert top == options.landing_height == height
    robot = legged_robot(SPEC, SMALLEST_RADIUS)
    assert front > contact_positions(build(SPEC), robot.home)[FEET, 0].max() + 0.1
    assert options.height is not None
    assert options.height > height + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("goal", [{"onto_box": 0.1}, {"onto_box": 0.2}, {"onto_box": 0.3}, {"over_gap": 0.3}])
def test_the_plan_stands_beyond_the_edge(goal: dict[str, float]) -> None:
    options = chosen(**goal)
    made = jump_act(jump_setup(SPEC, options), options).plan
    assert made is not None
    first, last = (contact_positions(build(SPEC), q)[FEET] for q in (made.q[0], made.q[-1]))
    np.testing.assert_allclose(last[:, 2] - first[:, 2], goal.get("onto_box", 0.0), atol=2e-3)
    front, length = map(float, options.gap[0].split(",")) if options.gap else (float(options.box[0].split(",")[1]), 0.0)
    assert first[:, 0].max() < front <= front + length < last[:, 0].min()
