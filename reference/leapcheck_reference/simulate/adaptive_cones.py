"""What the contacts of a piece do: cones held in their zones, and the acceleration that agrees with them."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.errors import ContactSolverError
from leapcheck_reference.simulate.soft_rows import Cone, SoftRows

FREE, HELD, SLIDING = 0, 1, 2

MOST_ITERATIONS = 60

CONVERGED = 1e-15
"""A step smaller than this, relative to x, is rounding."""

STALLED = 1e-9
"""A step smaller than this that is not a tenth of the one before has met rounding too."""

AT_REST = 1e-12
"""The same relative to the acceleration without contacts: of a robot that stands still x is nothing but rounding."""


@dataclass(frozen=True, slots=True)
class SoftPiece:
    """What holds: pairs of points and solids that touch, each one's zone, joint stops as (joint, sign), which push."""

    points: tuple[int, ...] = ()
    zones: tuple[int, ...] = ()
    stops: tuple[tuple[int, float], ...] = ()
    pushing: tuple[bool, ...] = ()

    @property
    def pushes(self) -> bool:
        """Whether the ground pushes anywhere."""
        return any(zone != FREE for zone in self.zones)


def zone_margins(cone: Cone, zone: int, j: list[float]) -> tuple[float, float]:
    """How far a cone is from giving way and from sticking, at least zero inside its zone; inf where that is no neighbour."""
    N, T = cone.mu * j[0], cone.friction * math.hypot(j[1], j[2])
    if zone == FREE:
        return N - cone.mu * T, math.inf
    if zone == HELD:
        return -(cone.mu * N + T), math.inf
    return cone.mu * T - N, cone.mu * N + T


def zone_of(cone: Cone, j: list[float]) -> int:
    """The zone that j lies in."""
    giving_way, sticking = zone_margins(cone, SLIDING, j)
    if giving_way <= 0.0:
        return FREE
    return HELD if sticking <= 0.0 else SLIDING


def piece_minimiser(
    M: Floats, smooth: Floats, rows: SoftRows, piece: SoftPiece, warm: Floats, free: Floats
) -> tuple[Floats, Floats, Floats]:
    """(x (nv,), pushes (rows,), j = J x - aref) with M x = smooth + J^T pushes, each row as its zone in the piece says.

    Newton's method from `warm`, without a line search: a piece is followed in small steps; `free` solves M x = smooth.
    ContactSolverError where it fails.
    """
    x, stopped = warm, len(piece.stops)
    stiffness = np.zeros(len(rows.J))
    stiffness[:stopped] = np.where(np.array(piece.pushing, dtype=bool), rows.D, 0.0)
    sliding: list[tuple[slice, Cone]] = []
    for i, (cone, zone) in enumerate(zip(rows.cones, piece.zones, strict=True)):
        place = slice(stopped + 3 * i, stopped + 3 * i + 3)
        if zone == HELD:
            stiffness[place] = cone.normal, cone.tangent, cone.tangent
        elif zone == SLIDING:
            sliding.append((place, cone))
    curvature = np.diag(stiffness)
    last, at_rest = math.inf, AT_REST * float(np.abs(free).max())
    for _ in range(MOST_ITERATIONS):
        j = rows.J @ x - rows.aref
        pushes = -stiffness * j
        for place, cone in sliding:
            pushes[place], curvature[place, place] = _sliding_push(cone, *j[place].tolist())
        gradient = M @ x - smooth - rows.J.T @ pushes
        _, step, failed = dposv(M + rows.J.T @ curvature @ rows.J, gradient)
        size, scale = float(np.abs(step).max()), float(np.abs(x).max())
        if failed or not math.isfinite(size):
            break
        x = x - step
        if size <= CONVERGED * scale or 0.1 * last < size <= max(STALLED * scale, at_rest):
            j = rows.J @ x - rows.aref
            return x, pushes + curvature @ (rows.J @ step), j
        last = size
    raise ContactSolverError("the contact's piece has no solution here: the state has left it")


def _sliding_push(cone: Cone, n: float, x: float, y: float) -> tuple[Floats, Floats]:
    """Force (3,) of a cone that slides, at j = (n, x, y), and its curvature -df/dj (3, 3)."""
    mu, k = cone.mu, cone.mu * cone.friction
    stiffness = cone.normal / (mu * mu * (1.0 + mu * mu))
    length = math.hypot(x, y)
    a, b = (x / length, y / length) if length else (0.0, 0.0)
    gap = mu * n - k * length
    bend = gap * k / length if length else 0.0  # times what turns the direction of the slide
    slope = np.array([mu, -k * a, -k * b])
    across = np.array([[0.0, 0.0, 0.0], [0.0, 1.0 - a * a, -a * b], [0.0, -a * b, 1.0 - b * b]])
    return -stiffness * gap * slope, stiffness * (slope[:, None] * slope - bend * across)
