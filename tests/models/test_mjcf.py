"""MJCF: the engines read back what the spec says."""

import dataclasses
import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from leapcheck_models.generate import write_robot_files
from leapcheck_models.mjcf import Rotors, mjcf_text
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.rotors import axial_inertia, rotation_matrix, with_lumped_rotors, with_rotor_bodies
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, Shape, add_body, add_contact_point
from leapcheck_models.validation import rotational_matrix
from leapcheck_models.xml_text import number
from tests.mujoco_axes import AXES

ReadBack = tuple[RobotSpec, Any, Path]

ROBOT_NAMES = [*ROBOTS, "random:3", "random:15"]  # random:15: ball, slide and fixed joints, rotors, one free root
INERTIA_TOLERANCE = max(1e-14, AXES)  # of the trace: MuJoCo's principal axes and back; measured 1.4e-15
MASS_MATRIX_TOLERANCE = max(1e-13, AXES)  # of the largest entry, MuJoCo against Pinocchio; measured 4.4e-15
TOUCH_TOLERANCE = 1e-15  # m, gap under a foot of 0.02 m at home; measured 5.2e-17

SLIP_TOLERANCE = 0.05  # rad at the rotor, after its joint has moved by 5 rad: the equality is soft; measured 0.0115


def written_spec(spec: RobotSpec, rotors: Rotors) -> RobotSpec:
    return with_rotor_bodies(spec).spec if rotors == "bodies" else with_lumped_rotors(spec)


def folder_of(spec: RobotSpec, tmp_path: Path, rotors: Rotors = "bodies") -> tuple[Path, Path]:
    """Writes the robot and returns where its MJCF and its scene lie."""
    write_robot_files(spec, tmp_path, rotors)
    return next(path for path in tmp_path.glob("*.xml") if path.name != "scene.xml"), tmp_path / "scene.xml"


@pytest.fixture(params=[(name, rotors) for name in ROBOT_NAMES for rotors in ("bodies", "armature")], ids="-".join)
def read_back(request: pytest.FixtureRequest, tmp_path: Path) -> ReadBack:
    """What MJCF should hold, MuJoCo's model of the file and its path."""
    name, rotors = request.param
    file, scene = folder_of(load(name), tmp_path, rotors)
    mujoco.MjModel.from_xml_path(str(scene))
    return written_spec(load(name), rotors), mujoco.MjModel.from_xml_path(str(file)), file


def test_mujoco_reads_bodies_back(read_back: ReadBack) -> None:
    spec, model, _ = read_back
    own = [model.body(i).name for i in range(1, model.nbody) if model.body(i).name != "base"]
    assert own == [body.name for body in spec.bodies]
    for body in spec.bodies:
        read, inertia = model.body(body.name), body.inertia
        entries = inertia.nearest or inertia.rotational
        assert read.mass == inertia.mass
        assert tuple(read.ipos) == inertia.com
        assert tuple(read.pos) == body.placement.p
        np.testing.assert_allclose(read.quat, body.placement.quaternion, rtol=0, atol=2.3e-16)  # MuJoCo normalises
        R = rotation_matrix(tuple(read.iquat))
        error = R @ np.diag(read.inertia) @ R.T - rotational_matrix(entries)
        assert np.abs(error).max() <= INERTIA_TOLERANCE * sum(read.inertia)


def test_mujoco_reads_joints_back(read_back: ReadBack) -> None:
    spec, model, _ = read_back
    joints = [body.joint for body in spec.bodies if body.joint.type is not JointType.FIXED]
    assert [model.joint(i).name for i in range(model.njnt)] == [joint.name for joint in joints]
    assert (model.nq, model.nv) == (spec.nq, spec.nv)
    assert tuple(model.opt.gravity) == spec.gravity
    for joint in joints:
        read = model.joint(joint.name)
        dof = read.dofadr[0]
        assert (model.dof_damping[dof], model.dof_frictionloss[dof]) == (joint.damping, joint.friction)
        assert model.dof_armature[dof] == joint.armature
        assert tuple(read.range) == (joint.limits or (0.0, 0.0))
        assert bool(model.jnt_limited[read.id]) == (joint.limits is not None)
        if joint.axis:
            np.testing.assert_allclose(read.axis, joint.axis, rtol=0, atol=2.3e-16)  # MuJoCo normalises


