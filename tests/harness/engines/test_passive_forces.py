"""Springs, dampers and dry friction: out of specs and files, in each engine, and apart from the bias force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.errors import NotApplicable
from leapcheck.engines.file_engines import FileRequest
from leapcheck.engines.protocol import Engine
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import CORE
from leapcheck.robots.load import load, read_robot_file
from leapcheck.sampling import generated_states
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load as named
from leapcheck_models.spec import RobotSpec, as_json, spec_hash
from leapcheck_models.spec_file import read_spec, write_spec
from leapcheck_models.urdf import urdf_text
from tests.reference.passive_joints import with_passive_joints

pytestmark = pytest.mark.quick

PASSIVE, FRICTION = NAMES = ("passive_forces", "dry_friction")
ENGINES = ("mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
ROBOTS = ("mini_cheetah", "random:2", "random:27", "random:30")  # rotors; a ball; two roots; slides


def check(engine: Engine, spec: RobotSpec, expected: set[str]) -> None:
    states = generated_states(spec, 16, 0, 0)
    answered = {name for name in NAMES if name in engine.quantities}
    assert answered == expected
    right = make_engine("reference", spec).evaluate(states, NAMES)
    for name, values in engine.evaluate(states, sorted(answered)).items():
        np.testing.assert_allclose(values, right[name], rtol=0.0, atol=1e-14 * np.abs(right[name]).max())


@pytest.mark.parametrize("springs", [True, False])
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_engines_made_from_a_spec(robot: str, name: str, springs: bool) -> None:
    spec = with_passive_joints(robot, springs=springs)
    try:
        engine = make_engine(name, spec)
    except NotApplicable as reason:
        pytest.skip(str(reason))
    by_hand = name == "pinocchio" and "its own API" in engine.route
    fields = {FRICTION} if springs else {PASSIVE, FRICTION}
    check(engine, spec, {PASSIVE, FRICTION} if name.startswith("mujoco") else set() if by_hand else fields)


@pytest.mark.parametrize(("springs", "kind"), [(True, "xml"), (False, "xml"), (False, "urdf")])
def test_engines_made_from_a_file(springs: bool, kind: str, tmp_path: Path) -> None:
    written = with_passive_joints("mini_cheetah_armature", springs=springs)
    path = tmp_path / f"robot.{kind}"
    path.write_text(mjcf_text(written) if kind == "xml" else urdf_text(written), encoding="utf-8")
    imported = read_robot_file(str(path))
    assert imported is not None
    read = {body.joint.name: body.joint for body in imported.spec.bodies}
    for joint in (body.joint for body in written.bodies):
        again = read[joint.name] if joint.name in read else replace(joint, damping=-1.0)
        assert not joint.damping or all(
            getattr(again, field) == getattr(joint, field) for field in ("damping", "friction", "stiffness", "springref")
        )
    check(FileRequest("mujoco-file", imported).build(), imported.spec, {PASSIVE, FRICTION})
    check(FileRequest("pinocchio-file", imported).build(), imported.spec, {FRICTION} if springs else {PASSIVE, FRICTION})


def test_what_a_spec_cannot_hold_is_left_out_and_said(tmp_path: Path) -> None:
    text = mjcf_text(named("two_link_arm")).replace("<option ", '<option viscosity="0.1" ')
    (tmp_path / "robot.xml").write_text(text, encoding="utf-8")
    imported = read_robot_file(str(tmp_path / "robot.xml"))
    assert imported is not None
    engine = FileRequest("mujoco-file", imported).build()
    assert PASSIVE not in engine.quantities
    assert any("passive_forces left out: MuJoCo's hold forces of a fluid" in line for line in engine.not_compared)


def test_a_spec_s_file_keeps_springs_and_one_without_is_as_before(tmp_path: Path) -> None:
    spec = with_passive_joints("random:30")
    assert read_spec(write_spec(spec, tmp_path / "robot.json")) == spec
    assert load(str(tmp_path / "robot.json")) == spec
    for robot, known in (("mini_cheetah", "e23960bed88b0562"), ("random:30", "586813ebd78416c2")):
        assert "spring" not in as_json(named(robot))
        assert spec_hash(named(robot)) == known
    with pytest.raises(ValueError, match=r"the stiffness of joint '.*' is -1.0: give a finite number of at least 0"):
        replace(spec, bodies=tuple(replace(b, joint=replace(b.joint, stiffness=-1.0)) for b in spec.bodies))


@pytest.mark.parametrize("name", ["reference", "mujoco", "pinocchio"])
def test_the_core_is_free_of_them(name: str) -> None:
    passive, plain = with_passive_joints("mini_cheetah"), named("mini_cheetah")
    states = generated_states(plain, 8, 0, 0)
    answers = [make_engine(name, spec).evaluate(states, CORE) for spec in (passive, plain)]
    for quantity in CORE:
        np.testing.assert_array_equal(answers[0][quantity], answers[1][quantity])
