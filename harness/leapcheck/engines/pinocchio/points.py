"""Contact points from what Pinocchio's kinematics leave behind for the joints: pure functions of blocks of states.

Each array may have any leading dimensions `...`, the same for all; written with products, sums and constant indices alone, so
that any scalar goes through. `poses` (..., joints, 4, 3) holds R_WJ^T in its first three rows and p_WJ in the last, as Pinocchio
stores an SE3; `velocities` and `accelerations` (..., joints, 6) are linear first, in the joint's axes, at its origin;
`joint_jacobians` (..., nv, 6) is Pinocchio's `data.J` by columns: linear first, in world axes, at the world's origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

NEXT, AFTER = [1, 2, 0], [2, 0, 1]
"""Axes behind x, y, z and those behind these: (a x b)_i = a_next b_after - a_after b_next."""

STAY = np.eye(3, 6).reshape(18)
TURN = np.array([np.hstack([np.zeros((3, 3)), np.cross(np.eye(3), axis).T]) for axis in np.eye(3)]).reshape(3, 18)
"""STAY + p @ TURN is the matrix [1, -p x] (3, 6) row by row: the linear velocity v + w x p at p of a motion at the origin."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The points: number of the joint (points,), place in its frame (points, 3), 1 for each dof that moves it (points, 1, nv)."""

    joints: NDArray[np.intp]
    offsets: Floats
    support: Floats


def points_of(model: pin.Model, frames: Sequence[int]) -> Points:
    """The points at the origins of frames."""
    joints = [model.frames[frame].parentJoint for frame in frames]
    support = np.zeros((len(frames), 1, model.nv))
    for row, joint in zip(support[:, 0], joints, strict=True):
        for ancestor in list(model.supports[joint])[1:]:  # the first is the world
            row[model.idx_vs[ancestor] : model.idx_vs[ancestor] + model.nvs[ancestor]] = 1.0
    offsets = [model.frames[frame].placement.translation for frame in frames]
    return Points(np.array(joints, dtype=np.intp), np.array(offsets).reshape(len(frames), 3), support)


def positions(points: Points, poses: Floats) -> Floats:
    """p (..., points, 3) in the world."""
    return poses[..., points.joints, 3, :] + _in_world(poses[..., points.joints, :3, :], points.offsets)


def velocities(points: Points, poses: Floats, joint_velocities: Floats) -> Floats:
    """pdot (..., points, 3) in world axes."""
    moving = joint_velocities[..., points.joints, :]
    return _in_world(poses[..., points.joints, :3, :], moving[..., :3] + _cross(moving[..., 3:], points.offsets))


def jacobians(points: Points, poses: Floats, joint_jacobians: Floats) -> Floats:
    """J (..., points, 3, nv): each dof's motion, moved from the world's origin to the point."""
    p = positions(points, poses)
    rows = (STAY + p @ TURN).reshape(*p.shape[:-2], 3 * p.shape[-2], 6)
    J: Floats = (rows @ np.swapaxes(joint_jacobians, -1, -2)).reshape(*p.shape, joint_jacobians.shape[-2]) * points.support
    return J


def bias_accelerations(points: Points, poses: Floats, joint_velocities: Floats, accelerations: Floats) -> Floats:
    """Jdot u (..., points, 3) in world axes: classical accelerations, of spatial ones at udot = 0 without gravity."""
    V, A, r = joint_velocities[..., points.joints, :], accelerations[..., points.joints, :], points.offsets
    w = V[..., 3:]
    classical = A[..., :3] + _cross(A[..., 3:], r) + _cross(w, V[..., :3] + _cross(w, r))
    return _in_world(poses[..., points.joints, :3, :], classical)


def solved_jacobians(points: Points, poses: Floats, joint_jacobians: Floats, Minv: Floats) -> Floats:
    """M^-1 J^T (..., nv, 3 points)."""
    J = jacobians(points, poses, joint_jacobians)
    rows = J.reshape(*J.shape[:-3], 3 * len(points.joints), J.shape[-1])
    MinvJT: Floats = Minv @ np.swapaxes(rows, -1, -2)
    return MinvJT


def _in_world(R_JW: Floats, x: Floats) -> Floats:
    """R_WJ x (..., points, 3) of x in the joint's axes."""
    rotated: Floats = x[..., 0:1] * R_JW[..., 0, :] + x[..., 1:2] * R_JW[..., 1, :] + x[..., 2:3] * R_JW[..., 2, :]
    return rotated


def _cross(a: Floats, b: Floats) -> Floats:
    """a x b along the last axis."""
    product: Floats = a[..., NEXT] * b[..., AFTER] - a[..., AFTER] * b[..., NEXT]
    return product
