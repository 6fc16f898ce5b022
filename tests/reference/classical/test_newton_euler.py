"""Newton-Euler in both forms: against each other, MuJoCo, Pinocchio and Newton's law for the whole chain."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from flint import arb

from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, Rotor, add_body
from leapcheck_reference import build, inverse_dynamics
from leapcheck_reference.classical.newton_euler import newton_euler_in_common_frame, newton_euler_in_link_frames
from leapcheck_reference.classical.serial_chain import SerialLink, TipWrench, pose_in_parent, serial_links
from leapcheck_reference.scalar import array_of
from leapcheck_reference.spatial import Transform
from tests.mujoco_axes import AXES
from tests.reference.classical.classical_engines import P, R, mujoco_model, pinocchio_model, random_chain, random_state

AGREEMENT = 3e-14
"""Relative to the largest entry of each quantity, or 1; measured 9e-15 over 25 seeds of every chain."""

MUJOCO = max(6e-14, AXES)
"""The same; measured 1.5e-14: MuJoCo turns each inertia to its principal axes first."""

GRAVITY = np.array([1.1, -2.2, -9.81])
CHAINS = [(R,), (P,), (R, R), (R, P), (P, R), (P, P, P), (R, R, P, R), (R, P, R, R, P, R, R)]
FORMS = [newton_euler_in_link_frames, newton_euler_in_common_frame]


def assert_close(actual: Any, expected: Any, tolerance: float = AGREEMENT) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


def tip_wrench(rng: np.random.Generator) -> TipWrench:
    return TipWrench(rng.uniform(-0.3, 0.3, 3), rng.normal(size=3) * 10, rng.normal(size=3) * 3)


def link_rotations(links: tuple[SerialLink, ...], q: Any) -> list[Any]:
    """R_0i of every link."""
    rotations, R_0 = [], np.eye(3)
    for link, q_i in zip(links, q, strict=True):
        R_0 = R_0 @ pose_in_parent(link, q_i).R
        rotations.append(R_0)
    return rotations


@pytest.mark.parametrize("types", CHAINS)
def test_both_forms_hold_the_same_vectors(types: tuple[JointType, ...]) -> None:
    rng = np.random.default_rng(len(types))
    links, state, tip = random_chain(rng, types), random_state(rng, len(types)), tip_wrench(rng)
    local = newton_euler_in_link_frames(links, *state, GRAVITY, tip)
    common = newton_euler_in_common_frame(links, *state, GRAVITY, tip)
    rotations = link_rotations(links, state[0])
    for field in ("w", "wdot", "vdot", "vdot_C", "F", "N", "f", "n"):
        turned = np.array([R_0i @ row for R_0i, row in zip(rotations, getattr(local, field), strict=True)])
        assert_close(turned, getattr(common, field))
    assert_close(local.tau, common.tau)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("types", CHAINS)
def test_pinocchio_finds_the_same_torques_and_joint_forces(types: tuple[JointType, ...], form: Any) -> None:
    rng = np.random.default_rng(10 + len(types))
    links, (q, qd, qdd), tip = random_chain(rng, types), random_state(rng, len(types)), tip_wrench(rng)
    model = pinocchio_model(links, GRAVITY)
    data = model.createData()
    R_0n = link_rotations(links, q)[-1]
    force = R_0n.T @ tip.force  # in the last link's axes, about its origin
    on_tip = pin.Force(-force, -(R_0n.T @ tip.moment + np.cross(tip.position, force)))
    external = [pin.Force.Zero() for _ in range(model.njoints - 1)] + [on_tip]
    ours = form(links, q, qd, qdd, GRAVITY, tip)
    assert_close(ours.tau, pin.rnea(model, data, q, qd, qdd, external))
    rotations = link_rotations(links, q) if form is newton_euler_in_common_frame else [np.eye(3)] * len(links)
    for i, R_i in enumerate(rotations):
        assert_close(ours.f[i], R_i @ data.f[i + 1].linear)
        assert_close(ours.n[i], R_i @ data.f[i + 1].angular)
        assert_close(ours.w[i], R_i @ data.v[i + 1].angular)
        assert_close(ours.wdot[i], R_i @ data.a_gf[i + 1].angular)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("types", CHAINS)
def test_mujoco_finds_the_same_torques(types: tuple[JointType, ...], form: Any) -> None:
    rng = np.random.default_rng(20 + len(types))
    links, (q, qd, qdd), tip = random_chain(rng, types), random_state(rng, len(types)), tip_wrench(rng)
    model = mujoco_model(links, GRAVITY)
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qacc = q, qd, qdd
    mujoco.mj_inverse(model, data)
    by_tip, place = np.zeros(model.nv), data.xpos[-1] + data.xmat[-1].reshape(3, 3) @ tip.position
    mujoco.mj_applyFT(model, data, tip.force, tip.moment, place, model.nbody - 1, by_tip)
    assert_close(form(links, q, qd, qdd, GRAVITY, tip).tau, data.qfrc_inverse + by_tip, MUJOCO)


def test_base_carries_the_weight_and_the_momentum_change() -> None:
    rng = np.random.default_rng(31)
    links, state = random_chain(rng, (R, P, R)), random_state(rng, 3)
    found = newton_euler_in_common_frame(links, *state, GRAVITY)
    assert_close(found.f[0], sum(link.mass * a for link, a in zip(links, found.vdot_C, strict=True)))
    still = newton_euler_in_common_frame(links, state[0], np.zeros(3), np.zeros(3), GRAVITY)
    assert_close(still.f[0], -sum(link.mass for link in links) * GRAVITY)


@pytest.mark.parametrize("form", FORMS)
def test_accelerating_base_feels_gravity_minus_its_acceleration(form: Any) -> None:
    """A chain on a sliding first link is the chain on a base that accelerates with that link."""
    rng = np.random.default_rng(32)
    links, (q, qd, qdd) = random_chain(rng, (R, P, R)), random_state(rng, 3)
    slide = SerialLink(P, np.array([0.6, 0.0, 0.8]), Transform(np.eye(3), np.zeros(3)), 1.0, np.zeros(3), np.eye(3))
    whole = form((slide, *links), np.array([0.2, *q]), np.array([0.7, *qd]), np.array([3.0, *qdd]), GRAVITY)
    assert_close(form(links, q, qd, qdd, GRAVITY - 3.0 * slide.axis).tau, whole.tau[1:])


@pytest.mark.parametrize("form", FORMS)
def test_any_scalar(form: Any) -> None:
    rng = np.random.default_rng(33)
    links, state = random_chain(rng, (R, P, R)), random_state(rng, 3)
    floats = form(links, *state, GRAVITY).tau
    balls = form(links, *(array_of(x, arb) for x in state), GRAVITY).tau
    assert all(abs(float(b.mid()) - t) < 1e-12 and float(b.rad()) < 1e-11 for b, t in zip(balls, floats, strict=True))
    h = 1e-30
    q, qd, qdd = state
    columns = [form(links, q, qd, qdd + 1j * h * e, GRAVITY).tau.imag / h for e in np.eye(3)]
    model = pinocchio_model(links, GRAVITY)
    assert_close(np.array(columns), pin.crba(model, model.createData(), q))


def rod(name: str, parent: str = "world", **changes: Any) -> dict[str, Any]:
    joint = Joint(name + "_joint", JointType.REVOLUTE, (0.0, 0.6, 0.8))
    inertia = Inertia(1.2, (0.1, 0.0, 0.2), (0.02, 0.001, 0.0, 0.02, 0.0, 0.01))
    placement = Placement((0.1, 0.0, -0.3), (0.5, 0.5, -0.5, 0.5))
    return {"name": name, "parent": parent, "joint": joint, "inertia": inertia, "placement": placement} | changes


def test_chain_of_a_robot_spec() -> None:
    spec = add_body(RobotSpec("chain"), **rod("upper"))
    slide = Joint("slide", JointType.PRISMATIC, (1.0, 0.0, 0.0))
    spec = add_body(spec, **rod("lower", "upper", joint=slide))
    links = serial_links(spec)
    q, qd, qdd = np.array([0.3, 0.2]), np.array([1.0, -2.0]), np.array([0.5, 0.7])
    tau = newton_euler_in_link_frames(links, q, qd, qdd, np.array(spec.gravity)).tau
    model = pinocchio_model(links, spec.gravity)
    assert_close(tau, pin.rnea(model, model.createData(), q, qd, qdd))
    assert_close(tau, inverse_dynamics(build(spec), q, qd, qdd))  # the same in spatial vectors
    assert [link.type for link in links] == [R, P]
    np.testing.assert_array_equal(links[1].placement.p, [0.1, 0.0, -0.3])


@pytest.mark.parametrize(
    "changes",
    [
        {"parent": "world"},
        {"joint": Joint("ball", JointType.BALL)},
        {"joint": Joint("stiff", JointType.REVOLUTE, (1.0, 0.0, 0.0), armature=0.1)},
        {"rotor": Rotor("rotor", 6.0, Inertia(0.1))},
    ],
)
def test_robot_that_is_no_plain_chain_is_refused(changes: dict[str, Any]) -> None:
    spec = add_body(RobotSpec("tree"), **rod("upper"))
    spec = add_body(spec, **rod("lower", **{"parent": "upper"} | changes))
    with pytest.raises(ValueError, match="body 'lower': not part of a plain serial chain"):
        serial_links(spec)
