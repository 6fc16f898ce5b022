from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from leapcheck_reference.rotation import axis_rotation, cross, quaternion_rotation, rotate_tensor, skew, symmetric

pytestmark = pytest.mark.quick

ROUNDING = 5e-15  # measured worst 7.8e-16
TURNED = 1e-12  # entries of up to 110; measured worst 4.3e-14
FAR_ANGLE = 3e-14  # SciPy's own rotvec at angles of up to 20 rad; measured worst 3.7e-15

numbers = st.floats(-10.0, 10.0)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
quaternions = st.tuples(numbers, numbers, numbers, numbers).map(np.array).filter(lambda x: np.linalg.norm(x) > 1e-3)
axes = vectors.filter(lambda x: np.linalg.norm(x) > 1e-3).map(lambda x: x / np.linalg.norm(x))


def distance(A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    return float(np.abs(A - B).max())


@given(vectors, vectors)
def test_skew_and_cross_are_the_vector_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), rtol=0, atol=ROUNDING * 100.0)  # products of up to 100
    np.testing.assert_array_equal(skew(a), -skew(a).T)


@given(quaternions)
def test_quaternion_rotation_is_scipys_for_any_norm(quaternion: NDArray[np.float64]) -> None:
    expected = Rotation.from_quat(quaternion, scalar_first=True).as_matrix()
    assert distance(quaternion_rotation(quaternion), expected) <= ROUNDING
    assert distance(quaternion_rotation(-3.0 * quaternion), expected) <= ROUNDING


@given(axes, st.floats(-20.0, 20.0))
def test_axis_rotation_is_scipys(axis: NDArray[np.float64], angle: float) -> None:
    assert distance(axis_rotation(axis, angle), Rotation.from_rotvec(angle * axis).as_matrix()) <= FAR_ANGLE


@given(axes, st.floats(-20.0, 20.0))
def test_axis_rotation_is_the_quaternions(axis: NDArray[np.float64], angle: float) -> None:
    half = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    assert distance(axis_rotation(axis, angle), quaternion_rotation(half)) <= ROUNDING


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("i", [0, 1, 2])
def test_coordinate_axes_leave_exact_zeros_and_ones(i: int, sign: float) -> None:
    j, k = (i + 1) % 3, (i + 2) % 3
    for angle in np.linspace(-3.0, 3.0, 50):  # for many of them cos + (1 - cos) rounds
        R = axis_rotation(sign * np.eye(3)[i], float(angle))
        assert R[i, i] == 1.0
        np.testing.assert_array_equal([R[i, j], R[i, k], R[j, i], R[k, i]], 0.0)
        np.testing.assert_array_equal([R[j, j], R[k, k]], np.cos(angle))
        np.testing.assert_array_equal([R[k, j], -R[j, k]], sign * np.sin(angle))


def test_skew_of_a_generic_vector_entry_by_entry() -> None:
    np.testing.assert_array_equal(skew(np.array([1.0, 2.0, 3.0])), [[0, -3, 2], [3, 0, -1], [-2, 1, 0]])


def test_symmetric_has_the_lower_triangle_in_both() -> None:
    np.testing.assert_array_equal(symmetric([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [[1, 2, 4], [2, 3, 5], [4, 5, 6]])


@given(quaternions, vectors, vectors)
def test_turned_is_the_product_and_symmetric(
    quaternion: NDArray[np.float64], diagonal: NDArray[np.float64], products: NDArray[np.float64]
) -> None:
    I = np.diag(diagonal) + skew(products) ** 2
    R = quaternion_rotation(quaternion)
    assert distance(rotate_tensor(R, I), R @ I @ R.T) <= TURNED
    np.testing.assert_array_equal(rotate_tensor(R, I), rotate_tensor(R, I).T)


@pytest.mark.parametrize("off", [0.0, 1e-9])
@pytest.mark.parametrize("placement", [np.eye(3), np.diag([-1.0, -1.0, 1.0]), np.diag([1.0, -1.0, -1.0])])
@pytest.mark.parametrize("i", [0, 1, 2])
def test_turned_about_a_coordinate_axis_and_close_to_one(i: int, placement: NDArray[np.float64], off: float) -> None:
    """Half turned round by its placement or not; off by 1e-9 the diagonal is 1 already, and nothing may be dropped."""
    I = np.array([[3.0, 0.5, -0.7], [0.5, 4.0, 0.9], [-0.7, 0.9, 5.0]])
    axis = np.eye(3)[i] + off * np.eye(3)[i - 1]
    for angle in np.linspace(-3.0, 3.0, 50):
        R = placement @ axis_rotation(axis, float(angle))
        assert distance(rotate_tensor(R, I), R @ I @ R.T) <= ROUNDING
