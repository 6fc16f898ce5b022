"""The landing of a jump: feet that touch down without a blow, com and trunk brought to rest over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning.path import Path, catch_path, slow_path, slow_time
from leapcheck.jumping.planning.pose import inverse_kinematics, pitch_quaternions, rotations
from leapcheck.jumping.planning.records import Infeasible
from leapcheck.jumping.planning.search import LEAST_FALL, path_utilisations
from leapcheck.jumping.planning.task import Task
from leapcheck_models.arrays import Floats

STRETCHES = (0.85, 0.8, 0.74, 0.68)
"""Length of the legs at touch-down, tried in parts of their whole."""
DEPTHS = np.linspace(0.1, 0.75, 12)
"""How far the com sinks after touch-down, tried in parts of its height then."""
AHEAD = np.linspace(0.3, 0.9, 5)
"""How far ahead of the com the feet land, tried in parts of its speed times the duration of the catch."""
EASY, EASY_DEPTH = 0.6, 0.5
"""Utilisation and depth up to which a longer catch is better: a short one on nearly straight legs takes little torque, but it
is a blow.
"""
LONGEST_CATCH = 5.0
"""Duration up to which a longer catch is better, in parts of sqrt(height / gravity)."""
RISE_TIME = 0.35
"""Seconds of standing up after the catch, at least."""


@dataclass(frozen=True, slots=True)
class Landing:
    """Com `height` m above the ground at touch-down, `duration` s until it has come to rest, how far `ahead` m of it the feet are
    set down, on ground that is `ground` m higher than where the jump begins."""

    height: float
    duration: float
    ahead: float
    ground: float = 0.0


def touch_down_heights(task: Task) -> Floats:
    """Heights (n,) m of the com at touch-down, falling: the legs as stretched as `STRETCHES` say, the trunk pitched as asked.

    Raises Infeasible where the feet cannot be level then.
    """
    heights = task.com[2] * np.linspace(1.5, 0.5, 101)
    pose, in_reach = _poses(task, heights, np.zeros(len(heights)), pitch_quaternions(task.quaternion, np.array([task.pitch]))[0])
    stretch = task.robot.stretch(pose).max(axis=1) if task.robot.measurable else heights / task.com[2] * max(STRETCHES)
    low_enough = [in_reach & (stretch <= limit) for limit in STRETCHES]
    places = {int(np.argmax(these)) for these in low_enough if these.any()}
    if not places:
        raise Infeasible(
            f"'{task.robot.spec.name}' cannot land level on its feet pitched by {task.pitch:g} rad: ask for less pitch"
        )
    chosen: Floats = heights[sorted(places)]
    return chosen


def touch_down_pose(task: Task, landing: Landing, quaternion: Floats) -> Floats:
    """The pose (nq,) at touch-down, the com at x = y = 0. Raises Infeasible where the legs do not reach."""
    pose, in_reach = _poses(task, np.array([landing.height]), np.array([landing.ahead]), quaternion)
    if not in_reach[0]:
        raise Infeasible(f"the legs of '{task.robot.spec.name}' do not reach the ground at touch-down: jump shorter or turn less")
    found_pose: Floats = pose[0]
    return found_pose


def chosen_landing(task: Task, heights: Floats, take_off: tuple[float, float], quaternion: Floats, pitch_rate: float) -> Landing:
    """The longest easy landing (`EASY`), or else the one of least worst utilisation; com at touch-down at `heights` (n,) m.

    `take_off`: upward speed m/s and height m of the com at take-off; orientation `quaternion` (4,) and `pitch_rate` rad/s of
    the trunk at touch-down. Raises Infeasible where no landing is within reach.
    """
    (leaving, high), gravity, ground = take_off, task.robot.gravity, task.request.landing_height
    high -= ground
    heights = heights[leaving**2 + 2.0 * gravity * (high - heights) > (LEAST_FALL * leaving) ** 2]
    height, depth, part = (a.ravel() for a in np.meshgrid(heights, DEPTHS, AHEAD if task.request.distance else np.zeros(1)))
    falling = np.sqrt(leaving**2 + 2.0 * gravity * (high - height))
    forward = task.request.distance * gravity / (leaving + falling)
    velocity = np.stack([forward, np.zeros_like(falling), -falling], axis=1)
    duration = 2.0 * height * depth / falling
    ahead = part * forward * duration
    pose, reached = _poses(task, height, ahead, quaternion)
    possible = np.flatnonzero(reached)
    worst = np.full(len(height), np.inf)
    if len(possible):
        com = np.stack([np.zeros_like(height), np.zeros_like(height), height], axis=1)[possible]
        path = catch_path(com, velocity[possible], duration[possible], pitch_rate, quaternion)
        worst[possible] = path_utilisations(task, pose[possible], path)
    if not np.isfinite(worst).any():
        raise Infeasible(f"'{task.robot.spec.name}' has no landing within reach of its legs: jump lower or shorter, or turn less")
    easy = (worst <= EASY) & (depth <= EASY_DEPTH) & (duration <= LONGEST_CATCH * np.sqrt(height / gravity))
    k = int(np.argmax(np.where(easy, duration, 0.0))) if easy.any() else int(np.argmin(worst))
    return Landing(float(height[k]), float(duration[k]), float(ahead[k]), ground)


def rise_path(task: Task, caught: Floats, feet: float) -> Path:
    """From rest at the pose `caught` (nq,) to the stand, trunk level, over feet whose centre is at x = `feet` m."""
    start = task.robot.geometry(caught[None])["com_position"]
    end = task.com + np.array([feet - task.centre[0], 0.0, task.request.landing_height])
    duration = max(RISE_TIME, slow_time(start[0], end, task.robot.gravity))
    return slow_path(start, end[None], duration, caught[3:7], -pitch_between(task.quaternion, caught[3:7]))


def pitch_between(first: Floats, second: Floats) -> float:
    """Angle (rad) about the world's y axis that takes one orientation to another, where it is the only difference."""
    R = rotations(second[None])[0] @ rotations(first[None])[0].T
    return math.atan2(R[0, 2] - R[2, 0], R[0, 0] + R[2, 2])


def _poses(task: Task, height: Floats, ahead: Floats, quaternion: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """(poses (n, nq), in reach (n,)) with the com at x = y = 0 and `height` (n,) m, the feet on the ground `ahead` m of it."""
    n = len(ahead)
    feet = np.repeat(task.robot.geometry(task.stand[None])["contact_positions"], n, axis=0)
    feet[:, :, :2] -= task.centre
    feet[:, :, 0] += ahead[:, None]
    com = np.stack([np.zeros(n), np.zeros(n), height], axis=1)
    return inverse_kinematics(task.robot, np.tile(task.stand, (n, 1)), com, np.tile(quaternion, (n, 1)), feet)
