"""Spatial inertia of a rigid body: to and from mass, com and rotational inertia, in any frame, and whether a body has it.

Angular first: M(k) multiplies the spatial velocity [w; v_k] at a reference point k. After A. Jain, *Robot and Multibody
Dynamics*, section 2.1, and R. Featherstone, *Rigid Body Dynamics Algorithms*, section 2.13. All but the checks run on any scalar.
"""

from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import skew
from leapcheck_reference.scalar import Scalar, stack
from leapcheck_reference.spatial import Transform

FORM_TOLERANCE = 1e-10
"""How far a 6x6 may be from the form of a spatial inertia, relative to each block's size: products of rounded transforms."""

PHYSICAL_TOLERANCE = 1e-12
"""Slack on realisability, relative to the trace of the second moments: rounding of the eigenvalues."""


@dataclass(frozen=True, slots=True, eq=False)
class InertialParameters:
    """Mass (kg), com (3,) (m) in some frame, and rotational inertia about the com (3, 3) (kg m^2) in its axes."""

    mass: Scalar
    com: Array
    rotational: Array

    @property
    def spatial(self) -> Array:
        """Spatial inertia (6, 6) about the frame's origin."""
        return spatial_inertia(self.mass, self.com, self.rotational)


def spatial_inertia(mass: Scalar, com: Array, rotational: Array) -> Array:
    """M = [[I_c + m c~ c~^T, m c~], [m c~^T, m 1]], (6, 6), about the frame's origin.

    `com` c (3,) is the vector from the origin to the com (m), `rotational` I_c (3, 3) the inertia about the com
    (kg m^2), both in the frame's axes. At the com M is block diagonal. (Featherstone, eq. 2.63; Jain, eq. 2.10.)
    """
    mc = mass * skew(com)
    return np.block([[about_point(mass, rotational, com), mc], [mc.T, mass * np.eye(3)]])


def about_point(mass: Scalar, rotational: Array, offset: Array) -> Array:
    """J = I_c + m c~ c~^T (3, 3): inertia about a point that lies `offset` (either way, m) from the com.

    The parallel-axis theorem: the same in Craig's words is I_c + m (c.c 1 - c c^T) (*Introduction to Robotics*, eq. 6.26).
    """
    c = skew(offset)
    shifted: Array = rotational + mass * (c @ c.T)
    return shifted


def inertial_parameters(M: Array) -> InertialParameters:
    """Mass, com and rotational inertia about the com of a spatial inertia (6, 6): the inverse of `spatial_inertia`.

    Raises ValueError when M is not of that form: not symmetric, lower right block no multiple of 1, mass not positive,
    upper right block not skew.
    """
    if M.shape != (6, 6):
        raise ValueError(f"spatial inertia has shape {M.shape}: give (6, 6), angular first")
    mass = (M[3, 3] + M[4, 4] + M[5, 5]) / 3
    if not _real(mass) > 0.0:
        raise ValueError(f"spatial inertia has the mass {_real(mass):g}: it must be positive (is it angular first?)")
    upper = M[:3, 3:]
    com = stack([upper[2, 1] - upper[1, 2], upper[0, 2] - upper[2, 0], upper[1, 0] - upper[0, 1]], 3) / (2 * mass)
    c = skew(com)
    about_com = M[:3, :3] - mass * (c @ c.T)
    parameters = InertialParameters(mass, com, (about_com + about_com.T) / 2)
    _check_form(M, parameters)
    return parameters


