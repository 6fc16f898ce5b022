"""Other units than SI: degrees, millimetres, grams, newton millimetres; in states, in answers and in the model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, SpecEdit, StateEdit, convention, model_fault
from leapcheck.judge.edits import edit_answers, edit_bodies, edit_state
from leapcheck.judge.layout import FORCES, places, scale_dofs
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Body, Inertia, JointType, RobotSpec

DEGREE = math.pi / 180.0

ANGLES = {
    "degrees-read": (DEGREE, "joint angles in rad are read as degrees", "joint speeds in rad/s are read as degrees"),
    "degrees-given": (1.0 / DEGREE, "joint angles come in degrees", "joint speeds come in degrees"),
}

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


def angle_unit(belief: Belief) -> Iterator[Hypothesis]:
    """Degrees for radians: in the joint coordinates, in their rates, in both, in the answers; in the fixed placements."""
    spec = belief.evidence.spec
    if any(place.joint.type is JointType.REVOLUTE for place in places(spec)):
        for name, (factor, angles, rates) in ANGLES.items():
            yield convention(f"unit/{name}", angles, state_edit=_scale_angles(factor, 1.0))
            yield convention(f"unit/{name}:both", f"{angles}, their rates too", state_edit=_scale_angles(factor, factor))
            yield convention(f"unit/{name}:rates", rates, state_edit=_scale_angles(1.0, factor))
        words = "the accelerations of revolute joints are in degrees/s^2"
        edit = edit_answers(("forward_dynamics",), _accelerations_in_degrees)
        yield convention("unit/degrees-answered", words, answer_edit=edit, prior=2.0)
    if any(body.placement.quaternion != (1.0, 0.0, 0.0, 0.0) for body in spec.bodies):
        for unit, factor in (("degrees", DEGREE), ("rad", 1.0 / DEGREE)):
            words = f"roll, pitch and yaw of the links are read in {unit}"
            yield model_fault(f"unit/rpy-{unit}", words, edit_bodies(partial(_tilt, factor=factor)), prior=2.0)


def length_unit(belief: Belief) -> Iterator[Hypothesis]:
    """Lengths of the model or the base's position in another unit, with the inertias in its square or still in kg m^2."""
    for name, (factor, words) in LENGTHS.items():
        prior = 1.0 if name in ("mm", "m") else 2.0
        cause = f"lengths of the model are {words}"
        likewise, right = f"{cause}, rotational inertias likewise", f"{cause}, rotational inertias right"
        yield model_fault(f"unit/length-{name}", likewise, _resize(factor, factor**2), prior=prior)
        yield model_fault(f"unit/length-{name}:inertias-right", right, _resize(factor, 1.0), prior=prior + 1.0)
    if any(place.joint.type is JointType.FREE for place in places(belief.evidence.spec)):
        for name, factor, words in (("mm", 1e3, "1000 times too far: mm for m"), ("m", 1e-3, "1000 times too near: m for mm")):
            edit = _scale_positions(factor)
            yield convention(f"unit/position-{name}", f"the base's position is {words}", state_edit=edit, prior=2.0)


def mass_unit(_belief: Belief) -> Iterator[Hypothesis]:
    """Masses in g or pounds, with the rotational inertias likewise or still in kg m^2."""
    for name, (factor, words) in MASSES.items():
        cause, prior = f"all masses and inertias of links and rotors are {words}", 1.0 if name in ("g", "kg") else 2.0
        yield model_fault(f"unit/mass-{name}", cause, scale_masses(factor, factor), prior=prior)
        cause = f"all masses of links and rotors are {words}, rotational inertias right"
        yield model_fault(f"unit/mass-{name}:inertias-right", cause, scale_masses(factor, 1.0), prior=2.0)


