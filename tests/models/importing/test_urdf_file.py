"""URDF files read into specs: the dynamics survives the way out and back, joints of every kind, findings by their rule."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from leapcheck_models.importing.urdf_file import plane, read_urdf
from leapcheck_models.robots import load
from leapcheck_models.spec import JointType, Placement, RobotSpec
from leapcheck_models.urdf import urdf_text
from leapcheck_reference import bias_force, build, mass_matrix

pytestmark = pytest.mark.quick

ROBOTS = ("mini_cheetah", "two_link_arm", "tree4_2", "tree4_9", "box")  # without armature, which URDF has no word for
ROUNDING = 1e-12  # of the largest entry; measured: 6e-16, rpy and back


def generic_state(spec: RobotSpec) -> tuple[np.ndarray, np.ndarray]:
    """A bent, tilted and fast state."""
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1.0, 1.0, spec.nq), rng.uniform(-1.0, 1.0, spec.nv)
    start = 0
    for body in spec.bodies:
        if body.joint.type in (JointType.FREE, JointType.BALL):
            begin = start + (3 if body.joint.type is JointType.FREE else 0)
            q[begin : begin + 4] /= np.linalg.norm(q[begin : begin + 4])
            start = begin + 4
        else:
            start += body.joint.type is not JointType.FIXED
    return q, v


def read(text: str, folder: Path, base: str = "") -> RobotSpec:
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return read_urdf(f"{path}{base}").spec


def same_dynamics(a: RobotSpec, b: RobotSpec) -> None:
    assert (a.nq, a.nv) == (b.nq, b.nv)
    q, v = generic_state(a)
    for function, arguments in ((mass_matrix, (q,)), (bias_force, (q, v))):
        of_a, of_b = (np.asarray(function(build(spec), *arguments)) for spec in (a, b))
        assert np.abs(of_a - of_b).max() <= ROUNDING * np.abs(of_a).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics_survives_the_way_out_and_back(name: str, tmp_path: Path) -> None:
    spec = load(name)
    same_dynamics(spec, read(urdf_text(spec), tmp_path))


def test_rotors_come_back_as_rotors(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    back = read(urdf_text(spec), tmp_path)
    points = {point.name for point in spec.contact_points}  # links of the file
    assert [body.name for body in back.bodies if body.name not in points] == [body.name for body in spec.bodies]
    rotors = {body.name: body.rotor.gear_ratio for body in spec.bodies if body.rotor}
    assert {body.name: body.rotor.gear_ratio for body in back.bodies if body.rotor} == rotors
    assert len(rotors) == 12


def test_limits_and_drives_come_back(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    back = read(urdf_text(spec), tmp_path)
    limits = {body.joint.name: (body.joint.limits, body.joint.damping, body.joint.friction) for body in spec.bodies}
    for body in (body for body in back.bodies if body.joint.axis):
        assert (body.joint.limits, body.joint.damping, body.joint.friction) == limits[body.joint.name]
    torque = {actuator.joint: actuator.torque_limit for actuator in spec.actuators}
    assert {actuator.joint: actuator.torque_limit for actuator in back.actuators} == torque


INERTIAL = (
    '<inertial><origin xyz="0.1 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial>'
)


def two_links(kind: str = "revolute", inside: str = "", root: str = "", root_name: str = "base", outside: str = "") -> str:
    """A URDF of a root and one link on a joint."""
    joint = f'<joint name="j" type="{kind}"><parent link="{root_name}"/><child link="tip"/>{inside}</joint>'
    return f'<robot name="r"><link name="{root_name}">{root}</link><link name="tip">{INERTIAL}</link>{joint}{outside}</robot>'


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", [JointType.REVOLUTE]),
        ("continuous", [JointType.REVOLUTE]),
        ("prismatic", [JointType.PRISMATIC]),
        ("spherical", [JointType.BALL]),
        ("planar", [JointType.PRISMATIC, JointType.PRISMATIC, JointType.REVOLUTE]),
        ("floating", [JointType.FREE]),
        ("fixed", [JointType.FIXED]),
    ],
)
def test_every_type_of_joint(kind: str, expected: list[JointType], tmp_path: Path) -> None:
    spec = read(two_links(kind), tmp_path, "#fixed")
    assert [body.joint.type for body in spec.bodies] == [JointType.FIXED, *expected]


def test_a_planar_joint_moves_in_its_plane_and_turns_about_its_normal(tmp_path: Path) -> None:
    spec = read(two_links("planar", '<origin xyz="1 2 3"/><axis xyz="0.6 0 0.8"/>'), tmp_path)
    x, y, turn = spec.bodies[1:]
    assert [body.inertia.mass for body in (x, y, turn)] == [0.0, 0.0, 2.0]
    assert (x.placement.p, y.placement, turn.placement) == ((1.0, 2.0, 3.0), Placement(), Placement())
    axes = np.array([x.joint.axis, y.joint.axis, turn.joint.axis])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert turn.joint.axis == (0.6, 0.0, 0.8)
    assert plane((0.0, 0.0, 1.0)) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    M = np.asarray(mass_matrix(build(spec), np.zeros(3)))
    np.testing.assert_allclose(M[:2, :2], 2.0 * np.eye(2), atol=1e-15)


@pytest.mark.parametrize(
    ("text", "base", "floats"),
    [
        (two_links(root=INERTIAL), "", True),
        (two_links(root=INERTIAL), "#fixed", False),
        (two_links(), "", False),
        (two_links(), "#floating", True),
        (two_links(root=INERTIAL, root_name="world"), "", False),
        (two_links("floating", root=INERTIAL), "", False),
    ],
)
def test_the_base(text: str, base: str, floats: bool, tmp_path: Path) -> None:
    spec = read(text, tmp_path, base)
    assert (spec.bodies[0].name == "base" and spec.bodies[0].joint.type is JointType.FREE) == floats


def test_gravity_of_the_extension(tmp_path: Path) -> None:
    extension = '<mujoco><option gravity="0 1 -2"/></mujoco>'
    assert read(two_links(outside=extension), tmp_path).gravity == (0.0, 1.0, -2.0)
    assert read(two_links(), tmp_path).gravity == (0.0, 0.0, -9.81)


def test_a_base_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"robot.urdf': '#flying' is no base: write #floating or #fixed"):
        read(two_links(), tmp_path, "#flying")


def leader_and(follower: str, type_: str = "continuous", behind: str = "", parent: str = "base") -> str:
    """Two joints on the base, the second mimics the first."""
    ends = f'<parent link="{parent}"/><child link="m"/>'
    second = f'<joint name="mj" type="{type_}">{ends}{follower}</joint>'
    return two_links(root=INERTIAL, outside=f'<link name="m">{INERTIAL}</link>{second}{behind}')


def test_an_exact_mimic_is_a_rotor_with_its_offset(tmp_path: Path) -> None:
    spec = read(leader_and('<axis xyz="0 0 1"/><mimic joint="j" multiplier="-3" offset="0.5"/>'), tmp_path)
    rotor = spec.bodies[-1].rotor
    assert rotor is not None
    assert (rotor.name, rotor.gear_ratio, rotor.axis) == ("m", -3.0, (0.0, 0.0, 1.0))
    assert rotor.placement.quaternion == pytest.approx((np.cos(0.25), 0.0, 0.0, np.sin(0.25)))


LEAF = '<link name="leaf"/><joint name="lj" type="fixed"><parent link="m"/><child link="leaf"/></joint>'


@pytest.mark.parametrize(
    "text",
    [
        leader_and('<mimic joint="j"/>', "prismatic"),
        leader_and('<mimic joint="j"/>', behind=LEAF),
        leader_and('<mimic joint="j"/>', parent="tip"),
    ],
)
def test_any_other_mimic_is_a_dof_of_its_own_with_a_constraint_and_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    imported = read_urdf(path)
    assert "m" in [body.name for body in imported.spec.bodies]
    assert not any(body.rotor for body in imported.spec.bodies)
    (finding,) = (f for f in imported.findings if f.rule == "mimic")
    assert (finding.severity, finding.place) == ("note", "joint 'mj'")
    (tie,) = imported.spec.couplings
    assert (tie.joint, tie.leader, tie.coefficients) == ("mj", "j", (0.0, 1.0))


def test_an_inertia_that_no_body_has_is_kept(tmp_path: Path) -> None:
    spec = read(two_links().replace('ixx="0.02"', 'ixx="-0.01"'), tmp_path)
    inertia = spec.bodies[-1].inertia
    assert not inertia.realisable
    xx, _, _, yy, _, zz = inertia.rotational
    assert xx + yy + zz == pytest.approx(0.06)


SPHERE = '<collision><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.02"/></geometry></collision>'


def test_a_chain_ends_in_a_contact_point(tmp_path: Path) -> None:
    plain = read(two_links(), tmp_path).contact_points
    assert [(p.name, p.body, p.position, p.is_foot) for p in plain] == [("tip_point", "tip", (0.0, 0.0, 0.0), False)]
    foot = read(two_links().replace('<link name="tip">', f'<link name="tip">{SPHERE}'), tmp_path).contact_points
    assert [(p.body, p.position, p.is_foot, p.radius) for p in foot] == [("tip", (0.0, 0.0, -0.1), True, 0.02)]


MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
FINDINGS: dict[str, tuple[str, str, str]] = {
    "axis": (two_links(inside='<axis xyz="0 2 0"/>'), "joint 'j'", "norm 2"),
    "limits": (two_links(inside='<limit lower="1" upper="-1"/>'), "joint 'j'", "leave no way to move"),
    "base": (two_links(root=INERTIAL), "link 'base'", "taken as a floating base, because it has mass"),
    "base mass": (two_links(root=INERTIAL), "link 'base'", "its 2 kg are lost"),
    "fusestatic": (two_links("fixed"), "fixed joints", "fuses 1 links"),
    "planar": (two_links("planar"), "joint 'j'", "three joints"),
    "compiler options": (
        two_links(outside='<mujoco><compiler settotalmass="3"/></mujoco>'),
        "<mujoco><compiler>",
        'settotalmass="3" makes MuJoCo change masses',
    ),
    "missing inertial": (two_links(inside='<axis xyz="1 0 0"/>').replace(INERTIAL, SPHERE), "link 'tip'", "makes a mass"),
    "meshes": (two_links(root=MESH.format("/opt/a.stl")), "link 'base': /opt/a.stl", "absolute paths"),
    "contact points": (two_links(), "robot 'r'", "1 contact point put"),
    "not read": (two_links(outside="<gazebo/>"), "<gazebo>", "is not read"),
    "mimic": (
        two_links(inside='<axis xyz="1 0 0"/><mimic joint="nobody"/>'),
        "joint 'j'",
        "'nobody', which does not exist",
    ),
    "missing mass": (two_links().replace('<mass value="2"/>', ""), "link 'tip'", "its <inertial> has no <mass>: left out"),
}


@pytest.mark.parametrize("rule", FINDINGS)
def test_finding(rule: str, tmp_path: Path) -> None:
    text, place, words = FINDINGS[rule]
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    found = [f for f in read_urdf(path).findings if f.rule == rule and f.place == place and words in f.message]
    assert len(found) == 1, read_urdf(path).findings


def test_a_package_mesh_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(two_links(root=MESH.format("package://robot/a.dae")))
    (finding,) = (f for f in read_urdf(path).findings if f.rule == "meshes")
    assert (finding.severity, finding.place) == ("note", "link 'base': package://robot/a.dae")


def test_the_text_for_engines_refers_to_no_file(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    materials = '<material name="m"><texture filename="/etc/passwd"/></material>'
    path.write_text(
        two_links(root=MESH.format("/etc/passwd") + MESH.format("a.stl").replace("visual", "collision"), outside=materials)
    )
    assert "file" not in read_urdf(path).text


def test_changed_order_of_elements_is_no_change(tmp_path: Path) -> None:
    root = ET.fromstring(urdf_text(load("tree4_7")))
    shuffled = ET.Element("robot", root.attrib)
    shuffled.extend(sorted(root, key=lambda element: element.tag))
    same_dynamics(load("tree4_7"), read(ET.tostring(shuffled, encoding="unicode"), tmp_path))


def test_what_stands_before_the_declaration_and_behind_the_root_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes(b"\n <!-- by hand -->\r\n<?xml version='1.0'?>\n" + two_links().encode() + b"\n\0")
    assert len(read_urdf(path).spec.bodies) == 2


CAPSULE = """
<robot name="r" version="1.2">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="leg">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.025"/></inertial>
    <collision><origin xyz="0 0 -0.2"/><geometry><capsule radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="leg"/><axis xyz="1 0 0"/><origin quat_xyzw="0 0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="3" acceleration="100" deceleration="50" jerk="1000"/>
  </joint>
