"""The table of public robots: what a row says, that a fault of the importer would show, and what counts as a change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.robots.load import read_robot_file
from leapcheck_evidence.peers.file_dynamics import (
    Dynamics,
    OtherJointsError,
    mujoco_dynamics,
    pinocchio_dynamics,
    scale_free_errors,
)
from leapcheck_evidence.public_robots.__main__ import PublicRobotsCommand
from leapcheck_evidence.public_robots.changes import changes
from leapcheck_evidence.public_robots.files import kind_of, robot_files
from leapcheck_evidence.public_robots.record import PublicRobots, from_json
from leapcheck_evidence.public_robots.row import joint_columns, public_robot
from leapcheck_evidence.public_robots.show import page, reason_class
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_text
from tests.harness.robots.files import INERTIAL, MULTI, URDF
from tests.harness.robots.near import near_states

ROUNDING = 1e-12  # measured: 2.4e-15
WRONG = 1e-6


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def errors(spec: RobotSpec, path: Path, engine: str) -> tuple[float, float]:
    states = near_states(spec, 4)
    answers = ReferenceEngine(spec).evaluate(states, ("mass_matrix", "bias_force"))
    dynamics = {"mujoco": mujoco_dynamics, "pinocchio": pinocchio_dynamics}[engine]
    straight = dynamics(path, joint_columns(spec), states.q, states.v)
    return scale_free_errors(Dynamics(answers["mass_matrix"], answers["bias_force"]), straight)


@pytest.mark.parametrize(
    ("text", "name", "engine"),
    [
        (MULTI.replace('<joint joint1="hx" joint2="hy"/>', ""), "multi.xml", "mujoco"),
        (mjcf_text(load("mini_cheetah_armature")), "cheetah.xml", "pinocchio"),
        (urdf_text(load("mini_cheetah")), "cheetah.urdf", "pinocchio"),  # rotors mimic, and are projected away
        (URDF, "little.urdf", "mujoco"),
        (URDF, "little.urdf", "pinocchio"),
    ],
)
def test_m_and_h_straight_from_the_file_are_those_of_the_tree(text: str, name: str, engine: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, text)
    found = read_robot_file(str(path))
    assert found is not None
    assert max(errors(found.spec, path, engine)) <= ROUNDING
    base, *others = found.spec.bodies
    heavier = replace(base, inertia=replace(base.inertia, mass=1.001 * base.inertia.mass))
    spec = replace(found.spec, bodies=(heavier, *others))
    assert max(errors(spec, path, engine)) > WRONG


def test_a_joint_that_the_tree_lacks_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "little.urdf", URDF)
    with pytest.raises(OtherJointsError, match="a joint 'z_first' that the tree lacks"):
        mujoco_dynamics(path, [], np.zeros((1, 0)), np.zeros((1, 0)))


def test_rows_say_what_became_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "pack/arm/little.urdf", URDF)
    write(tmp_path, "pack/arm/bad.urdf", "<robot name='r'/>")
    write(tmp_path, "pack/arm/package.xml", "<package/>")
    out = tmp_path / "table"
    assert PublicRobotsCommand(folder=tmp_path, out=out).run() == 0
    assert [path.name for path in robot_files(tmp_path)] == ["bad.urdf", "little.urdf"]
    table = from_json(out.with_suffix(".json").read_text(), "table")
    bad, little = table.robots
    assert bad.refused == "<robot> has 0 links: give 1 to 2000"
    assert "does not contain a valid URDF" in bad.pinocchio.refused
    assert (little.dof, little.base, little.mujoco.quantities, little.pinocchio.quantities) == (8, "floating", 12, 12)
    assert max(little.mujoco.error_M or 1.0, little.pinocchio.error or 1.0) <= ROUNDING
    assert little.mujoco.changes == ("base mass", "fusestatic", "total mass")
    assert little.pinocchio.changes == ("order",)
    assert "| pack/arm/little.urdf | floating |" in out.with_suffix(".md").read_text()
    assert out.with_suffix(".csv").read_text().startswith("file,kind,refused,")
    better = replace(table, robots=(bad, replace(little, mujoco=replace(little.mujoco, error_h=0.1))))
    assert list(changes(table, table)) == []
    (line,) = changes(better, table)
    assert line.startswith("pack/arm/little.urdf: read, MuJoCo differs")
    again = PublicRobotsCommand(folder=tmp_path, only="bad", against=out.with_suffix(".json"))
    assert again.run() == 0
    assert "no file changed" in capsys.readouterr().err
    kept = PublicRobotsCommand(folder=tmp_path, keep=out.with_suffix(".json"), again=("bad",), skip="package")
    assert kept.run() == 0
    assert "1/1 pack/arm/bad.urdf" in capsys.readouterr().err


def test_kinds_and_reasons() -> None:
    assert kind_of("arm/robots/go2_description/go2.urdf") == "quadruped"
    assert kind_of("x/franka_panda/panda.xml") == "arm"
    assert kind_of("x/cube.urdf") == "other"
    assert reason_class("it has 0 bodies: give 1 to 2000") == "holds no robot that moves"
    assert next(iter(page(PublicRobots("x", (), ())))) == "# Public robots"


def test_a_row_of_what_no_engine_loads(tmp_path: Path) -> None:
    row = public_robot(
        write(tmp_path, "x/none.xml", "<mujoco><worldbody><body name='a' foo='1'/></worldbody></mujoco>"), tmp_path
    )
    assert "unrecognized attribute" in row.refused
    assert "unrecognized attribute" in row.mujoco.refused


def test_the_committed_table_has_robots_of_each_kind_and_no_failure_of_leapcheck() -> None:
    folder = Path(__file__).parents[2] / "reports"
    table = from_json((folder / "public_robots.json").read_text("utf-8"), "reports/public_robots.json")
    assert "\n".join(page(table)) + "\n" == (folder / "public_robots.md").read_text("utf-8")
    read = [robot for robot in table.robots if not robot.refused]
    assert len(read) >= 300
    assert all(sum(robot.kind == kind for robot in read) >= 30 for kind in ("quadruped", "humanoid", "arm", "hand"))
    assert not [robot.file for robot in table.robots if robot.refused.startswith("BROKEN")]
    agree = [r for r in read if r.kind == "quadruped" and r.mujoco.quantities == r.pinocchio.quantities == 12]
    assert sum(max(r.mujoco.error or 0.0, r.pinocchio.error or 0.0) <= 1e-9 for r in agree) >= 15
    checks = [(robot, check) for robot in read for check in (robot.mujoco, robot.pinocchio)]
    assert not [robot.file for robot, check in checks if check.differs and not (check.why or check.unchecked)]
    wrong = [robot for robot in read if robot.verdict == "discrepancy"]
    assert len(wrong) <= 12
    assert not [robot.file for robot in wrong if not (robot.mujoco.why or robot.pinocchio.why)]


def test_a_load_that_differs_has_its_reason(tmp_path: Path) -> None:
    """A foot that MuJoCo gives a mass; the same file is right in Pinocchio."""
    box = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    file = write(tmp_path, "pack/arm/little.urdf", URDF.replace(f'"tool">{INERTIAL}', f'"tool">{box}'))
    row = public_robot(file, tmp_path)
    assert "links without inertia (tool) get one of their geometry" in row.mujoco.why
    assert row.mujoco.differs
    assert not row.pinocchio.differs
    assert not row.pinocchio.why
