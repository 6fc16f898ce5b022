"""A plan from a file as joint targets over time, and the pose it begins in."""

from __future__ import annotations

import numpy as np

from leapcheck.jumping.plan_file import PlanFile, PlanSegment
from leapcheck.jumping.policies import Trajectory
from leapcheck.jumping.sagittal import foot_positions
from leapcheck.jumping.simulation import driven_places
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.coordinates import zero_configuration
from leapcheck_reference.tree import build

ONSET = 1e-6
"""Time (s) in which torques begin after the preparation: a trajectory is straight lines between its rows."""


def plan_trajectory(plan: PlanFile) -> Trajectory:
    """The targets from the preparation to the end: the plan's rows, and what its segments put in their place."""
    settings, step = plan.settings, float(np.diff(plan.time).min())
    last = max([plan.time[-1], *(segment.end for segment in settings.segments)])
    after = np.arange(plan.time[-1] + step, last + step / 2, step)
    time = np.concatenate([plan.time, after])
    edges = [edge for segment in settings.segments for edge in (segment.start, segment.start + ONSET, segment.end)]
    time = np.unique(np.concatenate([time, [edge for edge in edges if 0.0 <= edge <= time[-1]]]))
    q, qd, torque = (_samples(plan.time, rows, time) for rows in (plan.q, plan.qd, settings.factor * plan.torque))
    over = time > plan.time[-1]
    qd[over], torque[over] = 0.0, 0.0
    for name, least in (settings.least or {}).items():
        for i, sign in zip(plan.places[name].actuators, plan.places[name].signs, strict=True):
            low = sign * q[:, i] < least
            q[low, i], qd[low, i], torque[low, i] = sign * least, 0.0, 0.0
    kp, kd = np.full_like(q, settings.kp), np.full_like(q, settings.kd)
    for segment in settings.segments:
        _play(plan, segment, Trajectory(time, q, qd, torque, kp, kd))
    return _with_preparation(Trajectory(time, q, qd, torque, kp, kd), settings.prepare, settings.hold)


def start_pose(spec: RobotSpec, joints: Floats) -> Floats:
    """Configuration (nq,) with the driven `joints` (actuators,) rad, trunk level over the origin, lowest foot on the ground."""
    q = np.array(spec.poses[0].q, dtype=float) if spec.poses else zero_configuration(build(spec))
    q[:7] = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    q[driven_places(spec)[0]] = joints
    q[2] = -min(position[2] for _, position in foot_positions(spec, q))
    return q


def _play(plan: PlanFile, segment: PlanSegment, rows: Trajectory) -> None:
    """Writes a segment into the rows from its start on."""
    on = rows.time > segment.start if segment.start > 0.0 else rows.time >= 0.0
    span = segment.end - segment.start
    part = np.clip((rows.time[on] - segment.start) / span, 0.0, 1.0) if span else np.ones(int(on.sum()))
    for name, target in segment.targets.items():
        for i, sign in zip(plan.places[name].actuators, plan.places[name].signs, strict=True):
            begin = float(np.interp(segment.start, rows.time, rows.q[:, i]))
            rows.q[on, i] = begin + part * (sign * target - begin)
            rows.qd[on, i] = rows.torque[on, i] = 0.0
            if segment.kp is not None:
                rows.kp[on, i] = segment.kp
            if segment.kd is not None:
                rows.kd[on, i] = segment.kd


def _with_preparation(rows: Trajectory, prepare: float, hold: float) -> Trajectory:
    """The rows after the first pose was held for `prepare` s without torque, and before the last is held for `hold` s."""
    before, after = ([0.0, prepare - ONSET] if prepare > ONSET else []), ([rows.time[-1] + hold] if hold else [])
    begin = len(before) * [0]
    order = np.array([*begin, *range(len(rows.time)), *(len(after) * [len(rows.time) - 1])])
    time = np.concatenate([before, (prepare if before else 0.0) + np.concatenate([rows.time, after])])
    qd, torque = rows.qd[order], rows.torque[order]
    qd[: len(before)], torque[: len(before)] = 0.0, 0.0
    return Trajectory(time, rows.q[order], qd, torque, rows.kp[order], rows.kd[order])


def _samples(time: Floats, rows: Floats, moments: Floats) -> Floats:
    """Rows (n, k) at the `moments` (n,) s, straight lines between the given ones."""
    return np.stack([np.interp(moments, time, column) for column in rows.T], axis=1)
