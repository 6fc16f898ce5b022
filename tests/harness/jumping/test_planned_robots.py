"""Robots other than Mini Cheetah that the planners serve: on slides, not the same left and right, smaller."""

from functools import cache

import numpy as np
import pytest

from leapcheck.jumping.act import act_on_ground, planned_act
from leapcheck.jumping.goals import jump_to_goal
from leapcheck.jumping.measures.figures import figures
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.optimised.plan import optimised_jump
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck.jumping.series import repeated_plan
from leapcheck.jumping.setup import jump_setup
from leapcheck.jumping.simulation import simulate
from leapcheck.jumping.study import jump_act
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_models.changes import with_changes
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from tests.harness.jumping.planner_robots import scaled, with_sliding_shanks

SPEC = load("mini_cheetah_armature")
ENGINES = ["mujoco", "soft-rk4", "rigid", "spring-damper", "pinocchio-admm"]
ROBOTS = {
    "slides": with_sliding_shanks(SPEC),
    "lopsided": with_changes(SPEC, ["FL_hip.mass=0.9"]),
    "armature": SPEC,
    "small": scaled(SPEC, 0.8),
}


def check_landing(spec: RobotSpec, plan: JumpPlan, engine: str, dt: float = 1e-3) -> None:
    act = planned_act(plan)
    log = simulate(spec, make_simulator(engine, spec, Ground(), dt), act.policy, drives(spec), act.start, act.duration)
    found = figures(spec, plan, log, drives(spec))
    assert found["height_share"].value > 0.93
    assert abs(found["distance_off"].value) < 0.05
    assert found["final_tilt"].value < 2.0


def test_legs_that_slide_jump_by_the_quick_planner_and_land_on_gains_in_newtons_per_metre() -> None:
    spec = ROBOTS["slides"]
    plan = plan_jump(spec, JumpRequest(0.1), drives(spec))
    size = legged_robot(spec, SMALLEST_RADIUS).size
    np.testing.assert_allclose(plan.kp[:, 2::3], plan.kp[:, 1::3] / size**2)
    np.testing.assert_allclose(plan.kd[:, 2::3], plan.kd[:, 1::3] / size**2)
    check_landing(spec, plan, "rigid", 2e-3)


@cache
def plan(robot: str) -> JumpPlan:
    return optimised_jump(ROBOTS[robot], JumpRequest(0.2, 0.1), drives(ROBOTS[robot]))


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["slides", "lopsided"])
@pytest.mark.parametrize("engine", ENGINES)
def test_legs_that_slide_or_differ_jump_by_the_optimised_planner(engine: str, robot: str) -> None:
    check_landing(ROBOTS[robot], plan(robot), engine)


@pytest.mark.slow
def test_a_plan_ends_in_the_pose_that_it_begins_in_and_can_be_repeated() -> None:
    made = optimised_jump(SPEC, JumpRequest(0.2, 0.2), drives(SPEC))
    np.testing.assert_allclose(made.q[-1, 7:], made.q[0, 7:], atol=1e-3)
    whole = repeated_plan(made, 2)
    assert whole.q[-1, 0] == pytest.approx(2 * made.q[-1, 0], abs=1e-9)


@cache
def on_box(robot: str) -> tuple[JumpOptions, JumpPlan]:
    """Onto a box as high, in parts of the robot, as one of 0.3 m for Mini Cheetah."""
    height = 0.3 if robot == "armature" else 0.24
    options = jump_to_goal(ROBOTS[robot], JumpOptions(planner="optimised", onto_box=height))
    made = jump_act(jump_setup(ROBOTS[robot], options), options).plan
    assert made is not None
    return options, made


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["armature", "small"])
@pytest.mark.parametrize("engine", ENGINES)
def test_robots_of_other_rotors_and_sizes_stand_on_the_box_that_suits_them(engine: str, robot: str) -> None:
    options, made = on_box(robot)
    spec, ground = ROBOTS[robot], jump_setup(ROBOTS[robot], options).ground
    act = act_on_ground(spec, planned_act(made), ground.terrain)
    log = simulate(spec, make_simulator(engine, spec, ground, 1e-3), act.policy, drives(spec), act.start, act.duration)
    found = figures(spec, made, log, drives(spec), terrain=ground.terrain, landing=act.landing)
    assert abs(found["landing_off"].value) < 0.02
    assert found["final_tilt"].value < 3.0
