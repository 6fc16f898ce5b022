from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from leapcheck_models.robots import load
from leapcheck_models.rotors import (
    axial_inertia,
    inside_realisable,
    with_lumped_rotors,
    with_rotor_bodies,
    with_rotor_coordinates,
)
from leapcheck_models.spec import ONE_DOF, Inertia, Joint, JointType, Placement, RobotSpec, Rotor, add_body
from leapcheck_models.validation import is_realisable
from tests.models.pin_model import configuration, joint_model, mass_matrix, pin_inertia, pin_model, se3

pytestmark = pytest.mark.quick

GEARED = ["mini_cheetah", *(f"random:{seed}" for seed in (1, 4, 9, 13, 40, 46))]

# Worst cases over mini_cheetah and random:0..49.
SCALE_FREE = 1e-14  # |dM_ij| / sqrt(M_ii M_jj); measured 1.1e-15 (lumped), 1.9e-16 (mimic)
ENERGY = 3e-14  # relative; measured 3.5e-15
VELOCITY = 1e-14  # of the largest entry; measured 8.1e-16


def scale_free(difference: np.ndarray, M: np.ndarray) -> float:
    scale = np.sqrt(np.diag(M))
    return float(np.abs(difference / np.outer(scale, scale)).max())


@pytest.mark.parametrize("name", GEARED)
def test_gear_matrix_is_the_derivative_of_the_rotor_coordinates(name: str) -> None:
    spec = load(name)
    full, G = with_rotor_bodies(spec)
    rng = np.random.default_rng(1)
    model, model_full = pin_model(spec)[0], pin_model(full)[0]
    q, v = configuration(model, rng), rng.uniform(-1.0, 1.0, spec.nv)
    q_full = with_rotor_coordinates(spec, q)
    moved = with_rotor_coordinates(spec, pin.integrate(model, q, v))
    assert G.shape == (full.nv, spec.nv)
    assert np.abs(pin.difference(model_full, q_full, moved) - G @ v).max() <= VELOCITY * np.abs(G @ v).max()


@pytest.mark.parametrize("name", GEARED)
def test_rotor_bodies_have_the_energy_of_links_and_geared_rotors(name: str) -> None:
    """1/2 v^T G^T M_full G v against the links' energies plus each rotor's, from its parent's velocity and N qd."""
    spec = load(name)
    full, G = with_rotor_bodies(spec)
    rng = np.random.default_rng(2)
    model, frames = pin_model(spec)
    model.armature[:] = 0.0  # counted apart: Pinocchio's kinetic energy includes it, as M does
    armature = np.zeros(model.nv)
    data = model.createData()
    q, v = configuration(model, rng), rng.uniform(-3.0, 3.0, spec.nv)
    pin.forwardKinematics(model, data, q, v)
    energy = pin.computeKineticEnergy(model, data, q, v)
    for body in spec.bodies:
        if body.joint.type in ONE_DOF:
            armature[model.idx_vs[frames[body.name][0]]] = body.joint.armature
        if body.rotor:
            energy += rotor_energy(model, data, frames[body.parent], frames[body.name][0], body.rotor, q, v)
    energy += armature @ v**2 / 2
    M = mass_matrix(pin_model(full)[0], with_rotor_coordinates(spec, q))
    assert (G @ v) @ M @ (G @ v) / 2 == pytest.approx(energy, rel=ENERGY)


def rotor_energy(model, data, parent, driven, rotor: Rotor, q, v) -> float:
    number, on_joint = parent
    angle = rotor.gear_ratio * q[model.idx_qs[driven]]
    spin = rotor.gear_ratio * v[model.idx_vs[driven]] * np.array(rotor.axis)
    turn = pin.SE3(pin.exp3(angle * np.array(rotor.axis)), np.zeros(3))
    velocity = (on_joint * se3(rotor.placement) * turn).actInv(data.v[number])
    velocity.angular += spin
    return float(pin_inertia(rotor.inertia).vtiv(velocity) / 2)


