"""Planned jumps that land higher or lower than they begin: the plan's path, and the robot on the box in a simulation."""

import functools

import numpy as np
import pytest

from leapcheck.jumping.act import act_on_ground, planned_act
from leapcheck.jumping.box_front import box_fronts
from leapcheck.jumping.ground_options import terrain_of
from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.measures.figures import figures
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import Infeasible, JumpPlan, JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.registry import Ground, make_simulator
from leapcheck_models.robots import load
from leapcheck_reference import com_position, contact_positions
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.tree import build

SPEC = load("mini_cheetah")
HEIGHT, DISTANCE = 0.4, 0.6


@functools.cache
def plan(landing_height: float, height: float = HEIGHT) -> JumpPlan:
    return plan_jump(SPEC, JumpRequest(height, DISTANCE, landing_height=landing_height), drives(SPEC))


@pytest.mark.parametrize("landing_height", [0.2, -0.1])
def test_the_plan_stands_at_the_end_as_at_the_begin_so_much_higher(landing_height: float) -> None:
    made = plan(landing_height, 0.4 if landing_height > 0.0 else 0.2)
    feet = [i for i, point in enumerate(build(SPEC).points) if point.name.endswith("foot")]
    first, last = (contact_positions(build(SPEC), q)[feet] for q in (made.q[0], made.q[-1]))
    np.testing.assert_allclose(last[:, 2] - first[:, 2], landing_height, atol=1e-6)
    first_com, last_com = (com_position(build(SPEC), q) for q in (made.q[0], made.q[-1]))
    assert last_com[2] - first_com[2] == pytest.approx(landing_height, abs=1e-6)
    assert max(check.utilisation for check in made.checks) <= 1.0


def test_what_is_higher_than_the_jump_is_refused() -> None:
    with pytest.raises(Infeasible):
        plan(0.3, 0.2)


def landed(box: str) -> dict[str, JumpFigure]:
    """Figures of the jump onto a box, on rigid ground."""
    terrain = terrain_of((box,), (), None, 0.0)
    act = act_on_ground(SPEC, planned_act(plan(0.2)), terrain)
    assert "may begin between" in " ".join(act.notes)
    simulator = make_simulator("rigid", SPEC, Ground(0.8, terrain=terrain), 1e-3)
    log = simulate(SPEC, simulator, act.fresh_policy(), drives(SPEC), act.start, act.duration)
    return figures(SPEC, act.plan, log, drives(SPEC), friction=0.8, terrain=terrain, landing=act.landing)


@pytest.mark.parametrize("end", [0, 1])
def test_the_robot_stands_on_the_box_up_to_both_ends_of_where_its_front_may_lie(end: int) -> None:
    found = landed(f"0.2,{box_fronts(SPEC, plan(0.2))[end]}")
    assert found["landing_off"].value == pytest.approx(0.0, abs=5e-3)
    assert found["final_tilt"].value < 2.0
    assert found["trunk_clearance"].value > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("end", "beyond"), [(0, -0.06), (1, 0.04)])
def test_the_jump_fails_well_beyond_these_ends(end: int, beyond: float) -> None:
    """The legs pass the edge 30 mm nearer in truth: they are round, and graze it."""
    found = landed(f"0.2,{box_fronts(SPEC, plan(0.2))[end] + beyond}")
    assert abs(found["landing_off"].value) > 0.15
    assert found["final_tilt"].value > 30.0
