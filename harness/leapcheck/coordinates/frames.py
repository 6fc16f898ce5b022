"""How an engine's frame velocities, Jacobians, accelerations and derivatives follow from the canonical ones.

With X of `frame_maps`, V = [w; v] a frame's velocity and A = J vdot + Jdot v its acceleration,

    J_own = X J,  Jdot_own = X Jdot + Xdot J,  Jdot_own v = X Jdot v + Xdot V

and derivatives are those of what the engine has: by q X moves, too, as `frame_derivatives` says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.frame_derivatives import (
    ACCELERATION_BY_Q,
    DERIVATIVES,
    JACOBIANS,
    VELOCITY_BY_Q,
    derivative_offset,
)
from leapcheck.coordinates.frame_maps import (
    CANONICAL_FRAMES,
    PLACEMENTS,
    VELOCITIES,
    FrameAcceleration,
    FrameConvention,
    FramePoint,
    Values,
    acceleration_offset,
    frame_map,
    frame_map_rate,
    inverse_map,
    times,
)
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

RATES, ACCELERATIONS, OPERATIONAL = "frame_jacobian_rates", "frame_bias_accelerations", "operational_inertia_inverse"

MOVING = (VELOCITIES, JACOBIANS, RATES, ACCELERATIONS)

CONVERTED = (*MOVING, OPERATIONAL, *DERIVATIVES)
"""Quantities that are converted."""


def frame_prerequisites(frames: FrameConvention, quantity: str) -> tuple[str, ...]:
    """The quantities that a conversion takes besides the one converted."""
    if quantity not in CONVERTED:
        return ()
    if quantity in DERIVATIVES:
        return _derivative_prerequisites(frames, quantity)
    by_robot_com = frames.point is FramePoint.ROBOT_COM
    names = [PLACEMENTS, *(["com_position"] if by_robot_com else [])] if frames.is_moved else []
    if quantity == RATES and frames.is_moved:
        names += [VELOCITIES, JACOBIANS]
    if quantity == ACCELERATIONS and (frames.is_moved or frames.is_spatial):
        names.append(VELOCITIES)
    takes_rate = quantity == RATES or (quantity == ACCELERATIONS and frames.acceleration is FrameAcceleration.RATE)
    return (*names, "com_velocity") if by_robot_com and takes_rate else tuple(names)


def _derivative_prerequisites(frames: FrameConvention, quantity: str) -> tuple[str, ...]:
    """Those of derivatives; by q of accelerations, what moves with X besides."""
    if not (frames.is_moved or (frames.is_spatial and quantity != VELOCITY_BY_Q)):
        return ()
    names = (*([PLACEMENTS] if frames.is_moved else []), VELOCITIES, JACOBIANS)
    return (*names, ACCELERATIONS, VELOCITY_BY_Q) if quantity == ACCELERATION_BY_Q else names


def own_frames(frames: FrameConvention, spec: RobotSpec, quantity: str, values: Floats, known: Values) -> Floats:
    """The engine's values (n, ...) of canonical ones; `known` gives other canonical quantities."""
    if quantity not in CONVERTED:
        return values
    if quantity == OPERATIONAL:
        X = _of_points(frame_map(frames, spec, known), spec) if frames.is_moved else np.eye(6)
        moved = X @ values @ np.swapaxes(X, -1, -2)
        return np.roll(moved, 3, axis=(-2, -1)) if frames.linear_first else moved
    moved = _product(frame_map(frames, spec, known), values) if frames.is_moved else values
    moved = moved + _offset(frames, spec, quantity, known)
    return np.roll(moved, 3, axis=2) if frames.linear_first else moved


def canonical_frames(frames: FrameConvention, spec: RobotSpec, quantity: str, values: Floats, known: Values) -> Floats:
    """Canonical values (n, ...) of the engine's own; `known` gives other canonical quantities."""
    if frames == CANONICAL_FRAMES or quantity not in CONVERTED:
        return values
    if quantity == OPERATIONAL:
        values = np.roll(values, 3, axis=(-2, -1)) if frames.linear_first else values
        X = inverse_map(_of_points(frame_map(frames, spec, known), spec)) if frames.is_moved else np.eye(6)
        return X @ values @ np.swapaxes(X, -1, -2)
    values = np.roll(values, 3, axis=2) if frames.linear_first else values
    values = values - _offset(frames, spec, quantity, known)
    return _product(inverse_map(frame_map(frames, spec, known)), values) if frames.is_moved else values


def _offset(frames: FrameConvention, spec: RobotSpec, quantity: str, known: Values) -> Floats | float:
    """What the engine's values (n, ...), angular first, have besides X times the canonical ones."""
    if quantity == RATES and frames.is_moved:
        return frame_map_rate(frames, spec, known) @ known(JACOBIANS)
    if quantity == ACCELERATIONS:
        return acceleration_offset(frames, spec, known)
    if quantity in DERIVATIVES and _derivative_prerequisites(frames, quantity):
        return derivative_offset(frames, spec, quantity, known)
    return 0.0


class Reading(NamedTuple):
    """How the engine's frame quantity at one state becomes canonical: X^-1 (y - offset), or X^-1 (y - Xdot J); None for no such
    part. X^-1 (frames, 6, 6), or that of points alone, holds the order, too; Xdot (frames, 6, 6), offset (frames, 6), of
    derivatives (frames, 6, nv).
    """

    X: Floats
    Xdot: Floats | None
    offset: Floats | None


def reading(frames: FrameConvention, spec: RobotSpec, quantity: str, known: Values) -> Reading:
    """That of a quantity that is converted; `known` gives canonical quantities at that one state."""
    order = np.roll(np.eye(6), 3, axis=0) if frames.linear_first else np.eye(6)
    count = len(known(PLACEMENTS)[0])
    X = inverse_map(frame_map(frames, spec, known))[0] if frames.is_moved else np.broadcast_to(np.eye(6), (count, 6, 6))
    X = _of_points(X[None], spec)[0] if quantity == OPERATIONAL else X
    if quantity == RATES:
        return Reading(X @ order.T, order @ frame_map_rate(frames, spec, known)[0] if frames.is_moved else None, None)
    moved = np.asarray(_offset(frames, spec, quantity, known))
    return Reading(X @ order.T, None, np.roll(moved[0], 3 * frames.linear_first, axis=1) if moved.any() else None)


def _of_points(X: Floats, spec: RobotSpec) -> Floats:
    """Those of contact points, which come behind the links."""
    return X[:, len(spec.bodies) :]


def _product(X: Floats, values: Floats) -> Floats:
    """X (n, frames, 6, 6) times twists (n, frames, 6), or times matrices (n, frames, 6, nv)."""
    return X @ values if values.ndim == X.ndim else times(X, values)
