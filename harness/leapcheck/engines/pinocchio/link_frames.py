"""Frames of links and contact points by Pinocchio's own calls, frame by frame, in LOCAL_WORLD_ALIGNED axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from leapcheck.engines.pinocchio.frames import AXES
from leapcheck.engines.pinocchio.steps import Step
from leapcheck_models.arrays import Floats

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
"""Pinocchio's six-vectors are linear first."""


def step(model: pin.Model, data: pin.Data, frames: Sequence[int]) -> Step:
    """Placements, velocities, Jacobians, their rates and bias accelerations, by their names in `projection`."""
    n, rest = len(frames), np.zeros(model.nv)
    placements, velocities, accelerations = np.zeros((n, 3, 4)), np.zeros((n, 6)), np.zeros((n, 6))
    jacobians, rates = np.zeros((n, 6, model.nv)), np.zeros((n, 6, model.nv))

    def move(q: Floats, v: Floats) -> None:
        pin.forwardKinematics(model, data, q, v, rest)
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobians(model, data)
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        for k, frame in enumerate(frames):
            placements[k, :, :3], placements[k, :, 3] = data.oMf[frame].rotation, data.oMf[frame].translation
            J = pin.getFrameJacobian(model, data, frame, AXES).reshape(6, -1)
            jacobians[k, :3], jacobians[k, 3:] = J[ANGULAR], J[LINEAR]
            Jdot = pin.getFrameJacobianTimeVariation(model, data, frame, AXES).reshape(6, -1)
            rates[k, :3], rates[k, 3:] = Jdot[ANGULAR], Jdot[LINEAR]
            velocity = pin.getFrameVelocity(model, data, frame, AXES)
            velocities[k, :3], velocities[k, 3:] = velocity.angular, velocity.linear
            acceleration = pin.getFrameClassicalAcceleration(model, data, frame, AXES)
            accelerations[k, :3], accelerations[k, 3:] = acceleration.angular, acceleration.linear

    results = {
        "frame_placements": placements,
        "frame_velocities": velocities,
        "frame_jacobians": jacobians,
        "frame_jacobian_rates": rates,
        "frame_bias_accelerations": accelerations,
    }
    return Step(move, ("q", "v"), results)
