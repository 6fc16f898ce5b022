"""MuJoCo as a simulator: its scene is the robot's, its exact rotors are the in-house ones, its motors obey the drives' law."""

from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from leapcheck.engines.mujoco.rotors import NO_ROTORS, LumpedRotors, rotor_coupling, rotor_term
from leapcheck.simulators.mujoco.scene import SPHERE, scene
from leapcheck.simulators.mujoco.simulator import MujocoSimulator
from leapcheck.simulators.mujoco.steps import runge_kutta_step
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drive_response, drives
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import SoftContact, SoftSimulator, weights

CONTACT = SoftContact(friction=0.6, solref=(0.01, 1.0))
ROBOT = load("mini_cheetah")

ROTOR_TERM = 1e-14  # kg m^2, N m; largest seen 3e-16
EXACT = 1e-12  # M kg m^2, h N m, of terms up to 90; largest seen 4e-14
WEIGHTS = 1e-13  # relative; largest seen 1.3e-15
STAGES = 1e-14  # q after each of 100 steps; largest seen 2e-16
STAGE_FORCES = 1e-10  # N, of up to 400 N; largest seen 2.4e-13
FLIGHT = 1e-13  # q after 100 steps, v ten times as much; largest seen 9e-16, 1.4e-14
LEDGER = 1e-11  # N, of up to 400 N; largest seen 1.6e-13
TORQUE = 1e-12  # N m; largest seen 3e-14


def state(seed: int = 0, height: float = 2.0) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    q, v = np.array(ROBOT.pose("home")) + 0.2 * rng.standard_normal(19), rng.standard_normal(18)
    q[2] = height
    q[3:7] = rng.standard_normal(4)
    q[3:7] /= np.linalg.norm(q[3:7])
    v[6:] *= 3.0
    return q, v


@cache
def plant_of(name: str) -> Plant:
    return Plant(load(name))


def standing(clearance: float = 1e-4) -> Floats:
    q, plant = np.array(ROBOT.pose("home")), plant_of("mini_cheetah")
    q[2] -= (plant.at(q, np.zeros(18)).centres[:, 2] - plant.radii).min() - clearance
    return q


def to_the_stand(simulator: MujocoSimulator) -> Floats:
    torque: Floats = 40.0 * (np.array(ROBOT.pose("home"))[7:] - simulator.q[7:]) - 1.5 * simulator.v[6:]
    return torque


@pytest.mark.parametrize("seed", range(5))
def test_the_rotor_term_is_what_lumping_leaves_out_in_house(seed: int) -> None:
    """By MuJoCo's Jacobians here, by the in-house difference of the exact and the lumped robot there."""
    q, v = state(seed)
    m = scene(ROBOT, CONTACT)
    d = mujoco.MjData(m)
    exact, lumped = plant_of("mini_cheetah"), plant_of("mini_cheetah_armature")
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_step1(m, d)
    term = rotor_term(ROBOT, m)
    coupling, h = rotor_coupling(term, d.cdof, d.cdof_dot, d.xmat, d.qvel)
    M = np.zeros((m.nv, m.nv))
    M[term.dof] += coupling
    M[:, term.dof] += coupling.T
    at, without = exact.at(q, v), lumped.at(q, v)
    np.testing.assert_allclose(M, at.M - without.M, rtol=0.0, atol=ROTOR_TERM)
    np.testing.assert_allclose(h, at.h - without.h, rtol=0.0, atol=EXACT)
    assert np.abs(M).max() > 1e-4
    assert np.abs(h).max() > 1e-4
    LumpedRotors(term, m).add(m, d)
    dense = np.empty((m.nv, m.nv))
    mujoco.mj_fullM(m, d, dense)
    np.testing.assert_allclose(dense, at.M, rtol=0.0, atol=EXACT)
    np.testing.assert_allclose(d.qfrc_bias, at.h, rtol=0.0, atol=EXACT)


