"""The ground that contact spheres meet: a plane and boxes on it, all turned by a slope; gaps and contact axes of spheres.

A sphere touches each solid at most once, at the solid's point nearest to its centre: on a face, an edge or a corner of a box.
Where the centre is inside a box, the nearest face counts. Both are MuJoCo's rules for spheres with planes and boxes.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats, cross_products

INSIDE = 1e-15
"""A centre this close (m) to a box is inside it."""

TOGETHER = 10_000
"""Coordinates at most that are looked at beside several boxes at once: all boxes beside one state, one box beside a whole log."""

SIDEWAYS = 0.5
"""A normal with less than this along y has y as guess of its second tangent, else z: MuJoCo's rule."""


@dataclass(frozen=True, slots=True)
class Box:
    """A solid box: `centre` and half lengths `half` m, in the ground's axes."""

    centre: tuple[float, float, float]
    half: tuple[float, float, float]

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (*self.centre, *self.half))) or min(self.half) <= 0.0:
            raise ValueError(f"{self}: give finite numbers, half lengths above 0")


@dataclass(frozen=True, slots=True)
class Terrain:
    """Solid ground: all below the plane z = `floor` m, and the `boxes`, turned about the world's y axis.

    `slope` rad: the ground rises so much forward; x and z of the ground's axes are along and across it.
    """

    boxes: tuple[Box, ...] = ()
    floor: float = 0.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.floor) and abs(self.slope) < math.pi / 2):
            raise ValueError(f"floor {self.floor} m, slope {self.slope} rad: give a finite floor and less than a right angle")

    @property
    def is_level(self) -> bool:
        """Whether this is the plane z = 0 alone."""
        return self == LEVEL

    @property
    def surfaces(self) -> int:
        """Number of solids: the plane, then the boxes."""
        return 1 + len(self.boxes)

    @property
    def R(self) -> Floats:
        """R_WG (3, 3): the ground's axes in the world."""
        c, s = math.cos(self.slope), math.sin(self.slope)
        return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The same as a quaternion wxyz."""
        return math.cos(self.slope / 2.0), 0.0, -math.sin(self.slope / 2.0), 0.0


LEVEL = Terrain()


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """Spheres beside solids, a pair for each sphere and solid: number of the sphere, gap m between both (negative: overlap),
    contact axes (pairs, 3, 3) with rows x, y, normal; None on level ground, where these are the world's.
    """

    points: NDArray[np.intp]
    gaps: Floats
    axes: Floats | None

    def in_axes(self, vectors: Floats, pairs: NDArray[np.intp]) -> Floats:
        """Vectors (n, 3, ...) of these pairs, given in world axes, in the contacts' axes."""
        return vectors if self.axes is None else self.axes[pairs] @ vectors

    def in_world(self, vectors: Floats, pairs: NDArray[np.intp]) -> Floats:
        """Vectors (n, 3) of these pairs, given in the contacts' axes, in world axes."""
        if self.axes is None:
            return vectors
        answer: Floats = np.einsum("nij,ni->nj", self.axes[pairs], vectors)
        return answer

    def forces(self, pairs: NDArray[np.intp], local: Floats, points: int) -> Floats:
        """Forces (points, 3) N in world axes of forces (n, 3) N on these pairs in the contacts' axes."""
        forces = np.zeros((points, 3))
        if self.axes is None:  # one pair for each point
            forces[pairs] = local
        else:
            np.add.at(forces, self.points[pairs], self.in_world(local, pairs))
        return forces


def touch(terrain: Terrain, centres: Floats, radii: Floats) -> Touch:
    """All pairs of spheres with `centres` (points, 3) m and `radii` (points,) m and solids: those of the plane first."""
    numbers = np.arange(len(radii))
    if terrain.is_level:
        return Touch(numbers, centres[:, 2] - radii, None)
    gaps, normals = gaps_and_normals(terrain, centres, radii)
    return Touch(np.tile(numbers, terrain.surfaces), gaps.ravel(), contact_axes(normals.reshape(-1, 3)))


def gaps_and_normals(terrain: Terrain, centres: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """(gaps (..., surfaces, points) m, normals (..., surfaces, points, 3) in world axes) of centres (..., points, 3) m."""
    R = terrain.R
    local = centres @ R
    upright = np.zeros_like(local)
    upright[..., 2] = 1.0
    gaps, normals = [(local[..., 2] - terrain.floor - radii)[..., None, :]], [upright[..., None, :, :]]
    some = max(1, TOGETHER // max(1, local.size))
    for boxes in (terrain.boxes[first : first + some] for first in range(0, len(terrain.boxes), some)):
        middle, half = np.array([(box.centre, box.half) for box in boxes]).swapaxes(0, 1)[:, :, None]
        distance, normal = _box_distance(local[..., None, :, :] - middle, half)
        gaps.append(distance - radii)
        normals.append(normal)
    return np.concatenate(gaps, axis=-2), np.concatenate(normals, axis=-3) @ R.T


def nearest_surface(terrain: Terrain, centres: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """(gap (..., points) m, normal (..., points, 3)) of the solid that is nearest to each sphere."""
    if terrain.is_level:
        normals = np.zeros_like(centres)
        normals[..., 2] = 1.0
        return centres[..., 2] - radii, normals
    gaps, normals = gaps_and_normals(terrain, centres, radii)
    which = gaps.argmin(axis=-2)[..., None, :]
    nearest: Floats = np.take_along_axis(gaps, which, axis=-2)[..., 0, :]
    return nearest, np.take_along_axis(normals, which[..., None], axis=-3)[..., 0, :, :]


def _box_distance(local: Floats, half: Floats) -> tuple[Floats, Floats]:
    """(signed distance (...,) m, outward normal (..., 3)) of points (..., 3) m relative to boxes' centres, in their axes; `half`
    (..., 3) m.
    """
    away = local - np.clip(local, -half, half)
    distance = np.sqrt((away * away).sum(axis=-1))
    outside = distance > INSIDE
    normal = away / np.where(outside, distance, 1.0)[..., None]
    if outside.all():
        return distance, normal
    depths = half - np.abs(local)
    face = depths.argmin(axis=-1)[..., None]
    inward = np.zeros_like(local)
    np.put_along_axis(inward, face, np.where(np.take_along_axis(local, face, axis=-1) > 0.0, 1.0, -1.0), axis=-1)
    depth = np.take_along_axis(depths, face, axis=-1)[..., 0]
    return np.where(outside, distance, -depth), np.where(outside[..., None], normal, inward)


def contact_axes(normals: Floats) -> Floats:
    """Contact axes (n, 3, 3), rows x, y, normal, of unit normals (n, 3): MuJoCo's frame normal, y, -x."""
    y = np.zeros_like(normals)
    sideways = np.abs(normals[:, 1]) < SIDEWAYS
    y[sideways, 1], y[~sideways, 2] = 1.0, 1.0
    y -= (y * normals).sum(axis=1)[:, None] * normals
    y /= np.linalg.norm(y, axis=1)[:, None]
    return np.stack([cross_products(y, normals), y, normals], axis=1)