def force_unit(belief: Belief) -> Iterator[Hypothesis]:
    """Torques in N mm: in the answers, or read from tau."""
    spec, asked = belief.evidence.spec, belief.evidence.quantities
    torques = np.zeros(spec.nv, dtype=bool)
    for place in places(spec):
        torques[place.v] = np.arange(place.v.stop - place.v.start) < 3 if place.joint.type is not JointType.PRISMATIC else False
    for name, factor, words in (("N-mm", 1e3, "in N mm"), ("N-km", 1e-3, "1000 times too small")):
        factors = np.where(torques, factor, 1.0)
        if set(FORCES) & set(asked):
            yield convention(f"unit/torque-{name}", f"torques are {words}", answer_edit=_scale_forces(factors))
        if "forward_dynamics" in asked:
            words = f"torques of the state are taken {words}"
            yield convention(f"unit/torque-{name}:read", words, state_edit=_scale_torques(factors), prior=2.0)


def scale_masses(mass: float, rotational: float) -> SpecEdit:
    """The edit that multiplies all masses and all rotational inertias, of links and rotors."""

    def scale(inertia: Inertia) -> Inertia:
        return _with_factor(replace(inertia, mass=mass * inertia.mass), rotational)

    def edit(body: Body) -> Body:
        rotor = body.rotor and replace(body.rotor, inertia=scale(body.rotor.inertia))
        return replace(body, inertia=scale(body.inertia), rotor=rotor)

    return edit_bodies(edit)


def _scale_angles(q_factor: float, v_factor: float) -> StateEdit:
    def edit(spec: RobotSpec, q: Floats, v: Floats, _tau: Floats) -> None:
        for place in places(spec):
            if place.joint.type is JointType.REVOLUTE:
                q[:, place.q] *= q_factor
                v[:, place.v] *= v_factor

    return edit_state(edit)


def _scale_positions(factor: float) -> StateEdit:
    def edit(spec: RobotSpec, q: Floats, _v: Floats, _tau: Floats) -> None:
        for place in places(spec):
            if place.joint.type is JointType.FREE:
                q[:, place.q.start : place.q.start + 3] *= factor

    return edit_state(edit)


def _scale_forces(factors: Floats) -> AnswerEdit:
    return edit_answers(FORCES, lambda _view, values: values * factors)


def _scale_torques(factors: Floats) -> StateEdit:
    return lambda _spec, states: replace(states, tau=states.tau * factors)


def _accelerations_in_degrees(view: AnswerView, values: Floats) -> Floats:
    factors = np.ones(view.spec.nv)
    for place in places(view.spec):
        if place.joint.type is JointType.REVOLUTE:
            factors[place.v] = 1.0 / DEGREE
    return scale_dofs("forward_dynamics", values, factors)


def _tilt(body: Body, factor: float) -> Body:
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


def _resize(length: float, rotational: float) -> SpecEdit:
    """The edit that multiplies all lengths and all rotational inertias, of links and rotors."""

    def resize(part: Any) -> Any:
        """A body or its rotor."""
        inertia = _with_factor(replace(part.inertia, com=_times(part.inertia.com, length)), rotational)
        return replace(part, placement=replace(part.placement, p=_times(part.placement.p, length)), inertia=inertia)

    def edit(spec: RobotSpec) -> RobotSpec:
        bodies = tuple(replace(resize(body), rotor=body.rotor and resize(body.rotor)) for body in spec.bodies)
        points = tuple(replace(point, position=_times(point.position, length)) for point in spec.contact_points)
        return replace(spec, bodies=bodies, contact_points=points)

    return edit


def _with_factor(inertia: Inertia, factor: float) -> Inertia:
    """The inertia with its rotational part, and the nearest realisable one, multiplied."""
    nearest = None if inertia.nearest is None else _times(inertia.nearest, factor)
    return replace(inertia, rotational=_times(inertia.rotational, factor), nearest=nearest)


def _times(numbers: tuple[float, ...], factor: float) -> Any:
    return tuple(factor * x for x in numbers)
