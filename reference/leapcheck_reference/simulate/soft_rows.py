"""Rows of MuJoCo's constraints at one state: where each wants the acceleration J x to be, and how strongly.

Formulas of MuJoCo's documentation ("Computation": constraint model, solver parameters), for spheres on planes and boxes.
A contact's frame is n, t1 = y, t2 = -x in its axes (`terrain.contact_axes`); its rows stand in that order.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.scalar import Scalar
from leapcheck_reference.simulate.plant import Equations, Plant
from leapcheck_reference.simulate.soft_contact import SoftContact, Solimp, Solref
from leapcheck_reference.simulate.terrain import Touch

IMPEDANCE_RANGE = (1e-4, 0.9999)
SMALLEST_REGULARISATION = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Inverse inertias at the reference configuration: of each contact point's link (points,) 1/kg, of each joint (joints,)."""

    points: Floats
    joints: Floats


@dataclass(frozen=True, slots=True)
class Cone:
    """One contact with an elliptic cone: its point, D = 1/R of normal and tangents, regularised and true friction."""

    point: int
    normal: float
    tangent: float
    mu: float
    friction: float


@dataclass(frozen=True, slots=True, eq=False)
class SoftRows:
    """J (rows, nv) and aref (rows,): first the boxes, then three rows for each of `cones`.

    D, lower and upper (boxes,): a box's force is clip(-D (J x - aref), lower, upper). The first boxes are the edges of
    pyramidal cones, 4 for each point of `edged`; then joint stops, +1 or -1 on each dof of `stopped`; then dry friction.
    `axes` (contacts, 3, 3): rows x, y, normal of each contact's axes; None where they are the world's.
    """

    J: Floats
    aref: Floats
    D: Floats
    lower: Floats
    upper: Floats
    cones: list[Cone]
    edged: list[int]
    stopped: NDArray[np.intp]
    axes: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Rows of one kind; arrays as in `SoftRows`."""

    J: Floats
    aref: Floats
    D: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Touching:
    """Contact points in the ground: their numbers, distances (m), impedances d, J (n, 3, nv) in contact axes, J u (n, 3)."""

    points: list[int]
    distances: list[float]
    impedances: list[float]
    J: Floats
    velocities: Floats


def rows(
    plant: Plant, contact: SoftContact, weights: Weights, equations: Equations, q: Floats, u: Floats, dt: float
) -> SoftRows | None:
    """The rows that hold at a state (q, u); None where nothing does."""
    joints = plant.joints
    touch = plant.touch(equations)
    touched = (touch.gaps < 0.0).nonzero()[0]
    angles = q[joints.q]
    stopped = ((angles < joints.lower) | (angles > joints.upper)).nonzero()[0]
    sliding = joints.friction.nonzero()[0]
    if not (touched.size or stopped.size or sliding.size):
        return None
    boxes: list[Boxes] = []
    cones: list[Cone] = []
    edged: list[int] = []
    last_J, last_aref = np.empty((0, len(u))), np.empty(0)
    if touched.size:
        touching = _touching(plant, contact, equations, touch, touched, u)
        if contact.cone == "elliptic":
            last_J, last_aref, cones = _cone_rows(contact, weights, touching, dt)
        else:
            boxes.append(_edge_rows(contact, weights, touching, dt))
            edged = touching.points
    if stopped.size:
        boxes.append(_stop_rows(plant, contact, weights, stopped, angles[stopped], u, dt))
    if sliding.size:
        boxes.append(_friction_rows(plant, contact, weights, sliding, u, dt))
    return SoftRows(
        J=np.concatenate([*(box.J for box in boxes), last_J]) if boxes else last_J,
        aref=np.concatenate([*(box.aref for box in boxes), last_aref]) if boxes else last_aref,
        D=_concatenate([box.D for box in boxes]),
        lower=_concatenate([box.lower for box in boxes]),
        upper=_concatenate([box.upper for box in boxes]),
        cones=cones,
        edged=edged,
        stopped=joints.u[stopped],
        axes=None if touch.axes is None else touch.axes[touched],
    )


def gains(solref: Solref, solimp: Solimp, dt: float) -> tuple[float, float]:
    """(K 1/s^2, B 1/s) of a constraint with aref = -B v - K d dist; a time constant is at least 2 dt (MuJoCo's refsafe)."""
    d_width = _clamp(solimp[1])
    if solref[0] < 0.0:
        return -solref[0] / (d_width * d_width), -solref[1] / d_width
    time_constant = max(solref[0], 2.0 * dt)
    return 1.0 / (d_width * time_constant * solref[1]) ** 2, 2.0 / (d_width * time_constant)


def impedance(solimp: Solimp, distance: float) -> float:
    """d of a constraint that is violated by `distance` (m or rad; its sign does not matter)."""
    d0, d_width = _clamp(solimp[0]), _clamp(solimp[1])
    _, _, width, midpoint, power = solimp
    x = abs(distance) / width
    if x >= 1.0:
        return d_width
    if power == 1.0:
        y = x
    elif x <= midpoint:
        y = x**power / midpoint ** (power - 1.0)
    else:
        y = 1.0 - (1.0 - x) ** power / (1.0 - midpoint) ** (power - 1.0)
    return d0 + y * (d_width - d0)


def traced_impedance(solimp: Solimp, depth: Scalar) -> Scalar:
    """`impedance` over any scalar, for a whole power: what lies below the midpoint and what lies above it, without a branch."""
    d0, d_width = _clamp(solimp[0]), _clamp(solimp[1])
    _, _, width, midpoint, power = solimp
    x = _lesser(depth / width, 1.0)
    below, rest = _lesser(x, midpoint), 1.0 - midpoint
    above = rest - (x - below)
    y = below + rest - above
    if power > 1.0:
        y = _whole_power(below, power) / midpoint ** (power - 1.0) + rest - _whole_power(above, power) / rest ** (power - 1.0)
    return d0 + y * (d_width - d0)


def _lesser(a: Scalar, b: Scalar) -> Scalar:
    return 0.5 * (a + b - abs(a - b))


def _whole_power(x: Scalar, power: float) -> Scalar:
    return math.prod([x] * int(power))


def _clamp(d: float) -> float:
    return min(max(d, IMPEDANCE_RANGE[0]), IMPEDANCE_RANGE[1])


def _touching(
    plant: Plant, contact: SoftContact, equations: Equations, touch: Touch, touched: NDArray[np.intp], u: Floats
) -> Touching:
    """The contact point is halfway between sphere and solid, r + dist / 2 below the centre, and fixed to the link."""
    points = touch.points[touched]
    distances = touch.gaps[touched]
    depth = (plant.radii[points] + 0.5 * distances)[:, None]
    centre, turn = touch.in_axes(equations.J[points], touched), touch.in_axes(equations.J_w[points], touched)
    J = halfway_jacobians(centre, turn, depth)
    listed: list[float] = distances.tolist()
    return Touching(points.tolist(), listed, [impedance(contact.solimp, x) for x in listed], J, J @ u)


def halfway_jacobians(centre: Array, turn: Array, depth: Array) -> Array:
    """Rows (n, 3, nv) of points `depth` (n, 1) m below centres, whose Jacobians in the contacts' axes are `centre` and `turn`
    (n, 3, nv)."""
    J = np.empty_like(centre)
    J[:, 0] = centre[:, 2]
    J[:, 1] = centre[:, 1] + depth * turn[:, 0]
    J[:, 2] = depth * turn[:, 1] - centre[:, 0]
    return J


def _cone_rows(contact: SoftContact, weights: Weights, touching: Touching, dt: float) -> tuple[Floats, Floats, list[Cone]]:
    """(J, aref, cones) of elliptic cones."""
    K, B = gains(contact.solref, contact.solimp, dt)
    mu = contact.friction * math.sqrt(1.0 / contact.impratio)
    aref = -B * touching.velocities
    cones = []
    for i, (point, distance, d) in enumerate(zip(touching.points, touching.distances, touching.impedances, strict=True)):
        aref[i, 0] -= K * d * distance
        R = max(SMALLEST_REGULARISATION, (1.0 - d) / d * weights.points[point])
        cones.append(Cone(point, 1.0 / R, contact.impratio / R, mu, contact.friction))
    return touching.J.reshape(-1, touching.J.shape[-1]), aref.ravel(), cones


def _edge_rows(contact: SoftContact, weights: Weights, touching: Touching, dt: float) -> Boxes:
    """Four rows J_n +- mu J_t for each contact: the edges of its pyramid."""
    K, B = gains(contact.solref, contact.solimp, dt)
    n, friction = len(touching.points), contact.friction
    edges = np.array([[1.0, friction, 0.0], [1.0, -friction, 0.0], [1.0, 0.0, friction], [1.0, 0.0, -friction]])
    d, distance = np.array(touching.impedances), np.array(touching.distances)
    R = (1.0 - d) / d * weights.points[touching.points] * (1.0 + friction * friction)
    R = np.maximum(SMALLEST_REGULARISATION, 2.0 * friction * friction / contact.impratio * R)
    aref = -B * (touching.velocities @ edges.T) - (K * d * distance)[:, None]
    return Boxes(
        J=(edges @ touching.J).reshape(4 * n, -1),
        aref=aref.ravel(),
        D=np.repeat(1.0 / R, 4),
        lower=np.zeros(4 * n),
        upper=np.full(4 * n, np.inf),
    )


def _stop_rows(
    plant: Plant, contact: SoftContact, weights: Weights, stopped: NDArray[np.intp], angles: Floats, u: Floats, dt: float
) -> Boxes:
    """One row for each joint beyond a stop, positive on the way back."""
    K, B = gains(contact.solreflimit, contact.solimplimit, dt)
    joints, n = plant.joints, len(stopped)
    below = angles - joints.lower[stopped]
    low = below < 0.0
    distance = np.where(low, below, joints.upper[stopped] - angles)
    sign = np.where(low, 1.0, -1.0)
    d = np.array([impedance(contact.solimplimit, x) for x in distance.tolist()])
    R = np.maximum(SMALLEST_REGULARISATION, (1.0 - d) / d * weights.joints[stopped])
    velocity = sign * u[joints.u[stopped]]
    J = np.zeros((n, len(u)))
    J[np.arange(n), joints.u[stopped]] = sign
    return Boxes(J, -B * velocity - K * d * distance, 1.0 / R, np.zeros(n), np.full(n, np.inf))


def _friction_rows(
    plant: Plant, contact: SoftContact, weights: Weights, sliding: NDArray[np.intp], u: Floats, dt: float
) -> Boxes:
    """One row for each joint with dry friction: it wants no velocity, with at most the friction torque."""
    _, B = gains(contact.solreffriction, contact.solimpfriction, dt)
    d = impedance(contact.solimpfriction, 0.0)
    dofs, largest = plant.joints.u[sliding], plant.joints.friction[sliding]
    R = np.maximum(SMALLEST_REGULARISATION, (1.0 - d) / d * weights.joints[sliding])
    J = np.zeros((len(sliding), len(u)))
    J[np.arange(len(sliding)), dofs] = 1.0
    return Boxes(J, -B * u[dofs], 1.0 / R, -largest, largest)


def _concatenate(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)
