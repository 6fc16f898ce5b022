"""Pinocchio's derivatives of frames' velocities and accelerations, frame by frame, made those of what is compared.

They are asked for in LOCAL axes, which turn with the frame: R x moves by R dx and by the turn of R. In WORLD and
LOCAL_WORLD_ALIGNED axes Pinocchio 4.1.0's derivative of the acceleration by q is wrong behind a joint of several dofs that is not
the first; besides, LOCAL_WORLD_ALIGNED ones hold the place of the frame's origin, and lack w x dp / dq.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from leapcheck.engines.pinocchio.link_frames import ANGULAR, LINEAR
from leapcheck.engines.pinocchio.steps import Step, base_positions
from leapcheck_models.arrays import Floats

AXES = pin.ReferenceFrame.LOCAL


def step(model: pin.Model, data: pin.Data, frames: Sequence[int]) -> Step:
    """The three derivatives, by their names in `projection`, with the bases at the origin: they do not depend on their places."""
    shape = (len(frames), 6, model.nv)
    V_q, A_q, A_v = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    bases = base_positions(model)

    def move(q: Floats, v: Floats, vdot: Floats) -> None:
        q = q.copy()
        q[bases] = 0.0
        pin.computeForwardKinematicsDerivatives(model, data, q, v, vdot)
        pin.updateFramePlacements(model, data)
        for k, frame in enumerate(frames):
            R = data.oMf[frame].rotation
            velocity, acceleration = (get(model, data, frame, AXES) for get in (pin.getFrameVelocity, pin.getFrameAcceleration))
            V, A, A_by_v, J = (np.reshape(x, (6, -1)) for x in pin.getFrameAccelerationDerivatives(model, data, frame, AXES))
            w, v_F, J_w = pin.skew(velocity.angular), pin.skew(velocity.linear), J[ANGULAR]
            alpha, a = acceleration.angular, acceleration.linear + w @ velocity.linear  # classical
            V_q[k, :3] = R @ (V[ANGULAR] - w @ J_w)
            V_q[k, 3:] = R @ (V[LINEAR] - v_F @ J_w)
            A_q[k, :3] = R @ (A[ANGULAR] - pin.skew(alpha) @ J_w)
            A_q[k, 3:] = R @ (A[LINEAR] + w @ V[LINEAR] - v_F @ V[ANGULAR] - pin.skew(a) @ J_w)
            A_v[k, :3] = R @ A_by_v[ANGULAR]
            A_v[k, 3:] = R @ (A_by_v[LINEAR] + w @ J[LINEAR] - v_F @ J_w)

    names = ("frame_velocity_derivative_q", "frame_acceleration_derivative_q", "frame_acceleration_derivative_v")
    return Step(move, ("q", "v", "vdot"), dict(zip(names, (V_q, A_q, A_v), strict=True)))
