"""Newton's method with exact line search on MuJoCo's convex problem: the acceleration that motion and constraints agree on.

    x = argmin 1/2 (x - x0)^T M (x - x0) + s(J x - aref)

A box row has the force clip(-D j, lower, upper) = -ds/dj. An elliptic cone, with N = mu' j0, T = friction |(j1, j2)|, gives
nothing for N >= mu' T; D j in each row for mu' N + T <= 0; else s = D0 / (2 mu'^2 (1 + mu'^2)) (N - mu' T)^2.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.definite import definite_solution
from leapcheck_reference.simulate.errors import ContactSolverError
from leapcheck_reference.simulate.soft_rows import Cone, SoftRows

MOST_ITERATIONS = 100
MOST_TRIALS = 50

LOCAL = 1e-2
"""A step shorter than this, relative to x, that stays within one smooth piece needs no line search. Where nothing slides
that piece is quadratic, and the step its last: a longer one is followed by one more, which takes its rounding away."""

ROUNDING = 1e-16
"""Newton's steps within a piece shrink as s, C s^2, C^3 s^4: where the next one, relative to x, is below this, none is needed."""

CYCLING = 0.5
"""Steps without a line search must shrink to this part from one to the next. While feet slide they may go round and round, each
of them short and within its piece: from the first that does not shrink on, every step is searched along."""

STALLED = 1e-9
"""Steps shorter than this that do not halve from one to the next have met rounding, or the border of two pieces."""

AT_REST = 1e-12
"""The same relative to x0: of a robot that stands still x is nothing but rounding, and no step is short beside it."""

LINE_SEARCH = 1e-3
"""The slope along a step is brought down to this part of its value at the begin."""

FREE, HELD, SLIDING = 0, 1, 2

