"""The registry of quantities against the in-house functions and against similarity: a robot scaled in length, mass and time."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.entries import entry_unit
from leapcheck.quantities import DEFAULT, QUANTITIES, QuantityGroup, Scale, quantity_names, sizes
from leapcheck.sampling import States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Body, Inertia, JointType, Placement, RobotSpec
from tests.reference.passive_joints import with_passive_joints

pytestmark = pytest.mark.quick

ROBOTS = ("mini_cheetah", "tree4_9", "random:27", "random:36", "springs")  # rotors; several bases, balls; gears and armature
CANONICAL = [name for name, quantity in QUANTITIES.items() if not quantity.in_mujoco_coordinates]
STORAGE = [name for name, quantity in QUANTITIES.items() if quantity.in_mujoco_coordinates]
POWERS = {  # of kg, m and s
    "kg m^2": (1, 2, 0),
    "kg m": (1, 1, 0),
    "kg": (1, 0, 0),
    "kg m^2/s": (1, 2, -1),
    "kg m/s": (1, 1, -1),
    "kg/s": (1, 0, -1),
    "1/m": (0, -1, 0),
    "1/s": (0, 0, -1),
    "1/m s": (0, -1, -1),
    "1/kg": (-1, 0, 0),
    "1/kg m": (-1, -1, 0),
    "1/kg m^2": (-1, -2, 0),
    "N m": (1, 2, -2),
    "N": (1, 1, -2),
    "N/m": (1, 0, -2),
    "N s/m": (1, 0, -1),
    "m^2/s^2": (0, 2, -2),
    "1/s^2": (0, 0, -2),
    "1/m s^2": (0, -1, -2),
    "N m s": (1, 2, -1),
    "N s": (1, 1, -1),
    "J": (1, 2, -2),
    "rad/s^2": (0, 0, -2),
    "m/s^2": (0, 1, -2),
    "m/s": (0, 1, -1),
    "rad/s": (0, 0, -1),
    "m": (0, 1, 0),
    "1": (0, 0, 0),
}
KILOGRAM, METRE, SECOND = 8.0, 2.0, 4.0  # powers of two: scaling by them does not round


@pytest.mark.parametrize("name", CANONICAL)
def test_the_reference_has_a_function_of_that_name_with_those_arguments(name: str) -> None:
    assert tuple(inspect.signature(getattr(reference, name)).parameters)[1:][: len(QUANTITIES[name].arguments)] == (
        QUANTITIES[name].arguments
    )


@pytest.mark.parametrize("robot", [*ROBOTS[:-1], "box"])
def test_shapes(robot: str) -> None:
    spec = load(robot)
    answers = ReferenceEngine(spec).evaluate(generated_states(spec, 3, 0, 0), tuple(QUANTITIES))
    for name in CANONICAL:
        shape = QUANTITIES[name].shape
        assert shape is not None
        assert answers[name].shape == (3, *shape(sizes(spec)))
    assert all(QUANTITIES[name].shape is None for name in STORAGE)


def test_points_that_are_not_computed_are_not_counted() -> None:
    spec = load("mini_cheetah")
    points = tuple(replace(point, computed=i % 3 == 0) for i, point in enumerate(spec.contact_points))
    assert sizes(replace(spec, contact_points=points)).points == 6
    assert sizes(spec).points == 16


def test_only_m_is_scaled_by_its_diagonal_and_only_jacobians_not_at_all() -> None:
    scales = {name: QUANTITIES[name].scale for name in QUANTITIES}
    assert [name for name in scales if scales[name] is Scale.DIAGONAL] == ["mass_matrix"]
    assert [name for name in scales if scales[name] is Scale.ABSOLUTE] == [
        "contact_jacobians",
        "frame_jacobians",
        "com_jacobian",
        "constraint_jacobian",
    ]


@pytest.mark.parametrize("robot", ["pupper_leg", "random:2"])
def test_the_reference_answers_alone_what_it_answers_together(robot: str) -> None:
    """What quantities share is computed once, with the same bits."""
    engine, states = ReferenceEngine(load(robot)), generated_states(load(robot), 3, 0, 0)
    for name, values in engine.evaluate(states, tuple(QUANTITIES)).items():
        np.testing.assert_array_equal(engine.evaluate(states, (name,))[name], values, strict=True)


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_entry_scales_as_its_unit_says(robot: str) -> None:
    spec = with_passive_joints("random:30") if robot == "springs" else load(robot)
    states = generated_states(spec, 16, 0, 0)
    before = ReferenceEngine(spec).evaluate(states, tuple(QUANTITIES))
    after = ReferenceEngine(scaled(spec)).evaluate(scaled_states(spec, states), tuple(QUANTITIES))
    for name in CANONICAL:
        if name == "coriolis_matrix":
            continue  # which one is its normal form depends on the units of v: Christoffel's is the one that scales
        for place in np.ndindex(before[name].shape[1:]):
            factor = size_of(entry_unit(spec, name, place))
            assert np.array_equal(after[name][:, *place], factor * before[name][:, *place]), (name, place)
    for name in STORAGE:  # entries of mixed units: each scales as one of those that are listed
        possible = [size_of(unit) * before[name] for unit in QUANTITIES[name].unit.split(", ")]
        assert np.any([after[name] == values for values in possible], axis=0).all(), name


def size_of(unit: str) -> float:
    kilogram, metre, second = POWERS[unit]
    return KILOGRAM**kilogram * METRE**metre * SECOND**second


def scaled(spec: RobotSpec) -> RobotSpec:
    """The same robot with other units of length, mass and time."""
    points = tuple(replace(point, position=times(point.position, METRE)) for point in spec.contact_points)
    gravity = times(spec.gravity, METRE / SECOND**2)
    slides = {body.joint.name for body in spec.bodies if body.joint.type is JointType.PRISMATIC}
    force = KILOGRAM * METRE / SECOND**2
    drives = tuple(
        replace(a, torque_limit=a.torque_limit * force * (1.0 if a.joint in slides else METRE)) for a in spec.actuators
    )
    bodies = tuple(map(scaled_body, spec.bodies))
    return replace(spec, bodies=bodies, contact_points=points, gravity=gravity, poses=(), actuators=drives)


def scaled_body(body: Body) -> Body:
    slides = body.joint.type is JointType.PRISMATIC
    turning = KILOGRAM * (1.0 if slides else METRE**2)  # of an inertia
    joint = replace(
        body.joint,
        limits=None,
        armature=turning * body.joint.armature,
        damping=turning / SECOND * body.joint.damping,
        friction=turning / SECOND**2 * body.joint.friction * (METRE if slides else 1.0),
        stiffness=turning / SECOND**2 * body.joint.stiffness,
        springref=body.joint.springref * (METRE if slides else 1.0),
    )
    rotor = body.rotor
    if rotor is not None:
        ratio = rotor.gear_ratio / (METRE if slides else 1.0)
        placement = scaled_placement(rotor.placement)
        rotor = replace(rotor, gear_ratio=ratio, inertia=scaled_inertia(rotor.inertia), placement=placement)
    placement, inertia = scaled_placement(body.placement), scaled_inertia(body.inertia)
    return replace(body, joint=joint, placement=placement, inertia=inertia, rotor=rotor)


def scaled_placement(placement: Placement) -> Placement:
    return replace(placement, p=times(placement.p, METRE))


def scaled_inertia(inertia: Inertia) -> Inertia:
    square = KILOGRAM * METRE**2
    nearest = None if inertia.nearest is None else times(inertia.nearest, square)
    rotational, com = times(inertia.rotational, square), times(inertia.com, METRE)
    return replace(inertia, mass=inertia.mass * KILOGRAM, com=com, rotational=rotational, nearest=nearest)


def times(values: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(factor * value for value in values)


def scaled_states(spec: RobotSpec, states: States) -> States:
    q, v, tau = states.q.copy(), states.v / SECOND, states.tau * KILOGRAM * METRE**2 / SECOND**2
    vdot = states.vdot / SECOND**2
    at_q = at_v = 0
    for kind in (body.joint.type for body in spec.bodies):
        if kind is JointType.FREE:
            vdot[:, at_v + 3 : at_v + 6] *= METRE
            q[:, at_q : at_q + 3] *= METRE
            v[:, at_v + 3 : at_v + 6] *= METRE
            tau[:, at_v + 3 : at_v + 6] /= METRE
        if kind is JointType.PRISMATIC:
            vdot[:, at_v] *= METRE
            q[:, at_q] *= METRE
            v[:, at_v] *= METRE
            tau[:, at_v] /= METRE
        at_q, at_v = at_q + CONFIGURATION_SIZE[kind], at_v + VELOCITY_SIZE[kind]
    return replace(states, q=q, v=v, tau=tau, vdot=vdot)


def test_words_stand_for_names_and_groups() -> None:
    assert quantity_names(()) == DEFAULT
    assert quantity_names(("all",)) == tuple(QUANTITIES)
    assert quantity_names(("com_position", "mass_matrix", "com_position")) == ("com_position", "mass_matrix")
    members = [name for group in QuantityGroup for name in quantity_names((group,))]
    assert sorted(members) == sorted(QUANTITIES)
    assert quantity_names(("core", "mujoco", "inverse_dynamics")) == DEFAULT
    with pytest.raises(ValueError, match=r"unknown quantity 'mass': use one of mass_matrix.* or core, mujoco.*, all"):
        quantity_names(("mass",))
