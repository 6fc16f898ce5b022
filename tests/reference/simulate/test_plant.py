"""The plant's equations are those of the readable algorithms in the coordinates u, and those that MuJoCo would have."""

import dataclasses

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.robots import load
from leapcheck_models.spec import JointType
from leapcheck_reference.simulate.coordinates import canonical_velocity, displace, world_velocity
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS, Plant

TOLERANCE = 1e-12  # largest seen 9e-14 (h, N)
STEP = 1e-6
DIFFERENCE = 1e-8  # of central differences with that step; largest seen 3e-10


def generic_state(name: str, seed: int = 0) -> tuple[Plant, np.ndarray, np.ndarray]:
    plant = Plant(load(name))
    rng = np.random.default_rng(seed)
    q, v = rng.standard_normal(plant.tree.nq), 3.0 * rng.standard_normal(plant.tree.nv)
    if plant.free_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    return plant, q, v


@pytest.mark.parametrize("name", ["mini_cheetah", "mini_cheetah_armature", "pupper_leg"])
def test_forward_dynamics_through_u_is_the_canonical_one(name: str) -> None:
    plant, q, v = generic_state(name)
    u = world_velocity(plant.free_base, q, v)
    tau_v = np.random.default_rng(1).standard_normal(plant.tree.nv)
    vdot = reference.forward_dynamics(plant.tree, q, v, tau_v)
    # u = T v: udot = T vdot + Tdot v, tau_u = T tau_v
    T = np.array([world_velocity(plant.free_base, q, e) for e in np.eye(plant.tree.nv)]).T
    Tdot_v = np.zeros(plant.tree.nv)
    if plant.free_base:
        R = T[:3, 3:6]
        Tdot_v[:3] = R @ np.cross(v[:3], v[3:6])
    at = plant.at(q, u)
    residual = at.M @ (T @ vdot + Tdot_v) + at.h - T @ tau_v
    assert np.abs(residual).max() < TOLERANCE * np.abs(at.h).max()
    assert u @ at.M @ u / 2 == pytest.approx(reference.kinetic_energy(plant.tree, q, v), rel=TOLERANCE)


@pytest.mark.parametrize("name", ["mini_cheetah", "pupper_leg"])
def test_jacobians_are_the_rates_of_the_spheres_along_the_motion(name: str) -> None:
    plant, q, v = generic_state(name)
    u = world_velocity(plant.free_base, q, v)
    at = plant.at(q, u)
    J, J_w = at.J.copy(), at.J_w.copy()
    ahead, behind = (plant.at(displace(plant.free_base, q, sign * STEP * u), u) for sign in (1, -1))
    ahead = plant.at(displace(plant.free_base, q, STEP * u), u).centres.copy()
    behind = plant.at(displace(plant.free_base, q, -STEP * u), u).centres.copy()
    assert np.abs(J @ u - (ahead - behind) / (2 * STEP)).max() < DIFFERENCE * np.abs(u).max()
    # the angular velocity of a link: that of three points on it
    for k, point in enumerate(plant.tree.points):
        link = point.link
        offsets = np.eye(3)
        moving = [reference.contact_velocities(_with_point(plant, link, offset), q, v)[0] for offset in (np.zeros(3), *offsets)]
        at_R = reference.forward_kinematics(plant.tree, q, v).R_WB[link]
        for i in range(3):
            expected = np.cross(J_w[k] @ u, at_R[:, i])
            assert np.abs(moving[i + 1] - moving[0] - expected).max() < TOLERANCE * 100


def _with_point(plant: Plant, link: int, position: np.ndarray):
    return dataclasses.replace(plant.tree, points=(dataclasses.replace(plant.tree.points[0], link=link, position=position),))


def test_velocities_return_from_u_and_quaternions_stay_unit() -> None:
    _, q, v = generic_state("mini_cheetah")
    u = world_velocity(True, q, v)
    assert np.abs(canonical_velocity(True, q, u) - v).max() < 1e-15 * 16
    turned = displace(True, q, u)
    assert abs(np.linalg.norm(turned[3:7]) - 1) < 4e-16
    assert np.array_equal(displace(True, q, np.zeros(18)), q)
    half = displace(True, displace(True, q, u / 2), u / 2)  # the exponential map: half twice is the whole
    assert np.abs(half - turned).max() < 1e-14


def test_radii_joints_and_actuators_are_the_descriptions() -> None:
    spec = load("mini_cheetah")
    plant, losses = Plant(spec), Plant(spec, passive=True)
    assert plant.radii[plant.point_names.index("FR_foot")] == 0.02
    assert plant.radii[0] == SMALLEST_RADIUS
    assert not plant.joints.damping.any()
    assert set(losses.joints.damping) == {0.01}
    assert set(losses.joints.friction) == {0.2}
    assert plant.joints.upper[0] == 1.5
    assert np.isinf(plant.joints.upper[2])
    force = plant.generalised_force(np.arange(1.0, 13.0))
    assert np.array_equal(force, [0] * 6 + list(range(1, 13)))


def test_a_second_floating_body_or_a_ball_joint_is_refused_by_name() -> None:
    spec = load("pupper_leg")
    bodies = list(spec.bodies)
    bodies[1] = dataclasses.replace(bodies[1], joint=dataclasses.replace(bodies[1].joint, type=JointType.BALL, axis=None))
    with pytest.raises(ValueError, match="link 'thigh' has a ball joint"):
        Plant(dataclasses.replace(spec, bodies=tuple(bodies), poses=()))