NO_FORCES: Floats = np.empty(0)
NO_SIDES: NDArray[np.int8] = np.empty(0, dtype=np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """What the rows do at some x: forces (rows,), and in which of its smooth pieces each of them is.

    `sides` (boxes,) is -1 or 1 where a box's force is at its lower or upper bound, 0 between; `zones` and `curvatures`
    -df/dj (cones, 3, 3) are the cones'.
    """

    forces: Floats
    sides: NDArray[np.int8]
    zones: list[int]
    curvatures: Floats

    @property
    def between_bounds(self) -> NDArray[np.bool_]:
        """Which boxes (boxes,) are between their bounds."""
        between: NDArray[np.bool_] = self.sides == 0
        return between


def minimiser(M: Floats, x0: Floats, rows: SoftRows, warm: Floats | None = None) -> tuple[Floats, Floats]:
    """(x (nv,), forces (rows,)); from `warm` where given. ContactSolverError where it does not converge."""
    x = x0 if warm is None else warm
    j = rows.J @ x - rows.aref
    pull = row_pull(rows, j)
    last, last_local, cycles = math.inf, 0.0, False
    at_rest = AT_REST * math.sqrt(x0 @ x0)
    for _ in range(MOST_ITERATIONS):
        smooth = M @ (x - x0)
        gradient = smooth - pull.forces @ rows.J
        step = _newton_step(M, rows, pull, gradient)
        dj = rows.J @ step
        trial = row_pull(rows, j + dj)
        size = math.sqrt(step @ step)
        scale = math.sqrt(x @ x) + size
        cycles = cycles or 0.0 < CYCLING * last_local < size
        local = not cycles and size <= LOCAL * scale and _same_piece(pull, trial)
        settled = local and (SLIDING not in trial.zones or size**3 <= ROUNDING * scale * last_local**2)
        short = size <= max(STALLED * scale, at_rest)
        if settled or (short and size > 0.5 * last):
            return x + step, trial.forces
        if local or short:
            x, j, pull = x + step, j + dj, trial
        else:
            slope = float(step @ smooth), float(step @ (M @ step))
            x = x + _line_minimum(rows, j, dj, slope, abs(float(step @ gradient))) * step
            j = rows.J @ x - rows.aref
            pull = row_pull(rows, j)
        last, last_local = size, size if local else 0.0
    raise ContactSolverError(f"the contact solver has not converged after {MOST_ITERATIONS} steps: make the contact softer")


def row_pull(rows: SoftRows, j: Floats) -> Pull:
    """What the rows do at j = J x - aref."""
    boxes = len(rows.D)
    forces, sides = _box_pull(rows, j[:boxes]) if boxes else (NO_FORCES, NO_SIDES)
    if not rows.cones:
        return Pull(forces, sides, [], np.empty((0, 3, 3)))
    cone_forces: list[float] = []
    curvatures: list[float] = []
    zones = []
    values = j[boxes:].tolist()
    for i, cone in enumerate(rows.cones):
        zones.append(_add_cone(cone, values[3 * i], values[3 * i + 1], values[3 * i + 2], cone_forces, curvatures))
    joined = np.concatenate([forces, cone_forces]) if boxes else np.array(cone_forces)
    return Pull(joined, sides, zones, np.array(curvatures).reshape(-1, 3, 3))


def _box_pull(rows: SoftRows, j: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """(forces, sides) of the boxes."""
    wanted = -rows.D * j
    sides = (wanted >= rows.upper).astype(np.int8) - (wanted <= rows.lower)
    return np.minimum(np.maximum(wanted, rows.lower), rows.upper), sides


def _add_cone(cone: Cone, j0: float, j1: float, j2: float, forces: list[float], curvatures: list[float]) -> int:
    """Appends the 3 forces and 9 curvatures of a cone; its zone. Plain numbers: there are few contacts."""
    mu, friction = cone.mu, cone.friction
    length = math.sqrt(j1 * j1 + j2 * j2)
    N, T = mu * j0, friction * length
    if mu * T <= N:
        forces += (0.0, 0.0, 0.0)
        curvatures += (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return FREE
    if mu * N + T <= 0.0:
        D0, D = cone.normal, cone.tangent
        forces += (-D0 * j0, -D * j1, -D * j2)
        curvatures += (D0, 0.0, 0.0, 0.0, D, 0.0, 0.0, 0.0, D)
        return HELD
    D = cone.normal / (mu * mu * (1.0 + mu * mu))
    gap = N - mu * T
    t1, t2 = j1 / length, j2 / length
    k = mu * friction
    normal = -D * gap * mu
    forces += (normal, -friction * normal * t1, -friction * normal * t2)
    across, ahead, bend = -D * mu * k, D * k * k, -D * gap * k / length
    mixed = (ahead - bend) * t1 * t2
    curvatures += (
        D * mu * mu, across * t1, across * t2,
        across * t1, ahead * t1 * t1 + bend * t2 * t2, mixed,
        across * t2, mixed, ahead * t2 * t2 + bend * t1 * t1,
    )  # fmt: skip
    return SLIDING


def _newton_step(M: Floats, rows: SoftRows, pull: Pull, gradient: Floats) -> Floats:
    """-H^-1 gradient with H = M + J^T C J."""
    boxes, nv = len(rows.D), len(M)
    weighted = np.empty_like(rows.J)
    if boxes:
        np.multiply(rows.J[:boxes], np.where(pull.between_bounds, rows.D, 0.0)[:, None], out=weighted[:boxes])
    if rows.cones:
        np.matmul(pull.curvatures, rows.J[boxes:].reshape(-1, 3, nv), out=weighted[boxes:].reshape(-1, 3, nv))
    H = M + rows.J.T @ weighted
    back = definite_solution(H, gradient)
    if back is None:
        raise ArithmeticError(
            "the contact solver met a matrix that is not positive definite: the state has run away, or a mass is wrong"
        )
    step: Floats = -back
    return step


def _same_piece(a: Pull, b: Pull) -> bool:
    return a.zones == b.zones and (not len(a.sides) or bool((a.sides == b.sides).all()))


def _line_minimum(rows: SoftRows, j: Floats, dj: Floats, smooth: tuple[float, float], at_start: float) -> float:
    """alpha > 0 where the function along x + alpha step is smallest: Newton's method within a bracket.

    `smooth` are first and second derivative at 0 of its quadratic part, `at_start` is the size of its whole slope there.
    """
    boxes = len(rows.D)
    cones = list(zip(rows.cones, j[boxes:].reshape(-1, 3).tolist(), dj[boxes:].reshape(-1, 3).tolist(), strict=True))

    def derivatives(alpha: float) -> tuple[float, float]:
        first, second = smooth[0] + alpha * smooth[1], smooth[1]
        if boxes:
            wanted = -rows.D * (j[:boxes] + alpha * dj[:boxes])
            first -= float(np.clip(wanted, rows.lower, rows.upper) @ dj[:boxes])
            between_bounds = (wanted > rows.lower) & (wanted < rows.upper)
            second += float((rows.D * dj[:boxes] * dj[:boxes]) @ between_bounds)
        for cone, start, change in cones:
            more = _along_cone(cone, start, change, alpha)
            first, second = first + more[0], second + more[1]
        return first, second

    low, high, alpha = 0.0, math.inf, 1.0
    for _ in range(MOST_TRIALS):
        first, second = derivatives(alpha)
        if abs(first) <= LINE_SEARCH * at_start:
            break
        low, high = (alpha, high) if first < 0.0 else (low, alpha)
        alpha -= first / second
        if not low < alpha < high:
            alpha = 0.5 * (low + high) if high < math.inf else 2.0 * low
    return alpha


def _along_cone(cone: Cone, start: list[float], change: list[float], alpha: float) -> tuple[float, float]:
    """First and second derivative by alpha of a cone's cost at start + alpha change."""
    p0, p1, p2 = change
    j0, j1, j2 = start[0] + alpha * p0, start[1] + alpha * p1, start[2] + alpha * p2
    mu = cone.mu
    length = math.sqrt(j1 * j1 + j2 * j2)
    N, T = mu * j0, cone.friction * length
    if mu * T <= N:
        return 0.0, 0.0
    if mu * N + T <= 0.0:
        D0, D = cone.normal, cone.tangent
        return D0 * j0 * p0 + D * (j1 * p1 + j2 * p2), D0 * p0 * p0 + D * (p1 * p1 + p2 * p2)
    D, k, gap = cone.normal / (mu * mu * (1.0 + mu * mu)), mu * cone.friction, N - mu * T
    along = (j1 * p1 + j2 * p2) / length
    slope = mu * p0 - k * along
    return D * gap * slope, D * (slope * slope - gap * k * (p1 * p1 + p2 * p2 - along * along) / length)
