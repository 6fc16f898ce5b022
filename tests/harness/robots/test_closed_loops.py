"""Closed loops and coupled joints of files: against MuJoCo's own efc_J of the file, and against laws that need no engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.linalg import null_space

import leapcheck as lc
import leapcheck_reference as reference
from leapcheck.engines.file_engines import FileRequest
from leapcheck.engines.pinocchio import constraints
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import QuantityGroup, names_of_group, sizes
from leapcheck.robots.load import read_robot_file
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import Coupling, LoopType, open_tree
from tests.harness.robots.loop_files import CONNECT, EVERY_KIND, WELD, four_bar
from tests.harness.robots.near import near_states

EXACT = 2e-14
"""Largest difference of rows and their rates from MuJoCo's, absolute; measured 2e-15."""

SOLVED = 1e-11
"""Largest relative difference of accelerations; measured 4e-13, the loops' inertias differ a hundredfold."""

LAW = 1e-9
"""Largest relative force or acceleration that breaks a law; measured 1e-11 where a loop is nearly singular."""

CONSTRAINED = names_of_group(QuantityGroup.CONSTRAINTS)

FILES = {
    "every kind": EVERY_KIND,
    "planar, connect, floats": four_bar(CONNECT),
    "planar, connect, fixed": four_bar(CONNECT, "", "20 30 40"),
    "planar, weld, floats": four_bar(WELD),
    "planar, weld, fixed": four_bar(WELD, "", "20 30 40"),
}

Read = Callable[[str], ImportedRobot]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads the text of an MJCF."""

    def imported(text: str) -> ImportedRobot:
        (tmp_path / "robot.xml").write_text(text)
        robot = read_robot_file(str(tmp_path / "robot.xml"))
        assert robot is not None
        return robot

    return imported


def off(found: Floats, right: Floats) -> float:
    return float(np.abs(found - right).max() / max(1.0, np.abs(right).max()))


@pytest.mark.parametrize("case", FILES)
def test_rows_and_dynamics_are_those_of_mujoco_on_the_file(case: str, read: Read) -> None:
    robot = read(FILES[case])
    states = near_states(robot.spec, 16)
    engine = FileRequest("mujoco-file", robot).build()
    own = ReferenceEngine(robot.spec).evaluate(states, CONSTRAINED)
    answers = engine.evaluate(states, CONSTRAINED)
    for name, limit in zip(CONSTRAINED, (EXACT, EXACT, SOLVED), strict=True):
        assert off(answers[name], own[name]) < limit, name


@pytest.mark.parametrize("case", FILES)
def test_rows_and_dynamics_are_those_of_pinocchio(case: str, read: Read) -> None:
    """Rows of its frames; for loops of connects alone its own constraintDynamics."""
    spec = read(FILES[case]).spec
    states = near_states(spec, 16)
    own, answers = (engine.evaluate(states, CONSTRAINED) for engine in (ReferenceEngine(spec), make_engine("pinocchio", spec)))
    for name, limit in zip(CONSTRAINED, (EXACT, EXACT, SOLVED), strict=True):
        assert off(answers[name], own[name]) < limit, name


def test_pinocchio_solves_loops_of_connects_itself(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its solver planted wrong: the answers are wrong."""
    spec = read(four_bar(CONNECT)).spec
    states = near_states(spec, 4)
    right = ReferenceEngine(spec).evaluate(states, CONSTRAINED)["constrained_forward_dynamics"]
    monkeypatch.setattr(constraints.pin, "constraintDynamics", lambda *_: np.zeros(spec.nv))
    wrong = make_engine("pinocchio", spec).evaluate(states, CONSTRAINED)["constrained_forward_dynamics"]
    assert off(wrong, right) > 0.1
    assert "constraintDynamics" in make_engine("pinocchio", spec).route