def test_projection_equals_pinocchios_mimic_joints() -> None:
    """Mini Cheetah: G^T M_full G against one model whose rotors are JointModelMimic, in the order of with_rotor_bodies."""
    spec = load("mini_cheetah")
    full, G = with_rotor_bodies(spec)
    driven = {b.rotor.name: (b.joint.name, b.rotor) for b in spec.bodies if b.rotor}
    mimic, numbers = pin.Model(), {"world": 0}
    for body in full.bodies:
        joint = joint_model(body.joint)
        if body.name in driven:
            name, rotor = driven[body.name]
            joint = pin.JointModelMimic(mimic.joints[mimic.getJointId(name)], rotor.gear_ratio, 0.0)
        numbers[body.name] = mimic.addJoint(numbers[body.parent], joint, se3(body.placement), body.joint.name)
        mimic.appendBodyToJoint(numbers[body.name], pin_inertia(body.inertia), pin.SE3.Identity())
    model, model_full = pin_model(spec)[0], pin_model(full)[0]
    q = configuration(model, np.random.default_rng(3))
    M = G.T @ mass_matrix(model_full, with_rotor_coordinates(spec, q)) @ G
    assert mimic.nv == spec.nv
    assert scale_free(mass_matrix(mimic, q) - M, M) <= SCALE_FREE


@pytest.mark.parametrize("name", GEARED)
def test_lumping_locks_the_rotors_and_adds_their_spin_to_the_diagonal(name: str) -> None:
    """M_lumped = E^T M_full E + diag(N^2 Ia), with E holding the rotors still at angle zero."""
    spec = load(name)
    full, G = with_rotor_bodies(spec)
    model, _ = pin_model(spec)
    model_full, frames = pin_model(full)
    q = configuration(model, np.random.default_rng(4))
    q_full, E, spin = with_rotor_coordinates(spec, q), G.copy(), np.zeros(spec.nv)
    for body in spec.bodies:
        if body.rotor:
            number = frames[body.rotor.name][0]
            q_full[model_full.idx_qs[number]] = 0.0
            column = E[model_full.idx_vs[number]] != 0.0
            E[model_full.idx_vs[number]] = 0.0
            spin[column] = body.rotor.gear_ratio**2 * axial_inertia(body.rotor)
    expected = E.T @ mass_matrix(model_full, q_full) @ E + np.diag(spin)
    actual = mass_matrix(pin_model(with_lumped_rotors(spec))[0], q)
    assert spin.any()
    assert scale_free(actual - expected, expected) <= SCALE_FREE


def test_order_keeps_each_rotor_right_behind_the_subtree_it_drives() -> None:
    full, _ = with_rotor_bodies(load("mini_cheetah"))
    leg = ["FR_abad", "FR_hip", "FR_knee", "FR_knee_rotor", "FR_hip_rotor", "FR_abad_rotor"]
    assert [body.name for body in full.bodies[:8]] == ["trunk", *leg, "FL_abad"]
    assert (full.name, full.nv, full.body_index("FR_knee_rotor")) == ("mini_cheetah_rotor_bodies", 30, 4)
    assert full.bodies[4].joint == Joint("FR_knee_rotor_joint", JointType.REVOLUTE, (0.0, 1.0, 0.0))
    assert full.bodies[4].parent == "FR_hip"
    assert not any(body.rotor for body in full.bodies)
    assert full.total_mass == pytest.approx(8.912, abs=1e-12)


def test_poses_points_and_actuators_travel_along() -> None:
    spec = load("mini_cheetah")
    full, _ = with_rotor_bodies(spec)
    assert full.contact_points == spec.contact_points
    assert full.actuators == spec.actuators
    expected = with_rotor_coordinates(spec, spec.pose("home"))
    assert full.pose("home") == tuple(expected)
    assert expected[10] == pytest.approx(9.33 * 1.6)  # knee rotor of the first leg, behind abad, hip and knee
    batch = with_rotor_coordinates(spec, np.tile(spec.pose("fold"), (2, 3, 1)))
    assert batch.shape == (2, 3, 31)
    assert np.array_equal(batch[1, 2], full.pose("fold"))


def test_wrong_shape_of_q_is_named() -> None:
    with pytest.raises(ValueError, match=r"q has the shape \(3,\): give \(\.\.\., 19\)"):
        with_rotor_coordinates(load("mini_cheetah"), np.zeros(3))


