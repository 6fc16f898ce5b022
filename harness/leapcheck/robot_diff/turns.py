"""Rotations that bring one robot's directions, points or principal axes to the other's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Inertia
from leapcheck_models.validation import rotational_matrix


def least_turn(a: Floats, b: Floats) -> Floats:
    """Rotation matrix of the least turn that takes unit vector a to b."""
    cross, cosine = np.cross(a, b), float(a @ b)
    if cosine < -1.0 + 1e-12:
        across = np.cross(a, np.eye(3)[int(np.abs(a).argmin())])
        across /= np.sqrt(across @ across)
        half_turn: Floats = 2.0 * np.outer(across, across) - np.eye(3)
        return half_turn
    K = np.array([[0.0, -cross[2], cross[1]], [cross[2], 0.0, -cross[0]], [-cross[1], cross[0], 0.0]])
    R: Floats = np.eye(3) + K + K @ K / (1.0 + cosine)
    return R


def principal_turns(ours: Inertia, theirs: Inertia) -> Iterator[Floats]:
    """The four rotations that take principal axes to those of the same moments."""
    U, V = (np.linalg.eigh(rotational_matrix(inertia.rotational))[1] for inertia in (ours, theirs))
    U, V = U * np.linalg.det(U), V * np.linalg.det(V)
    for signs in ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)):
        R: Floats = V @ np.diag(signs) @ U.T
        yield R


def best_turn(points: list[tuple[Floats, Floats]], arrows: list[tuple[Floats, Floats]], length: float) -> Floats:
    """Rotation of the first robot's axes into the second's that fits points and directions best (Kabsch 1976)."""
    covariance = np.zeros((3, 3))
    if points:
        ours, theirs = (np.array(side) for side in zip(*points, strict=True))
        covariance += (ours - ours.mean(axis=0)).T @ (theirs - theirs.mean(axis=0)) / length**2
    for a, b in arrows:
        covariance += np.outer(a, b)
    U, _, Vt = np.linalg.svd(covariance)
    flip = np.diag([1.0, 1.0, float(np.sign(np.linalg.det(Vt.T @ U.T)))])
    R: Floats = Vt.T @ flip @ U.T
    return R
