"""The map X of a frame's velocities from canonical ones to an engine's: axes, point, order, kind of acceleration.

Canonical: V = [w; v] in world axes, v the velocity of the frame's origin, and accelerations classical. An engine has X V, with

    X = B [[1, 0], [-d~, 1]]        B: R^T of both parts in the frame's own axes, else 1; d from the frame's origin to the point

The usual names of axes and point together are Pinocchio's: LOCAL (the frame's own axes), WORLD (world axes, the point that is at
the world's origin) and LOCAL_WORLD_ALIGNED (world axes at the frame's origin), which is canonical.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

PLACEMENTS, VELOCITIES = "frame_placements", "frame_velocities"

VDOT = "vdot"
"""The accelerations of the states, among the values of a conversion."""

Values = Callable[[str], Floats]
"""Canonical values (n, ...) of a quantity, or of `VDOT`, by its name."""


class FramePoint(StrEnum):
    """The point of which the linear part is the velocity; the com of a contact point's frame is its origin."""

    ORIGIN = "origin"
    COM = "com"
    ROBOT_COM = "robot com"
    WORLD_ORIGIN = "world origin"


class FrameAcceleration(StrEnum):
    """What bias accelerations are: Jdot v of the engine's own J; of the body's point there, classical; or that less w x v."""

    RATE = "Jdot v"
    CLASSICAL = "classical"
    SPATIAL = "spatial"


@dataclass(frozen=True, slots=True)
class FrameConvention:
    """The form of an engine's frame quantities; the default is canonical."""

    local: bool = False
    point: FramePoint = FramePoint.ORIGIN
    acceleration: FrameAcceleration = FrameAcceleration.RATE
    linear_first: bool = False

    @property
    def is_moved(self) -> bool:
        """Whether X is other than the identity, order aside."""
        return self.local or self.point is not FramePoint.ORIGIN

    @property
    def is_spatial(self) -> bool:
        """Whether accelerations are spatial: where Jdot v is, in the frame's own axes or at the world's origin, too."""
        if self.acceleration is FrameAcceleration.RATE:
            return self.local or self.point is FramePoint.WORLD_ORIGIN
        return self.acceleration is FrameAcceleration.SPATIAL


CANONICAL_FRAMES = FrameConvention()


def frame_map(frames: FrameConvention, spec: RobotSpec, known: Values) -> Floats:
    """X (n, frames, 6, 6), angular first."""
    X = _shift(-arms(frames, spec, known))
    return both_parts(back_turn(known)) @ X if frames.local else X


def frame_map_rate(frames: FrameConvention, spec: RobotSpec, known: Values) -> Floats:
    """Xdot (n, frames, 6, 6), angular first."""
    Xdot = _shift(-_arm_rate(frames, spec, known)) - np.eye(6)
    if not frames.local:
        return Xdot
    turn = both_parts(skew_matrices(known(VELOCITIES)[..., :3]))
    rate: Floats = both_parts(back_turn(known)) @ (Xdot - turn @ _shift(-arms(frames, spec, known)))
    return rate


def acceleration_offset(frames: FrameConvention, spec: RobotSpec, known: Values) -> Floats:
    """What bias accelerations (n, frames, 6) have besides X Jdot v, angular first."""
    if frames.acceleration is FrameAcceleration.RATE:
        return times(frame_map_rate(frames, spec, known), known(VELOCITIES)) if frames.is_moved else np.zeros(6)
    if frames.acceleration is FrameAcceleration.CLASSICAL and not frames.is_moved:
        return np.zeros(6)
    w, v = np.split(known(VELOCITIES), 2, axis=-1)
    is_spatial = frames.acceleration is FrameAcceleration.SPATIAL
    linear = -np.cross(w, v) if is_spatial else np.cross(w, np.cross(w, arms(frames, spec, known)))
    offset = np.concatenate([np.zeros_like(linear), linear], axis=-1)
    return times(both_parts(back_turn(known)), offset) if frames.local else offset


def inverse_map(X: Floats) -> Floats:
    """X^-1 (..., 6, 6) of [[B, 0], [C, B]] with B a rotation: [[B^T, 0], [-B^T C B^T, B^T]]."""
    B_T, C = np.swapaxes(X[..., :3, :3], -1, -2), X[..., 3:, :3]
    inverse = np.zeros_like(X)
    inverse[..., :3, :3] = inverse[..., 3:, 3:] = B_T
    inverse[..., 3:, :3] = -B_T @ C @ B_T
    return inverse


def skew_matrices(a: Floats) -> Floats:
    """a~ (..., 3, 3) with a~ b = a x b."""
    return np.swapaxes(np.cross(a[..., None, :], np.eye(3)), -1, -2)


def both_parts(R: Floats) -> Floats:
    """R (..., 3, 3) along both parts (..., 6, 6)."""
    X = np.zeros((*R.shape[:-2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = R
    return X


def link_coms(spec: RobotSpec, count: int) -> Floats:
    """The com (frames, 3) of each link in its axes, zero for contact points."""
    coms = np.zeros((count, 3))
    coms[: len(spec.bodies)] = [body.inertia.com for body in spec.bodies]
    return coms


def arms(frames: FrameConvention, spec: RobotSpec, known: Values) -> Floats:
    """d (n, frames, 3), from the frame's origin to the point, world axes."""
    R, p = known(PLACEMENTS)[..., :3], known(PLACEMENTS)[..., 3]
    match frames.point:
        case FramePoint.ORIGIN:
            return np.zeros_like(p)
        case FramePoint.COM:
            return np.asarray(np.einsum("nfij,fj->nfi", R, link_coms(spec, R.shape[1])))
        case FramePoint.ROBOT_COM:
            return np.asarray(known("com_position")[:, None] - p)
        case FramePoint.WORLD_ORIGIN:
            return -p


def _arm_rate(frames: FrameConvention, spec: RobotSpec, known: Values) -> Floats:
    """ddot (n, frames, 3)."""
    w, v = np.split(known(VELOCITIES), 2, axis=-1)
    match frames.point:
        case FramePoint.ORIGIN:
            return np.zeros_like(v)
        case FramePoint.COM:
            return np.cross(w, arms(frames, spec, known))
        case FramePoint.ROBOT_COM:
            return np.asarray(known("com_velocity")[:, None] - v)
        case FramePoint.WORLD_ORIGIN:
            return -v


def back_turn(known: Values) -> Floats:
    """R^T (n, frames, 3, 3)."""
    return np.swapaxes(known(PLACEMENTS)[..., :3], -1, -2)


def _shift(arm: Floats) -> Floats:
    """The map (n, frames, 6, 6) of [w; v] to [w; v + arm x w]."""
    X = np.zeros((*arm.shape[:2], 6, 6)) + np.eye(6)
    X[..., 3:, :3] = skew_matrices(arm)
    return X


def times(X: Floats, twists: Floats) -> Floats:
    """X (n, frames, 6, 6) times (n, frames, 6)."""
    product: Floats = np.einsum("nfij,nfj->nfi", X, twists)
    return product
