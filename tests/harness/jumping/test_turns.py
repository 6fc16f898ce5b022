"""Turns of a trunk about its lateral axis and about the vertical, against rotations built by SciPy from the turns themselves."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from leapcheck.jumping.measures.turns import headings, pitch_turn, roll_turn, yaw_turn
from leapcheck_models.arrays import Floats

SMALL = 1e-12
STEPS = np.linspace(0.0, 1.0, 400)


def quaternions(rotations: Rotation) -> Floats:
    """Rows wxyz."""
    rows: Floats = np.roll(rotations.as_quat(), 1, axis=1)
    return rows


def motion(yaw: float, pitch: float, roll: float = 0.0, sway: float = 0.0) -> Floats:
    """Orientations that turn by yaw, pitch and roll (deg) about z, y', x'', swaying in between."""
    swing = sway * np.sin(2.0 * np.pi * STEPS)
    angles = np.stack([yaw * STEPS + swing, pitch * STEPS + swing, roll * STEPS - swing], 1)
    return quaternions(Rotation.from_euler("ZYX", angles, degrees=True))


@pytest.mark.parametrize("yaw", [90.0, -90.0, 179.0, 270.0, 360.0, -720.0])
@pytest.mark.parametrize("pitch", [0.0, 20.0])
def test_yaw_counts_whole_turns_and_leaves_pitch_as_it_is(yaw: float, pitch: float) -> None:
    rows = motion(yaw, pitch, sway=8.0)
    assert math.degrees(yaw_turn(rows)) == pytest.approx(yaw, abs=1e-9)
    assert math.degrees(pitch_turn(rows)) == pytest.approx(pitch, abs=1e-9)


@pytest.mark.parametrize("roll", [35.0, -50.0])
def test_a_turn_about_the_vertical_with_the_trunk_rolled_is_no_flip(roll: float) -> None:
    angles = np.stack([360.0 * STEPS, 0.0 * STEPS, roll * np.sin(np.pi * STEPS) ** 0.25], 1)
    rows = quaternions(Rotation.from_euler("ZYX", angles, degrees=True))
    assert abs(math.degrees(pitch_turn(rows))) < 1e-9
    assert math.degrees(yaw_turn(rows)) == pytest.approx(360.0, abs=1e-9)


@pytest.mark.parametrize("pitch", [-360.0, 360.0, -720.0, 200.0])
def test_a_flip_is_pitch_and_no_yaw(pitch: float) -> None:
    rows = motion(0.0, pitch)
    assert math.degrees(pitch_turn(rows)) == pytest.approx(pitch, abs=1e-9)
    if pitch != 200.0:  # on its back its head is where its tail was
        assert abs(yaw_turn(rows)) < SMALL


@pytest.mark.parametrize("heading", [90.0, 150.0, -60.0])
def test_a_flip_is_about_the_trunk_s_own_axis_wherever_it_faces(heading: float) -> None:
    rows = quaternions(Rotation.from_euler("ZYX", [[heading, -360.0 * s, 0.0] for s in STEPS], degrees=True))
    assert math.degrees(pitch_turn(rows)) == pytest.approx(-360.0, abs=1e-9)
    assert abs(yaw_turn(rows)) < SMALL


def test_a_flip_beside_its_plane_lands_with_the_yaw_that_it_lands_with() -> None:
    """The axis of the flip swings by 3 deg: from above, the trunk's head passes over, and seems to go round in one frame."""
    rows = motion(10.0, -360.0, 0.0, sway=3.0)
    assert math.degrees(pitch_turn(rows)) == pytest.approx(-360.0, abs=1e-9)
    assert math.degrees(yaw_turn(rows)) == pytest.approx(10.0, abs=1e-9)


@pytest.mark.parametrize("roll", [360.0, -360.0, 720.0])
@pytest.mark.parametrize("sway", [0.0, 4.0])
def test_a_barrel_roll_is_roll_and_neither_of_the_others(roll: float, sway: float) -> None:
    rows = motion(0.0, 0.0, roll, sway)
    assert math.degrees(roll_turn(rows)) == pytest.approx(roll, abs=1e-9)
    assert abs(yaw_turn(rows)) < SMALL
    assert abs(pitch_turn(rows)) < SMALL


def test_roll_is_positive_with_the_right_side_down() -> None:
    rows = motion(25.0, 0.0, 30.0)
    right = Rotation.from_quat(np.roll(rows[-1], -1)).apply([0.0, -1.0, 0.0])
    assert right[2] < 0.0
    assert math.degrees(roll_turn(rows)) == pytest.approx(30.0, abs=1e-9)


def test_the_signs_of_the_quaternions_do_not_matter() -> None:
    rows = motion(300.0, 15.0)
    rows[::3] *= -1.0
    assert math.degrees(yaw_turn(rows)) == pytest.approx(300.0, abs=1e-9)
    assert math.degrees(pitch_turn(rows)) == pytest.approx(15.0, abs=1e-9)


def test_where_the_robot_begins_to_face_is_taken_off() -> None:
    turned = Rotation.from_euler("z", 70.0, degrees=True)
    rows = motion(90.0, 0.0)
    rows = quaternions(turned * Rotation.from_quat(np.roll(rows, -1, axis=1)))
    np.testing.assert_allclose(np.degrees(headings(rows[[0, -1]])), [70.0, 160.0])
    assert math.degrees(yaw_turn(rows)) == pytest.approx(90.0, abs=1e-9)
