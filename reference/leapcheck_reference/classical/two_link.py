"""Two-link mechanism in a plane in closed form: what the arm and the leg have in common, whatever q1 is measured from.

Joint 1 is fixed, q2 is relative to link 1. m1, l1, lg1, I1 are mass, length, distance of the com from the joint and
inertia about the com of link 1; so for link 2. M q'' + V + G = tau - J^T (force by the tip) = tau + J^T (force on the tip).
`planar_arm` (q1 from the x axis) and `planar_leg` (q1 from straight down) add gravity, tip and both dynamics. All functions
run on any scalar; q, qd, qdd, tau are (2,) in rad and N m.
"""

from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.classical import lagrange
from leapcheck_reference.scalar import Scalar, sin_cos, stack


@dataclass(frozen=True, slots=True)
class PlanarLink:
    """Mass (kg), length (m), distance of the com from the joint (m) and inertia about the com (kg m^2) of a planar link."""

    mass: Scalar
    length: Scalar
    com: Scalar
    inertia: Scalar


@dataclass(frozen=True, slots=True)
class TwoLink:
    """Two links and the size of gravity (m/s^2), which points down."""

    first: PlanarLink
    second: PlanarLink
    gravity: Scalar = 9.81


def mass_matrix(links: TwoLink, q: Array) -> Array:
    """M(q) (2, 2), kg m^2; depends on q2 alone.

    M11 = m1 lg1^2 + m2 (l1^2 + 2 l1 lg2 cos q2 + lg2^2) + I1 + I2, M12 = m2 (l1 lg2 cos q2 + lg2^2) + I2, M22 = m2 lg2^2 + I2.
    """
    a, b = links.first, links.second
    _, c2 = sin_cos(q[1])
    coupling = b.mass * a.length * b.com * c2
    M22 = b.mass * b.com * b.com + b.inertia
    M11 = a.mass * a.com * a.com + a.inertia + b.mass * a.length * a.length + 2.0 * coupling + M22
    return stack([M11, coupling + M22, coupling + M22, M22], 2, 2)


def mass_matrix_derivatives(links: TwoLink, q: Array) -> Array:
    """dM (2, 2, 2) with dM[i, j, k] = dM_ij/dq_k, kg m^2."""
    s = velocity_coefficient(links, q)
    zero = 0.0 * s
    return stack([zero, -2.0 * s, zero, -s, zero, -s, zero, zero], 2, 2, 2)


def velocity_coefficient(links: TwoLink, q: Array) -> Scalar:
    """m2 l1 lg2 sin q2 (kg m^2), the only coefficient of the velocity force."""
    return links.second.mass * links.first.length * links.second.com * sin_cos(q[1])[0]


def velocity_force(links: TwoLink, q: Array, qd: Array) -> Array:
    """V (2,), N m: [-m2 l1 lg2 (2 q1' + q2') q2' sin q2; m2 l1 lg2 q1'^2 sin q2]."""
    s = velocity_coefficient(links, q)
    return stack([-s * (2.0 * qd[0] + qd[1]) * qd[1], s * qd[0] * qd[0]], 2)


def coriolis_matrix(links: TwoLink, q: Array, qd: Array) -> Array:
    """C(q, q') (2, 2) with V = C q' and Mdot - 2 C skew: s [[-q2', -(q1' + q2')], [q1', 0]], s = m2 l1 lg2 sin q2."""
    s = velocity_coefficient(links, q)
    return stack([-s * qd[1], -s * (qd[0] + qd[1]), s * qd[0], 0.0 * s], 2, 2)


def configuration_space_form(links: TwoLink, q: Array) -> tuple[Array, Array]:
    """B (2, 1) and C (2, 2) with V = B [q1' q2'] + C [q1'^2; q2'^2], from the Christoffel symbols (Craig, eqs. 6.64, 6.65)."""
    return lagrange.configuration_space_form(mass_matrix_derivatives(links, q))


def kinetic_energy(links: TwoLink, q: Array, qd: Array) -> Scalar:
    """q'^T M q' / 2 (J)."""
    return 0.5 * (qd @ (mass_matrix(links, q) @ qd))


def torque_for_force_by_tip(J: Array, force: Array) -> Array:
    """+J^T F (2,), N m: what the joints add so that the tip exerts `force` (2,) N on its surroundings (Craig, section 5.9)."""
    return np.asarray(J.T @ force)


def torque_for_force_on_tip(J: Array, force: Array) -> Array:
    """-J^T F (2,), N m: what the joints add while the surroundings exert `force` (2,) N on the tip, as a floor on a foot."""
    return np.asarray(-(J.T @ force))


def acceleration(links: TwoLink, q: Array, torque: Array) -> Array:
    """M^-1 torque (2,), rad/s^2, by the adjugate; `torque` is what is left after V, G and the tip's share."""
    (a, b), (_, d) = mass_matrix(links, q)
    determinant = a * d - b * b
    return stack([(d * torque[0] - b * torque[1]) / determinant, (a * torque[1] - b * torque[0]) / determinant], 2)
