"""The planner's coordinates of a robot: sagittal ones where it is the same left and right, else all."""

from __future__ import annotations

import numpy as np

from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.optimised.body import Coordinates, Places
from leapcheck.jumping.sagittal import sagittal_places
from leapcheck_models.arrays import Floats

SAME = 1e-3
"""Part of a force, or of the robot's size, by which left and right may differ."""


def simplest_coordinates(robot: Legged) -> Coordinates:
    """Sagittal ones where the robot is the same left and right, else all: its legs are planned on their own."""
    try:
        return sagittal_coordinates(robot)
    except ValueError:
        return whole_coordinates(robot)


def sagittal_coordinates(robot: Legged) -> Coordinates:
    """x, height, pitch, and hip and knee of the front and the rear legs; abads stay as they stand.

    Raises ValueError where the robot has no such legs, or is not the same left and right.
    """
    places = sagittal_places(robot.spec)
    moved = [places[f"{end}_{role}"] for end in ("front", "rear") for role in ("hip", "knee")]
    offset = np.concatenate([np.zeros(6), robot.home[7:]])
    matrix = np.zeros((len(offset), 3 + len(moved)))
    matrix[0, 0] = matrix[2, 1] = matrix[4, 2] = 1.0
    for k, place in enumerate(moved):
        rows = robot.joint_v[list(place.actuators)]
        matrix[rows, 3 + k] = place.signs
        offset[rows] = 0.0
    stand = robot.geometry(robot.home[None])["contact_positions"][0]
    _check_symmetry(robot, matrix, stand)
    front = stand[:, 0] > stand[:, 0].mean()
    pairs = tuple(tuple(np.flatnonzero(front == ahead).tolist()) for ahead in (True, False))
    forces = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    drives = np.array([place.actuators[0] for place in places.values()], dtype=np.intp)
    return Coordinates(
        matrix, offset, 3, pairs, forces, drives, _points(robot, robot.points(robot.home[None])["contact_positions"][0])
    )


def _check_symmetry(robot: Legged, matrix: Floats, feet: Floats) -> None:
    """Raises ValueError where a sagittal acceleration needs a force sideways, or the feet (feet, 3) m stand beside the middle."""
    ways = matrix[[3, 4, 5, 0, 1, 2, *range(6, len(matrix))]]  # as v: turning first
    terms = robot.dynamics(robot.home[None], np.zeros((1, len(matrix))))
    forces = np.column_stack([terms["mass_matrix"][0] @ ways, terms["bias_force"][0]])
    sideways = np.abs(forces[[0, 2, 4]]).max(axis=0) / np.abs(forces).max(axis=0)
    beside = abs(float(feet[:, 1].mean())) / robot.size
    if max(float(sideways.max()), beside) > SAME:
        raise ValueError(f"'{robot.spec.name}' is not the same left and right")


def whole_coordinates(robot: Legged) -> Coordinates:
    """All coordinates."""
    count = len(robot.home) - 1
    feet = tuple((i,) for i in range(len(robot.feet)))
    drives = np.arange(len(robot.joint_v))
    return Coordinates(np.eye(count), np.zeros(count), 6, feet, np.eye(3), drives, robot.other_places)


def _points(robot: Legged, positions: Floats) -> Places:
    """Points that are no feet, on the left side or in the middle."""
    places = robot.other_places
    chosen: Places = places[positions[places, 1] >= 0.0]
    return chosen
