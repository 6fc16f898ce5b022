"""Pinocchio's inverse dynamics with forces at the contact points: its recursion takes a wrench on each joint's body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from leapcheck.engines.pinocchio.steps import Step
from leapcheck_models.arrays import Floats

JointPoints = Sequence[tuple[int, Floats]]
"""Number of the joint that carries each point, and the point's place in its axes."""


def step(model: pin.Model, data: pin.Data, frames: Sequence[int]) -> Step:
    """tau = M vdot + h - sum J^T f of world forces f (3 points,) at the origins of the frames, in turn."""
    result = np.zeros(model.nv)
    points = joint_points(model, frames)

    def compute(q: Floats, v: Floats, vdot: Floats, contact_forces: Floats) -> None:
        result[:] = pin.rnea(model, data, q, v, vdot, wrenches(model, data, points, q, contact_forces))

    return Step(compute, ("q", "v", "vdot", "contact_forces"), {"inverse_dynamics_with_contacts": result})


def joint_points(model: pin.Model, frames: Sequence[int]) -> JointPoints:
    """The joints behind the frames, and the frames' origins there."""
    return [(int(model.frames[frame].parentJoint), model.frames[frame].placement.translation) for frame in frames]


def wrenches(model: pin.Model, data: pin.Data, points: JointPoints, q: Floats, contact_forces: Floats) -> pin.StdVec_Force:
    """The world forces (3 points,) at the points as `rnea` takes them: on each joint, in its axes, at its origin."""
    pin.forwardKinematics(model, data, q)
    on_joints = np.zeros((model.njoints, 6))
    for (joint, p), force in zip(points, contact_forces.reshape(-1, 3), strict=True):
        f = data.oMi[joint].rotation.T @ force
        on_joints[joint] += np.concatenate([f, np.cross(p, f)])  # linear first
    forces = pin.StdVec_Force()
    forces.extend([pin.Force(wrench) for wrench in on_joints])
    return forces