@pytest.mark.parametrize("name", ["mini_cheetah_armature", "pupper_leg", "box"])
def test_in_house_weights_are_mujoco_s(name: str) -> None:
    spec = load(name)
    m, plant = scene(spec, CONTACT), plant_of(name)
    own = weights(plant)
    bodies = [m.geom_bodyid[mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_GEOM, SPHERE.format(p))] for p in plant.point_names]
    np.testing.assert_allclose(own.points, m.body_invweight0[bodies, 0], rtol=WEIGHTS)
    dofs = [m.joint(joint).dofadr[0] for joint in plant.joints.names]
    np.testing.assert_allclose(own.joints, m.dof_invweight0[dofs], rtol=WEIGHTS)


def test_the_scene_has_one_sphere_for_each_point_and_no_other_contact() -> None:
    m, plant = scene(ROBOT, CONTACT), plant_of("mini_cheetah")
    touching = [i for i in range(m.ngeom) if m.geom_contype[i] or m.geom_conaffinity[i]]
    spheres = [i for i in touching if m.geom_type[i] == mujoco.mjtGeom.mjGEOM_SPHERE]
    assert len(touching) == len(spheres) + 1 == 17
    assert sorted(m.geom_size[spheres, 0]) == sorted(plant.radii)
    np.testing.assert_array_equal(m.geom_friction[touching, 0], 0.6)
    d = mujoco.MjData(m)
    q = standing()
    d.qpos[:] = q
    d.qpos[2] -= 1.0  # everything is below the floor, and the legs are folded into the trunk
    d.qpos[7:] = np.tile([0.0, -1.4, 2.7], 4)
    mujoco.mj_forward(m, d)
    assert d.ncon == 16
    centres = plant.at(d.qpos.copy(), np.zeros(18)).centres
    found = {m.geom(g).name: d.geom_xpos[g] for g in spheres}
    np.testing.assert_allclose([found[SPHERE.format(p)] for p in plant.point_names], centres, atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_the_stage_loop_is_mujoco_s_own_runge_kutta(seed: int) -> None:
    """Without rotors to add, the loop over MuJoCo's pieces must give what mj_step gives."""
    spec = load("mini_cheetah_armature")
    simulator = MujocoSimulator(spec, CONTACT, 1e-3, "RK4")
    q, v = state(seed)
    q[:7] = standing()[:7]
    simulator.start(q, v)
    m, d = simulator.model, mujoco.MjData(simulator.model)
    d.qpos[:], d.qvel[:] = simulator.data.qpos, simulator.data.qvel
    points = {
        mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_GEOM, SPHERE.format(p)): i for i, p in enumerate(plant_of(spec.name).point_names)
    }
    touched = False
    for _ in range(100):
        torque = to_the_stand(simulator)
        d.qfrc_applied[6:] = torque
        forces = runge_kutta_step(m, d, LumpedRotors(NO_ROTORS, m), True, points)
        simulator.step(torque)
        assert np.abs(d.qpos - simulator.data.qpos).max() <= STAGES
        np.testing.assert_allclose(forces.contact, simulator.forces, rtol=0.0, atol=STAGE_FORCES)
        touched |= bool(simulator.forces.any())
    assert touched


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "discrete", "RK4"])
def test_exact_rotors_fly_as_in_house(integrator: Any) -> None:
    """Without contact every one-stage scheme is the same one."""
    in_house = SoftSimulator(plant_of("mini_cheetah"), CONTACT, 1e-3, "rk4" if integrator == "RK4" else "euler")
    simulator = MujocoSimulator(ROBOT, CONTACT, 1e-3, integrator)
    lumped = MujocoSimulator(ROBOT, CONTACT, 1e-3, integrator, rotors="armature")
    for each in (in_house, simulator, lumped):
        each.start(*state())
        for k in range(100):
            each.step(2.0 * np.sin(0.1 * k + np.arange(12.0)))
    assert np.abs(in_house.q - simulator.q).max() <= FLIGHT
    assert np.abs(in_house.v - simulator.v).max() <= 10.0 * FLIGHT
    assert np.abs(lumped.q - simulator.q).max() > 1e-3


