"""Derivatives of frames' velocities and accelerations in an engine's form: those of the numbers that it has, X included.

With X of `frame_maps`, V a frame's velocity and A = J vdot + Jdot v its classical acceleration, the engine has X V and X A + b:

    d(X V) = X dV + dX V,  d(X A + b) = X dA + dX A + db,  b = B [0; w x (w x d)] classical, B [0; -w x v] spatial

and by v X stands still. As one moves along the unit velocity of a dof, the frame moves along that dof's column of J.
"""

from __future__ import annotations

import numpy as np

from leapcheck.coordinates.frame_maps import VDOT, VELOCITIES, FrameConvention, FramePoint, Values, arms, back_turn
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

JACOBIANS = "frame_jacobians"
VELOCITY_BY_Q, ACCELERATION_BY_Q = "frame_velocity_derivative_q", "frame_acceleration_derivative_q"
DERIVATIVES = (VELOCITY_BY_Q, ACCELERATION_BY_Q, "frame_acceleration_derivative_v")


def derivative_offset(frames: FrameConvention, spec: RobotSpec, quantity: str, known: Values) -> Floats:
    """What the engine's derivatives (n, frames, 6, nv) have besides X times the canonical ones; not at the robot's com."""
    frame = _MovingFrames(frames, spec, known)
    J = _columns(known(JACOBIANS))
    if quantity == VELOCITY_BY_Q:
        return _rows(frame.map_change(J, known(VELOCITIES)))
    if quantity == ACCELERATION_BY_Q:
        A = known("frame_bias_accelerations") + np.einsum("nfij,nj->nfi", known(JACOBIANS), known(VDOT))
        return _rows(frame.map_change(J, A) + frame.offset_change(J, _columns(known(VELOCITY_BY_Q))))
    return _rows(frame.offset_change(np.zeros_like(J), J))


class _MovingFrames:
    """The frames of a block of states, and how their X and their accelerations change along motions (nv, n, frames, 6)."""

    def __init__(self, frames: FrameConvention, spec: RobotSpec, known: Values) -> None:
        self._form = frames
        self._w, self._v = np.split(known(VELOCITIES), 2, axis=-1)
        self._arm = arms(frames, spec, known) if frames.is_moved else np.zeros_like(self._v)
        self._back_turn = back_turn(known) if frames.local else None

    def map_change(self, motion: Floats, twist: Floats) -> Floats:
        """dX times a twist."""
        w, v = np.split(twist, 2, axis=-1)
        changed = np.zeros(motion.shape)
        changed[..., 3:] = np.cross(w, self._arm_change(motion))
        return self._turned(motion, np.concatenate([w, v + np.cross(w, self._arm)], axis=-1), changed)

    def offset_change(self, motion: Floats, velocity_change: Floats) -> Floats:
        """db, as V changes by `velocity_change` (nv, n, frames, 6)."""
        w, v, arm = self._w, self._v, self._arm
        dw, dv = np.split(velocity_change, 2, axis=-1)
        offset, changed = np.zeros((*w.shape[:-1], 6)), np.zeros(motion.shape)
        if self._form.is_spatial:
            offset[..., 3:] = -np.cross(w, v)
            changed[..., 3:] = -np.cross(dw, v) - np.cross(w, dv)
        else:
            offset[..., 3:] = np.cross(w, np.cross(w, arm))
            turning = np.cross(dw, arm) + np.cross(w, self._arm_change(motion))
            changed[..., 3:] = np.cross(dw, np.cross(w, arm)) + np.cross(w, turning)
        return self._turned(motion, offset, changed)

    def _arm_change(self, motion: Floats) -> Floats:
        """That of the arm from the frame's origin to the point."""
        match self._form.point:
            case FramePoint.COM:
                return np.cross(motion[..., :3], self._arm)
            case FramePoint.WORLD_ORIGIN:
                return -motion[..., 3:]
            case _:
                return np.zeros_like(motion[..., 3:])

    def _turned(self, motion: Floats, rows: Floats, changed: Floats) -> Floats:
        """The change of B times rows [angular; linear] which themselves change: d(R^T a) = R^T (da - w x a)."""
        if self._back_turn is None:
            return changed
        parts = zip(np.split(rows, 2, axis=-1), np.split(changed, 2, axis=-1), strict=True)
        own = [np.einsum("nfij,knfj->knfi", self._back_turn, change - np.cross(motion[..., :3], part)) for part, change in parts]
        return np.concatenate(own, axis=-1)


def _columns(matrices: Floats) -> Floats:
    """The columns of matrices (n, frames, 6, nv), (nv, n, frames, 6)."""
    return np.moveaxis(matrices, -1, 0)


def _rows(columns: Floats) -> Floats:
    """The matrices again."""
    return np.moveaxis(columns, 0, -1)