def test_mujoco_reads_points_poses_and_motors_back(read_back: ReadBack) -> None:
    spec, model, _ = read_back
    assert [model.site(i).name for i in range(model.nsite)] == [point.name for point in spec.contact_points]
    for point in spec.contact_points:
        assert tuple(model.site(point.name).pos) == point.position
        assert model.body(model.site_bodyid[model.site(point.name).id]).name == point.body
        if point.radius:
            foot = model.geom(point.name)
            assert (foot.size[0], *foot.pos) == (point.radius, *point.position)
    assert [(model.key(i).name, *model.key(i).qpos) for i in range(model.nkey)] == [(p.name, *p.q) for p in spec.poses]
    assert model.nu == len(spec.actuators)
    for actuator in spec.actuators:
        assert tuple(model.actuator(actuator.name).ctrlrange) == (-actuator.torque_limit, actuator.torque_limit)
        assert model.joint(model.actuator(actuator.name).trnid[0]).name == actuator.joint


def test_pinocchio_reads_the_same_robot(read_back: ReadBack) -> None:
    spec, model, file = read_back
    other = pin.buildModelFromMJCF(str(file))
    assert other.check(other.createData())
    assert list(other.names)[1:] == [model.joint(i).name for i in range(model.njnt)]
    q, q_pin, T = random_configuration(spec)
    M_pin = T.T @ pin.crba(other, other.createData(), q_pin) @ T
    np.testing.assert_allclose(mass_matrix(model, q), M_pin, rtol=0, atol=MASS_MATRIX_TOLERANCE * np.abs(M_pin).max())
    for pose in spec.poses if spec.bodies[0].joint.type is JointType.FREE else ():
        x, y, z, qw, qx, qy, qz, *rest = pose.q
        np.testing.assert_array_equal(other.referenceConfigurations[pose.name], [x, y, z, qx, qy, qz, qw, *rest])