def test_a_connect_is_the_raw_row_of_mujoco(read: Read) -> None:
    """Without any code of leapcheck's but the file's names: efc_J of a loaded model, at MuJoCo's own coordinates."""
    spec = read(EVERY_KIND).spec
    m = mujoco.MjModel.from_xml_string(EVERY_KIND)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(0)
    d.qpos[:] = rng.uniform(-1.0, 1.0, m.nq)
    for start in (3, 8):  # the base's quaternion and that of the ball
        d.qpos[start : start + 4] /= np.linalg.norm(d.qpos[start : start + 4])
    mujoco.mj_fwdPosition(m, d)
    J = d.efc_J.reshape(-1, m.nv)[d.efc_id == m.equality("sites").id][:3]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, d.qpos[3:7])
    T = np.eye(m.nv)  # canonical v = [w_B, v_B] of the base to MuJoCo's [v_W, w_B]
    T[:6, :6] = 0.0
    T[:3, 3:6], T[3:6, :3] = R.reshape(3, 3), np.eye(3)
    rows = reference.constraint_jacobian(reference.build(spec), d.qpos)
    np.testing.assert_allclose(rows[6:9], -J @ T, atol=EXACT)


@pytest.mark.parametrize("case", FILES)
def test_laws(case: str, read: Read) -> None:
    """J v is the speed at which the anchors part; Jdot v its rate; the rows are kept; nothing but their forces acts."""
    spec = read(FILES[case]).spec
    tree, states = reference.build(spec), near_states(spec, 8)
    for q, v, tau in zip(states.q, states.v, states.tau, strict=True):
        J, bias = reference.constraint_jacobian(tree, q), reference.constraint_bias(tree, q, v)
        assert J.shape == (sizes(spec).constraints, spec.nv)
        vdot = reference.constrained_forward_dynamics(tree, q, v, tau)
        force = reference.mass_matrix(tree, q) @ vdot + reference.bias_force(tree, q, v) - tau
        scale = max(1.0, float(np.abs(force).max()))
        assert np.abs(null_space(J, rcond=1e-9).T @ force).max(initial=0.0) < LAW * scale
        if np.linalg.matrix_rank(J, 1e-9) == len(J):  # dependent rows may contradict each other in an open loop
            assert np.abs(J @ vdot + bias).max() < LAW * max(1.0, float(np.abs(vdot).max()))


def test_what_is_read(read: Read) -> None:
    robot = read(EVERY_KIND)
    spec = robot.spec
    assert [(loop.name, loop.type, loop.body1, loop.body2) for loop in spec.loops] == [
        ("weld", LoopType.WELD, "b", "e"),
        ("sites", LoopType.CONNECT, "b", "d"),
        ("world", LoopType.CONNECT, "d", "world"),
    ]
    (cam,) = spec.couplings
    assert (cam.name, cam.joint, cam.leader) == ("cam", "jf", "jc")
    x, x0 = 0.3, np.deg2rad(20.0)
    right = sum(c * (x - x0) ** k for k, c in enumerate((0.1, 0.5, 0.3, 0.2, 0.7)))
    assert sum(c * x**k for k, c in enumerate(cam.coefficients)) == pytest.approx(right, abs=1e-15)
    words = [(f.rule, f.place) for f in robot.findings]
    assert ("closed loops", "3 closed loops") in words
    assert ("equality", "1 equality constraint") in words


def test_a_closed_planar_loop_moves_as_its_one_degree_of_freedom(read: Read) -> None:
    """A closed parallelogram on a fixed base: one dof, whose equation Lagrange gives; its rows have rank 2 of 3."""
    spec = read(four_bar(CONNECT, "")).spec
    tree = reference.build(spec)
    angle, speed = 0.4, 0.7
    q, v = np.array([angle, -angle, angle]), np.array([speed, -speed, speed])  # the rod does not turn
    J = reference.constraint_jacobian(tree, q)
    assert np.linalg.matrix_rank(J, 1e-9) == 2
    np.testing.assert_allclose(J @ v, 0.0, atol=1e-15)
    vdot = reference.constrained_forward_dynamics(tree, q, v, np.zeros(3))
    # two bars of 0.5 kg, com 0.1 m below their joints, and a rod that moves along, 0.2 m below
    inertia = 2 * (0.0021 + 0.5 * 0.1**2) + 0.5 * 0.2**2
    torque = -9.81 * np.sin(angle) * (2 * 0.5 * 0.1 + 0.5 * 0.2)
    np.testing.assert_allclose(vdot, np.array([1.0, -1.0, 1.0]) * torque / inertia, rtol=1e-12)


