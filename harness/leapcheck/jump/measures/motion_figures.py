"""Figures of the whole robot: the jump, its flight and attitude, limits, clearance, how it ends."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.measures.figure_list import Figure
from leapcheck.jump.measures.observed import TOUCH, Observed, Phases, along
from leapcheck_reference.rotation import quaternion_rotation
from leapcheck_reference.simulate.coordinates import has_free_base
from leapcheck_reference.tree import build

Floats = NDArray[np.float64]

LEAST_TORQUE = 1e-6
"""A joint stop that gives less (N m) is not touched: solvers leave smaller torques."""


def jump_figures(seen: Observed, at: Phases, asked: float | None) -> list[Figure]:
    """Take-off, rise, distance, agility; none where the robot does not leave the ground. `asked`: height (m) asked for, if any.

    Agility: D. W. Haldane et al., Robotic vertical jumping agility via series-elastic power modulation, Science Robotics 1
    (2016): height over the time of stance and of the way up.
    """
    if not math.isfinite(at.take_off):
        return []
    velocity = along(seen.time, seen.com_velocity, at.take_off)
    before, after = (float(along(seen.time, seen.com, t)[2]) for t in (at.push, at.take_off))
    height, rise = at.apex_height - after, at.apex_height - before
    found = [
        Figure("take_off_time", at.take_off, time=at.take_off),
        Figure("take_off_speed", float(velocity[2]), time=at.take_off),
        Figure("forward_speed", float(velocity[0]), time=at.take_off),
        Figure("rise", rise, time=at.apex),
        Figure("height", height, time=at.apex),
        Figure("agility", rise / (at.apex - at.push)),
    ]
    if asked:
        found.append(Figure("height_share", height / asked, time=at.apex))
    if math.isfinite(at.touch_down):
        found.append(Figure("flight_time", at.touch_down - at.take_off))
        if seen.feet.any():
            feet = seen.centres[:, seen.feet, 0].mean(axis=1)
            start, stop = np.interp([at.push, at.touch_down], seen.time, feet)
            found.append(Figure("distance", float(stop - start)))
    return found


def attitude_figures(seen: Observed, at: Phases, turn: float | None) -> list[Figure]:
    """Pitch and roll at touch-down, tilt and speed at the end.

    `turn` rad: how far the trunk should pitch from start to touch-down; None: it should come down level.
    """
    speed = math.sqrt(2.0 * float(seen.kinetic_energy[-1]) / seen.spec.total_mass)
    found = [Figure("final_speed", speed, time=at.end)]
    if not has_free_base(build(seen.spec)):
        return found
    R = quaternion_rotation(seen.q[-1, 3:7])
    found.append(Figure("final_tilt", math.degrees(math.acos(min(max(float(R[2, 2]), -1.0), 1.0))), time=at.end))
    if math.isfinite(at.touch_down):
        quaternion = along(seen.time, seen.q[:, 3:7], at.touch_down)
        (start, _), (pitch, roll) = (_pitch_and_roll(q / np.linalg.norm(q)) for q in (seen.q[0, 3:7], quaternion))
        asked_pitch = 0.0 if turn is None else start + turn
        found.append(Figure("pitch_touch_down", math.degrees(pitch), time=at.touch_down))
        found.append(Figure("pitch_off", math.degrees(math.remainder(pitch - asked_pitch, math.tau)), time=at.touch_down))
        found.append(Figure("roll_touch_down", math.degrees(roll), time=at.touch_down))
    return found


def _pitch_and_roll(quaternion: Floats) -> tuple[float, float]:
    """(pitch, roll) rad of a unit quaternion wxyz: nose down and right side down are positive."""
    R = quaternion_rotation(quaternion)
    return math.asin(min(max(-float(R[2, 0]), -1.0), 1.0)), math.atan2(float(R[2, 1]), float(R[2, 2]))


def limit_figures(seen: Observed) -> list[Figure]:
    """Smallest margin to a joint's limits over the run, each joint that has limits and the worst.

    Where a stop gives torque the margin is at most 0: a rigid stop lets no joint beyond it.
    """
    found: list[Figure] = []
    for body, link in zip(seen.spec.bodies, build(seen.spec).links, strict=True):
        if body.joint.limits is not None:
            lower, upper = body.joint.limits
            angle = seen.q[:, link.q.start]
            margin = np.minimum(angle - lower, upper - angle)
            stopped = np.abs(seen.stop_torque[:, link.v.start]) > LEAST_TORQUE
            margin[:-1][stopped] = np.minimum(margin[:-1][stopped], 0.0)
            k, joint = int(margin.argmin()), body.joint.name
            found.append(Figure("limit_margin", float(margin[k]), joint, joint, float(seen.time[k])))
    if not found:
        return []
    worst = min(found, key=lambda figure: figure.value)
    return [Figure("limit_margin", worst.value, "", worst.where, worst.time), *found]


def clearance_figures(seen: Observed) -> list[Figure]:
    """Lowest height over the run of the points that are no feet; at most 0 where one bears a force."""
    others = np.flatnonzero(~seen.feet)
    if not len(others):
        return []
    heights = seen.centres[:, others, 2] - seen.radii[others]
    touching = seen.force[:, others, 2] > TOUCH * seen.weight
    heights[:-1][touching] = np.minimum(heights[:-1][touching], 0.0)
    k, point = np.unravel_index(int(heights.argmin()), heights.shape)
    where = seen.points[int(others[point])]
    return [Figure("clearance", float(heights[k, point]), "", where, float(seen.time[k]))]
