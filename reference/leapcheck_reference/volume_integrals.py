"""Inertia as a volume integral over any density and any smooth body: the check on the closed forms.

A body is a map from the unit cube to space, x = body(u), analytic in u; a density is a function rho(x) (kg/m^3). Both
take arrays (..., 3). Gauss-Legendre points in each direction of u; the volume element is det dx/du by complex step.
"""

from collections.abc import Callable

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial_inertia import InertialParameters

BodyMap = Callable[[Array], Array]
Density = Callable[[Array], Array]

ORDER = 24
"""Gauss-Legendre points per direction: full turns of sine and cosine to round-off."""

COMPLEX_STEP = 1e-30
"""Step of the complex derivative: its error is the square of it, far below rounding."""


def uniform(density: float) -> Density:
    """The same density (kg/m^3) at every point."""
    return lambda x: np.full(x.shape[:-1], density)


def box_body(size: tuple[float, float, float]) -> BodyMap:
    """Box of full lengths `size` (m) about its centre."""
    return lambda u: (u - 0.5) * np.array(size)


def cylinder_body(radius: float, length: float) -> BodyMap:
    """Cylinder (m) along z about its centre; u is (radius, turn, height)."""

    def body(u: Array) -> Array:
        r, turn = radius * u[..., 0], 2 * np.pi * u[..., 1]
        return np.stack([r * np.cos(turn), r * np.sin(turn), length * (u[..., 2] - 0.5)], axis=-1)

    return body


def ellipsoid_body(semi_axes: tuple[float, float, float]) -> BodyMap:
    """Ellipsoid with semi-axes (m) along x, y, z about its centre; u is (radius, polar angle down from z, turn)."""

    def body(u: Array) -> Array:
        r, polar, turn = u[..., 0], np.pi * u[..., 1], 2 * np.pi * u[..., 2]
        across = r * np.sin(polar)
        ball = np.stack([across * np.cos(turn), across * np.sin(turn), r * np.cos(polar)], axis=-1)
        return np.asarray(ball * np.array(semi_axes))

    return body


def quadrature(body: BodyMap, order: int = ORDER) -> tuple[Array, Array]:
    """Points x (n, 3) in the body (m) and their volumes (n,) (m^3), n = order^3."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    u = np.stack(np.meshgrid(*[(nodes + 1) / 2] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    w = np.einsum("i,j,k->ijk", *[weights / 2] * 3).ravel()
    steps = 1j * COMPLEX_STEP * np.eye(3)
    jacobian = np.stack([body(u + step).imag / COMPLEX_STEP for step in steps], axis=-1)
    return body(u), w * np.abs(np.linalg.det(jacobian))


def integrated_inertia(density: Density, body: BodyMap, order: int = ORDER) -> InertialParameters:
    """Mass, com and rotational inertia about the com by numerical volume integral, in the body map's frame.

    m = int rho dV, c = int rho x dV / m, I_c = int rho (r.r 1 - r r^T) dV with r = x - c.
    """
    x, volumes = quadrature(body, order)
    masses = density(x) * volumes
    mass = masses.sum()
    com = masses @ x / mass
    r = x - com
    second = np.einsum("n,ni,nj->ij", masses, r, r)
    return InertialParameters(float(mass), com, np.trace(second) * np.eye(3) - second)


def point_velocity_map(x: Array, k: Array) -> Array:
    """R(x, k) = [-(x - k)~, 1] (3, 6): linear velocity at x from the spatial velocity [w; v_k] at k (Jain, section 2.1)."""
    return np.hstack([-skew(x - k), np.eye(3)])


def integrated_spatial_inertia(density: Density, body: BodyMap, k: Array, order: int = ORDER) -> Array:
    """M(k) = int R^T rho R dV (6, 6) with R = R(x, k), about the point `k` (3,) in the body map's axes."""
    x, volumes = quadrature(body, order)
    R = np.zeros((len(x), 3, 6))
    R[:, :, 3:] = np.eye(3)
    d = x - k
    R[:, [0, 1, 2], [1, 2, 0]] = d[:, [2, 0, 1]]
    R[:, [0, 1, 2], [2, 0, 1]] = -d[:, [1, 2, 0]]
    return np.asarray(np.einsum("nki,n,nkj->ij", R, density(x) * volumes, R, optimize=True))


def integrated_kinetic_energy(density: Density, body: BodyMap, k: Array, V: Array, order: int = ORDER) -> float:
    """1/2 int rho |v(x)|^2 dV (J) of a body whose spatial velocity at `k` is V = [w; v_k] (6,): equals 1/2 V^T M(k) V."""
    x, volumes = quadrature(body, order)
    v = V[3:] + np.cross(V[:3], x - k)
    return float(0.5 * (density(x) * volumes) @ np.einsum("ni,ni->n", v, v))
