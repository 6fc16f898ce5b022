"""`leapcheck generate`: the files of a robot, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

from leapcheck_models.generate import generated_files
from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec
from leapcheck_reference.trace.c99 import c_files
from leapcheck_reference.trace.c_robot import robot_function
from tests.harness.cli.command_line import Leapcheck, refusal

GENERATED = Path(__file__).parents[3] / "models" / "generated"


@pytest.mark.parametrize("robot", ["mini_cheetah", "tree4_5"])
def test_writes_the_committed_files(leapcheck: Leapcheck, tmp_path: Path, robot: str) -> None:
    result = leapcheck("generate", robot, "--out", "a/b")
    assert (result.status, result.err) == (0, "")
    written = sorted((tmp_path / "a" / "b").iterdir())
    assert sorted(result.out.split()) == [str(path.relative_to(tmp_path)) for path in written]
    assert {path.name: path.read_text() for path in written} == {
        path.name: path.read_text() for path in (GENERATED / robot).iterdir()
    }


def test_rotors_as_armature(leapcheck: Leapcheck, tmp_path: Path) -> None:
    assert leapcheck("generate", "mini_cheetah", "--out", "a", "--rotors", "armature").status == 0
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "a" / "mini_cheetah.xml")).nv == 18
    assert leapcheck("generate", "mini_cheetah", "--out", "b").status == 0
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "b" / "mini_cheetah.xml")).nv == 30


def test_what_urdf_cannot_hold_is_said(leapcheck: Leapcheck, tmp_path: Path) -> None:
    result = leapcheck("generate", "random:3", "--out", "a")
    assert result.status == 0
    assert "no URDF: joint 'joint_1' is a ball joint" in result.out
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["random_3.xml", "scene.xml"]


def test_a_robot_of_ones_own(leapcheck: Leapcheck, tmp_path: Path) -> None:
    spec = load("pupper_leg")
    write_spec(spec, tmp_path / "mine.json")
    assert leapcheck("generate", "mine.json", "--out", ".").status == 0
    for name, text in generated_files(spec).items():
        assert (tmp_path / name).read_text() == text


def test_a_second_time_gives_the_same_files(leapcheck: Leapcheck, tmp_path: Path) -> None:
    leapcheck("generate", "box", "--out", "a")
    before = {path: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    leapcheck("generate", "box", "--out", "a")
    assert {path: path.read_bytes() for path in (tmp_path / "a").iterdir()} == before


def test_c_beside_the_other_files(leapcheck: Leapcheck, tmp_path: Path) -> None:
    result = leapcheck("generate", "two_link_arm", "--out", "a", "--c")
    assert (result.status, result.err) == (0, "")
    written = {path.name: path.read_text() for path in (tmp_path / "a").iterdir()}
    assert written == generated_files(load("two_link_arm")) | c_files(robot_function(load("two_link_arm")))
    assert sorted(result.out.split()) == sorted(f"a/{name}" for name in written)


def test_c_of_chosen_quantities(leapcheck: Leapcheck, tmp_path: Path) -> None:
    assert leapcheck("generate", "box", "--c", "mass_matrix", "--out", "a").status == 0
    assert leapcheck("generate", "box", "-o", "a", "--c", "mass_matrix", "bias_force").status == 0
    assert {path.name for path in (tmp_path / "a").glob("*.[ch]")} == {
        *("box_mass_matrix.h", "box_mass_matrix.c", "box_dynamics.h", "box_dynamics.c")
    }


def test_c_of_groups_as_an_engine(leapcheck: Leapcheck, tmp_path: Path) -> None:
    assert leapcheck("generate", "box", "-o", "a", "--c", "core", "constraints", "--engine").status == 0
    names = {path.name for path in (tmp_path / "a").glob("*.[ch]")}
    assert names == {"box_dynamics.h", "box_dynamics.c", "box_dynamics_engine.c"}
    assert "constraint" not in (tmp_path / "a" / "box_dynamics_engine.c").read_text()
    assert "give --c too" in refusal(leapcheck, tmp_path, "generate", "box", "--out", "b", "--engine")
    assert "unknown quantity 'mujoco'" in refusal(leapcheck, tmp_path, "generate", "box", "--out", "b", "--c", "mujoco")


def test_an_unknown_quantity_is_refused_before_anything_is_written(leapcheck: Leapcheck, tmp_path: Path) -> None:
    assert "unknown quantity 'mass'" in refusal(leapcheck, tmp_path, "generate", "box", "--out", "a", "--c", "mass")
