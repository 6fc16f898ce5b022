"""Boxes, gaps, stairs and slopes as a user gives them, and where a robot begins and lands on them."""

import dataclasses
import math

import numpy as np
import pytest

from leapcheck.jumping.act import act_on_ground, file_act
from leapcheck.jumping.ground_options import GAP_DEPTH, terrain_of
from leapcheck.jumping.measures.figures import figures
from leapcheck.jumping.options import JumpOptions
from leapcheck.simulators.log import PER_STEP, log_of_steps
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.terrain import LEVEL, nearest_surface

ROBOT = load("mini_cheetah")


def height(terrain, x: float) -> float:
    """Height (m, to a millimetre) of the ground at x: the highest of many points above each other that is in it."""
    column = np.array([[x, 0.0, z] for z in np.arange(-500, 1000) / 1000.0])
    return float(column[nearest_surface(terrain, column, np.zeros(len(column)))[0] <= 1e-12, 2].max())


def test_each_option_makes_the_ground_that_it_says() -> None:
    assert terrain_of((), (), None, 0.0) == LEVEL
    box = terrain_of(("0.3,0.5", "0.1,3,0.4"), (), None, 0.0)
    assert [height(box, x) for x in (0.4, 0.6, 2.4, 3.2)] == [0.0, 0.3, 0.3, 0.1]
    gap = terrain_of((), ("0.3,0.25",), None, 0.0)
    assert (height(gap, 0.2), height(gap, 0.6)) == (0.0, 0.0)
    assert gap.floor == -GAP_DEPTH
    assert nearest_surface(gap, np.array([[0.425, 0.0, -0.2]]), np.zeros(1))[0][0] == pytest.approx(0.125)
    stairs = terrain_of((), (), "0.1,0.2,0.5,3", 0.0)
    assert [height(stairs, x) for x in (0.4, 0.6, 0.8, 1.0, 2.5)] == [0.0, 0.1, 0.2, 0.3, 0.3]
    assert terrain_of((), (), None, 10.0).slope == math.radians(10.0)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"box": ("0.3",)}, "--box '0.3': write HEIGHT,FRONT"),
        ({"box": ("-0.3,0.5",)}, "--box -0.3,0.5: write"),
        ({"box": ("0.3,x",)}, "numbers with commas"),
        ({"gap": ("0.3,0",)}, "--gap 0.3,0: write FRONT,LENGTH"),
        ({"gap": ("0.3,0.3", "0.5,0.3")}, "gaps overlap"),
        ({"stairs": "0.1,0.2,0.5,2.5"}, "1 to 50 steps"),
        ({"slope": 60.0}, "--slope 60"),
    ],
)
def test_wrong_ground_is_refused_in_one_line(options: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as error:
        JumpOptions(height=0.1, **options).check()
    assert "\n" not in str(error.value)


def test_the_command_repeats_the_ground() -> None:
    command = JumpOptions(height=0.1, box=("0.3,0.5", "0.1,3"), slope=5.0).command("go2.xml")
    assert "--box 0.3,0.5 --box 0.1,3" in command
    assert "--slope 5" in command


def test_a_robot_begins_on_the_slope_as_on_level_ground() -> None:
    act = file_act(ROBOT, "mit-flip", None)
    terrain = terrain_of((), (), None, 12.0)
    q = act_on_ground(ROBOT, act, terrain).start[0]
    np.testing.assert_allclose(terrain.R.T @ q[:3], act.start[0][:3], atol=1e-15)
    np.testing.assert_allclose(q[3:7], terrain.quaternion, atol=1e-15)
    np.testing.assert_array_equal(q[7:], act.start[0][7:])


def test_a_robot_inside_a_box_is_refused_and_a_plan_lands_on_the_nearest_step() -> None:
    act = file_act(ROBOT, "mit-front-jump", None)
    assert act.landing == pytest.approx(0.40, abs=0.01)
    with pytest.raises(ValueError, match="m inside the ground: move --box"):
        act_on_ground(ROBOT, act, terrain_of(("0.4,0.1",), (), None, 0.0))
    assert act_on_ground(ROBOT, act, terrain_of(("0.45,0.5", "0.2,4"), (), None, 0.0)).landing == pytest.approx(0.45)
    assert "put a box there (--box)" in " ".join(act_on_ground(ROBOT, act, LEVEL).notes)
    remarked = act_on_ground(ROBOT, dataclasses.replace(act, notes=("the best",)), LEVEL).notes
    assert remarked[0] == "the best"
    assert "the plan means" in remarked[1]


def test_a_robot_that_stands_beside_the_box_has_missed_it() -> None:
    """The landing is judged by the lowest foot at the end, and the tilt by the ground's own normal."""
    q = np.array(ROBOT.pose("home"))
    up = q.copy()
    up[0] += 1.5
    up[2] += 0.3
    n, points = len(ROBOT.actuators), sum(point.computed for point in ROBOT.contact_points)
    shapes = [(n,)] * 4 + [(), (), (points, 3), (ROBOT.nv,)]
    columns = [np.full((1, *shape), 24.0 * (name == "battery_voltage")) for name, shape in zip(PER_STEP, shapes, strict=True)]
    terrain = terrain_of(("0.3,0.5",), (), None, 0.0)
    for last, missed in ((up, 0.0), (q, -0.3)):
        log = log_of_steps(ROBOT, "still", 1e-3, [(q, np.zeros(ROBOT.nv)), (last, np.zeros(ROBOT.nv))], columns, "")
        found = figures(ROBOT, None, log, drives(ROBOT), terrain=terrain, landing=0.3)
        assert found["landing_off"].value == pytest.approx(missed, abs=1e-12)
    sloping = dataclasses.replace(terrain_of((), (), None, 10.0))
    assert figures(ROBOT, None, log, drives(ROBOT), terrain=sloping)["final_tilt"].value == pytest.approx(10.0)
