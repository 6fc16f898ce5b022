"""Malformed robots on the command line: one clear line that names file, element and remedy, status 2, nothing written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leapcheck_models.robots import load
from leapcheck_models.spec import as_json
from tests.harness.cli.command_line import REFUSED, Leapcheck, refusal
from tests.models.record_edits import Edit, drop, put


def body(number: int, *place: str | int, value: Any) -> Edit:
    return put("bodies", number, *place, value=value)


def swapped(record: dict[str, Any]) -> None:
    record["bodies"].reverse()


def forked(record: dict[str, Any]) -> None:
    """Two chains, of which the second is interrupted by the first."""
    first, last = record["bodies"]
    other = json.loads(json.dumps(first))
    other["name"], other["joint"]["name"] = "other", "other_joint"
    record["bodies"] = [first, other, last]


FREE = {"name": "elbow", "type": "free"}
WRIST = {"name": "motor", "joint": "wrist", "torque_limit": 1.0}
BALL_POSE = [{"name": "home", "q": [0.0, 0.0, 0.0, 0.0, 0.0]}]


def with_ball(record: dict[str, Any]) -> None:
    """The last joint as a ball, and a pose with a zero quaternion."""
    record["bodies"][1]["joint"] = {"name": "elbow", "type": "ball"}
    record["poses"], record["actuators"] = BALL_POSE, []


def empty(record: dict[str, Any]) -> None:
    for name in ("bodies", "contact_points", "actuators", "poses"):
        record[name] = []


def without_motion(record: dict[str, Any]) -> None:
    empty(record)
    record["bodies"] = [{"name": "stone", "joint": {"name": "glue", "type": "fixed"}, "inertia": {"mass": 1.0}}]


def massless(record: dict[str, Any]) -> None:
    record["bodies"][1]["inertia"] = {"mass": 0.0}


def point_at_a_ball(record: dict[str, Any]) -> None:
    """Turning about the line to a point mass moves nothing."""
    record["poses"], record["actuators"] = [], []
    record["bodies"][1]["joint"] = {"name": "elbow", "type": "ball"}
    record["bodies"][1]["inertia"] = {"mass": 1.0, "com": [0.1, 0.2, 0.3]}


ROBOTS: dict[str, tuple[Edit, tuple[str, ...]]] = {
    "unknown joint type": (body(0, "joint", "type", value="hinge"), ("unknown joint type 'hinge'", "use one of free, revolute")),
    "negative mass": (body(1, "inertia", "mass", value=-1.0), ("'forearm'", "mass is -1", "at least 0")),
    "mass as text": (body(1, "inertia", "mass", value="1 kg"), ("inertia.mass is '1 kg'", "give a number")),
    "mass as truth": (body(1, "inertia", "mass", value=True), ("inertia.mass is True", "give a number")),
    "mass too large": (body(1, "inertia", "mass", value=10**400), ("inertia.mass", "too large")),
    "a number left out": (body(1, "inertia", "com", value=[0.0, 0.0]), ("inertia.com", "give a list of 3")),
    "an inertia as matrix": (body(1, "inertia", "rotational", value=[[1.0] * 3] * 3), ("rotational", "give a list of 6")),
    "cycle": (body(0, "parent", value="forearm"), ("'upper_arm'", "cycle", "world")),
    "its own parent": (body(0, "parent", value="upper_arm"), ("'upper_arm'", "cycle")),
    "unknown parent": (body(1, "parent", value="shoulder"), ("'forearm'", "parent 'shoulder' does not exist", "add it first")),
    "wrong order": (swapped, ("'forearm'", "wrong order", "list bodies depth-first")),
    "interrupted order": (forked, ("'forearm'", "wrong order", "list bodies depth-first")),
    "duplicate names": (body(1, "name", value="upper_arm"), ("'upper_arm'", "names must be unique")),
    "duplicate joints": (body(1, "joint", "name", value="shoulder"), ("'shoulder'", "names must be unique")),
    "a body called world": (body(1, "name", value="world"), ("'world'", "reserved", "choose another")),
    "a name with a line break": (body(1, "name", value="a\nb"), ("printable",)),
    "no name": (put("name", value=""), ("the robot", "1 to 200 printable")),
    "empty robot": (empty, ("has no bodies", "add at least one")),
    "nothing moves": (without_motion, ("two_link_arm", "add a body")),
    "nothing behind a joint": (massless, ("robot 'two_link_arm'", "'elbow' moves no inertia", "give the link behind it a mass")),
    "a point at a ball": (point_at_a_ball, ("'elbow w_", "moves no inertia", "give the link behind it a mass")),
    "axis not a unit vector": (body(1, "joint", "axis", value=[0.0, 0.0, 2.0]), ("'elbow'", "norm 2", "divide it by its norm")),
    "zero axis": (body(1, "joint", "axis", value=[0, 0, 0]), ("'elbow'", "norm 0", "unit vector")),
    "no axis": (body(1, "joint", "axis", value=None), ("'elbow'", "no axis", "give a unit vector")),
    "limits the wrong way": (body(1, "joint", "limits", value=[1.0, -1.0]), ("'elbow'", "(lower, upper)")),
    "zero quaternion in a placement": (body(1, "placement", "quaternion", value=[0] * 4), ("'forearm'", "quaternion", "norm 0")),
    "zero quaternion in a pose": (with_ball, ("pose 'home'", "quaternion of joint 'elbow'", "norm 0")),
    "pose too short": (put("poses", value=[{"name": "home", "q": [0.0]}]), ("pose 'home'", "give a tuple of 2")),
    "no such inertia": (body(1, "inertia", "rotational", value=[1, 0, 0, 1, 0, 3]), ("'forearm'", "no physical body")),
    "free joint not at a root": (body(1, "joint", value=FREE), ("'forearm'", "free joint stands only at a root")),
    "a point on no body": (put("contact_points", 0, "body", value="hand"), ("'hand'", "does not exist")),
    "an actuator on no joint": (put("actuators", value=[WRIST]), ("'wrist'", "name one")),
    "unknown key": (body(0, "colour", value="red"), ("bodies[0 'upper_arm']", "unknown key 'colour'", "use name")),
    "missing key": (drop("bodies", 0, "joint"), ("the key 'joint' is missing", "add it")),
    "an object for a list": (put("bodies", value={}), ("bodies is {}", "give a list")),
    "a list for the robot": (lambda record: record.clear() or record.update(x=1), ("unknown key 'x'",)),
}  # fmt: skip

TEXTS: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "not JSON": (b"<robot/>", ("is not JSON", "line 1, column 1")),
    "cut off": (as_json(load("two_link_arm")).encode()[:500], ("is not JSON", "line")),
    "NaN": (as_json(load("two_link_arm")).replace('"mass": 2.0', '"mass": NaN').encode(), ("NaN is not allowed", "give finite")),
    "infinity": (as_json(load("two_link_arm")).replace('"mass": 2.0', '"mass": 1e999').encode(), ("mass", "too large")),
    "a key twice": (b'{"name": "a", "name": "b"}', ("'name' stands twice", "keep one")),
    "not text": (b"\xff\xfe\x00", ("not UTF-8", "save it as UTF-8")),
    "nested too deeply": (b"[" * 100_000, ("nested too deeply",)),
    "a number": (b"3", ("the robot is 3", "give an object")),
    "empty": (b"", ("is not JSON",)),
}


def robot_file(folder: Path, edit: Edit) -> Path:
    record = json.loads(as_json(load("two_link_arm")))
    edit(record)
    path = folder / "mine.json"
    path.write_text(json.dumps(record))
    return path


@pytest.mark.parametrize("case", ROBOTS)
def test_robot_that_breaks_a_rule(leapcheck: Leapcheck, tmp_path: Path, case: str) -> None:
    edit, words = ROBOTS[case]
    said = refusal(leapcheck, tmp_path, "compare", robot_file(tmp_path, edit), *REFUSED)
    assert "mine.json" in said or "robot 'two_link_arm'" in said
    for word in words:
        assert word in said


@pytest.mark.parametrize("case", TEXTS)
def test_file_that_is_no_robot(leapcheck: Leapcheck, tmp_path: Path, case: str) -> None:
    content, words = TEXTS[case]
    (tmp_path / "mine.json").write_bytes(content)
    said = refusal(leapcheck, tmp_path, "compare", "mine.json", *REFUSED)
    for word in ("mine.json", *words):
        assert word in said


@pytest.mark.parametrize("command", [("compare",), ("generate", "--out", "a"), ("lint",), ("sparsity",)])
@pytest.mark.parametrize(("robot", "words"), [
    ("mini_cheeta", ("unknown robot 'mini_cheeta'", "mini_cheetah", "random:SEED", ".json")),
    ("", ("unknown robot ''",)),
    ("spot.sdf", ("file 'spot.sdf': SDF is not read", "sdformat2mjcf")),
    ("spot.usda", ("file 'spot.usda': USD is not read", "usd_to_urdf")),
    ("spot.urdf.xacro", ("file 'spot.urdf.xacro': xacro is not read", "`xacro`")),
    ("random:", ("whole number", "try random:7")),
    ("random:one", ("whole number", "try random:7")),
    ("random:-1", ("whole number", "try random:7")),
    ("missing.json", ("'missing.json'", "does not exist")),
    ("folder.json", ("'folder.json'", "does not exist or is no file")),
    ("broken.json", ("'broken.json'", "is not JSON")),
])  # fmt: skip
def test_every_command_refuses_an_unknown_robot(
    leapcheck: Leapcheck, tmp_path: Path, command: tuple[str, ...], robot: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "broken.json").write_text("{")
    name, *options = command
    said = refusal(leapcheck, tmp_path, name, robot, *options)
    for word in words:
        assert word in said
