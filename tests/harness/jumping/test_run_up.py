"""Jumps out of a run: the hop before the push, what it needs, and the jump in every simulator."""

from functools import cache

import numpy as np
import pytest

from leapcheck.jumping.act import planned_act
from leapcheck.jumping.measures.figures import figures
from leapcheck.jumping.measures.observation import observe
from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.optimised.plan import optimised_jump
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.report.jump.plots import jump_phases
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_models.robots import load
from leapcheck_reference import com_velocity, contact_positions
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.tree import build

SPEC = load("mini_cheetah")
HEIGHT, DISTANCE, SPEED = 0.25, 0.6, 0.8


@cache
def plan() -> JumpPlan:
    return optimised_jump(SPEC, JumpRequest(HEIGHT, DISTANCE, run_up=SPEED), drives(SPEC))


def test_the_robot_flies_forward_at_that_speed_before_its_feet_come_down_for_the_push() -> None:
    made, tree = plan(), build(SPEC)
    assert [phase.name for phase in made.phases] == ["stand", "crouch", "run-up", "push", "flight", "landing"]
    run_up, push = made.phases[2:4]
    begin = int(np.searchsorted(made.times, push.start, side="right")) - 1
    assert com_velocity(tree, made.q[begin], made.v[begin])[0] == pytest.approx(SPEED, rel=1e-3)
    air = (made.foot_forces[..., 2].max(axis=1) < 1e-6) & (made.times > run_up.start) & (made.times < push.start)
    assert air.sum() >= 60
    feet = [i for i, point in enumerate(tree.points) if point.name.endswith("foot")]
    low = np.array([contact_positions(tree, q)[feet, 2].min() for q in made.q[[0, int(np.flatnonzero(air).mean()), begin]]])
    assert low[1] > low[0] + 0.02
    assert low[2] == pytest.approx(low[0], abs=1e-4)
    assert made.utilisation <= 1.0
    assert made.take_off_velocity[0] * (made.touch_down - made.take_off) == pytest.approx(DISTANCE, rel=1e-3)


def test_a_simulation_begins_the_push_at_that_speed() -> None:
    check("rigid")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["mujoco", "soft-rk4", "spring-damper", "pinocchio-admm"])
def test_it_lands_in_every_simulator(engine: str) -> None:
    check(engine)


def check(engine: str) -> None:
    made = plan()
    act = planned_act(made)
    simulator = make_simulator(engine, SPEC, Ground(), 1e-3)
    log = simulate(SPEC, simulator, act.policy, drives(SPEC), act.start, act.duration)
    push = next(phase.start for phase in made.phases if phase.name == "push")
    shown = [phase.name for phase in jump_phases(observe(SPEC, log), push)]
    assert shown == ["crouch", "run-up", "push", "flight", "landing"]
    seen = figures(SPEC, made, log, drives(SPEC))
    assert seen["run_up_share"].value > 0.9
    assert seen["run_up_flight"].value > 0.05
    assert seen["height_share"].value > 0.95
    assert abs(seen["distance_off"].value) < 0.1
    assert seen["final_tilt"].value < 2.0
    assert seen["trunk_clearance"].value > 0.01


def test_what_cannot_be_run_up_to_says_what_can() -> None:
    with pytest.raises(ValueError, match="--run-up: the quick planner jumps from rest alone: leave --planner quick out"):
        JumpOptions(height=0.2, run_up=0.5, planner="quick").check()
    with pytest.raises(ValueError, match="--planner optimised plans a run-up"):
        plan_jump(SPEC, JumpRequest(0.2, run_up=0.5), drives(SPEC))
    with pytest.raises(ValueError, match=r"jump 0\.05 m or higher"):
        JumpRequest(0.04, run_up=0.5)
    with pytest.raises(ValueError, match=r"run_up is 0\.0: give a finite positive number"):
        JumpRequest(0.2, run_up=0.0)