@pytest.mark.parametrize("options", [{}, {"rotors": "armature"}, {"integrator": "implicitfast"}, {"integrator": "discrete"}])
def test_forces_account_for_the_momentum_of_every_step(options: Any) -> None:
    """Euler: M du = dt (force + h ...) at the step's begin; its linear rows are weight and ground forces alone."""
    simulator = MujocoSimulator(ROBOT, CONTACT, 1e-3, **options)
    plant = plant_of("mini_cheetah_armature" if "rotors" in options else "mini_cheetah")
    simulator.start(standing(), np.zeros(18))
    worst, largest = 0.0, 0.0
    for _ in range(60):
        q, u = simulator.data.qpos.copy(), simulator.data.qvel.copy()
        simulator.step(to_the_stand(simulator))
        at = plant.at(q, u)
        residual = at.M[:3] @ (simulator.data.qvel - u) / 1e-3 + at.h[:3] - simulator.forces.sum(axis=0)
        worst, largest = max(worst, np.abs(residual).max()), max(largest, simulator.forces.sum(axis=0)[2])
    assert worst <= LEDGER
    assert largest > 50.0


@pytest.mark.parametrize("passive", [False, True])
def test_mujoco_s_motors_give_the_drives_torque(passive: bool) -> None:
    simulator = MujocoSimulator(ROBOT, CONTACT, 1e-3, drives="dcmotor", passive=passive)
    assert simulator.own_drives
    laws = drives(ROBOT)
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, v = state()
        v[6:] = rng.uniform(-45.0, 45.0, 12)
        simulator.start(q, v)
        desired = rng.uniform(-40.0, 40.0, 12)
        simulator.step(desired)
        given = drive_response(laws, desired, v[6:])
        np.testing.assert_allclose(simulator.data.qfrc_actuator[6:], laws.gear_ratio * given.motor_torque, rtol=0.0, atol=TORQUE)
        applied = np.zeros(12) if passive else given.torque - laws.gear_ratio * given.motor_torque
        np.testing.assert_allclose(simulator.data.qfrc_applied[6:], applied, rtol=0.0, atol=TORQUE)


def test_joints_are_found_by_name_where_mujoco_orders_them_otherwise() -> None:
    """A robot of two trees: the same motion as in house."""
    spec = load("pupper_leg")
    in_house, simulator = SoftSimulator(plant_of(spec.name), CONTACT, 1e-3), MujocoSimulator(spec, CONTACT, 1e-3)
    rng = np.random.default_rng(2)
    q, v = rng.standard_normal(spec.nq), rng.standard_normal(spec.nv)
    for each in (in_house, simulator):
        each.start(q, v)
        for _ in range(20):
            each.step(np.linspace(-0.1, 0.1, len(spec.actuators)))
    assert np.abs(in_house.q - simulator.q).max() <= FLIGHT


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"integrator": "euler"}, "use one of Euler"),
        ({"rotors": "none"}, "use one of exact, armature"),
        ({"dt": 0.0}, "finite positive"),
        ({"drives": "servo"}, "use one of torque, dcmotor"),
    ],
)
def test_options_that_do_not_exist_are_refused(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MujocoSimulator(**{"spec": ROBOT, "contact": CONTACT, "dt": 1e-3, **wrong})


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_what_cannot_go_on_stops_the_run(integrator: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one clear line, and without the log file that MuJoCo would leave."""
    monkeypatch.chdir(tmp_path)
    simulator = MujocoSimulator(ROBOT, CONTACT, 1e-3, integrator)
    simulator.start(*state())
    with pytest.raises(ArithmeticError, match="not finite"):
        simulator.step(np.full(12, np.nan))
    with pytest.raises(ArithmeticError, match=r"MuJoCo reports .*BADQ.* run away"):
        shake(simulator)
    assert not list(tmp_path.iterdir())


def shake(simulator: MujocoSimulator) -> None:
    for sign in (1.0, -1.0, 1.0, -1.0, 1.0):
        simulator.step(np.full(12, sign * 1e9))
