"""URDF: Pinocchio and MuJoCo read the same robot from it as from MJCF."""

import dataclasses
import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.rotors import rotation_matrix, with_rotor_bodies
from leapcheck_models.rpy import USUAL, rpy
from leapcheck_models.spec import (
    Actuator,
    Inertia,
    Joint,
    JointType,
    Placement,
    Quaternion,
    RobotSpec,
    Rotor,
    add_body,
    add_contact_point,
)
from leapcheck_models.urdf import urdf_obstacles, urdf_text
from leapcheck_models.validation import rotational_matrix

pytestmark = pytest.mark.quick

REALISABLE = [name for name in ROBOTS if not name.startswith("mini_cheetah")]
ROUND_TRIP_TOLERANCE = 2e-15  # entries of R; measured 1.0e-15 over 80000, of which 0.43e-15 is rpy's, the rest this test's
MASS_MATRIX_TOLERANCE = 1e-14  # of the largest entry; measured 1.8e-15
FRAME_TOLERANCE = 1e-15  # m; measured 1.7e-16
TURNS = st.floats(-1.0, 1.0)


def realisable(spec: RobotSpec) -> RobotSpec:
    """The spec with the nearest realisable inertias as its own."""
    bodies = (dataclasses.replace(b, inertia=realisable_inertia(b.inertia)) for b in spec.bodies)
    return dataclasses.replace(spec, bodies=tuple(bodies))


def realisable_inertia(inertia: Inertia) -> Inertia:
    return dataclasses.replace(inertia, rotational=inertia.nearest or inertia.rotational, realisable=True, nearest=None)


def is_floating(spec: RobotSpec) -> bool:
    return spec.bodies[0].joint.type is JointType.FREE


def pinocchio_model(text: str, tmp_path: Path, floating: bool = False, mimic: bool = False) -> Any:
    file = tmp_path / "robot.urdf"
    file.write_text(text, encoding="utf-8")
    roots = [pin.JointModelFreeFlyer()] if floating else []
    return pin.buildModelFromUrdf(str(file), *roots, mimic)


def mujoco_model(spec: RobotSpec, text: str) -> Any:
    """MuJoCo's model of a URDF, with the free joint that a floating robot needs."""
    editable = mujoco.MjSpec.from_string(text)
    if is_floating(spec):
        editable.body(spec.bodies[0].name).add_freejoint(name=spec.bodies[0].joint.name)
    return editable.compile()


def angles_of(spec: RobotSpec, seed: int = 7) -> dict[str, float]:
    """A generic coordinate of each 1-dof joint, by name; rotors turn with their joints."""
    rng = np.random.default_rng(seed)
    angles = {b.joint.name: rng.normal() for b in spec.bodies if b.joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)}
    geared = {f"{b.rotor.name}_joint": b.rotor.gear_ratio * angles[b.joint.name] for b in spec.bodies if b.rotor}
    return angles | geared


BASE = (0.3, -0.2, 0.5, 0.1, 0.7, -0.5, 0.5)  # position, quaternion wxyz


def mujoco_mass_matrix(model: Any, angles: dict[str, float]) -> NDArray[Any]:
    data = mujoco.MjData(model)
    if model.nq > model.nv:
        data.qpos[:7] = BASE
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


