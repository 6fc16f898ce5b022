"""The push as a continuous motion: what was asked for is exact, and the laws of mechanics hold at every moment."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import leapcheck_reference as reference
from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck.jumping.planning.pose import inverse_kinematics, rotations
from leapcheck.jumping.planning.records import Infeasible
from leapcheck.jumping.planning.rolling import rolling_velocities
from leapcheck.jumping.planning.stance import Stance, push
from leapcheck.jumping.planning.task import standing_pose
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.harness.jumping.planner_robots import ROBOTS, scaled, with_feet

SPEED, TIME, CROUCH, PITCH_RATE = 1.98, 0.132, 0.2, 0.7
"""Take-off speed (m/s), push time (s), com height in the crouch (m), trunk's pitch rate at take-off (rad/s)."""
MOMENTS = np.linspace(0.0, TIME, 23)

ON_THE_PATH = 1e-13
"""m and m/s of the com off its path; measured 2e-16, 1e-15."""
NO_SLIP = 1e-13
"""m/s and m of the contact points; measured 1e-15, 3e-16."""
ROLLED = 2e-14
"""m between the way of a foot's centre and radius times turn; measured 6e-16."""
RATES, DIFFERENCE = 2e-8, 1e-4
"""rad/s, rad/s^2 between rates and central differences of fourth order over steps of this (s); measured 4e-10, 6e-9."""
CLOSED = 1e-10
"""N m, N left over by inverse dynamics with the foot forces; measured 2e-12."""
INTEGRATED = 1e-11
"""rad, m between the poses at take-off and those of SciPy's DOP853; measured 6e-13."""
SIMILAR = 1e-11
"""Relative difference of torques of robots in different size; measured 2e-14."""


def crouched(robot: Legged, height: float = CROUCH) -> np.ndarray:
    """The stand pose with the com at a height (m)."""
    q = standing_pose(robot)[None]
    at = robot.geometry(q)
    com = at["com_position"].copy()
    com[0, 2] = height
    pose, found = inverse_kinematics(robot, q, com, q[:, 3:7], at["contact_positions"])
    assert found[0]
    return pose[0]


def pushed(spec: RobotSpec, forward: float = 0.3, pitch_rate: float = PITCH_RATE, sideways: float = 0.0) -> Stance:
    robot = legged_robot(spec)
    return push(robot, crouched(robot), [forward, sideways, SPEED], TIME, pitch_rate)


@pytest.mark.parametrize("name", ROBOTS)
def test_com_and_trunk_move_as_asked(name: str) -> None:
    motion = pushed(load(name))
    robot, at = motion.robot, motion.at(MOMENTS)
    com = np.array([reference.com_position(robot.tree, q) for q in at.q])
    rate = np.array([reference.com_velocity(robot.tree, q, v) for q, v in zip(at.q, at.v, strict=True)])
    acceleration = np.array([0.3, 0.0, SPEED]) / TIME
    np.testing.assert_allclose(com, com[0] + 0.5 * MOMENTS[:, None] ** 2 * acceleration, rtol=0, atol=ON_THE_PATH)
    np.testing.assert_allclose(rate, MOMENTS[:, None] * acceleration, rtol=0, atol=ON_THE_PATH)
    pitch = 0.5 * PITCH_RATE / TIME * MOMENTS**2
    np.testing.assert_allclose(rotations(at.q[:, 3:7])[:, 0, 2], np.sin(pitch), rtol=0, atol=ON_THE_PATH)


@pytest.mark.parametrize("radius", [0.0, 0.02])
def test_feet_roll_and_do_not_slip(radius: float) -> None:
    motion = pushed(with_feet(load("mini_cheetah"), radius))
    robot, at = motion.robot, motion.at(MOMENTS)
    tree = robot.geometry_tree
    for q, v in zip(at.q, at.v, strict=True):
        w = reference.contact_angular_jacobians(tree, q) @ v
        lowest = reference.contact_velocities(tree, q, v) + np.cross(w, [0.0, 0.0, -radius])
        np.testing.assert_allclose(lowest, 0.0, atol=NO_SLIP)
        np.testing.assert_allclose(reference.contact_positions(tree, q)[:, 2], radius, rtol=0, atol=NO_SLIP)
    ways = (reference.contact_positions(tree, at.q[-1]) - reference.contact_positions(tree, at.q[0]))[:, 0]
    turns = [_shank_pitch(robot, at.q[-1], k) - _shank_pitch(robot, at.q[0], k) for k in range(4)]
    np.testing.assert_allclose(ways, radius * np.array(turns), rtol=0, atol=ROLLED)
    assert radius == 0.0 or np.abs(ways).min() > 0.005


def _shank_pitch(robot: Legged, q: np.ndarray, leg: int) -> float:
    """Angle (rad) of a shank about the world's y axis, in the sense of w_y; the legs here move in the x-z plane."""
    link = robot.geometry_tree.points[leg].link
    R = reference.forward_kinematics(robot.tree, q, np.zeros(robot.tree.nv)).R_WB[link]
    return float(np.arctan2(-R[2, 0], R[0, 0]))


@pytest.mark.parametrize("name", ROBOTS)
def test_rates_are_derivatives(name: str) -> None:
    """Sideways too, where the shanks turn about changing axes."""
    motion = pushed(load(name), sideways=0.5)
    t = np.array([0.03, 0.07, 0.11])
    e = DIFFERENCE
    far, near, here, after, beyond = (motion.at(t + k * e) for k in (-2, -1, 0, 1, 2))
    qd = (far.q - 8 * near.q + 8 * after.q - beyond.q)[:, 7:] / (12 * e)
    vd = (far.v - 8 * near.v + 8 * after.v - beyond.v) / (12 * e)
    np.testing.assert_allclose(here.v[:, 6:], qd, rtol=0, atol=RATES)
    np.testing.assert_allclose(here.vdot, vd, rtol=0, atol=RATES)


