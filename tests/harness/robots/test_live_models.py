"""Models that are live in memory, of MuJoCo and of Pinocchio, as robots: round trips, and what is refused by name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.pinocchio import build as pinocchio_build
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.robots.load import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec
from tests.harness.robots.near import error, near_states

ROUND_TRIP = 1e-12  # scale-free; measured: 4e-15 (M), 6e-15 (h)
NAMES = ("mass_matrix", "bias_force", "kinetic_energy", "potential_energy")


def mujoco_model(spec: RobotSpec) -> mujoco.MjModel:
    return mujoco_build.model_from_mjcf(spec, spec)


def pinocchio_model(spec: RobotSpec) -> pin.Model:
    model = pinocchio_build.model_by_api(spec)
    pinocchio_build.write_exact_values(spec, model)
    return model


@pytest.mark.parametrize("robot", ["mini_cheetah", "mini_cheetah_armature", "random:1", "random:12", "random:41", "tree4_9"])
@pytest.mark.parametrize("model", [mujoco_model, pinocchio_model])
def test_a_robot_comes_back_from_the_engines_own_model(robot: str, model: Callable[[RobotSpec], Any]) -> None:
    spec = with_rotor_bodies(load(robot)).spec
    again = load(model(spec))
    moving = [[b.joint for b in s.bodies if b.joint.type is not JointType.FIXED] for s in (spec, again)]
    assert [joint.type for joint in moving[0]] == [joint.type for joint in moving[1]]
    assert [joint.armature for joint in moving[0]] == [joint.armature for joint in moving[1]]
    states = near_states(spec, 32)
    true, found = (ReferenceEngine(s).evaluate(states, NAMES) for s in (spec, again))
    for name in NAMES:
        assert error(name, found[name], true[name], true["mass_matrix"]) <= ROUND_TRIP, name


def test_a_spec_is_taken_as_it_is_and_a_path_as_a_file(tmp_path: Path) -> None:
    spec = load("two_link_arm")
    assert load(spec) is spec
    (tmp_path / "arm.xml").write_text("<mujoco><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody></mujoco>")
    assert load(tmp_path / "arm.xml").bodies[0].name == "a"
    with pytest.raises(TypeError, match="a robot is given as int: give a name, a file ending in"):
        load(3)


def test_what_a_live_mujoco_model_was_changed_to_is_read() -> None:
    m = mujoco_model(load("two_link_arm"))
    m.body_mass[1], m.opt.gravity[2] = 7.0, -1.62
    spec = load(m)
    assert (spec.bodies[0].inertia.mass, spec.gravity[2]) == (7.0, -1.62)
    assert spec.name == "two_link_arm"


def test_what_is_left_out_of_a_live_mujoco_model_is_named() -> None:
    text = "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody>"
    m = mujoco.MjModel.from_xml_string(f"{text}<equality><joint joint1='j' active='false'/></equality></mujoco>")
    with pytest.warns(UserWarning, match=r"^MuJoCo model 'MuJoCo Model': 1 equality constraint: not in the comparison"):
        load(m)
    with pytest.raises(ValueError, match=r"^MuJoCo model 'MuJoCo Model': it has 0 bodies"):
        load(mujoco.MjModel.from_xml_string("<mujoco/>"))


def one_joint(joint: pin.JointModel, *, parent: int = 0, placement: pin.SE3 | None = None) -> pin.Model:
    """A model with a hinge where `parent` is 1, and that joint."""
    model = pin.Model()
    model.name = "live"
    here = pin.SE3.Identity()
    for _ in range(parent):
        model.appendBodyToJoint(model.addJoint(0, pin.JointModelRX(), here, "hinge"), pin.Inertia.Random(), here)
    model.appendBodyToJoint(model.addJoint(parent, joint, placement or here, "odd"), pin.Inertia.Random(), here)
    return model


@pytest.mark.parametrize(
    "joint",
    [pin.JointModelRX(), pin.JointModelRZ(), pin.JointModelRUBY(), pin.JointModelPY(), pin.JointModelFreeFlyer(),
     pin.JointModelSpherical(), pin.JointModelRevoluteUnaligned(np.array([0.6, 0.8, 0.0])),
     pin.JointModelPrismaticUnaligned(np.array([0.0, 0.6, 0.8]))],
    ids=lambda joint: joint.shortname(),
)  # fmt: skip
def test_each_joint_of_pinocchio_moves_as_there(joint: pin.JointModel) -> None:
    model = one_joint(joint)
    spec = load(model)
    states = near_states(spec, 8)
    M = ReferenceEngine(spec).evaluate(states, ["mass_matrix"])["mass_matrix"]
    height = ReferenceEngine(spec).evaluate(states, ["potential_energy"])["potential_energy"]
    data, again = model.createData(), pinocchio_model(spec)
    for i, q in enumerate(states.q):
        if model.nq == 2:
            q = np.array([np.cos(q[0]), np.sin(q[0])])
        elif model.nq > 2:
            q = np.r_[q[:-4], q[-3:], q[-4]]
        np.testing.assert_allclose(pin.computePotentialEnergy(model, data, q), height[i], rtol=1e-12, atol=1e-12)
        own = np.triu(pin.crba(model, data, q))
        own += np.triu(own, 1).T
        order = np.r_[3:6, 0:3] if model.nv == 6 else np.arange(model.nv)
        np.testing.assert_allclose(own[np.ix_(order, order)], M[i], rtol=1e-12, atol=1e-12)
    assert again.nv == model.nv


@pytest.mark.parametrize(
    ("joint", "name"),
    [
        (pin.JointModelPlanar(), "Planar"),
        (pin.JointModelSphericalZYX(), "SphericalZYX"),
        (pin.JointModelTranslation(), "Translation"),
        (pin.JointModelHX(0.1), "HX"),
        (pin.JointModelComposite(pin.JointModelRX()), "Composite"),
    ],
    ids=["planar", "zyx", "translation", "helical", "composite"],
)
def test_a_joint_that_no_description_holds_is_named(joint: pin.JointModel, name: str) -> None:
    with pytest.raises(
        ValueError, match=f"^Pinocchio model 'live': joint 'odd' is of type {name}, which no robot description"
    ) as e:
        load(one_joint(joint))
    assert "\n" not in str(e.value)


def test_free_joints_that_stand_elsewhere_are_refused() -> None:
    elsewhere = pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.0]))
    for model in (one_joint(pin.JointModelFreeFlyer(), placement=elsewhere), one_joint(pin.JointModelFreeFlyer(), parent=1)):
        with pytest.raises(ValueError, match="free joint 'odd' does not stand at the world's origin"):
            load(model)


def test_armature_is_the_models_or_that_of_its_rotors() -> None:
    model = one_joint(pin.JointModelRX())
    model.rotorInertia, model.rotorGearRatio = np.array([1e-4]), np.array([10.0])
    assert load(model).bodies[0].joint.armature == pytest.approx(1e-2)
    model.armature = np.array([0.02])  # users copy the one into the other
    assert load(model).bodies[0].joint.armature == 0.02
    ball = one_joint(pin.JointModelSpherical())
    ball.armature = np.full(3, 0.1)
    assert load(ball).bodies[0].joint.armature == 0.1
    ball.armature = np.array([0.1, 0.1, 0.2])
    with pytest.raises(ValueError, match="joint 'odd' is of type Spherical and has the armatures"):
        load(ball)
    free = one_joint(pin.JointModelFreeFlyer())
    free.armature = np.full(6, 0.1)
    with pytest.raises(ValueError, match="a free joint's zero"):
        load(free)


def test_numbers_of_a_pinocchio_model_that_are_none_are_refused() -> None:
    model = one_joint(pin.JointModelRX())
    model.armature = np.array([np.nan])
    with pytest.raises(ValueError, match=r"^Pinocchio model 'live': armature holds a number beyond"):
        load(model)
    model = one_joint(pin.JointModelRX())
    model.inertias[1] = pin.Inertia(np.inf, np.zeros(3), np.eye(3))
    with pytest.raises(ValueError, match="the inertia behind joint 'odd' is not finite"):
        load(model)


def test_limits_drives_and_poses_come_along() -> None:
    spec = load("mini_cheetah_armature")
    model = pinocchio_build.model_from_urdf(spec)
    model.referenceConfigurations["home"] = pin.neutral(model)
    again = load(model)
    joints = {body.joint.name: body.joint for body in again.bodies}
    for body in spec.bodies[1:]:
        assert joints[body.joint.name].limits == body.joint.limits
    assert {drive.joint: drive.torque_limit for drive in again.actuators} == pytest.approx(
        {drive.joint: drive.torque_limit for drive in spec.actuators}
    )
    assert again.pose("home") == (0.0, 0.0, 0.0, 1.0, *(0.0,) * 15)
    assert replace(again, poses=()).nq == spec.nq


def test_a_robot_by_name_needs_no_engine() -> None:
    code = "import sys; from leapcheck.robots.load import load; load('mini_cheetah'); load(load('box'))\n"
    code += "assert not {'mujoco', 'pinocchio', 'scipy', 'pandas'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