@pytest.mark.parametrize("case", FILES)
def test_our_own_mjcf_holds_the_constraints(case: str, read: Read) -> None:
    """Read again they are the same, also where a loop is open at zero."""
    spec = read(FILES[case]).spec
    again = read(mjcf_text(spec)).spec
    assert [replace(loop, point1=(0.0, 0.0, 0.0)) for loop in again.loops] == [
        replace(loop, point1=(0.0, 0.0, 0.0)) for loop in spec.loops
    ]
    for loop, other in zip(spec.loops, again.loops, strict=True):
        np.testing.assert_allclose(other.point1, loop.point1, atol=1e-16)
    assert again.couplings == spec.couplings


MIMIC = """
<robot name="hand">
  <link name="palm"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
  <link name="b"><inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
  <joint name="first" type="revolute"><parent link="palm"/><child link="a"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="second" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><origin xyz="0.1 0.2 0.3"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="first" multiplier="-2" offset="0.5"/></joint>
</robot>
"""


def test_a_mimic_of_a_urdf_moves_as_one_degree_of_freedom(tmp_path: Path) -> None:
    """M and h projected on the leader, N^T M N and N^T (h - tau), give its acceleration; MuJoCo has the row."""
    (tmp_path / "hand.urdf").write_text(MIMIC)
    robot = read_robot_file(str(tmp_path / "hand.urdf"))
    assert robot is not None
    states, tree = near_states(robot.spec, 4), reference.build(robot.spec)
    N = np.array([1.0, -2.0])
    for q, v, tau in zip(states.q, states.v, states.tau, strict=True):
        M, h = reference.mass_matrix(tree, q), reference.bias_force(tree, q, v)
        vdot = reference.constrained_forward_dynamics(tree, q, v, tau)
        np.testing.assert_allclose(vdot, N * (N @ (tau - h)) / (N @ M @ N), rtol=1e-11)
    rows = FileRequest("mujoco-file", robot).build().evaluate(states, CONSTRAINED)["constraint_jacobian"]
    np.testing.assert_array_equal(rows, np.broadcast_to([[2.0, 1.0]], rows.shape))


def test_a_coupled_joint_is_an_exact_gear(read: Read) -> None:
    """A leaf tied to the joint beside it with a constant ratio moves as the rotor that it is."""
    spec = load("mini_cheetah")
    full, gears = with_rotor_bodies(spec)
    rotors = {body.rotor.name: body for body in spec.bodies if body.rotor}
    ties = tuple(
        Coupling(b.name, b.joint.name, rotors[b.name].joint.name, (0.0, rotors[b.name].rotor.gear_ratio))
        for b in full.bodies
        if b.name in rotors
    )
    states: States = near_states(spec, 4)
    tied = reference.build(replace(full, couplings=ties))
    for q, v, tau in zip(states.q, states.v, states.tau, strict=True):
        joints = np.linalg.lstsq(gears.T, tau, rcond=None)[0]
        vdot = reference.constrained_forward_dynamics(tied, with_rotor_coordinates(spec, q), gears @ v, joints)
        right = gears @ reference.forward_dynamics(reference.build(spec), q, v, tau)
        np.testing.assert_allclose(vdot, right, rtol=1e-9, atol=1e-9 * np.abs(right).max())


@pytest.mark.parametrize("has_loop", [True, False])
def test_the_report_says_that_soft_constraints_are_not_compared(has_loop: bool, read: Read) -> None:
    spec = read(four_bar(CONNECT)).spec
    run = lc.compare(spec if has_loop else open_tree(spec), engines=("reference", "pinocchio"), states=8)
    assert any("solref" in line for line in run.not_compared) is has_loop
