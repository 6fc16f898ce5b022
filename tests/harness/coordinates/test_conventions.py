"""Conventions against the engines' own differences of configurations, and against their defining identities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention, Place
from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.pinocchio import build as pinocchio_build
from leapcheck.engines.registry import make_engine
from leapcheck.sampling import States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec

pytestmark = pytest.mark.quick

ROBOTS = ("mini_cheetah", "tree4_9", "random:10", "random:27")  # rotors; no base, (cos, sin); several bases with balls
STEP = 1e-5
DIFFERENCE = 2e-8  # central differences of STEP at speeds of 3, relative to the largest entry: measured 1.7e-9
EXACT = 2e-15  # identities of rounded rotations, relative to the largest entry: measured 4e-16
BIAS_WITHOUT_RATE = 30.0  # N, median over states, that forgetting Tdot v costs the Mini Cheetah: measured 97
JDOT_WITHOUT_RATE = 4.0  # m/s^2, median over states: measured 11


@dataclass(frozen=True)
class Case:
    """A robot in an engine's coordinates: the convention, and the engine's own difference of two configurations."""

    spec: RobotSpec
    convention: Convention
    difference: Callable[[np.ndarray, np.ndarray], np.ndarray]


def mujoco_case(spec: RobotSpec) -> Case:
    full = with_rotor_bodies(spec).spec
    m = mujoco_build.model_from_mjcf(spec, full)

    def difference(q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        u = np.empty(m.nv)
        mujoco.mj_differentiatePos(m, u, 1.0, q0, q1)
        return u

    return Case(spec, conventions.mujoco_convention(spec, mujoco_build.places(full, m)), difference)


def pinocchio_case(spec: RobotSpec) -> Case:
    full = with_rotor_bodies(spec).spec
    by_file = spec.name.startswith("tree4")
    model = pinocchio_build.model_from_urdf(spec) if by_file else pinocchio_build.model_by_api(full)
    convention = conventions.pinocchio_convention(spec, pinocchio_build.places(full, model))
    return Case(spec, convention, lambda q0, q1: pin.difference(model, q0, q1))


def drake_case(spec: RobotSpec) -> Case:
    """Drake's coordinates without Drake: a floating joint wherever there is a quaternion, turned in the parent's axes."""
    joints = [b.joint for b in with_rotor_bodies(spec).spec.bodies if b.joint.type is not JointType.FIXED]
    places, q, v = {}, 0, 0
    for joint in joints:
        places[joint.name] = Place(q, v)
        q, v = (q + 7, v + 6) if joint.type in conventions.QUATERNION_JOINTS else (q + 1, v + 1)

    def difference(q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        u = np.zeros(v)
        for joint in joints:
            i, k, _ = places[joint.name]
            if joint.type in conventions.QUATERNION_JOINTS:
                before, after = (Rotation.from_quat(x[i : i + 4], scalar_first=True) for x in (q0, q1))
                u[k : k + 3], u[k + 3 : k + 6] = (after * before.inv()).as_rotvec(), q1[i + 4 : i + 7] - q0[i + 4 : i + 7]
            else:
                u[k] = q1[i] - q0[i]
        return u

    return Case(spec, conventions.drake_convention(spec, places), difference)


CASES = [(make, robot) for make in (mujoco_case, pinocchio_case, drake_case) for robot in ROBOTS]


@pytest.fixture(params=CASES, ids=lambda p: f"{p[0].__name__}-{p[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    make, robot = request.param
    return make(load(robot))


def moving_states(spec: RobotSpec, n: int = 6) -> States:
    return generated_states(spec, n, seed=11, unit=0)  # the first six are generic


def moved(spec: RobotSpec, q: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    """Canonical q carried along by v for dt: turns by exp(w dt) about the body's own axes, moves by R v dt."""
    q, iq, iv = q.copy(), 0, 0
    for kind in (body.joint.type for body in spec.bodies):
        nq, nv = CONFIGURATION_SIZE[kind], VELOCITY_SIZE[kind]
        x, u = q[iq : iq + nq], v[iv : iv + nv]
        if kind is JointType.FREE:
            x[:3] += conventions.rotation_matrices(x[3:]) @ u[3:] * dt
        if kind in (JointType.FREE, JointType.BALL):
            x[-4:] = turned(x[-4:], u[:3] * dt)
        else:
            x += u * dt
        iq, iv = iq + nq, iv + nv
    return q


