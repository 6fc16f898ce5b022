"""Fingerprints of a configuration read otherwise than it is meant: quaternion order, degrees, millimetres."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product as combinations
from typing import Any

import numpy as np

from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, values
from leapcheck.states import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Body, Inertia, JointType, Placement, RobotSpec

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])

READINGS: dict[str, Callable[[Floats], Floats]] = {
    "the quaternion (w, x, y, z) is read in the order x, y, z, w": lambda wxyz: wxyz[:, [3, 0, 1, 2]],
    "the quaternion (w, x, y, z) is turned to x, y, z, w for a reader of w, x, y, z": lambda wxyz: wxyz[:, [1, 2, 3, 0]],
    "the quaternion is conjugated: R_BW stands for R_WB": lambda wxyz: wxyz * CONJUGATE,
    "the quaternion is conjugated and read in the order x, y, z, w": lambda wxyz: (wxyz * CONJUGATE)[:, [3, 0, 1, 2]],
    "the quaternion is conjugated and turned to x, y, z, w": lambda wxyz: (wxyz * CONJUGATE)[:, [1, 2, 3, 0]],
}

JOINTS = {
    "": (JointType.FREE, JointType.BALL),
    " (free joints only)": (JointType.FREE,),
    " (ball joints only)": (JointType.BALL,),
}

DEGREE = np.pi / 180.0
MILLI = 1e-3


def quaternion_order(at: Case) -> Cause | None:
    """Quaternions shuffled (w, x, y, z against x, y, z, w) or conjugated, in free joints, ball joints or both."""
    return first_explanation(at, _quaternions(at))


def angle_unit(at: Case) -> Cause | None:
    """Degrees for radians: in the joint coordinates, in these and their rates, in the fixed placements."""
    return first_explanation(at, _angles(at))


def length_unit(at: Case) -> Cause | None:
    """Millimetres for metres in the lengths of the model, with the inertias in kg mm^2 or still in kg m^2."""
    return first_explanation(at, _lengths(at))


def _quaternions(at: Case) -> Iterator[Hypothesis]:
    for (words, reading), (which, kinds) in combinations(READINGS.items(), JOINTS.items()):
        q = at.states.q.copy()
        for kind, place in _places(at.spec, CONFIGURATION_SIZE):
            if kind in kinds:
                four = slice(place.stop - 4, place.stop)
                q[:, four] = reading(q[:, four])
        if not np.array_equal(q, at.states.q):
            yield Hypothesis("convention", words + which, values(at.quantity, at.spec, replace(at.states, q=q)))


def _angles(at: Case) -> Iterator[Hypothesis]:
    for factor, words in ((DEGREE, "joint angles in rad are read as degrees"), (1.0 / DEGREE, "joint angles come in degrees")):
        q = _scaled(at.spec, at.states.q, CONFIGURATION_SIZE, factor)
        v = _scaled(at.spec, at.states.v, VELOCITY_SIZE, factor)
        yield Hypothesis("convention", words, values(at.quantity, at.spec, replace(at.states, q=q)))
        yield Hypothesis("convention", f"{words}, their rates too", values(at.quantity, at.spec, replace(at.states, q=q, v=v)))
        tilted = replace(at.spec, poses=(), bodies=tuple(_tilted(body, factor) for body in at.spec.bodies))
        unit = "degrees" if factor == DEGREE else "rad"
        yield Hypothesis("model", f"roll, pitch and yaw of the links are read in {unit}", values(at.quantity, tilted, at.states))


def _lengths(at: Case) -> Iterator[Hypothesis]:
    inertias = {"rotational inertias likewise": 2, "rotational inertias right": 0}
    for factor, words in ((1.0 / MILLI, "1000 times too long: mm read as m"), (MILLI, "1000 times too short: m read as mm")):
        for which, power in inertias.items():
            spec = _resized(at.spec, factor, factor**power)
            yield Hypothesis("model", f"lengths of the model are {words}, {which}", values(at.quantity, spec, at.states))


def _places(spec: RobotSpec, sizes: dict[JointType, int]) -> Iterator[tuple[JointType, slice]]:
    start = 0
    for kind in (body.joint.type for body in spec.bodies):
        yield kind, slice(start, start + sizes[kind])
        start += sizes[kind]


def _scaled(spec: RobotSpec, values: Floats, sizes: dict[JointType, int], factor: float) -> Floats:
    """q or v with the entries of revolute joints multiplied."""
    scaled = values.copy()
    for kind, place in _places(spec, sizes):
        if kind is JointType.REVOLUTE:
            scaled[:, place] *= factor
    return scaled


def _tilted(body: Body, factor: float) -> Body:
    """The body with roll, pitch and yaw of its placement (R = Rz Ry Rx, as in URDF) multiplied."""
    w, x, y, z = body.placement.quaternion
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(factor * a / 2.0), math.sin(factor * a / 2.0)) for a in (roll, pitch, yaw))
    quaternion = (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )
    return replace(body, placement=replace(body.placement, quaternion=quaternion))


def _resized(spec: RobotSpec, length: float, inertia: float) -> RobotSpec:
    """The robot with all its lengths multiplied, and its rotational inertias."""
    bodies = []
    for body in spec.bodies:
        rotor = body.rotor
        if rotor:
            rotor = replace(rotor, placement=_moved(rotor.placement, length), inertia=_swollen(rotor.inertia, length, inertia))
        placement = _moved(body.placement, length)
        bodies.append(replace(body, placement=placement, inertia=_swollen(body.inertia, length, inertia), rotor=rotor))
    points = tuple(replace(point, position=_times(point.position, length)) for point in spec.contact_points)
    return replace(spec, bodies=tuple(bodies), contact_points=points)


def _moved(placement: Placement, length: float) -> Placement:
    return replace(placement, p=_times(placement.p, length))


def _swollen(inertia: Inertia, length: float, factor: float) -> Inertia:
    nearest = None if inertia.nearest is None else _times(inertia.nearest, factor)
    return replace(inertia, com=_times(inertia.com, length), rotational=_times(inertia.rotational, factor), nearest=nearest)


def _times(numbers: tuple[float, ...], factor: float) -> Any:
    return tuple(factor * x for x in numbers)