@pytest.mark.parametrize("name", ROBOTS)
def test_forces_and_torques_close_inverse_dynamics(name: str) -> None:
    motion = pushed(load(name))
    robot, at = motion.robot, motion.at(MOMENTS)
    weight = robot.mass * (np.array([0.3, 0.0, SPEED]) / TIME + [0.0, 0.0, robot.gravity])
    np.testing.assert_allclose(at.foot_forces.sum(axis=1), np.tile(weight, (len(MOMENTS), 1)), rtol=0, atol=CLOSED)
    for k in range(len(MOMENTS)):
        external = _on_links(robot, at.q[k], at.foot_forces[k])
        needed = reference.inverse_dynamics(robot.tree, at.q[k], at.v[k], at.vdot[k], external)
        np.testing.assert_allclose(needed[:6], 0.0, atol=CLOSED)
        np.testing.assert_allclose(needed[robot.joint_v], at.torque[k], rtol=0, atol=CLOSED)


def _on_links(robot: Legged, q: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """World forces at the feet's lowest points as [moment; force] on each link, in its axes at its origin."""
    tree = robot.geometry_tree
    at = reference.forward_kinematics(tree, q, np.zeros(tree.nv))
    external = np.zeros((len(tree.links), 6))
    for foot, force, radius, centre in zip(tree.points, forces, robot.radii, reference.contact_positions(tree, q), strict=True):
        R, p = at.R_WB[foot.link], at.p_WB[foot.link]
        arm = centre - [0.0, 0.0, radius] - p
        external[foot.link] += np.concatenate([R.T @ np.cross(arm, force), R.T @ force])
    return external


def test_foot_forces_are_the_least() -> None:
    motion = pushed(load("mini_cheetah"))
    robot, at = motion.robot, motion.at(np.array([0.05]))
    lowest = reference.contact_positions(robot.geometry_tree, at.q[0]) - [0.0, 0.0, 0.02]
    generator = np.random.default_rng(4)
    for _ in range(20):  # forces between two feet along the line that joins them change nothing on the robot as a whole
        i, j = generator.choice(4, 2, replace=False)
        internal = np.zeros((4, 3))
        internal[i] = lowest[j] - lowest[i]
        internal[j] = -internal[i]
        assert abs((internal * at.foot_forces[0]).sum()) < CLOSED


def test_poses_are_those_of_a_standard_integrator() -> None:
    """The contact condition integrated as an ordinary differential equation in q, step by step."""
    motion = pushed(load("mini_cheetah"), sideways=0.5)
    robot, path = motion.robot, motion.path

    def rate(t: float, q: np.ndarray) -> np.ndarray:
        w, x, y, z = q[3:7]
        v = rolling_velocities(
            robot,
            (q / np.concatenate([np.ones(3), np.full(4, np.linalg.norm(q[3:7])), np.ones(12)]))[None],
            path,
            np.array([t / TIME]),
        )[0][0]
        turn = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) @ v[:3]
        return np.concatenate([rotations(q[None, 3:7] / np.linalg.norm(q[3:7]))[0] @ v[3:6], turn, v[6:]])

    found = solve_ivp(rate, (0.0, TIME), motion.at(0.0).q[0], "DOP853", rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(motion.at(TIME).q[0], found.y[:, -1], rtol=0, atol=INTEGRATED)


def test_a_robot_of_another_size_moves_in_the_same_way() -> None:
    """Froude's law: lengths by 1.7, times by its root: torques by 1.7^4."""
    small, factor = load("mini_cheetah"), 1.7
    first = pushed(small)
    robot = legged_robot(scaled(small, factor))
    root = np.sqrt(factor)
    second = push(robot, crouched(robot, factor * CROUCH), root * np.array([0.3, 0.0, SPEED]), root * TIME, PITCH_RATE / root)
    a, b = first.at(MOMENTS), second.at(root * MOMENTS)
    np.testing.assert_allclose(b.torque / factor**4, a.torque, rtol=0, atol=SIMILAR * np.abs(a.torque).max())
    np.testing.assert_allclose(b.q[:, 7:], a.q[:, 7:], rtol=0, atol=SIMILAR)


def test_point_feet_stand_still() -> None:
    motion = pushed(with_feet(load("mini_cheetah"), 0.0), forward=0.0, pitch_rate=0.0)
    robot, at = motion.robot, motion.at(MOMENTS)
    feet = np.array([reference.contact_positions(robot.geometry_tree, q) for q in at.q])
    np.testing.assert_allclose(feet, np.broadcast_to(feet[0], feet.shape), rtol=0, atol=NO_SLIP)
    np.testing.assert_array_equal(at.q[:, 3:7], np.tile([1.0, 0.0, 0.0, 0.0], (len(MOMENTS), 1)))


def test_beyond_its_ends_and_beyond_its_legs() -> None:
    motion = pushed(load("mini_cheetah"))
    with pytest.raises(ValueError, match=r"lasts from 0 to 0\.132 s"):
        motion.at(0.2)
    with pytest.raises(Infeasible, match="legs of 'mini_cheetah' are too short"):
        push(motion.robot, motion.at(0.0).q[0], [0.0, 0.0, 4.0], 0.2)


def test_two_feet_cannot_balance_a_trunk() -> None:
    spec = load("mini_cheetah")
    feet = tuple(dataclasses.replace(p, is_foot=p.is_foot and p.name.startswith("F")) for p in spec.contact_points)
    with pytest.raises(ValueError, match="joint 'HL_abad_joint' belongs to no leg"):
        legged_robot(dataclasses.replace(spec, contact_points=feet))