def pinocchio_configuration(model: Any, angles: dict[str, float]) -> NDArray[Any]:
    """q of a model for joint angles by name; an unbounded joint has cosine and sine."""
    q: NDArray[Any] = pin.neutral(model)
    for name, joint in list(zip(model.names, model.joints, strict=True))[1:]:
        if joint.nq == 7:
            x, y, z, qw, qx, qy, qz = BASE
            norm = math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
            q[joint.idx_q : joint.idx_q + 7] = [x, y, z, qx / norm, qy / norm, qz / norm, qw / norm]
        elif joint.nq:
            angle = angles[name]
            q[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (math.cos(angle), math.sin(angle))
    return q


def in_order(model: Any, names: list[str]) -> list[int]:
    """Places in v of the named joints, each as long as it is."""
    joints = [model.joints[model.getJointId(name)] for name in names]
    return [joint.idx_v + i for joint in joints for i in range(joint.nv)]


@pytest.mark.parametrize("name", ROBOTS)
def test_plain_pinocchio_reads_every_joint(name: str, tmp_path: Path) -> None:
    spec = load(name)
    full = with_rotor_bodies(spec).spec
    model = pinocchio_model(urdf_text(spec), tmp_path, floating=is_floating(spec))
    joints = {body.joint.name for body in full.bodies if body.joint.type not in (JointType.FREE, JointType.FIXED)}
    assert model.check(model.createData())
    assert set(model.names) == joints | {"universe"} | ({"root_joint"} if is_floating(spec) else set())
    assert model.nv == full.nv
    assert pin.computeTotalMass(model) == pytest.approx(spec.total_mass, rel=1e-15)
    fixed = pinocchio_model(urdf_text(spec), tmp_path)
    assert fixed.nv == full.nv - (6 if is_floating(spec) else 0)


@pytest.mark.parametrize("name", ROBOTS)
def test_plain_mujoco_reads_every_joint(name: str) -> None:
    spec = load(name)
    full = with_rotor_bodies(spec).spec
    plain = mujoco.MjModel.from_xml_string(urdf_text(spec))
    assert plain.nv == full.nv - (6 if is_floating(spec) else 0)
    model = mujoco_model(spec, urdf_text(spec))
    joints = [body.joint.name for body in full.bodies if body.joint.type is not JointType.FIXED]
    assert [model.joint(i).name for i in range(model.njnt)] == joints
    assert tuple(model.opt.gravity) == spec.gravity
    for body in full.bodies:
        assert model.body(body.name).mass == body.inertia.mass
        assert tuple(model.body(body.name).pos) == body.placement.p
        joint = body.joint
        if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            dof = model.joint(joint.name).dofadr[0]
            assert (model.dof_damping[dof], model.dof_frictionloss[dof]) == (joint.damping, joint.friction)


@pytest.mark.parametrize("name", [*REALISABLE, "mini_cheetah"])
def test_mujoco_has_one_mass_matrix_from_urdf_and_mjcf(name: str) -> None:
    spec = realisable(load(name))
    angles = angles_of(spec)
    from_mjcf = mujoco_mass_matrix(mujoco.MjModel.from_xml_string(mjcf_text(spec)), angles)
    from_urdf = mujoco_mass_matrix(mujoco_model(spec, urdf_text(spec)), angles)
    np.testing.assert_allclose(from_urdf, from_mjcf, rtol=0, atol=MASS_MATRIX_TOLERANCE * np.abs(from_mjcf).max())


@pytest.mark.parametrize("name", [*REALISABLE, "mini_cheetah"])
def test_pinocchio_has_one_mass_matrix_from_urdf_and_mjcf(name: str, tmp_path: Path) -> None:
    spec = realisable(load(name))
    angles = angles_of(spec)
    (tmp_path / "robot.xml").write_text(mjcf_text(spec))
    from_mjcf = pin.buildModelFromMJCF(str(tmp_path / "robot.xml"))
    from_urdf = pinocchio_model(urdf_text(spec), tmp_path, floating=is_floating(spec))
    names = [n for n in from_mjcf.names if n != "universe"]
    order = in_order(from_urdf, ["root_joint", *names[1:]] if is_floating(spec) else names)
    expected = pin.crba(from_mjcf, from_mjcf.createData(), pinocchio_configuration(from_mjcf, angles))
    M = pin.crba(from_urdf, from_urdf.createData(), pinocchio_configuration(from_urdf, angles))[np.ix_(order, order)]
    np.testing.assert_allclose(M, expected, rtol=0, atol=MASS_MATRIX_TOLERANCE * np.abs(expected).max())


def test_mimic_rotors_are_exact_in_pinocchio(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    angles = angles_of(spec)
    full, G = with_rotor_bodies(spec)
    free = pinocchio_model(urdf_text(spec), tmp_path, floating=True)
    mimic = pinocchio_model(urdf_text(spec), tmp_path, floating=True, mimic=True)
    assert mimic.nv == spec.nv
    joints = [body.joint.name for body in full.bodies[1:]]
    order = in_order(free, ["root_joint", *joints])
    M_full = pin.crba(free, free.createData(), pinocchio_configuration(free, angles))[np.ix_(order, order)]
    expected = G.T @ M_full @ G
    order = in_order(mimic, ["root_joint", *(body.joint.name for body in spec.bodies[1:])])
    M = pin.crba(mimic, mimic.createData(), pinocchio_configuration(mimic, angles))[np.ix_(order, order)]
    np.testing.assert_allclose(M, expected, rtol=0, atol=MASS_MATRIX_TOLERANCE * np.abs(expected).max())


def test_true_inertia_is_written_exactly(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    model = pinocchio_model(urdf_text(spec), tmp_path, floating=True)
    for body in spec.bodies[1:]:
        read = model.inertias[model.getJointId(body.joint.name)]
        assert body.inertia.mass == read.mass
        if not body.inertia.realisable:  # no rotor is lumped into it, its knee rotor is a joint of its own
            np.testing.assert_array_equal(read.lever, body.inertia.com)
            np.testing.assert_array_equal(read.inertia, rotational_matrix(body.inertia.rotational))


def test_mujoco_balances_only_what_is_not_realisable() -> None:
    model = mujoco_model(load("mini_cheetah"), urdf_text(load("mini_cheetah")))
    balanced = [b.name for b in load("mini_cheetah").bodies if np.ptp(model.body(b.name).inertia) == 0.0]
    assert balanced == ["FR_hip", "FL_hip", "HR_hip", "HL_hip"]
    for name in REALISABLE:  # a thin rod may miss the inequality by rounding: it must not be balanced
        assert "balanceinertia" not in urdf_text(load(name))


@pytest.mark.parametrize("name", ["mini_cheetah", "pupper_leg", "two_link_arm"])
def test_contact_points_are_frames(name: str, tmp_path: Path) -> None:
    spec = load(name)
    angles = angles_of(spec)
    model = pinocchio_model(urdf_text(spec), tmp_path, floating=is_floating(spec))
    data = model.createData()
    pin.framesForwardKinematics(model, data, pinocchio_configuration(model, angles))
    other = mujoco.MjModel.from_xml_string(mjcf_text(spec))
    other_data = mujoco.MjData(other)
    if is_floating(spec):
        other_data.qpos[:7] = BASE
    for joint, angle in angles.items():
        other_data.joint(joint).qpos[0] = angle
    mujoco.mj_kinematics(other, other_data)
    for point in spec.contact_points:
        p = data.oMf[model.getFrameId(point.name, pin.FrameType.BODY)].translation
        np.testing.assert_allclose(p, other_data.site(point.name).xpos, rtol=0, atol=FRAME_TOLERANCE)


def limits_of(root: ET.Element) -> dict[str, dict[str, str]]:
    """Attributes of each joint's limit, by the joint's name."""
    return {j.attrib["name"]: limit.attrib for j in root.findall("joint") for limit in j.findall("limit")}


def test_limits_and_transmissions() -> None:
    root = ET.fromstring(urdf_text(load("mini_cheetah")))
    limits = limits_of(root)
    assert limits["FR_hip_joint"] == {"lower": "-5", "upper": "5", "effort": "18", "velocity": "40"}
    assert limits["FR_knee_joint"]["upper"] == "1000000"
    reductions = {t.attrib["name"]: t.findtext("actuator/mechanicalReduction") for t in root.findall("transmission")}
    assert [reductions[f"FR_{joint}"] for joint in ("abad", "hip", "knee")] == ["6", "6", "9.33"]
    assert len(reductions) == 12
    assert {joint.attrib["name"] for joint in root.findall("transmission/joint")} <= limits.keys()


def test_actuators_of_one_joint_add_up() -> None:
    spec = load("two_link_arm")
    drives = (Actuator("a", "elbow", 2.0, speed_limit=5.0), Actuator("b", "elbow", 3.0, speed_limit=4.0))
    root = ET.fromstring(urdf_text(dataclasses.replace(spec, actuators=drives)))
    assert limits_of(root) == {"elbow": {"effort": "5", "velocity": "4"}}  # continuous joints have no bounds


SOLID = Inertia(1.0, (0.1, 0.0, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, 0.02))
Z = (0.0, 0.0, 1.0)


def test_obstacles_are_named() -> None:
    spec = add_body(RobotSpec("r"), "a", joint=Joint("ja", JointType.FREE), inertia=SOLID)
    assert urdf_obstacles(spec) == ()
    ball = add_body(spec, "b", parent="a", joint=Joint("jb", JointType.BALL), inertia=SOLID)
    assert urdf_obstacles(ball) == ("joint 'jb' is a ball joint",)
    two = add_body(spec, "b", joint=Joint("jb", JointType.FREE), inertia=SOLID)
    assert urdf_obstacles(two) == ("joint 'ja' is free, beside other roots", "joint 'jb' is free, beside other roots")
    with pytest.raises(ValueError, match=r"robot 'r' cannot be written as URDF \(joint 'ja' is free, beside other roots;"):
        urdf_text(two)


def test_armature_is_told_where_urdf_cannot_say_it() -> None:
    assert "<!-- armature 0.00226" in urdf_text(load("mini_cheetah_armature"))
    assert "armature" not in urdf_text(load("mini_cheetah"))


def test_rotor_follows_its_joint_in_alphabetical_order(tmp_path: Path) -> None:
    """Pinocchio sorts joints by name, and refuses a mimic joint before the one that it mimics."""
    for kind in (JointType.REVOLUTE, JointType.PRISMATIC):
        rotor = Rotor("a", -3.0, SOLID, axis=Z)
        spec = add_body(RobotSpec("r"), "z", joint=Joint("zj", kind, Z), inertia=SOLID, rotor=rotor)
        model = pinocchio_model(urdf_text(spec), tmp_path, mimic=True)
        assert list(model.names) == ["universe", "zj", "zj_rotor"]
        inertia_about_z = 0.02 + 1.0 * 0.1**2
        link = inertia_about_z if kind is JointType.REVOLUTE else 1.0
        M = pin.crba(model, model.createData(), np.array([0.7]))
        assert M[0, 0] == pytest.approx(link + 9.0 * inertia_about_z, rel=1e-14)


ODD = "<&>\"' -- \u00e9\u03b8\u6f22/\\"


def test_odd_names_stay_well_formed_and_load(tmp_path: Path) -> None:
    spec = RobotSpec(ODD, source="a -- b -\n-->", description="--")
    spec = add_body(spec, f"a{ODD}", joint=Joint(f"ja{ODD}", JointType.REVOLUTE, Z), inertia=SOLID, source="-->")
    spec = add_body(spec, f"b{ODD}", parent=f"a{ODD}", joint=Joint("jb", JointType.FIXED), inertia=Inertia(0.0))
    spec = add_contact_point(spec, f"a{ODD}", f"b{ODD}", (0.0, 0.0, 0.1), radius=0.1)  # named like a link
    text = urdf_text(spec)
    assert ET.fromstring(text.encode()).get("name") == ODD
    assert list(pinocchio_model(text, tmp_path).names)[1:] == [f"ja{ODD}"]
    model = mujoco.MjModel.from_xml_string(text)
    assert [model.body(i).name for i in range(model.nbody)] == ["world", f"a{ODD}", f"b{ODD}", f"a{ODD}_"]


def matrix_of_rpy(roll: float, pitch: float, yaw: float) -> NDArray[Any]:
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


@given(st.tuples(TURNS, TURNS, TURNS, TURNS).filter(lambda q: math.hypot(*q) > 1e-3))
@example((0.0, 0.0, 0.0, 1.0))
@example((0.5, 0.5, 0.5, 0.5))
@example((0.1, -0.2, 0.9, 0.3))  # half angles add up to more than pi
@example((1.0, 0.0, 1.0, 0.0))  # pitch pi/2
@example((1.0, 1e-9, 1.0, 1e-9))
@example((1.0, 0.0, -1.0 + 1e-9, 0.0))
def test_rpy_gives_the_rotation_back(quaternion: Quaternion) -> None:
    error = matrix_of_rpy(*rpy(quaternion)) - rotation_matrix(quaternion)
    assert max(map(abs, rpy(quaternion))) <= math.pi
    assert np.abs(error).max() <= ROUND_TRIP_TOLERANCE


def test_rpy_of_quarter_turns_is_exact() -> None:
    h = math.sqrt(0.5)
    assert rpy((1.0, 0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)
    assert rpy((0.0, 0.0, 0.0, 1.0)) == (0.0, 0.0, math.pi)
    assert rpy((h, 0.0, 0.0, h)) == (0.0, 0.0, math.pi / 2)
    assert rpy((h, -h, 0.0, 0.0)) == (-math.pi / 2, 0.0, 0.0)
    assert rpy((h, 0.0, h, 0.0)) == (0.0, math.pi / 2, 0.0)


def test_the_usual_rotations_are_those_of_ball_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(USUAL)
    monkeypatch.setattr("leapcheck_models.rpy.USUAL", {})
    assert {quaternion: rpy(quaternion) for quaternion in known} == known


def test_placement_keeps_negative_zero_out() -> None:
    assert Placement((0.0, 0.0, -0.0)) == Placement()
    assert "-0 " not in urdf_text(load("mini_cheetah"))