def turned(quaternion: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """The quaternion wxyz times exp(angle / 2)."""
    half = np.linalg.norm(angle) / 2
    w, r = np.cos(half), np.sinc(half / np.pi) * angle / 2
    a, b = quaternion[0], quaternion[1:]
    return np.array([a * w - b @ r, *(a * r + w * b + np.cross(b, r))])


def test_T_v_is_how_the_engine_sees_the_configuration_change(case: Case) -> None:
    states = moving_states(case.spec)
    T = conventions.velocity_map(case.convention, states.q)
    for q, v, u in zip(states.q, states.v, conventions.product(T, states.v), strict=True):
        before, after = (conventions.configuration(case.convention, moved(case.spec, q, v, dt)) for dt in (-STEP, STEP))
        np.testing.assert_allclose(case.difference(before, after) / (2 * STEP), u, rtol=0, atol=DIFFERENCE * np.abs(u).max())


def test_Tdot_v_is_the_rate_of_T(case: Case) -> None:
    states = moving_states(case.spec)
    rates = conventions.velocity_map_rate(case.convention, states.q, states.v)
    for q, v, rate in zip(states.q, states.v, rates, strict=True):
        before, after = (conventions.velocity_map(case.convention, moved(case.spec, q, v, dt)) for dt in (-STEP, STEP))
        np.testing.assert_allclose(
            (after - before) @ v / (2 * STEP), rate, rtol=0, atol=DIFFERENCE * max(1.0, np.abs(rate).max())
        )


@pytest.mark.parametrize(
    ("make", "robot"),
    [
        *((make, robot) for make in (mujoco_case, pinocchio_case) for robot in ("mini_cheetah_armature", "random:27")),
        (drake_case, "mini_cheetah_armature"),  # with a ball joint Drake has more velocities than there are
    ],
)
def test_power_is_the_same_and_accelerations_come_back(make: Callable[[RobotSpec], Case], robot: str) -> None:
    case = make(load(robot))
    assert case.convention.is_square
    states = moving_states(case.spec)
    T = conventions.velocity_map(case.convention, states.q)
    Tdot_v = conventions.velocity_map_rate(case.convention, states.q, states.v)
    u, tau_u = conventions.product(T, states.v), conventions.engine_force(T, states.tau)
    power = (np.abs(states.tau) * np.abs(states.v)).sum()
    np.testing.assert_allclose((tau_u * u).sum(1), (states.tau * states.v).sum(1), rtol=0, atol=EXACT * power)
    np.testing.assert_allclose(conventions.force(T, tau_u), states.tau, rtol=0, atol=EXACT * np.abs(states.tau).max())
    udot = conventions.product(T, states.tau) + Tdot_v  # any vector may stand for vdot
    vdot = conventions.acceleration(T, udot, Tdot_v)
    np.testing.assert_allclose(vdot, states.tau, rtol=0, atol=EXACT * np.abs(udot).max())


def test_equations_of_motion_carry_over(case: Case) -> None:
    """M_u udot + h_u = tau_u, with T^T tau_u = tau, is M vdot + h = tau; the same for J."""
    states, rng = moving_states(case.spec), np.random.default_rng(5)
    nv_u, nv = case.convention.shuffle.shape
    T = conventions.velocity_map(case.convention, states.q)
    Tdot_v = conventions.velocity_map_rate(case.convention, states.q, states.v)
    M_u, h_u, J_u = (rng.normal(size=(6, *shape)) for shape in ((nv_u, nv_u), (nv_u,), (2, 3, nv_u)))
    a_u, vdot = rng.normal(size=(6, 2, 3)), rng.normal(size=(6, nv))
    udot = conventions.product(T, vdot) + Tdot_v
    tau = conventions.force(T, conventions.product(M_u, udot) + h_u)
    M, h = conventions.mass_matrix(T, M_u), conventions.bias_force(T, h_u, M_u, Tdot_v)
    np.testing.assert_allclose(conventions.product(M, vdot) + h, tau, rtol=0, atol=10 * EXACT * np.abs(tau).max())
    acceleration = np.einsum("npij,nj->npi", J_u, udot) + a_u
    J, a = conventions.jacobians(T, J_u), conventions.bias_accelerations(a_u, J_u, Tdot_v)
    found = np.einsum("npij,nj->npi", J, vdot) + a
    np.testing.assert_allclose(found, acceleration, rtol=0, atol=10 * EXACT * np.abs(acceleration).max())


def test_one_state_is_a_row_of_a_block(case: Case) -> None:
    states = moving_states(case.spec)
    q, v = states.q[2], states.v[2]
    np.testing.assert_array_equal(
        conventions.configuration(case.convention, q), conventions.configuration(case.convention, states.q)[2]
    )
    np.testing.assert_array_equal(
        conventions.velocity_map(case.convention, q), conventions.velocity_map(case.convention, states.q)[2]
    )
    rates = conventions.velocity_map_rate(case.convention, states.q, states.v)
    np.testing.assert_array_equal(conventions.velocity_map_rate(case.convention, q, v), rates[2])


def test_input_is_left_alone_and_quaternions_are_normalised() -> None:
    case = pinocchio_case(load("mini_cheetah_armature"))
    q = moving_states(case.spec).q
    off = q.copy()
    off[:, 3:7] *= 1 + 9e-10
    kept = off.copy()
    q_u = conventions.configuration(case.convention, off)
    np.testing.assert_array_equal(off, kept)
    np.testing.assert_allclose(q_u[:, 3:7], q[:, [4, 5, 6, 3]], rtol=EXACT)
    np.testing.assert_array_equal(np.delete(q_u, range(3, 7), axis=1), np.delete(off, range(3, 7), axis=1))


def test_rotation_matrices_of_quaternions_of_any_norm() -> None:
    quaternions = np.random.default_rng(3).normal(size=(5, 4))
    R = conventions.rotation_matrices(quaternions)
    np.testing.assert_allclose(R @ conventions.transpose(R), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=EXACT)
    np.testing.assert_allclose(conventions.rotation_matrices(3.0 * quaternions), R, rtol=0, atol=EXACT)


def test_constants_of_a_convention_are_read_only() -> None:
    convention = mujoco_case(load("two_link_arm")).convention
    for constant in (convention.columns, convention.shuffle):
        with pytest.raises(ValueError, match="read-only"):
            constant[0] = 1


def test_joints_are_found_by_name_where_urdf_sorts_them() -> None:
    spec = load("mini_cheetah")  # legs FR, FL, HR, HL; Pinocchio reads FL, FR, HL, HR
    full = with_rotor_bodies(spec).spec
    model = pinocchio_build.model_from_urdf(spec)
    names = [name for name in model.names if name.endswith("abad_joint")]
    assert names == sorted(names)
    assert names[0] == "FL_abad_joint"
    convention = conventions.pinocchio_convention(spec, pinocchio_build.places(full, model))
    q = moving_states(spec).q[0]
    joint = model.getJointId("FR_abad_joint")
    assert conventions.configuration(convention, q)[model.idx_qs[joint]] == q[7]
    assert conventions.velocity_map(convention, q)[model.idx_vs[joint], 6] == 1.0


def test_a_joint_that_the_engine_lacks_is_named() -> None:
    spec = load("two_link_arm")
    with pytest.raises(ValueError, match="robot 'two_link_arm': the engine has no joint 'elbow', it has shoulder"):
        conventions.mujoco_convention(spec, {"shoulder": Place(0, 0)})


def test_forgetting_the_rate_of_T_costs_hundreds_of_newtons() -> None:
    spec = load("mini_cheetah")
    engine, states = make_engine("mujoco", spec), moving_states(spec)
    answers = engine.evaluate(states, ("mass_matrix", "contact_jacobians"))
    convention = mujoco_case(spec).convention
    Tdot_v = conventions.velocity_map_rate(convention, states.q, states.v)
    vdot = conventions.force(conventions.velocity_map(convention, states.q), Tdot_v)  # T^-1 Tdot v: no rotor in these rows
    bias = np.abs(conventions.product(answers["mass_matrix"], vdot)).max(axis=1)
    Jdot_v = np.abs(conventions.product(answers["contact_jacobians"], vdot[:, None])).max(axis=(1, 2))
    assert np.median(bias) > BIAS_WITHOUT_RATE
    assert np.median(Jdot_v) > JDOT_WITHOUT_RATE
