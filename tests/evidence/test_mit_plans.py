"""The robot that MIT's plans were made for, rebuilt out of the published one; and the page's tables."""

from __future__ import annotations

import pytest

from leapcheck.jumping.plan_file import read_plan
from leapcheck.jumping.plan_robot import planned_robot
from leapcheck_evidence.mit_plans import CHANGES, ENGINES, OWN, PUBLISHED, page, robot_with
from leapcheck_models.robots import load
from leapcheck_reference import build, total_mass

SPEC = load("mini_cheetah")


def test_the_plan_suits_the_robot_that_it_was_made_for() -> None:
    plan = read_plan("mit-front-jump", SPEC)
    meant = planned_robot(SPEC, plan)
    assert meant is not None
    assert "hips" in meant.text
    own = robot_with(SPEC, meant, OWN)
    again = planned_robot(own, plan)
    assert again is not None
    assert again.text == ""
    assert float(total_mass(build(own))) == pytest.approx(meant.mass)
    assert robot_with(SPEC, meant, PUBLISHED) == SPEC


def test_the_page_says_where_a_jump_stands_and_why_others_do_not() -> None:
    flights = [{"plan": "mit-flip", "change": CHANGES[0].name, "off": {"mujoco": [[12.3, 0.1, -0.2], [3.4, 0.0, 0.5]]}}]
    ends = {"mujoco": "stands", "spring-damper": "tilt is 90 deg: the robot has fallen"}
    boxes = [{"plan": "mit-front-jump", "change": OWN.name, "front": 0.25, "ends": ends}]
    text = page([*flights, *boxes])
    assert "| mit-flip | as published | +12 / failed | +0.10 / failed | -0.20 / failed | +3 / failed |" in text
    assert f"1 of {len(ENGINES)} jumps stand on it" in text
    assert f"| mit-front-jump | {OWN.name} | 0.25 (mujoco) | the robot has fallen |" in text
    assert "| mit-front-jump | as published | none | - |" in text
