"""Other units than SI: degrees, millimetres, grams, newton millimetres; in states, in answers and in the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.coordinates import FORCES, places, scaled_dofs
from leapcheck.states import Floats, States
from leapcheck_models.spec import Body, Inertia, JointType, Placement, RobotSpec

DEGREE = math.pi / 180.0

LENGTHS = {
    "mm": (1e3, "1000 times too long: mm read as m"),
    "m": (1e-3, "1000 times too short: m read as mm"),
    "cm": (1e2, "100 times too long: cm read as m"),
    "m-as-cm": (1e-2, "100 times too short: m read as cm"),
    "inch": (1.0 / 0.0254, "39.37 times too long: inches read as m"),
    "m-as-inch": (0.0254, "39.37 times too short: m read as inches"),
}

MASSES = {
    "g": (1e3, "multiplied by 1000: g for kg"),
    "kg": (1e-3, "divided by 1000: kg for g"),
    "lb": (1.0 / 0.45359237, "multiplied by 2.204623: lb for kg"),
    "kg-as-lb": (0.45359237, "divided by 2.204623: kg for lb"),
}

MILLI = 1e-3


def angle_unit(belief: Belief) -> Iterator[Hypothesis]:
    """Degrees for radians: in the joint coordinates, in their rates, in both, in the answers; in the fixed placements."""
    spec = belief.evidence.spec
    if any(at.joint.type is JointType.REVOLUTE for at in places(spec)):
        for name, factor, words in (
            ("degrees-read", DEGREE, "joint angles in rad are read as degrees"),
            ("degrees-given", 1.0 / DEGREE, "joint angles come in degrees"),
        ):
            yield Hypothesis(f"unit/{name}", "convention", words, reading=_angles_times(factor, 1.0))
            yield Hypothesis(
                f"unit/{name}:both", "convention", f"{words}, their rates too", reading=_angles_times(factor, factor)
            )
            rates = words.replace("joint angles in rad", "joint speeds in rad/s").replace("joint angles", "joint speeds")
            yield Hypothesis(f"unit/{name}:rates", "convention", rates, reading=_angles_times(1.0, factor))
        words = "the accelerations of revolute joints are in degrees/s^2"
        yield Hypothesis("unit/degrees-answered", "convention", words, answering=_accelerations_in_degrees, prior=2.0)
    if any(body.placement.quaternion != (1.0, 0.0, 0.0, 0.0) for body in spec.bodies):
        for name, factor, unit in (("degrees", DEGREE, "degrees"), ("rad", 1.0 / DEGREE, "rad")):
            words = f"roll, pitch and yaw of the links are read in {unit}"
            yield Hypothesis(f"unit/rpy-{name}", "model", words, model=_with_tilts(factor), prior=2.0)


def length_unit(belief: Belief) -> Iterator[Hypothesis]:
    """Lengths of the model or the base's position in another unit, with the inertias in its square or still in kg m^2."""
    for name, (factor, words) in LENGTHS.items():
        prior = 1.0 if name in ("mm", "m") else 2.0
        cause = f"lengths of the model are {words}"
        likewise, right = f"{cause}, rotational inertias likewise", f"{cause}, rotational inertias right"
        yield Hypothesis(f"unit/length-{name}", "model", likewise, _resized(factor, factor**2), prior=prior)
        yield Hypothesis(f"unit/length-{name}:inertias-right", "model", right, _resized(factor, 1.0), prior=prior + 1.0)
    if any(at.joint.type is JointType.FREE for at in places(belief.evidence.spec)):
        for name, factor, words in (
            ("mm", 1e3, "1000 times too far out: mm for m"),
            ("m", 1e-3, "1000 times too near: m for mm"),
        ):
            cause = f"the base's position is {words}"
            yield Hypothesis(f"unit/position-{name}", "convention", cause, reading=_positions_times(factor), prior=2.0)


def mass_unit(_belief: Belief) -> Iterator[Hypothesis]:
    """Masses in g or pounds, with the rotational inertias likewise or still in kg m^2."""
    for name, (factor, words) in MASSES.items():
        cause = f"all masses and inertias of links and rotors are {words}"
        yield Hypothesis(f"unit/mass-{name}", "model", cause, heavier(factor, factor), prior=1.0 if name in ("g", "kg") else 2.0)
        cause = f"all masses of links and rotors are {words}, rotational inertias right"
        yield Hypothesis(f"unit/mass-{name}:inertias-right", "model", cause, heavier(factor, 1.0), prior=2.0)