</robot>
"""


def test_a_capsule_is_a_shape_whose_lower_end_is_the_foot(tmp_path: Path) -> None:
    spec = read(CAPSULE, tmp_path)
    (shape,) = spec.bodies[1].shapes
    assert (shape.kind, shape.size, shape.placement.p) == ("capsule", (0.05, 0.3), (0.0, 0.0, -0.2))
    (point,) = spec.contact_points
    assert point.is_foot
    assert point.position == pytest.approx((0.0, 0.0, -0.35))


@pytest.mark.parametrize(("version", "words"), [("1.2", "MuJoCo passes over"), ("1.0", "no reader takes")])
def test_what_newer_versions_add_is_told(version: str, words: str, tmp_path: Path) -> None:
    text = CAPSULE.replace('version="1.2"', f'version="{version}"').replace("0 0 0 1", "0.6 0 0 0.8")
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    imported = read_urdf(path)
    messages = {finding.rule: finding.message for finding in imported.findings}
    assert words in messages["quaternions"]
    assert "acceleration" in messages["not read"]
    turned = (0.8, 0.6, 0.0, 0.0) if version == "1.2" else (1.0, 0.0, 0.0, 0.0)
    assert imported.spec.bodies[1].placement.quaternion == pytest.approx(turned)


def test_two_turns_of_one_origin_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="joint 'j': its <origin> has quat_xyzw and rpy"):
        read(CAPSULE.replace("<origin quat", '<origin rpy="0 0 0" quat'), tmp_path)


def test_a_floating_joint_off_the_root_is_refused_by_name(tmp_path: Path) -> None:
    ball = '<link name="ball"/><joint name="loose" type="floating"><parent link="leg"/><child link="ball"/></joint></robot>'
    with pytest.raises(ValueError, match="joint 'loose' is floating and does not stand at the origin of the root link"):
        read(CAPSULE.replace("</robot>", ball), tmp_path)
