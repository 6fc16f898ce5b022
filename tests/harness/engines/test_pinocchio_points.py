"""Contact points assembled from Pinocchio's joints, against Pinocchio's own calls for each frame; and views of its vectors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from leapcheck.engines.errors import EngineError
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.pinocchio.frames import CALLS
from leapcheck.engines.pinocchio.steps import contiguous
from leapcheck.engines.projection import OwnStates
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import CORE
from leapcheck.sampling import States
from leapcheck_models.robots import load
from leapcheck_models.spec import CONFIGURATION_SIZE, Joint, JointType
from tests.harness.engines.engine_cases import error, near_states, own_states

NEAR = {  # against the frame's own call, by the largest entry of the state (J: 1 or more); measured worst of 50 robots
    "p": 5e-15,  # 4.3e-16
    "pdot": 5e-15,  # 2.5e-16
    "J": 5e-15,  # 4.1e-16
    "a": 1e-12,  # 1.0e-13, where accelerations cancel
}
FAR = 1e4  # m
TIMES_WORSE = 2.0  # error of assembled J far away over that of Pinocchio's own: measured 0.83 to 0.97
FAR_ACCELERATION = 1e-13  # Jdot u far away against near, relative: measured 1.1e-14
ONE_DOF = 1e-14  # against the reference, scale-free: measured 6.1e-16
ROBOTS = ("mini_cheetah", "two_link_arm", "tree4_9", "box", "random:1", "random:10", "random:33", "random:41")


def pinocchio_engine(robot: str) -> PinocchioEngine:
    engine = make_engine("pinocchio", load(robot))
    assert isinstance(engine, PinocchioEngine)
    return engine


def by_state(values: np.ndarray) -> np.ndarray:
    """Largest entry of each state."""
    return np.abs(values).reshape(len(values), -1).max(axis=1, initial=0.0)


@pytest.mark.parametrize("robot", ROBOTS)
def test_assembled_points_are_those_of_the_frames_own_calls(robot: str) -> None:
    engine = pinocchio_engine(robot)
    at = own_states(engine, near_states(load(robot), 40))
    assembled, own = engine.own_numbers(at, CALLS), engine.own_calls(at, CALLS)
    assert own.keys() == NEAR.keys()
    for name, expected in own.items():
        scale = np.maximum(by_state(expected), 1.0 if name == "J" else 1e-9)
        assert (by_state(assembled[name] - expected) <= NEAR[name] * scale).all(), name


def test_own_calls_are_made_for_what_is_asked() -> None:
    engine = pinocchio_engine("two_link_arm")
    at = own_states(engine, near_states(load("two_link_arm"), 3))
    assert engine.own_calls(at, ("M", "J")).keys() == {"J"}


@pytest.mark.parametrize("robot", ["mini_cheetah_armature", "random:10", "random:36"])
def test_far_from_the_origin_no_more_digits_are_lost_than_by_pinocchio_itself(robot: str) -> None:
    """Jacobians do not depend on where the base is: the truth is the own call near the origin."""
    engine = pinocchio_engine(robot)
    near, far = (based(engine, robot, distance) for distance in (0.0, FAR))
    true, assembled, own = (
        engine.own_calls(near, CALLS), engine.own_numbers(far, CALLS), engine.own_calls(far, CALLS),
    )  # fmt: skip
    error, expected = (by_state(found["J"] - true["J"]) for found in (assembled, own))
    assert error.max() < TIMES_WORSE * expected.max()
    assert np.median(error) < TIMES_WORSE * np.median(expected)
    assert (by_state(assembled["a"] - true["a"]) <= FAR_ACCELERATION * np.maximum(by_state(true["a"]), 1.0)).all()


def based(engine: PinocchioEngine, robot: str, distance: float) -> OwnStates:
    """States with every free base so far from the origin."""
    spec = load(robot)
    states = near_states(spec, 100)
    q, start = states.q.copy(), 0
    for kind in (body.joint.type for body in spec.bodies):
        if kind is JointType.FREE:
            direction = np.random.default_rng(start).normal(size=(len(q), 3))
            q[:, start : start + 3] = distance * direction / np.linalg.norm(direction, axis=1, keepdims=True)
        start += CONFIGURATION_SIZE[kind]
    return own_states(engine, States(q, states.v, states.tau, states.index, states.kind))


def test_assembly_takes_any_leading_dimensions_and_any_scalar() -> None:
    engine = pinocchio_engine("mini_cheetah")
    at = own_states(engine, near_states(load("mini_cheetah"), 6))
    for name, (parts, made, _) in engine.assembly.items():
        raw = {part: np.zeros((6, *engine.raw_shapes[part])) for part in parts}
        engine.write_raw(at, raw)
        expected = made(*raw.values())
        single = [made(*(array[i] for array in raw.values())) for i in range(6)]
        np.testing.assert_allclose(single, expected, rtol=1e-13, atol=1e-13, err_msg=name)
        objects = made(*(array.reshape(2, 3, *array.shape[1:]).astype(object) for array in raw.values()))
        np.testing.assert_allclose(objects.astype(float).reshape(expected.shape), expected, rtol=1e-13, atol=1e-13, err_msg=name)


def test_mass_matrix_has_both_triangles() -> None:
    engine = pinocchio_engine("mini_cheetah")
    at = own_states(engine, near_states(load("mini_cheetah"), 5))
    M = engine.own_numbers(at, ("M",))["M"]
    np.testing.assert_array_equal(M, np.swapaxes(M, 1, 2))
    assert np.count_nonzero(np.tril(M, -1)) > 0


def test_a_point_on_the_world_side_moves_with_no_joint() -> None:
    spec = load("two_link_arm")
    still = replace(spec.bodies[0], name="still", joint=Joint("weld", JointType.FIXED))
    with_still = replace(
        spec, bodies=(still, *spec.bodies), contact_points=(replace(spec.contact_points[0], body="still", computed=True),)
    )
    engine = make_engine("pinocchio", with_still)
    found = engine.evaluate(near_states(with_still, 4), ("contact_jacobians", "contact_bias_accelerations"))
    assert not any(values.any() for values in found.values())


def test_one_dof_is_a_matrix_of_one_column() -> None:
    """Pinocchio's bindings show such a matrix as a vector."""
    spec = load("two_link_arm")
    first = spec.bodies[0]
    point = replace(spec.contact_points[0], body=first.name, computed=True)
    single = replace(spec, name="pendulum", bodies=(first,), contact_points=(point,), poses=(), actuators=())
    states = near_states(single, 5)
    answers, expected = (make_engine(name, single).evaluate(states, CORE) for name in ("pinocchio", "reference"))
    for quantity, values in answers.items():
        assert error(quantity, values, expected[quantity], expected["mass_matrix"], states.v) < ONE_DOF, quantity
    engine = make_engine("pinocchio", single)
    assert isinstance(engine, PinocchioEngine)
    assert engine.own_calls(own_states(engine, states), ("J",))["J"].shape == (5, 1, 3, 1)


def test_views_of_a_vector_are_live_and_have_its_values() -> None:
    model = pin.buildSampleModelHumanoidRandom()
    data = model.createData()
    poses = contiguous([pose.rotation.T for pose in data.oMi], rows=4)
    velocities = contiguous([velocity.vector for velocity in data.v])
    q, v = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq)), np.arange(1.0, 1.0 + model.nv)
    pin.forwardKinematics(model, data, q, v)
    for i in range(model.njoints):
        np.testing.assert_array_equal(poses[i, :3].T, data.oMi[i].rotation)
        np.testing.assert_array_equal(poses[i, 3], data.oMi[i].translation)
        np.testing.assert_array_equal(velocities[i], data.v[i].vector)


def test_items_that_do_not_stand_side_by_side_are_refused() -> None:
    with pytest.raises(EngineError, match="not laid out as expected"):
        contiguous([np.zeros(3), np.zeros(3)])
    with pytest.raises(EngineError, match="not laid out as expected"):
        contiguous(list(np.zeros((3, 4))[:, :3]))
