"""Robots whose files leave something open: the pose that they stand in, limits that the user gives."""

import dataclasses

import numpy as np
import pytest

from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.jumping.robot import jumping_robot
from leapcheck.jumping.standing import BENT, standing_pose
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import contact_positions
from leapcheck_reference.kinematics import frames
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.tree import build

SPEC = load("mini_cheetah_armature")
THIGH, SHANK = 0.209, 0.195  # m


def with_limits(spec: RobotSpec, **limits: tuple[float, float] | None) -> RobotSpec:
    """The robot with other ranges of all joints whose names end so."""
    bodies = []
    for body in spec.bodies:
        for ending, limit in limits.items():
            if body.name.endswith(ending):
                body = dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limit))
        bodies.append(body)
    return dataclasses.replace(spec, bodies=tuple(bodies))


def knees_ahead(spec: RobotSpec, q: np.ndarray) -> list[float]:
    """How far (m) the knee of each leg is ahead of its hip."""
    tree = build(spec)
    x = {body.name: frames(tree, q).position(i)[0] for i, body in enumerate(spec.bodies)}
    return [x[f"{leg}_knee"] - x[f"{leg}_hip"] for leg in ("FR", "FL", "HR", "HL")]


def test_feet_stand_below_the_hips_with_knees_to_the_rear() -> None:
    q, tree = standing_pose(SPEC), build(SPEC)
    feet = [i for i, point in enumerate(tree.points) if point.name.endswith("foot")]
    centres = contact_positions(tree, q)
    radius = next(point.radius for point in SPEC.contact_points if point.name == "FR_foot")
    np.testing.assert_allclose(centres[feet, 2], radius, atol=1e-6)
    hips = [frames(tree, q).position(SPEC.body_index(f"{tree.points[i].name[:2]}_hip")) for i in feet]
    np.testing.assert_allclose(centres[feet, 0], np.array(hips)[:, 0], atol=1e-6)
    np.testing.assert_allclose(np.array(hips)[:, 2] - centres[feet, 2], BENT * (THIGH + SHANK), atol=1e-3)
    np.testing.assert_array_equal(q[3:7], [1.0, 0.0, 0.0, 0.0])
    assert max(knees_ahead(SPEC, q)) < -0.1


def test_limits_decide_which_way_knees_bend() -> None:
    """Knees that bend the other way only, as the description's sign has it."""
    bent = np.sign(standing_pose(SPEC)[9])
    other = with_limits(SPEC, knee=(-2.7, -0.3) if bent > 0 else (0.3, 2.7))
    assert min(knees_ahead(other, standing_pose(other))) > 0.1


def test_a_leg_without_such_a_pose_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="none was found with 'FR_foot' below its hip: add one named 'home'"):
        standing_pose(with_limits(SPEC, knee=(-0.2, 0.2)))


def test_a_robot_without_poses_jumps_from_the_one_that_is_found() -> None:
    found = jumping_robot(dataclasses.replace(SPEC, poses=()))
    assert "by inverse kinematics" in found.notes[0]
    plan = plan_jump(found.spec, JumpRequest(0.1), drives(found.spec))
    assert plan.take_off > 0.0
    assert jumping_robot(SPEC).notes == ()


def test_limits_are_given_to_joints_that_have_none() -> None:
    found = jumping_robot(dataclasses.replace(SPEC, actuators=SPEC.actuators[:9]), torque_limit=20.0, speed_limit=30.0)
    assert [(a.torque_limit, a.speed_limit) for a in found.spec.actuators[9:]] == [(20.0, 30.0)] * 3
    assert found.spec.actuators[:9] == SPEC.actuators[:9]  # their motors say how fast they are
    assert "3 joints a torque limit of 20 N m, 3 joints a no-load speed of 30 rad/s" in found.notes[0]
    with pytest.raises(ValueError, match="every joint has its own limits"):
        jumping_robot(SPEC, torque_limit=20.0)
    with pytest.raises(ValueError, match="--torque-limit -1"):
        jumping_robot(SPEC, torque_limit=-1.0)
    with pytest.raises(ValueError, match="give --torque-limit N_M"):
        jumping_robot(dataclasses.replace(SPEC, actuators=()))
