"""Two-link leg in closed form, angles from straight down, x forward, z up; the hip stands still (or see `gravity`).

A positive q1 swings the leg forward. In a hip that accelerates upward by a, use gravity g + a. Shared parts: `two_link`.
"""

import math

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.classical import two_link
from leapcheck_reference.classical.two_link import TwoLink
from leapcheck_reference.scalar import Scalar, sin_cos, stack


def gravity_force(leg: TwoLink, q: Array) -> Array:
    """g (2,), N m: [m1 g lg1 sin q1 + m2 g (l1 sin q1 + lg2 sin(q1+q2)); m2 g lg2 sin(q1+q2)]."""
    a, b, g = leg.first, leg.second, leg.gravity
    s1, _ = sin_cos(q[0])
    s12, _ = sin_cos(q[0] + q[1])
    g2 = b.mass * g * b.com * s12
    return stack([a.mass * g * a.com * s1 + b.mass * g * a.length * s1 + g2, g2], 2)


def potential_energy(leg: TwoLink, q: Array) -> Scalar:
    """-m1 g lg1 cos q1 - m2 g l1 cos q1 - m2 g lg2 cos(q1+q2) (J), zero at the height of the hip."""
    a, b, g = leg.first, leg.second, leg.gravity
    _, c1 = sin_cos(q[0])
    _, c12 = sin_cos(q[0] + q[1])
    return -a.mass * g * a.com * c1 - b.mass * g * a.length * c1 - b.mass * g * b.com * c12


def foot_position(leg: TwoLink, q: Array) -> Array:
    """(x, z) (2,), m, from the hip: [l1 sin q1 + l2 sin(q1+q2); -l1 cos q1 - l2 cos(q1+q2)]."""
    l1, l2 = leg.first.length, leg.second.length
    s1, c1 = sin_cos(q[0])
    s12, c12 = sin_cos(q[0] + q[1])
    return stack([l1 * s1 + l2 * s12, -l1 * c1 - l2 * c12], 2)


def foot_jacobian(leg: TwoLink, q: Array) -> Array:
    """J (2, 2), m: (x', z') = J q'."""
    l1, l2 = leg.first.length, leg.second.length
    s1, c1 = sin_cos(q[0])
    s12, c12 = sin_cos(q[0] + q[1])
    return stack([l1 * c1 + l2 * c12, l2 * c12, l1 * s1 + l2 * s12, l2 * s12], 2, 2)


def foot_bias_acceleration(leg: TwoLink, q: Array, qd: Array) -> Array:
    """J' q' (2,), m/s^2: the foot's acceleration at q'' = 0."""
    l1, l2 = leg.first.length, leg.second.length
    s1, c1 = sin_cos(q[0])
    s12, c12 = sin_cos(q[0] + q[1])
    first, second = l1 * qd[0] * qd[0], l2 * (qd[0] + qd[1]) * (qd[0] + qd[1])
    return stack([-first * s1 - second * s12, first * c1 + second * c12], 2)


def inverse_dynamics(leg: TwoLink, q: Array, qd: Array, qdd: Array, force_on_foot: Array | None = None) -> Array:
    """tau = M q'' + h + g - J^T F (2,), N m, with F (2,) N the force **on** the foot by the ground."""
    tau = two_link.mass_matrix(leg, q) @ qdd + two_link.velocity_force(leg, q, qd) + gravity_force(leg, q)
    return tau if force_on_foot is None else tau + two_link.torque_for_force_on_tip(foot_jacobian(leg, q), force_on_foot)


def forward_dynamics(leg: TwoLink, q: Array, qd: Array, tau: Array, force_on_foot: Array | None = None) -> Array:
    """q'' = M^-1 (tau - h - g + J^T F) (2,), rad/s^2."""
    return two_link.acceleration(leg, q, tau - inverse_dynamics(leg, q, qd, 0.0 * q, force_on_foot))


def joint_angles(leg: TwoLink, foot: Array) -> Array:
    """q (2,), rad, that puts the foot at (x, z) (2,) m from the hip, knee forward (q2 <= 0): inverse kinematics.

    Raises ValueError when the foot is out of reach.
    """
    l1, l2 = float(leg.first.length), float(leg.second.length)
    x, z = float(foot[0]), float(foot[1])
    reach = math.hypot(x, z)
    if not abs(l1 - l2) <= reach <= l1 + l2:
        raise ValueError(f"foot at {reach:.6g} m from the hip is out of reach: the leg spans {abs(l1 - l2):g} to {l1 + l2:g} m")
    # the half-angle form of the cosine rule keeps its digits near the straight and the folded leg
    short, long = (l1 + l2 - reach) * (l1 + l2 + reach), (reach - abs(l1 - l2)) * (reach + abs(l1 - l2))
    knee = -2 * math.atan2(math.sqrt(short), math.sqrt(long))
    return np.array([math.atan2(x, -z) - math.atan2(l2 * math.sin(knee), l1 + l2 * math.cos(knee)), knee])


def joint_speeds(leg: TwoLink, q: Array, foot_velocity: Array) -> Array:
    """q' = J^-1 (x', z') (2,), rad/s; at a straight or folded leg numpy.linalg.LinAlgError or very large."""
    return np.linalg.solve(foot_jacobian(leg, q), foot_velocity)


def joint_accelerations(leg: TwoLink, q: Array, qd: Array, foot_acceleration: Array) -> Array:
    """q'' = J^-1 ((x'', z'') - J' q') (2,), rad/s^2."""
    return np.linalg.solve(foot_jacobian(leg, q), foot_acceleration - foot_bias_acceleration(leg, q, qd))
