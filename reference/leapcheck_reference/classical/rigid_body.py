"""One rigid body: momenta, Newton's and Euler's equations (Craig, *Introduction to Robotics*, sections 6.3 and 6.4).

All vectors of a call are in the same axes; SI units. The parallel-axis theorem is `spatial_inertia.about_point`, the
inertia tensor by volume integral `volume_integrals.integrated_inertia`.
"""

from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import cross
from leapcheck_reference.scalar import Scalar


def linear_momentum(mass: Scalar, v_C: Array) -> Array:
    """m v_C (3,), kg m/s, from the com's velocity."""
    momentum: Array = mass * v_C
    return momentum


def angular_momentum(rotational: Array, w: Array) -> Array:
    """I_c w (3,), kg m^2/s, about the com."""
    return rotational @ w


def angular_momentum_about(point_to_com: Array, mass: Scalar, v_C: Array, rotational: Array, w: Array) -> Array:
    """I_c w + r x m v_C (3,) about a point fixed in space, r the vector from it to the com."""
    return angular_momentum(rotational, w) + cross(point_to_com, linear_momentum(mass, v_C))


def newton_force(mass: Scalar, a_C: Array) -> Array:
    """F = m a_C (3,), N: the resultant force that accelerates the com (Craig, eq. 6.29)."""
    force: Array = mass * a_C
    return force


def euler_moment(rotational: Array, w: Array, wdot: Array) -> Array:
    """N = I_c w' + w x I_c w (3,), N m: the resultant moment about the com (Craig, eq. 6.30)."""
    return rotational @ wdot + cross(w, rotational @ w)


def kinetic_energy(mass: Scalar, v_C: Array, rotational: Array, w: Array) -> Scalar:
    """m v_C.v_C / 2 + w.I_c w / 2 (J)."""
    return 0.5 * (mass * (v_C @ v_C) + w @ (rotational @ w))