def test_rotor_on_the_world_leaves_its_armature_only() -> None:
    rotor = Rotor("rotor", -8.0, Inertia(0.1, (0.01, 0.0, 0.0), (1e-5, 0.0, 0.0, 1e-5, 0.0, 2e-5)))
    link = Inertia(1.0, (0.1, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    spec = RobotSpec("arm")
    spec = add_body(
        spec, "link", joint=Joint("joint", JointType.REVOLUTE, (0.0, 0.0, 1.0), armature=0.5), inertia=link, rotor=rotor
    )
    lumped = with_lumped_rotors(spec, "other")
    assert lumped.name == "other"
    assert lumped.bodies[0].inertia == link
    assert lumped.bodies[0].joint.armature == pytest.approx(0.5 + 64.0 * (2e-5 + 0.1 * 0.01**2), rel=1e-15)
    assert with_rotor_bodies(spec).spec.bodies[1].parent == "world"


def test_robot_without_rotors_stays_the_same_but_for_its_name() -> None:
    spec = load("two_link_arm")
    full, G = with_rotor_bodies(spec)
    assert full.bodies == spec.bodies
    assert np.array_equal(G, np.eye(2))
    assert with_lumped_rotors(spec).bodies == spec.bodies


def test_lumped_hip_says_that_it_is_not_realisable() -> None:
    """Deficit 5.535e-5 kg m^2 (facts/mini-cheetah.md)."""
    lumped = with_lumped_rotors(load("mini_cheetah"))
    assert {b.name for b in lumped.bodies if not b.inertia.realisable} == {"FR_hip", "FL_hip", "HR_hip", "HL_hip"}
    hip = lumped.bodies[2].inertia
    assert "misses the triangle inequality by 5.535e-05" in hip.source
    assert hip.nearest is not None
    assert is_realisable(hip.nearest)
    assert mujoco_compiles(hip.nearest)
    assert not mujoco_compiles(hip.rotational)


@pytest.mark.parametrize("seed", range(20))
def test_inertia_drawn_inside_compiles_in_mujoco(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    m = axes @ np.diag([1.0, 2.0, 3.0 + rng.uniform(0.0, 1.0)]) @ axes.T * 10.0 ** rng.uniform(-6, 1)
    entries = (m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2])
    assert not mujoco_compiles(entries)
    assert mujoco_compiles(inside_realisable(tuple(map(float, entries))))


def mujoco_compiles(entries: tuple[float, ...]) -> bool:
    xx, xy, xz, yy, yz, zz = map(float, entries)
    body = f'<inertial pos="0 0 0" mass="1" fullinertia="{xx!r} {yy!r} {zz!r} {xy!r} {xz!r} {yz!r}"/>'
    try:
        mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body><freejoint/>{body}</body></worldbody></mujoco>")
    except ValueError:
        return False
    return True


def test_lumped_inertia_of_a_turned_rotor_by_hand() -> None:
    """Rotor turned by 90 deg about x: its z axis lies along -y of the parent; com and parallel axes by hand."""
    half = 0.7071067811865476
    rotor = Rotor(
        "r", 2.0, Inertia(1.0, rotational=(1.0, 0.0, 0.0, 1.0, 0.0, 1.5)), Placement((2.0, 0.0, 0.0), (half, half, 0.0, 0.0))
    )
    ball = Inertia(1.0, rotational=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    spec = add_body(RobotSpec("pair"), "base", joint=Joint("free", JointType.FREE), inertia=ball)
    spec = add_body(
        spec, "arm", parent="base", joint=Joint("turn", JointType.REVOLUTE, (0.0, 0.0, 1.0)), inertia=ball, rotor=rotor
    )
    lumped = with_lumped_rotors(spec).bodies[0].inertia
    assert (lumped.mass, lumped.com) == (2.0, (1.0, 0.0, 0.0))
    assert lumped.rotational == pytest.approx((2.0, 0.0, 0.0, 1.0 + 1.5 + 2.0, 0.0, 1.0 + 1.0 + 2.0), abs=1e-15)
