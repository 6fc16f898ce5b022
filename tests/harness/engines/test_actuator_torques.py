"""Torques of actuators: specs' and files' control laws in-house, in MuJoCo and as extended precision has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.engines.file_engines import FileRequest
from leapcheck.engines.registry import make_engine
from leapcheck.robots.load import read_robot_file
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import ONE_DOF, ControlLaw, RobotSpec, as_json
from leapcheck_models.spec_file import read_spec, write_spec

pytestmark = pytest.mark.quick

TORQUES = "actuator_torques"
ROUNDING = 1e-14  # of the largest entry; measured worst 4e-16


def with_control_laws(robot: str) -> RobotSpec:
    """The robot with a drawn law at each hinge and slide: limits of every kind, two laws at the last joint."""
    rng, spec, laws = np.random.default_rng(0), load(robot), list[ControlLaw]()
    joints = [body.joint.name for body in spec.bodies if body.joint.type in ONE_DOF]
    for i, joint in enumerate([*joints, joints[-1]]):
        gear, gain, b_0, b_1, b_2, low, width = (float(x) for x in rng.uniform(0.5, 2.0, 7))
        control = (None, (-low, width), (low, low + width), (0.0, width), (-low - width, -low))[i % 5]
        force = (None, (-3.0 * low, width), (0.0, width))[i % 3]
        laws.append(ControlLaw(f"law {i}", joint, gear, gain, (b_0, -b_1, -b_2), control, force))
    return replace(spec, laws=tuple(laws))


@pytest.mark.parametrize("robot", ["mini_cheetah", "two_link_arm", "random:27", "random:30"])
@pytest.mark.parametrize("drawn", [True, False])
def test_mujoco_agrees(robot: str, drawn: bool) -> None:
    spec = with_control_laws(robot) if drawn else load(robot)
    states = generated_states(spec, 16, 0, 0)
    engine = make_engine("mujoco", spec)
    assert (TORQUES in engine.quantities) == bool(spec.laws or spec.actuators)
    expected = make_engine("reference", spec).evaluate(states, (TORQUES,))[TORQUES]
    kernel = reference.kernel(reference.build(spec), (TORQUES,))(states.q, states.v, states.tau)[TORQUES]
    assert expected.any() == (TORQUES in engine.quantities)
    near = ROUNDING * np.abs(expected).max()
    np.testing.assert_allclose(kernel, expected, rtol=0.0, atol=near)
    if TORQUES in engine.quantities:
        np.testing.assert_allclose(engine.evaluate(states, (TORQUES,))[TORQUES], expected, rtol=0.0, atol=near)


ACTUATORS = {
    "motor": '<motor joint="j" gear="3" ctrlrange="-1 1"/>',
    "position": '<position joint="j" kp="5" kv="0.3" gear="2" forcerange="-4 4"/>',
    "velocity": '<velocity joint="j" kv="2"/><motor joint="k" gear="-2"/>',
    "general": '<general joint="k" gainprm="2" biastype="affine" biasprm="0.1 -3 -0.4" ctrlrange="0 2"/>',
    "dcmotor": '<dcmotor joint="j" gear="6" motorconst="0.05" resistance="0.2"/>',
}
OTHER = {
    "damper": '<damper joint="j" kv="3" ctrlrange="0 1"/>',
    "filter": '<general joint="j" dyntype="filter" dynprm="0.1"/>',
    "tendon": '<motor jointinparent="j"/>',
}
FILE = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j" axis="1 0 0"/><geom size="0.1"/>
<body name="b" pos="0 0 1"><joint name="k" type="slide" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody>
<actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize("kind", [*ACTUATORS, *OTHER])
def test_actuators_of_files(kind: str, tmp_path: Path) -> None:
    if kind == "dcmotor" and not hasattr(mujoco.mjtDyn, "mjDYN_DCMOTOR"):
        pytest.skip("MuJoCo before 4.0 has no DC motors")
    (tmp_path / "robot.xml").write_text(FILE.format((ACTUATORS | OTHER)[kind]), encoding="utf-8")
    imported = read_robot_file(str(tmp_path / "robot.xml"))
    assert imported is not None
    engine = FileRequest("mujoco-file", imported).build()
    if kind in OTHER:
        assert TORQUES not in engine.quantities
        assert any("actuator_torques left out: an actuator's force is no sum" in line for line in engine.not_compared)
        return
    states = generated_states(imported.spec, 16, 0, 0)
    expected = make_engine("reference", imported.spec).evaluate(states, (TORQUES,))[TORQUES]
    assert expected.any()
    for found in (engine, make_engine("mujoco", imported.spec)):
        values = found.evaluate(states, (TORQUES,))[TORQUES]
        np.testing.assert_allclose(values, expected, rtol=0.0, atol=ROUNDING * np.abs(expected).max())


@pytest.mark.parametrize("limits", [(-2.0, 3.0), (0.0, 3.0), (-2.0, 0.0), (1.0, 3.0), (-3.0, -1.0), (-1e9, 1e9)])
def test_a_recorded_clip_is_that_of_floats(limits: tuple[float, float]) -> None:
    arm = load("two_link_arm")
    tree = reference.build(replace(arm, laws=(ControlLaw("law", arm.bodies[-1].joint.name, control_limits=limits),)))
    tau = np.zeros((11, arm.nv))
    tau[:, -1] = (-1e3, -3.0, -2.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 2.0, 3.0, 1e3)
    found = reference.kernel(tree, (TORQUES,))(0.0 * tau, 0.0 * tau, tau)[TORQUES]
    np.testing.assert_allclose(found[:, -1], np.clip(tau[:, -1], *limits), rtol=1e-15)


def test_a_spec_s_file_keeps_laws(tmp_path: Path) -> None:
    spec = with_control_laws("random:30")
    assert read_spec(write_spec(spec, tmp_path / "robot.json")) == spec
    assert "laws" not in as_json(load("random:30"))
    with pytest.raises(ValueError, match=r"control law 'law 0': the control_limits are \(1.0, 0.0\): give \(lower, upper\)"):
        replace(spec, laws=(replace(spec.laws[0], control_limits=(1.0, 0.0)),))
