"""What a user asks for: the robot with its changes, a controller or a trajectory."""

import dataclasses
import json
from pathlib import Path

import pytest

from leapcheck.jumping.act import DURATION, named_pose, user_act
from leapcheck.jumping.robot import jumping_robot
from leapcheck_models.robots import load
from leapcheck_models.spec import Coupling, Loop, LoopType
from leapcheck_models.spec_file import write_spec

SPEC = load("mini_cheetah")


def test_a_robot_with_other_actuators_and_changed_numbers(tmp_path: Path) -> None:
    stronger = [dataclasses.asdict(dataclasses.replace(a, torque_limit=30.0, motor=None)) for a in SPEC.actuators]
    path = tmp_path / "servos.json"
    path.write_text(json.dumps(stronger), encoding="utf-8")
    spec = jumping_robot("mini_cheetah", ["trunk.mass=4", "FR_knee.torque_limit=25"], path).spec
    assert spec.bodies[0].inertia.mass == 4.0
    assert {a.torque_limit for a in spec.actuators} == {30.0, 25.0}
    assert all(a.motor is None for a in spec.actuators)


def test_a_robots_own_file(tmp_path: Path) -> None:
    write_spec(SPEC, tmp_path / "mine.json")
    assert jumping_robot(str(tmp_path / "mine.json")).spec == SPEC


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pupper_leg", "fixed base: a jump needs a free trunk"),
        ("box", "has no actuators"),
        ("no_such_robot", "unknown robot"),
    ],
)
def test_robots_that_cannot_jump_are_refused_by_name(name: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        jumping_robot(name)


def test_a_robot_without_feet_is_refused(tmp_path: Path) -> None:
    points = tuple(dataclasses.replace(p, is_foot=False) for p in SPEC.contact_points)
    write_spec(dataclasses.replace(SPEC, contact_points=points), tmp_path / "footless.json")
    found = jumping_robot(str(tmp_path / "footless.json"))  # they are called feet
    assert [point.is_foot for point in found.spec.contact_points] == [point.is_foot for point in SPEC.contact_points]
    assert "FL_foot, FR_foot, HL_foot, HR_foot serve as feet" in found.notes[0]
    others = [dataclasses.replace(p, name=f"point_{i}") for i, p in enumerate(points)]
    write_spec(dataclasses.replace(SPEC, contact_points=tuple(others)), tmp_path / "footless.json")
    with pytest.raises(ValueError, match="has no foot: name its feet with --feet"):
        jumping_robot(str(tmp_path / "footless.json"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ('[{"name": "a"}]', "the key 'joint' is missing"),
        ('[{"name": "a", "joint": "nowhere", "torque_limit": 1}]', "nowhere"),
        ("{}", "give a list"),
    ],
)
def test_a_broken_file_of_actuators_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "actuators.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        jumping_robot("mini_cheetah", (), path)
    with pytest.raises(FileNotFoundError, match=r"missing.json"):
        jumping_robot("mini_cheetah", (), tmp_path / "missing.json")


def test_poses_are_found_by_name_or_refused() -> None:
    assert named_pose(SPEC)[2] == SPEC.pose("home")[2]
    assert named_pose(SPEC, "fold")[8] == -1.4
    with pytest.raises(ValueError, match="no pose 'sit': use one of home, fold, zero"):
        named_pose(SPEC, "sit")
    with pytest.raises(ValueError, match="no pose: add one to its file"):
        named_pose(dataclasses.replace(SPEC, poses=()))


def test_a_controller_runs_for_as_long_as_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "still.py").write_text("def make(spec): return lambda t, q, v: [0.0] * 12\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert user_act(SPEC, "still:make", None, None, None).duration == DURATION
    assert user_act(SPEC, "still:make", None, "fold", 0.5).duration == 0.5
    for duration in (0.0, -1.0, 1e9, float("nan")):
        with pytest.raises(ValueError, match="--duration"):
            user_act(SPEC, "still:make", None, None, duration)
    names = [actuator.joint for actuator in SPEC.actuators]
    (tmp_path / "ms.csv").write_text(
        "\n".join([",".join(["time", *(f"q_{n}" for n in names)]), "0" + ",0" * 12, "1e3" + ",0" * 12])
    )
    with pytest.raises(ValueError, match=r"ms.csv' lasts until 1000 s, a run at most 60 s"):
        user_act(SPEC, None, tmp_path / "ms.csv", None, None)
    with pytest.raises(ValueError, match="both given"):
        user_act(SPEC, "still:make", tmp_path / "a.csv", None, None)


def test_a_closed_loop_does_not_jump_as_an_open_tree() -> None:
    loop = Loop("rod", LoopType.CONNECT, "FR_knee", (0.0, 0.0, -0.1), "trunk", (0.1, 0.0, 0.0))
    tie = Coupling("tie", "FR_knee_joint", "FL_knee_joint", (0.0, 1.0))
    for spec in (dataclasses.replace(SPEC, loops=(loop,)), dataclasses.replace(SPEC, couplings=(tie,))):
        with pytest.raises(ValueError, match=r"'mini_cheetah' has 1 closed loops or coupled joints \('(rod|tie)'\)"):
            jumping_robot(spec)
