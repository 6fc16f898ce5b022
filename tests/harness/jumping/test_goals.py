"""Jumps asked for by a box or a gap: the ground and the jump that are chosen."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from leapcheck.jumping.act import act_on_ground, planned_act
from leapcheck.jumping.goals import jump_to_goal
from leapcheck.jumping.ground_options import terrain_of
from leapcheck.jumping.measures.figures import landing_figures
from leapcheck.jumping.measures.observation import Observation, Phases, motion_phases, observe
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.jumping.setup import jump_setup
from leapcheck.jumping.study import jump_act
from leapcheck.simulators.log import log_of_steps
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference import contact_positions
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain
from leapcheck_reference.tree import build

SPEC = load("mini_cheetah")
FEET = [i for i, point in enumerate(build(SPEC).points) if point.name.endswith("foot")]


def chosen(**goal: float) -> JumpOptions:
    return jump_to_goal(SPEC, JumpOptions(planner="optimised", **goal))


def test_a_jump_without_such_a_goal_stays_as_it_is() -> None:
    options = JumpOptions(height=0.2)
    assert jump_to_goal(SPEC, options) is options


@pytest.mark.parametrize(
    ("motion", "low", "high"),
    [
        ({"distance": 0.1}, 0.09, 0.11),
        ({"distance": -0.6}, 0.29, 0.31),
        ({"flip": "back"}, 0.25, 0.35),
        ({"turn": 90.0}, 0.15, 0.25),
        ({"turn": -360.0}, 0.35, 0.45),
        ({"pitch": 20.0}, 0.15, 0.25),
        ({"distance": 0.4, "landing_height": 0.2}, 0.3, 0.4),
    ],
)
def test_a_height_that_is_left_out_suits_the_motion(motion: dict[str, Any], low: float, high: float) -> None:
    options = JumpOptions(**motion)
    options.check()
    made = jump_to_goal(SPEC, options)
    assert made.height is not None
    assert low < made.height < high
    assert made.planner == options.chosen_planner == ("optimised" if {"flip", "turn"} & motion.keys() else "quick")
    assert dataclasses.replace(made, height=None, planner=None) == options


def test_the_quick_planner_is_chosen_where_it_can() -> None:
    assert JumpOptions(height=0.2).chosen_planner == JumpOptions(highest=True).chosen_planner == "quick"
    assert JumpOptions(height=0.2, planner="optimised").chosen_planner == "optimised"
    others = ({"onto_box": 0.2}, {"over_gap": 0.2}, {"run_up": 0.5}, {"merit": "energy"}, {"take_off": "rear-first"})
    assert {JumpOptions(**option).chosen_planner for option in others} == {"optimised"}
    assert jump_to_goal(SPEC, JumpOptions(onto_box=0.2)).chosen_planner == "optimised"


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


@pytest.mark.parametrize("goal", [{"onto_box": 0.2}, {"over_gap": 0.3}])
def test_a_run_up_moves_the_edge_ahead_by_the_longest_hop_and_shortens_the_jump_by_less(goal: dict[str, float]) -> None:
    """The hop flies 0.15 s at most: at 0.8 m/s that is 0.12 m, of which the shortest hop makes 0.05 m."""
    still, running = chosen(**goal), chosen(**goal, run_up=0.8)
    edges = [float((options.gap or options.box)[0].split(",")[0 if options.gap else 1]) for options in (still, running)]
    assert edges[1] - edges[0] == pytest.approx(0.12, abs=2e-3)
    assert 0.0 < running.distance - still.distance < 0.12 - 0.05
    assert running.height == still.height


def test_feet_in_or_before_the_gap_have_not_crossed_it() -> None:
    """By hand: the far edge is that of the gap between the feet's middles; each foot's place beside it is the figure's."""
    home = legged_robot(SPEC, SMALLEST_RADIUS).home
    feet = contact_positions(build(SPEC), home)[FEET, 0]
    terrain = terrain_of((), (f"{feet.max() + 0.1},0.2",), None, 0.0)
    edge = feet.max() + 0.3
    there = home.copy()
    there[0] += edge - feet.min() + 0.05
    plan = plan_jump(SPEC, JumpRequest(0.1), drives(SPEC))
    crossing = dataclasses.replace(plan, q=np.stack([home, there]))
    act = act_on_ground(SPEC, planned_act(crossing), terrain)
    assert act.far_edge == pytest.approx(edge, abs=1e-12)
    assert act.landing == 0.0
    assert act_on_ground(SPEC, planned_act(plan), terrain).far_edge is None  # in place
    assert act_on_ground(SPEC, planned_act(crossing), LEVEL).far_edge is None
    for back, fallen in ((0.0, 0.0), (0.1, 1.0), (there[0] - home[0], 0.0)):
        last = there.copy()
        last[[0, 2]] -= back, fallen
        found = {figure.name: figure.value for figure in landing_figures(*states(home, last, terrain), act.landing, act.far_edge)}
        assert found["beyond_gap"] == pytest.approx(0.05 - back, abs=1e-12)
        assert found["landing_off"] == pytest.approx(-fallen, abs=1e-12)


def states(first: Floats, last: Floats, terrain: Terrain) -> tuple[Observation, Phases]:
    """A run of one step from one pose to another."""
    n, points = len(SPEC.actuators), sum(point.computed for point in SPEC.contact_points)
    shapes = [(n,)] * 4 + [(), (), (points, 3), (SPEC.nv,)]
    columns = [np.zeros((1, *shape)) for shape in shapes]
    log = log_of_steps(SPEC, "still", 1e-3, [(q, np.zeros(SPEC.nv)) for q in (first, last)], columns, "")
    seen = observe(SPEC, log, terrain)
    return seen, motion_phases(seen)


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