def _check_form(M: Array, parameters: InertialParameters) -> None:
    """Raises ValueError unless M is the spatial inertia of `parameters`, block by block."""
    error = np.abs(_real(M) - _real(parameters.spatial))
    inertia = max(abs(np.trace(_real(M)[:3, :3])), float(np.max(np.abs(_real(M)[:3, :3]))))
    mass = _real(parameters.mass)
    for name, block, scale in (
        ("upper left block is not symmetric", error[:3, :3], inertia),
        ("upper right block is not the skew matrix m c~", error[:3, 3:], np.sqrt(inertia * mass)),
        ("lower left block is not m c~^T", error[3:, :3], np.sqrt(inertia * mass)),
        ("lower right block is not m 1", error[3:, 3:], mass),
    ):
        if not np.all(block <= FORM_TOLERANCE * scale):
            raise ValueError(f"no spatial inertia: its {name} (off by {np.max(block):.3g}): use [[J, m c~], [m c~^T, m 1]]")


def in_frame(parameters: InertialParameters, X_AB: Transform) -> InertialParameters:
    """The parameters in frame A of a body known in frame B: c -> R_AB c + p_AB, I_c -> R_AB I_c R_AB^T.

    The closed form of `transform_inertia`, which works on the 6x6.
    """
    com, rotational = X_AB.R @ parameters.com + X_AB.p, X_AB.R @ parameters.rotational @ X_AB.R.T
    return InertialParameters(parameters.mass, com, rotational)


def transform_inertia(M_B: Array, X_BA: Array) -> Array:
    """M_A = X_BA^T M_B X_BA (6, 6): the same body's inertia about A's origin, in A's axes (Featherstone, eq. 2.66)."""
    return X_BA.T @ M_B @ X_BA


def pseudo_inertia(mass: Scalar, com: Array, rotational: Array) -> Array:
    """[[Sigma, m c], [m c^T, m]] (4, 4) with Sigma = int rho x x^T dV about the origin (kg m^2).

    Sigma = tr(J)/2 1 - J for the inertia J about the origin. Positive definite exactly when some density > 0 in a volume
    has these parameters (Wensing, Kim and Slotine, *Linear Matrix Inequalities for Physically Consistent Inertial
    Parameter Identification*, IEEE RA-L 2018).
    """
    mc = (mass * com)[:, None]
    sigma = _second_moments(about_point(mass, rotational, com))
    return np.block([[sigma, mc], [mc.T, np.full((1, 1), mass)]])


def pseudo_inertia_parameters(P: Array) -> InertialParameters:
    """Mass, com and rotational inertia about the com of a pseudo-inertia (4, 4): the inverse of `pseudo_inertia`."""
    mass, com = P[3, 3], P[:3, 3] / P[3, 3]
    central = P[:3, :3] - mass * np.outer(com, com)
    return InertialParameters(mass, com, np.trace(central) * np.eye(3) - central)


def realisability_margin(rotational: Array) -> float:
    """Smallest eigenvalue of int rho x x^T dV about the com (kg m^2): half of (sum of two moments - the third).

    Positive for a body with volume, 0 for a flat one or a thin rod, negative when no body has this `rotational` (3, 3).
    """
    return float(np.linalg.eigvalsh(_second_moments(_real(rotational)))[0])


def is_physical(mass: Scalar, rotational: Array) -> bool:
    """Whether some body has this mass and this inertia about its com: I_c positive and the triangle inequality kept.

    Flat bodies, thin rods and points are bodies (the pseudo-inertia is then only semidefinite). `rotational` (3, 3) symmetric.
    """
    matrix = _real(rotational)
    slack = PHYSICAL_TOLERANCE * abs(np.trace(matrix))
    return bool(_real(mass) > 0.0 and np.all(np.abs(matrix - matrix.T) <= slack) and realisability_margin(matrix) >= -slack)


def _second_moments(rotational: Array) -> Array:
    """int rho x x^T dV (3, 3) of the inertia tensor about the same point: tr(I)/2 1 - I."""
    moments: Array = np.trace(rotational) / 2 * np.eye(3) - rotational
    return moments


def _real(x: Scalar) -> Scalar:
    """The real part as float64: what checks look at, for any scalar that converts to float."""
    return np.real(x) if np.iscomplexobj(x) else np.asarray(x).astype(float)
