"""Mass, com and rotational inertia of a solid from its density, exactly; each by its closed form or exact sum.

The volume integrals that they are tested against are in `volume_integrals`. Origins and axes stand in each docstring.
"""

import math
from collections import Counter
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.spatial_inertia import InertialParameters


def box_inertia(density: float, size: tuple[float, float, float]) -> InertialParameters:
    """Box of full lengths `size` (m) along x, y, z about its centre; density in kg/m^3."""
    x, y, z = _positive("size of the box", *size)
    mass = _density(density) * x * y * z
    return _diagonal(mass, [mass / 12 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y)])


def cylinder_inertia(density: float, radius: float, length: float) -> InertialParameters:
    """Cylinder along z about its centre; radius and length in m, density in kg/m^3."""
    r, length = _positive("radius and length of the cylinder", radius, length)
    mass = _density(density) * math.pi * r * r * length
    across = mass * (r * r / 4 + length * length / 12)
    return _diagonal(mass, [across, across, mass * r * r / 2])


def sphere_inertia(density: float, radius: float) -> InertialParameters:
    """Ball about its centre; radius in m, density in kg/m^3."""
    return ellipsoid_inertia(density, (radius, radius, radius))


def ellipsoid_inertia(density: float, semi_axes: tuple[float, float, float]) -> InertialParameters:
    """Ellipsoid with semi-axes (m) along x, y, z about its centre; density in kg/m^3."""
    a, b, c = _positive("semi-axes of the ellipsoid", *semi_axes)
    mass = _density(density) * 4 / 3 * math.pi * a * b * c
    return _diagonal(mass, [mass / 5 * s for s in (b * b + c * c, a * a + c * c, a * a + b * b)])


def capsule_inertia(density: float, radius: float, length: float) -> InertialParameters:
    """Cylinder of `length` (m) along z, closed by two half balls of `radius` (m), about its centre; density in kg/m^3.

    A half ball's com lies 3/8 r above its flat side, so its transverse inertia about the capsule's centre is
    2/5 m r^2 + m (length^2/4 + 3/8 length r).
    """
    r, length = _positive("radius and length of the capsule", radius, length)
    cylinder, ball = cylinder_inertia(density, r, length), sphere_inertia(density, r)
    shift = ball.mass * (length * length / 4 + 3 / 8 * length * r)
    rotational = cylinder.rotational + ball.rotational + np.diag([shift, shift, 0.0])
    return InertialParameters(cylinder.mass + ball.mass, np.zeros(3), rotational)


def mesh_inertia(density: float, vertices: Any, triangles: Any) -> InertialParameters:
    """Solid inside a closed triangle mesh, exact up to rounding; com and axes in the mesh's frame.

    `vertices` (n, 3) in m; `triangles` (k, 3) indices, counter-clockwise seen from outside; density in kg/m^3. Sums
    polynomials over the signed tetrahedra between a reference point and each triangle (Tonon, *Explicit Exact Formulas
    for the 3-D Tetrahedron Inertia Tensor*, 2004). Cavities are allowed: their triangles face into the cavity.

    Raises ValueError when the mesh is malformed, open, not consistently oriented, or inside out.
    """
    points, faces = _check_mesh(vertices, triangles)
    reference = points.mean(axis=0)  # near the com, so that little cancels
    corners = (points - reference)[faces]
    volumes = np.linalg.det(corners) / 6
    volume = float(volumes.sum())
    if not volume > 0.0:
        raise ValueError(f"mesh encloses the volume {volume:.6g}: turn every triangle round, so that it faces outward")
    sums = corners.sum(axis=1)
    centre = np.einsum("t,ti->i", volumes, sums) / (4 * volume)
    moments = np.einsum("t,tvi,tvj->ij", volumes, corners, corners) + np.einsum("t,ti,tj->ij", volumes, sums, sums)
    second = moments / 20 - volume * np.outer(centre, centre)
    rotational = _density(density) * (np.trace(second) * np.eye(3) - second)
    return InertialParameters(density * volume, reference + centre, rotational)


def _check_mesh(vertices: Any, triangles: Any) -> tuple[Array, Array]:
    """Vertices (n, 3) and triangles (k, 3) of a closed, consistently oriented mesh; ValueError otherwise."""
    points, faces = np.asarray(vertices, dtype=float), np.asarray(triangles)
    if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
        raise ValueError(f"mesh vertices have shape {points.shape}: give finite numbers of shape (n, 3)")
    if faces.ndim != 2 or faces.shape[1:] != (3,) or len(faces) < 4 or not np.issubdtype(faces.dtype, np.integer):
        raise ValueError(f"mesh triangles have shape {faces.shape}: give at least 4 rows of 3 vertex indices")
    if faces.min() < 0 or faces.max() >= len(points):
        raise ValueError(f"mesh triangles name vertex {faces.min()} to {faces.max()}: there are only 0 to {len(points) - 1}")
    edges = Counter((int(a), int(b)) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True))
    for (a, b), count in edges.items():
        if count > 1:
            raise ValueError(
                f"mesh edge ({a}, {b}) is run {count} times in one direction: neighbours must run it in opposite ones"
            )
        if (b, a) not in edges:
            raise ValueError(f"mesh is open at edge ({a}, {b}): close it, or merge vertices that stand at the same place")
    return points, faces


def _diagonal(mass: float, moments: list[float]) -> InertialParameters:
    return InertialParameters(mass, np.zeros(3), np.diag(moments))


def _density(density: float) -> float:
    return _positive("density", density)[0]


def _positive(what: str, *values: float) -> tuple[float, ...]:
    """The values, each finite and positive; ValueError otherwise."""
    if not all(math.isfinite(v) and v > 0.0 for v in values):
        raise ValueError(f"{what} is {', '.join(map(str, values))}: give finite positive numbers in SI units")
    return values
