"""What befalls robots in MuJoCo's files and on the way there: six digits, balanced inertias, a base held fast, no armature."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import mujoco
import pytest

from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck.versions.routes import fuse_fixed_links
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_models.urdf import urdf_text
from tests.real_defects.file_engines import RawUrdf, in_mujoco, urdf_in_mujoco
from tests.real_defects.full_diagnosis import assert_named, diagnose_all
from tests.real_defects.mjcf_features import arm, floating


def last_xml(spec: RobotSpec, folder: Path, digits: int = 6) -> str:
    """Saved by mj_saveLastXML."""
    del digits
    path = folder / "saved.xml"
    mujoco.mj_saveLastXML(str(path), mujoco.MjModel.from_xml_string(mjcf_text(spec)))
    return path.read_text()


def spec_xml(spec: RobotSpec, _folder: Path, digits: int = 6) -> str:
    """MjSpec.to_xml, with six digits or all."""
    description = mujoco.MjSpec.from_string(mjcf_text(spec))
    if digits > 6:
        description.compiler.savecompiled = False
    description.compile()
    return str(description.to_xml())


@pytest.mark.parametrize("saved", [last_xml, spec_xml])
@pytest.mark.parametrize("robot", [arm, floating])
def test_six_digits(saved: Callable[..., str], robot: Callable[[], RobotSpec], tmp_path: Path) -> None:
    spec = robot()
    found = diagnose_all(spec, in_mujoco(spec, saved(spec, tmp_path)))
    assert_named(found, ("digits/six",), "six digits only")


def test_all_digits_are_right(tmp_path: Path) -> None:
    spec = floating()
    assert not diagnose_all(spec, in_mujoco(spec, spec_xml(spec, tmp_path, digits=17))).deviating


def test_raw_urdf_has_its_base_fixed() -> None:
    """google-deepmind/mujoco#1176: the base becomes the world, and its mass is lost."""
    spec = floating()
    found = diagnose_all(spec, RawUrdf(spec, fuse_fixed_links(urdf_text(spec))))
    assert_named(found, ("locked/trunk_joint",), "the base trunk is fixed to the world", "its mass is lost")


def test_armature_forgotten() -> None:
    """openai/mujoco-py#796."""
    spec = arm()
    with_armature = [replace(b, joint=replace(b.joint, armature=0.01 * (i + 1))) for i, b in enumerate(spec.bodies)]
    spec = replace(spec, bodies=tuple(with_armature))
    text, count = re.subn(' armature="[^"]*"', "", mjcf_text(spec))
    assert count
    assert_named(diagnose_all(spec, in_mujoco(spec, text)), ("armature/left-out",), "the armature of every joint is left out")


class QuaternionFromPinocchio:
    """MuJoCo given states whose quaternions stand as x, y, z, w."""

    name, version, route = "mujoco", mujoco.__version__, "quaternions as Pinocchio orders them"

    def __init__(self, engine: MujocoEngine) -> None:
        self._engine, self.quantities = engine, engine.quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        q = states.q.copy()
        q[:, 3:7] = states.q[:, [4, 5, 6, 3]]
        return self._engine.evaluate(replace(states, q=q), quantities)


def test_quaternions_xyzw_for_wxyz() -> None:
    spec = floating()
    found = diagnose_all(spec, QuaternionFromPinocchio(in_mujoco(spec, mjcf_text(spec))))
    assert_named(found, found.names, "x, y, z, w")
    assert found.names[0].startswith("quaternion/"), found


@pytest.mark.slow
def test_armature_forgotten_beside_unreal_inertias() -> None:
    """Two faults of one file at once."""
    spec = load("mini_cheetah_armature")
    found = diagnose_all(spec, in_mujoco(spec, re.sub(' armature="[^"]*"', "", mjcf_text(spec))))
    assert set(found.names) == {"armature/left-out", "inertia/nearest"}, found
    assert not found.unexplained


@pytest.mark.slow
def test_balanced_inertias_of_the_mini_cheetah() -> None:
    """RobotLocomotion/drake#16058: no body has the hips' inertia; MuJoCo's balanceinertia takes the moments' mean."""
    spec = load("mini_cheetah")
    found = diagnose_all(spec, in_mujoco(spec, urdf_in_mujoco(spec, urdf_text(spec))))
    assert_named(found, ("inertia/balanced",), "FR_hip", "balanceinertia")


@pytest.mark.slow
def test_six_digits_of_a_robot_with_unreal_inertias(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    found = diagnose_all(spec, in_mujoco(spec, last_xml(spec, tmp_path)))
    assert_named(found, ("digits/six:nearest",), "six digits only", "nearest realisable inertia")
