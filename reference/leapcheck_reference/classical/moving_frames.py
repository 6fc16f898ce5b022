"""Velocity and acceleration of points and frames that move in moving frames (Craig, *Introduction to Robotics*, ch. 5 and 6).

Frame B moves in frame A; everything known "in B" is measured and expressed in B, all results are expressed in A.
Craig's letters: R = R_AB, Omega and Omega' of B, Q the point in B, V = dQ/dt and V' in B, BORG the origin of B.
"""

from dataclasses import dataclass

from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import cross


@dataclass(frozen=True, slots=True)
class FrameMotion:
    """Motion of frame B in frame A, all in A's axes: pose, velocities and accelerations (SI).

    `R` (3, 3) is R_AB; `p`, `v`, `vdot` (3,) the origin of B; `w`, `wdot` (3,) the angular velocity and acceleration.
    """

    R: Array
    p: Array
    v: Array
    vdot: Array
    w: Array
    wdot: Array


@dataclass(frozen=True, slots=True)
class PointMotion:
    """Position (m), velocity (m/s) and acceleration (m/s^2) of a point in one frame, each (3,)."""

    p: Array
    v: Array
    vdot: Array


def position(frame: FrameMotion, point: PointMotion) -> Array:
    """p_BORG + R Q (3,): position in A of a point that moves in B."""
    p: Array = frame.p + frame.R @ point.p
    return p


def velocity(frame: FrameMotion, point: PointMotion) -> Array:
    """V_BORG + R V + Omega x R Q (3,): velocity in A of a point that moves in B (Craig, eq. 5.13)."""
    v: Array = frame.v + frame.R @ point.v + cross(frame.w, frame.R @ point.p)
    return v


def acceleration(frame: FrameMotion, point: PointMotion) -> Array:
    """V'_BORG + R V' + 2 Omega x R V + Omega' x R Q + Omega x (Omega x R Q) (3,) (Craig, eq. 6.10).

    Origin, relative, Coriolis, Euler and centripetal term. The same expression is the prismatic joint's, V and V' along the axis.
    """
    r = frame.R @ point.p
    coriolis = 2.0 * cross(frame.w, frame.R @ point.v)
    vdot: Array = frame.vdot + frame.R @ point.vdot + coriolis + cross(frame.wdot, r) + cross(frame.w, cross(frame.w, r))
    return vdot


def fixed_point_acceleration(frame: FrameMotion, p_B: Array) -> Array:
    """V'_BORG + Omega' x R Q + Omega x (Omega x R Q) (3,) of a point fixed in B: the revolute joint's case (Craig, eq. 6.12)."""
    r = frame.R @ p_B
    vdot: Array = frame.vdot + cross(frame.wdot, r) + cross(frame.w, cross(frame.w, r))
    return vdot


def angular_velocity(frame_AB: FrameMotion, w_BC: Array) -> Array:
    """Omega_B + R_AB Omega_C (3,): angular velocity of C in A, from its own `w_BC` in B (Craig, eq. 6.13)."""
    w: Array = frame_AB.w + frame_AB.R @ w_BC
    return w


def angular_acceleration(frame_AB: FrameMotion, w_BC: Array, wdot_BC: Array) -> Array:
    """Omega'_B + R_AB Omega'_C + Omega_B x R_AB Omega_C (3,): angular acceleration of C in A (Craig, eq. 6.15)."""
    wdot: Array = frame_AB.wdot + frame_AB.R @ wdot_BC + cross(frame_AB.w, frame_AB.R @ w_BC)
    return wdot


def compose(frame_AB: FrameMotion, frame_BC: FrameMotion) -> FrameMotion:
    """Motion of C in A, from the motion of B in A and that of C in B."""
    origin = PointMotion(frame_BC.p, frame_BC.v, frame_BC.vdot)
    return FrameMotion(
        frame_AB.R @ frame_BC.R,
        position(frame_AB, origin),
        velocity(frame_AB, origin),
        acceleration(frame_AB, origin),
        angular_velocity(frame_AB, frame_BC.w),
        angular_acceleration(frame_AB, frame_BC.w, frame_BC.wdot),
    )