def force_unit(belief: Belief) -> Iterator[Hypothesis]:
    """Torques in N mm: in the answers, or read from tau."""
    spec = belief.evidence.spec
    torques = np.zeros(spec.nv, dtype=bool)
    for at in places(spec):
        torques[at.v] = np.arange(at.v.stop - at.v.start) < 3 if at.joint.type is not JointType.PRISMATIC else False
    for name, factor, words in (("N-mm", 1e3, "in N mm"), ("N-km", 1e-3, "1000 times too small")):
        factors = np.where(torques, factor, 1.0)
        if set(FORCES) & set(belief.evidence.quantities):
            yield Hypothesis(f"unit/torque-{name}", "convention", f"torques are {words}", answering=_forces_times(factors))
        if "forward_dynamics" in belief.evidence.quantities:
            read = f"torques of the state are taken {words}"
            yield Hypothesis(f"unit/torque-{name}:read", "convention", read, reading=_torques_times(factors), prior=2.0)


def heavier(mass: float, rotational: float) -> Callable[[RobotSpec], RobotSpec]:
    """Of a robot the one with all masses and all rotational inertias, of links and rotors, multiplied."""

    def inertia(of: Inertia) -> Inertia:
        nearest = None if of.nearest is None else _times(of.nearest, rotational)
        return replace(of, mass=mass * of.mass, rotational=_times(of.rotational, rotational), nearest=nearest)

    def body(of: Body) -> Body:
        rotor = of.rotor and replace(of.rotor, inertia=inertia(of.rotor.inertia))
        return replace(of, inertia=inertia(of.inertia), rotor=rotor)

    return lambda spec: replace(spec, bodies=tuple(body(of) for of in spec.bodies))


def _angles_times(q_factor: float, v_factor: float) -> Callable[[RobotSpec, States], States]:
    def reading(spec: RobotSpec, states: States) -> States:
        q, v = states.q.copy(), states.v.copy()
        for at in places(spec):
            if at.joint.type is JointType.REVOLUTE:
                q[:, at.q] *= q_factor
                v[:, at.v] *= v_factor
        return replace(states, q=q, v=v)

    return reading


def _accelerations_in_degrees(view: View, quantity: str, values: Floats) -> Floats:
    factors = np.ones(view.spec.nv)
    for at in places(view.spec):
        if at.joint.type is JointType.REVOLUTE:
            factors[at.v] = 1.0 / DEGREE
    return scaled_dofs(quantity, values, factors) if quantity == "forward_dynamics" else values


def _positions_times(factor: float) -> Callable[[RobotSpec, States], States]:
    def reading(spec: RobotSpec, states: States) -> States:
        q = states.q.copy()
        for at in places(spec):
            if at.joint.type is JointType.FREE:
                q[:, at.q.start : at.q.start + 3] *= factor
        return replace(states, q=q)

    return reading


def _forces_times(factors: Floats) -> Callable[[View, str, Floats], Floats]:
    return lambda _view, quantity, values: scaled_dofs(quantity, values, factors) if quantity in FORCES else values


def _torques_times(factors: Floats) -> Callable[[RobotSpec, States], States]:
    return lambda _spec, states: replace(states, tau=states.tau * factors)


def _with_tilts(factor: float) -> Callable[[RobotSpec], RobotSpec]:
    return lambda spec: replace(spec, poses=(), bodies=tuple(_tilted(body, factor) for body in spec.bodies))


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


def _resized(length: float, inertia: float) -> Callable[[RobotSpec], RobotSpec]:
    """Of a robot the one with all its lengths multiplied, and its rotational inertias."""

    def resized(spec: RobotSpec) -> RobotSpec:
        bodies = []
        for body in spec.bodies:
            rotor = body.rotor
            if rotor:
                rotor = replace(
                    rotor, placement=_moved(rotor.placement, length), inertia=_swollen(rotor.inertia, length, inertia)
                )
            placement = _moved(body.placement, length)
            bodies.append(replace(body, placement=placement, inertia=_swollen(body.inertia, length, inertia), rotor=rotor))
        points = tuple(replace(point, position=_times(point.position, length)) for point in spec.contact_points)
        return replace(spec, bodies=tuple(bodies), contact_points=points)

    return resized


def _moved(placement: Placement, length: float) -> Placement:
    return replace(placement, p=_times(placement.p, length))


def _swollen(inertia: Inertia, length: float, factor: float) -> Inertia:
    nearest = None if inertia.nearest is None else _times(inertia.nearest, factor)
    return replace(inertia, com=_times(inertia.com, length), rotational=_times(inertia.rotational, factor), nearest=nearest)


def _times(numbers: tuple[float, ...], factor: float) -> Any:
    return tuple(factor * x for x in numbers)
