"""Seeded draws of generic directions, placements and inertias for the synthetic robots.

Only uniform numbers, the four operations and square roots, which every machine rounds alike: a seed gives the same robot,
bit by bit, wherever it is drawn. For that no sum() either: from Python 3.12 on it rounds floats otherwise than before.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from leapcheck_models.spec import Inertia, Placement, Quaternion, Symmetric3, Vector3

LEAST_SPREAD = 0.15  # smallest of the three second moments before scaling, the largest being at most 1


def generator(*seed: int) -> np.random.Generator:
    """NumPy's PCG64, seeded through SeedSequence."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Number in [low, high)."""
    return low + (high - low) * float(rng.random())


def unit_vector(rng: np.random.Generator, size: int) -> tuple[float, ...]:
    """Direction, uniform on the sphere: a point of the cube, drawn again until it lies in the ball and off the centre."""
    while True:
        point = [uniform(rng, -1.0, 1.0) for _ in range(size)]
        square = _sum(x * x for x in point)
        if 0.01 < square <= 1.0:
            norm = math.sqrt(square)
            return tuple(x / norm for x in point)


def direction(rng: np.random.Generator) -> Vector3:
    """Generic unit vector."""
    x, y, z = unit_vector(rng, 3)
    return (x, y, z)


def orientation(rng: np.random.Generator) -> Quaternion:
    """Generic unit quaternion wxyz, uniform over the rotations."""
    w, x, y, z = unit_vector(rng, 4)
    return (w, x, y, z)


def offset(rng: np.random.Generator, longest: float) -> Vector3:
    """Vector (m) of generic direction and a length of up to `longest`."""
    x, y, z = direction(rng)
    length = uniform(rng, 0.0, longest)
    return (length * x, length * y, length * z)


def placement(rng: np.random.Generator, longest: float) -> Placement:
    """Generic orientation, origin within `longest` (m)."""
    return Placement(offset(rng, longest), orientation(rng))


def inertia(rng: np.random.Generator, mass: tuple[float, float], gyration: tuple[float, float], com: float) -> Inertia:
    """Realisable inertia about generic principal axes.

    `mass` (kg, light ones preferred) and `gyration`, the largest radius of gyration (m), are ranges; the com lies within
    `com` (m) of the origin. The second moments differ at most as 1 to 0.15, so that the smallest radius of gyration is
    above half of the largest: (0.15 + 0.15) / (0.15 + 1) = 0.51^2.
    """
    m = _mass(rng, mass)
    radius = uniform(rng, *gyration)
    second = [uniform(rng, LEAST_SPREAD, 1.0) for _ in range(3)]
    total = _sum(second)
    scale = m * radius * radius / (total - min(second))
    moments = [scale * (total - s) for s in second]
    return Inertia(m, offset(rng, com), rotate_moments(moments, orientation(rng)))


def symmetric_inertia(
    rng: np.random.Generator, mass: tuple[float, float], gyration: tuple[float, float], axis: Vector3
) -> Inertia:
    """Inertia symmetric about `axis`, with the com on it within 1 cm of the origin (m): axial m k^2, across 0.55 to 1 of it."""
    m = _mass(rng, mass)
    radius = uniform(rng, *gyration)
    axial = m * radius * radius
    across = axial * uniform(rng, 0.55, 1.0)
    along = uniform(rng, -0.01, 0.01)
    com = (along * axis[0], along * axis[1], along * axis[2])
    x, y, z = axis
    d = axial - across
    return Inertia(m, com, (across + d * x * x, d * x * y, d * x * z, across + d * y * y, d * y * z, across + d * z * z))


def rotate_moments(moments: Sequence[float], quaternion: Quaternion) -> Symmetric3:
    """R diag(moments) R^T as (xx, xy, xz, yy, yz, zz), in plain arithmetic (see the module)."""
    w, x, y, z = quaternion
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )

    def entry(i: int, j: int) -> float:
        return _sum(m * a * b for m, a, b in zip(moments, rows[i], rows[j], strict=True))

    return (entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2))


def _mass(rng: np.random.Generator, bounds: tuple[float, float]) -> float:
    share = uniform(rng, 0.0, 1.0)
    return bounds[0] + (bounds[1] - bounds[0]) * share * share


def _sum(terms: Iterable[float]) -> float:
    total = 0.0
    for term in terms:
        total += term
    return total