def random_configuration(spec: RobotSpec) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A generic q as MuJoCo and as Pinocchio want it, and T with v_pinocchio = T v_mujoco; at most the first body is free."""
    rng = np.random.default_rng(7)
    q: list[float] = []
    q_pin: list[float] = []
    T = np.eye(spec.nv)
    for body in spec.bodies:
        if body.joint.type is JointType.FREE:
            q.extend(rng.normal(size=3))
            q_pin.extend(q)
        if body.joint.type in (JointType.FREE, JointType.BALL):
            w, x, y, z = rng.normal(size=4)
            norm = math.sqrt(w * w + x * x + y * y + z * z)
            q.extend([w / norm, x / norm, y / norm, z / norm])
            q_pin.extend([x / norm, y / norm, z / norm, w / norm])
        if body.joint.type is JointType.FREE:
            T[:3, :3] = rotation_matrix((q[3], q[4], q[5], q[6])).T
        if body.joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            q.append(rng.normal())
            q_pin.append(q[-1])
    return np.array(q), np.array(q_pin), T


def test_pinocchio_keeps_the_place_of_a_fixed_root(tmp_path: Path) -> None:
    solid = Inertia(1.0, (0.1, 0.0, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, 0.02))
    spec = RobotSpec("r")
    spec = add_body(spec, "a", joint=Joint("ja", JointType.FIXED), inertia=solid, placement=Placement((1.0, 2.0, 3.0)))
    spec = add_body(spec, "b", parent="a", joint=Joint("jb", JointType.REVOLUTE, (0.0, 0.0, 1.0)), inertia=solid)
    model = pin.buildModelFromMJCF(str(folder_of(spec, tmp_path)[0]))
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.zeros(1))
    np.testing.assert_array_equal(data.oMf[model.getFrameId("b")].translation, [1.0, 2.0, 3.0])


def mass_matrix(model: Any, qpos: NDArray[Any]) -> NDArray[Any]:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


@pytest.mark.parametrize("rotors", ["bodies", "armature"])
@pytest.mark.parametrize("pose", ["home", "fold", "zero"])
def test_feet_touch_the_floor(tmp_path: Path, rotors: Rotors, pose: str) -> None:
    _, scene = folder_of(load("mini_cheetah"), tmp_path, rotors)
    model = mujoco.MjModel.from_xml_path(str(scene))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(pose).id)
    mujoco.mj_forward(model, data)
    for leg in ("FR", "FL", "HR", "HL"):
        gap = mujoco.mj_geomDistance(model, data, model.geom(f"{leg}_foot").id, model.geom("floor").id, 1.0, None)
        assert abs(gap) <= TOUCH_TOLERANCE
    x = [data.site(f"{leg}_foot").xpos[0] for leg in ("FR", "FL", "HR", "HL")]
    assert x == pytest.approx([0.19, 0.19, -0.19, -0.19], abs=0.05)  # under the hips, knees behind them
    assert all(data.site(f"{leg}_knee_point").xpos[0] <= data.site(f"{leg}_foot").xpos[0] for leg in ("FR", "HL"))


def test_robot_meets_the_floor_and_never_itself(tmp_path: Path) -> None:
    _, scene = folder_of(load("mini_cheetah"), tmp_path)
    model = mujoco.MjModel.from_xml_path(str(scene))
    data = mujoco.MjData(model)
    data.qpos[2] = 0.1  # legs straight and sunk into the floor, the two front feet inside each other
    data.joint("FR_abad_joint").qpos[0], data.joint("FL_abad_joint").qpos[0] = 0.28, -0.28
    mujoco.mj_forward(model, data)
    assert np.linalg.norm(data.site("FR_foot").xpos - data.site("FL_foot").xpos) < 0.01
    touching = {tuple(sorted((model.geom(c.geom1).name, model.geom(c.geom2).name))) for c in data.contact[: data.ncon]}
    assert touching == {(f"{leg}_foot", "floor") for leg in ("FR", "FL", "HR", "HL")}


@pytest.mark.parametrize("name", ["two_link_arm", "pupper_leg", "tree4_3", "tree4_9"])
def test_floor_is_out_of_the_reach_of_fixed_robots(tmp_path: Path, name: str) -> None:
    _, scene = folder_of(load(name), tmp_path)
    model = mujoco.MjModel.from_xml_path(str(scene))
    data = mujoco.MjData(model)
    lowest: list[float] = []
    for _ in range(50):
        data.qpos[:] = np.random.default_rng(len(lowest)).uniform(-3.0, 3.0, model.nq)
        mujoco.mj_kinematics(model, data)
        own = [i for i in range(model.ngeom) if model.geom(i).name != "floor"]
        lowest.append(min(data.geom_xpos[own, 2]))
    assert model.geom("floor").pos[2] < min(lowest) < 0.0


def test_rotors_follow_their_joints_in_plain_simulation(tmp_path: Path) -> None:
    file, _ = folder_of(load("mini_cheetah"), tmp_path)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    data.ctrl[:] = 2.0
    for _ in range(100):
        mujoco.mj_step(model, data)
    slip = [
        data.joint(f"{body.rotor.name}_joint").qpos[0] - body.rotor.gear_ratio * data.joint(body.joint.name).qpos[0]
        for body in load("mini_cheetah").bodies
        if body.rotor
    ]
    moved = [abs(data.joint(f"{leg}_knee_joint").qpos[0] - 1.6) for leg in ("FR", "FL", "HR", "HL")]
    assert min(moved) > 1.0
    assert np.abs(slip).max() < SLIP_TOLERANCE


def test_armature_is_gear_squared_times_axial_inertia(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    file, _ = folder_of(spec, tmp_path, "armature")
    model = mujoco.MjModel.from_xml_path(str(file))
    for body in spec.bodies:
        if body.rotor:
            expected = body.rotor.gear_ratio**2 * axial_inertia(body.rotor)
            assert model.dof_armature[model.joint(body.joint.name).dofadr[0]] == expected
    assert model.neq == 0


def test_nearest_inertia_is_written_with_the_true_one_in_a_comment() -> None:
    text = mjcf_text(load("mini_cheetah"))
    assert text.count("xx 0.001983, xy 0.000245, xz 1.3e-05, yy 0.002103, yz 1.5e-06, zz 0.000408 kg m^2") == 2
    assert text.count("xx 0.001983, xy -0.000245, xz 1.3e-05, yy 0.002103, yz -1.5e-06, zz 0.000408 kg m^2") == 2
    assert [compiler.get("balanceinertia") for compiler in ET.fromstring(text).findall("compiler")] == [None]


def test_unknown_way_to_write_rotors() -> None:
    with pytest.raises(ValueError, match="use one of bodies, armature"):
        mjcf_text(load("box"), "massless")


ODD = "<&>\"' -- \u00e9\u03b8\u6f22/\\"


def odd_spec() -> RobotSpec:
    """Every kind of joint, a massless fixed link, and names that XML must escape."""
    solid = Inertia(1.0, (0.1, 0.0, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, 0.02))
    spec = RobotSpec(ODD, source="a -- b -\n-->", description="--")
    spec = add_body(spec, f"a{ODD}", joint=Joint(f"ja{ODD}", JointType.FREE), inertia=solid, source="-->")
    slide = Joint(f"jb{ODD}", JointType.PRISMATIC, (0.0, 0.0, 1.0), damping=1.0)
    spec = add_body(spec, f"b{ODD}", parent=f"a{ODD}", joint=slide, inertia=solid)
    ball = Joint(f"jc{ODD}", JointType.BALL)
    spec = add_body(spec, f"c{ODD}", parent=f"b{ODD}", joint=ball, inertia=solid, placement=Placement((0.0, 0.0, -0.0)))
    fixed = Joint(f"jd{ODD}", JointType.FIXED)
    shapes = (Shape("box", (1, 2, 3), collides=True), Shape("sphere", (0.5,)), Shape("cylinder", (0.1, 0.4)))
    spec = add_body(spec, f"d{ODD}", parent=f"c{ODD}", joint=fixed, inertia=Inertia(0.0), shapes=shapes)
    return add_contact_point(spec, f"d{ODD}_visual_0", f"d{ODD}", (0.0, 0.0, 0.1), radius=0.1)


def test_odd_names_stay_well_formed_and_load(tmp_path: Path) -> None:
    file, scene = folder_of(odd_spec(), tmp_path)
    for model in (mujoco.MjModel.from_xml_path(str(path)) for path in (file, scene)):
        assert [model.joint(i).name for i in range(3)] == [f"j{c}{ODD}" for c in "abc"]
        assert model.geom(f"d{ODD}_visual_0_").bodyid[0] == model.body(f"d{ODD}").id  # the foot has the name first
    other = pin.buildModelFromMJCF(str(file))
    assert list(other.names)[1:] == [f"j{c}{ODD}" for c in "abc"]
    assert ET.fromstring(file.read_text(encoding="utf-8")).get("model") == ODD


@pytest.mark.parametrize("name", ["main", "joint", "visual", "foot"])
def test_robot_may_be_called_like_a_class(name: str) -> None:
    mujoco.MjModel.from_xml_string(mjcf_text(dataclasses.replace(load("pupper_leg"), name=name)))


def test_shapes_are_half_lengths() -> None:
    model = mujoco.MjModel.from_xml_string(mjcf_text(odd_spec()))
    assert tuple(model.geom(f"d{ODD}_collision_0").size) == (0.5, 1.0, 1.5)
    assert tuple(model.geom(f"d{ODD}_visual_2").size) == (0.1, 0.2, 0.0)


def test_robot_without_torque_has_a_motor_without_effect() -> None:
    spec = load("mini_cheetah")
    idle = tuple(dataclasses.replace(actuator, torque_limit=0.0) for actuator in spec.actuators)
    model = mujoco.MjModel.from_xml_string(mjcf_text(dataclasses.replace(spec, actuators=idle)))
    assert model.nu == 12
    assert not model.actuator_gear.any()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_reads_back_as_the_same_float(value: float) -> None:
    assert float(number(value)) == value
    assert not number(value).endswith(".0")


def test_number_writes_whole_numbers_and_zero_plainly() -> None:
    assert [number(v) for v in (0.0, -0.0, 1.0, -2, 0.1, 1e-5, 1e300)] == ["0", "0", "1", "-2", "0.1", "1e-05", "1e+300"]
