"""A rough first trajectory: poses of stand, crouch, take-off, flight and landing, straight lines between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.optimised.body import Coordinates
from leapcheck.jumping.planning.optimised.schedule import Stage
from leapcheck.jumping.planning.pose import inverse_kinematics
from leapcheck.jumping.planning.task import standing_pose
from leapcheck_models.arrays import Floats

CROUCHED, STRETCHED = 0.65, 1.2
"""Com heights of the guess, in parts of the stand's."""
WIDEST, SHORTEST, LONGEST = 1.8, 0.2, 0.995
"""How far (rad) a leg's first joints may turn from the stand, and lengths of a leg, in parts of its whole."""
TRUNK = 9.0
"""How far the trunk goes (m) and turns (rad) at most."""
TILT = 0.6
"""How far (rad) a trunk that turns about the vertical may roll and pitch beside that: lying on its side it turns more easily."""
ENDS: Mapping[str, tuple[float, float]] = {
    "crouch": (CROUCHED, 0.0),
    "hop": (STRETCHED, 0.0),
    "run-up": (1.0, 0.0),
    "push": (STRETCHED, 0.05),
    "tip": (STRETCHED, 0.1),
    "flight": (1.0, 1.0),
    "landing": (1.0, 1.0),
}
"""At the end of each stage: com height, and part of the way and the turn."""


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """`start` (n,) the stand; `keys` (stages + 1, n) at the stages' ends; bounds of the coordinates (n,)."""

    stages: tuple[Stage, ...]
    start: Floats
    keys: Floats
    lower: Floats
    upper: Floats
    contacts: int

    def states(self, k: int) -> tuple[Floats, Floats]:
        """z, zd (moments, n) of stage k."""
        stage = self.stages[k]
        s = np.linspace(0.0, 1.0, stage.moments)[:, None]
        z = (1 - s) * self.keys[k] + s * self.keys[k + 1]
        return z, np.tile((self.keys[k + 1] - self.keys[k]) / stage.guess, (stage.moments, 1))

    def forces(self, k: int, parts: int) -> Floats:
        """(moments, contacts * parts) weights: it stands on what stands."""
        stage = self.stages[k]
        forces = np.zeros((stage.moments, self.contacts, parts))
        if stage.standing:
            forces[:, list(stage.standing), -1] = 1.0 / 4.0
        return forces.reshape(stage.moments, -1)


def first_guess(
    robot: Legged,
    coordinates: Coordinates,
    stages: tuple[Stage, ...],
    turn: Floats,
    distance: float,
    ground: float,
    run_up: float = 0.0,
) -> Guess:
    """The guess for a jump that turns the trunk by `turn` (3,) rad, roll, pitch, yaw, and lands `distance` m ahead.

    `run_up` m/s: its speed forward before the push.
    """
    stand = standing_pose(robot)
    poses = {part: _pose(robot, stand, part) for part in (CROUCHED, STRETCHED, 1.0)}
    start = _z(coordinates, stand)
    keys: list[Floats] = [start]
    run = 0.0
    for stage in stages:
        pose, way = ENDS[stage.name]
        whole = coordinates.matrix @ _z(coordinates, poses[pose]) + coordinates.offset
        run += run_up * stage.guess * (stage.name == "run-up")
        whole[0] += way * distance + run
        whole[2] += ground * (way == 1.0)
        whole[3:6] = way * turn
        keys.append(_solve(coordinates, whole))
    lower, upper = _bounds(robot, coordinates, turn)
    return Guess(stages, start, np.clip(keys, lower, upper), lower, upper, coordinates.contacts)


def _pose(robot: Legged, stand: Floats, part: float) -> Floats:
    """The stand with its com at a part of its height; the stand itself where that is out of reach."""
    terms = robot.geometry(stand[None])
    com = terms["com_position"].copy()
    com[:, 2] *= part
    q, reached = inverse_kinematics(robot, stand[None], com, stand[None, 3:7], terms["contact_positions"])
    pose: Floats = q[0] if reached[0] else stand
    return pose


def _z(coordinates: Coordinates, q: Floats) -> Floats:
    whole = np.concatenate([q[:3], np.zeros(3), q[7:]])
    return _solve(coordinates, whole)


def _solve(coordinates: Coordinates, whole: Floats) -> Floats:
    """z (n,) nearest to all coordinates (6 + joints,)."""
    return np.asarray(np.linalg.lstsq(coordinates.matrix, whole - coordinates.offset, rcond=None)[0], dtype=float)


def _bounds(robot: Legged, coordinates: Coordinates, turn: Floats) -> tuple[Floats, Floats]:
    """Of the coordinates: legs stay bent the way that they stand bent."""
    lower, upper = np.full(len(coordinates.offset), -TRUNK), np.full(len(coordinates.offset), TRUNK)
    if turn[2]:
        lower[3:5], upper[3:5] = np.minimum(turn[:2], 0.0) - TILT, np.maximum(turn[:2], 0.0) + TILT
    home = robot.home[7:]
    lower[6:], upper[6:] = home - WIDEST, home + WIDEST
    if robot.measurable:
        for foot, third in enumerate(robot.legs[:, 2]):
            lower[third], upper[third] = _bent(robot, foot, int(third))
    moved = np.abs(coordinates.matrix).argmax(axis=0)
    sign = coordinates.matrix[moved, np.arange(coordinates.size)]
    ends = np.sort(np.stack([sign * lower[moved], sign * upper[moved]]), axis=0)
    return ends[0], ends[1]


def _bent(robot: Legged, foot: int, third: int) -> tuple[float, float]:
    """Angles (rad) of a leg's last joint, about the stand's, in which the leg is neither straight nor folded up."""
    away = np.linspace(0.0, np.pi, 1001)
    ends = []
    for sign in (-1.0, 1.0):
        q = np.tile(robot.home, (len(away), 1))
        q[:, third + 1] += sign * away
        length = robot.stretch(q)[:, foot]
        fits = (length > SHORTEST) & (length < LONGEST)
        ends.append(float(q[len(away) - 1 if fits.all() else max(int(np.argmin(fits)) - 1, 0), third + 1]))
    return ends[0], ends[1]
