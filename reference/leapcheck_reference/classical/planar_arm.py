"""Two-link arm in closed form, angles from the horizontal x axis, y up (Craig, *Introduction to Robotics*, section 6.7).

Craig's arm has point masses; here each link has its com and its inertia. The shared parts are in `two_link`.
"""

from dataclasses import dataclass

from leapcheck_models.arrays import Array
from leapcheck_reference.classical import two_link
from leapcheck_reference.classical.two_link import TwoLink
from leapcheck_reference.scalar import Scalar, sin_cos, stack


def gravity_force(arm: TwoLink, q: Array) -> Array:
    """G (2,), N m: [(m1 lg1 + m2 l1) g cos q1 + m2 lg2 g cos(q1+q2); m2 lg2 g cos(q1+q2)]."""
    a, b, g = arm.first, arm.second, arm.gravity
    _, c1 = sin_cos(q[0])
    _, c12 = sin_cos(q[0] + q[1])
    G2 = b.mass * b.com * g * c12
    return stack([(a.mass * a.com + b.mass * a.length) * g * c1 + G2, G2], 2)


def potential_energy(arm: TwoLink, q: Array) -> Scalar:
    """(m1 lg1 + m2 l1) g sin q1 + m2 lg2 g sin(q1+q2) (J), zero at the height of joint 1."""
    a, b, g = arm.first, arm.second, arm.gravity
    s1, _ = sin_cos(q[0])
    s12, _ = sin_cos(q[0] + q[1])
    return (a.mass * a.com + b.mass * a.length) * g * s1 + b.mass * b.com * g * s12


def tip_position(arm: TwoLink, q: Array) -> Array:
    """(x, y) (2,), m: [l1 cos q1 + l2 cos(q1+q2); l1 sin q1 + l2 sin(q1+q2)]."""
    l1, l2 = arm.first.length, arm.second.length
    s1, c1 = sin_cos(q[0])
    s12, c12 = sin_cos(q[0] + q[1])
    return stack([l1 * c1 + l2 * c12, l1 * s1 + l2 * s12], 2)


def tip_jacobian(arm: TwoLink, q: Array) -> Array:
    """J (2, 2), m: (x', y') = J q'."""
    l1, l2 = arm.first.length, arm.second.length
    s1, c1 = sin_cos(q[0])
    s12, c12 = sin_cos(q[0] + q[1])
    return stack([-l1 * s1 - l2 * s12, -l2 * s12, l1 * c1 + l2 * c12, l2 * c12], 2, 2)


def inverse_dynamics(arm: TwoLink, q: Array, qd: Array, qdd: Array, force_by_tip: Array | None = None) -> Array:
    """tau = M q'' + V + G + J^T F (2,), N m, with F (2,) N the force **by** the tip on its surroundings."""
    tau = two_link.mass_matrix(arm, q) @ qdd + two_link.velocity_force(arm, q, qd) + gravity_force(arm, q)
    return tau if force_by_tip is None else tau + two_link.torque_for_force_by_tip(tip_jacobian(arm, q), force_by_tip)


def forward_dynamics(arm: TwoLink, q: Array, qd: Array, tau: Array, force_by_tip: Array | None = None) -> Array:
    """q'' = M^-1 (tau - V - G - J^T F) (2,), rad/s^2."""
    return two_link.acceleration(arm, q, tau - inverse_dynamics(arm, q, qd, 0.0 * q, force_by_tip))


@dataclass(frozen=True, slots=True)
class ArmTerms:
    """H11, H12, H22, h (kg m^2), G1, G2 (N m): the arm's equations of motion term by term."""

    H11: Scalar
    H12: Scalar
    H22: Scalar
    h: Scalar
    G1: Scalar
    G2: Scalar


def arm_terms(arm: TwoLink, q: Array) -> ArmTerms:
    """H11, H12, H22, h = m2 l1 lg2 sin q2, G1, G2, as Asada and Slotine (*Robot Analysis and Control*) write the arm."""
    (H11, H12), (_, H22) = two_link.mass_matrix(arm, q)
    G1, G2 = gravity_force(arm, q)
    return ArmTerms(H11, H12, H22, two_link.velocity_coefficient(arm, q), G1, G2)


def torque_from_terms(terms: ArmTerms, qd: Array, qdd: Array) -> Array:
    """[H11 q1'' + H12 q2'' - h q2'^2 - 2 h q1' q2' + G1; H12 q1'' + H22 q2'' + h q1'^2 + G2] (2,), N m."""
    tau1 = terms.H11 * qdd[0] + terms.H12 * qdd[1] - terms.h * qd[1] * qd[1] - 2.0 * terms.h * qd[0] * qd[1] + terms.G1
    tau2 = terms.H12 * qdd[0] + terms.H22 * qdd[1] + terms.h * qd[0] * qd[0] + terms.G2
    return stack([tau1, tau2], 2)
