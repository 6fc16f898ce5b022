"""Malformed states: one clear line that names the robot, the element and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from leapcheck_models.spec import RobotSpec
from leapcheck_reference import (
    bias_force,
    build,
    contact_jacobians,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    mass_matrix,
)
from tests.reference.generic_states import Case, case, relative, scale_free

pytestmark = pytest.mark.quick

NORMALISED = 2e-14  # of the largest entry; measured worst 1.7e-15


@pytest.fixture
def box() -> Case:
    return case("box")


@pytest.fixture
def arm() -> Case:
    return case("two_link_arm")


def with_quaternion_norm(at: Case, norm: float) -> np.ndarray:
    q = at.q.copy()
    q[3:7] *= norm / np.linalg.norm(q[3:7])
    return q


@pytest.mark.parametrize("q", [np.zeros(6), np.zeros((7, 1)), np.zeros((1, 7)), [], 1.0])
def test_configuration_of_a_wrong_shape(box: Case, q: Any) -> None:
    with pytest.raises(ValueError, match=r"^q of 'box' has shape \(.*\): give \(7,\)$"):
        mass_matrix(box.tree, q)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [float, complex, object])
def test_configuration_with_nan(arm: Case, bad: float, kind: Any) -> None:
    with pytest.raises(ValueError, match=r"^q of 'two_link_arm' holds NaN or infinity at 1: give finite numbers$"):
        mass_matrix(arm.tree, np.array([0.1, bad], dtype=kind))


@pytest.mark.parametrize("q", [["a", "b"], [True, False]])
def test_configuration_of_no_numbers(arm: Case, q: Any) -> None:
    with pytest.raises(ValueError, match=r"^q of 'two_link_arm' holds .*: give numbers$"):
        mass_matrix(arm.tree, q)


@pytest.mark.parametrize("norm", [0.0, 1.0 + 2e-9, 1.0 - 2e-9, 2.0])
@pytest.mark.parametrize("kind", [float, complex, object])
def test_quaternion_off_unit_norm(box: Case, norm: float, kind: Any) -> None:
    pattern = r"^q of 'box': the quaternion of body 'box' has norm [\d.]+: divide it by its norm \(order w, x, y, z\)$"
    with pytest.raises(ValueError, match=pattern):
        mass_matrix(box.tree, with_quaternion_norm(box, norm).astype(kind))


def test_ball_quaternion_off_unit_norm_names_its_body() -> None:
    ball = case("random:24")
    place = next(link for link in ball.tree.links if link.type.value == "ball")
    q = ball.q.copy()
    q[place.q] *= 1.0 + 2e-9
    with pytest.raises(ValueError, match=f"^q of 'random_24': the quaternion of body '{place.name}' has norm 1.000000002: "):
        forward_kinematics(ball.tree, q, ball.v)


def test_quaternion_with_nan(box: Case) -> None:
    q = box.q.copy()
    q[4] = np.nan
    with pytest.raises(ValueError, match=r"^q of 'box' holds NaN or infinity at 4: "):
        mass_matrix(box.tree, q)


@pytest.mark.parametrize("name", ["mini_cheetah", "random:2", "random:24"])
@pytest.mark.parametrize("norm", [1.0 + 5e-10, 1.0 - 5e-10])
def test_quaternion_nearly_of_unit_norm_is_normalised(name: str, norm: float) -> None:
    at = case(name)
    q = at.q.copy()
    for link in at.tree.links:
        if link.type.value in ("free", "ball"):
            q[link.q.stop - 4 : link.q.stop] *= norm
    assert scale_free(mass_matrix(at.tree, q), mass_matrix(at.tree, at.q)) <= NORMALISED
    assert relative(bias_force(at.tree, q, at.v), bias_force(at.tree, at.q, at.v)) <= NORMALISED
    assert relative(contact_jacobians(at.tree, q), contact_jacobians(at.tree, at.q)) <= NORMALISED


VELOCITY: list[Callable[[Case, Any], Any]] = [
    lambda at, v: bias_force(at.tree, at.q, v),
    lambda at, v: inverse_dynamics(at.tree, at.q, v, at.vdot),
    lambda at, v: forward_dynamics(at.tree, at.q, v, at.tau),
    lambda at, v: forward_kinematics(at.tree, at.q, v),
]


@pytest.mark.parametrize("function", VELOCITY)
def test_velocity_of_a_wrong_shape_or_with_nan(arm: Case, function: Callable[[Case, Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"^v of 'two_link_arm' has shape \(3,\): give \(2,\)$"):
        function(arm, np.zeros(3))
    with pytest.raises(ValueError, match=r"^v of 'two_link_arm' holds NaN or infinity at 0: give finite numbers$"):
        function(arm, [np.nan, 1.0])


def test_acceleration_and_force_are_checked(arm: Case) -> None:
    with pytest.raises(ValueError, match=r"^vdot of 'two_link_arm' has shape \(1,\): give \(2,\)$"):
        inverse_dynamics(arm.tree, arm.q, arm.v, [1.0])
    with pytest.raises(ValueError, match=r"^tau of 'two_link_arm' has shape \(1,\): give \(2,\)$"):
        forward_dynamics(arm.tree, arm.q, arm.v, [1.0])


@pytest.mark.parametrize("function", [inverse_dynamics, forward_dynamics])
def test_external_forces_are_checked(arm: Case, function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"^f_ext of 'two_link_arm' has shape \(2, 3\): give \(2, 6\)$"):
        function(arm.tree, arm.q, arm.v, arm.tau, np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"^f_ext of 'two_link_arm' holds NaN or infinity at 7: "):
        function(arm.tree, arm.q, arm.v, arm.tau, np.where(np.arange(12).reshape(2, 6) == 7, np.nan, 0.0))


def test_robot_without_bodies() -> None:
    with pytest.raises(ValueError, match=r"^robot 'nothing' has no bodies: add one with add_body$"):
        build(RobotSpec("nothing"))


def test_lists_integers_and_single_precision_are_taken_as_doubles(arm: Case) -> None:
    doubles = inverse_dynamics(arm.tree, np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([2.0, 1.0]), np.ones((2, 6)))
    f_ext = [[1] * 6, [1] * 6]
    np.testing.assert_array_equal(inverse_dynamics(arm.tree, [1, 2], [3, -1], [2, 1], f_ext), doubles)
    q, v, vdot = (np.array(x, dtype=np.float32) for x in ([1, 2], [3, -1], [2, 1]))
    np.testing.assert_array_equal(inverse_dynamics(arm.tree, q, v, vdot, f_ext), doubles)
    assert inverse_dynamics(arm.tree, q, v, vdot).dtype == np.float64


def test_arguments_are_left_as_they_were(box: Case) -> None:
    q, v, tau, f_ext = box.q.copy(), box.v.copy(), box.tau.copy(), box.f_ext.copy()
    forward_dynamics(box.tree, q, v, tau, f_ext)
    inverse_dynamics(box.tree, q, v, tau, f_ext)
    for after, before in ((q, box.q), (v, box.v), (tau, box.tau), (f_ext, box.f_ext)):
        np.testing.assert_array_equal(after, before)
