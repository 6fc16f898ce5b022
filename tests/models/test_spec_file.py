from __future__ import annotations

import json
from pathlib import Path

import pytest

from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.spec import as_json, spec_hash
from leapcheck_models.spec_file import MAX_BYTES, read_spec, write_spec
from tests.models.record_edits import Edit, drop, put

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", [*ROBOTS, *(f"random:{seed}" for seed in range(8))])
def test_round_trip(name: str, tmp_path: Path) -> None:
    spec = load(name)
    path = write_spec(spec, tmp_path / "robot.json")
    assert read_spec(path) == spec
    assert spec_hash(load(str(path))) == spec_hash(spec)
    assert path.read_text(encoding="utf-8") == as_json(spec)
    assert [file.name for file in tmp_path.iterdir()] == ["robot.json"]


def test_whole_numbers_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "robot.json"
    joint = {"name": "j", "type": "prismatic", "axis": [0, 0, 1]}
    path.write_text(json.dumps({"name": "r", "bodies": [{"name": "b", "joint": joint, "inertia": {"mass": 2}}]}))
    spec = read_spec(path)
    assert spec.bodies[0].inertia.mass == 2
    assert '"mass": 2,' in as_json(spec)


BROKEN: list[tuple[Edit, str]] = [
    (put("mass", value=1), "the robot: unknown key 'mass': use name, bodies, contact_points, actuators, poses, gravity"),
    (put("_index", value={}), "unknown key '_index'"),
    (
        put("bodies", 1, "joint", "type", value="screw"),
        "bodies[1 'FR_abad'].joint.type: unknown joint type 'screw': use one of",
    ),
    (put("bodies", 1, "joint", "type", value=["free"]), "unknown joint type ['free']"),
    (put("bodies", 1, "colour", value="red"), "bodies[1 'FR_abad']: unknown key 'colour'"),
    (drop("bodies", 1, "inertia", "mass"), "bodies[1 'FR_abad'].inertia: the key 'mass' is missing: add it"),
    (drop("name"), "the robot: the key 'name' is missing"),
    (put("bodies", value={}), "bodies is {}: give a list"),
    (put("bodies", 1, value=None), "bodies[1] is None: give an object with the keys name, joint, inertia"),
    (put("bodies", 1, "name", value=7), "bodies[1].name is 7: give a text"),
    (put("bodies", 1, "inertia", "mass", value="heavy"), "inertia.mass is 'heavy': give a number"),
    (put("bodies", 1, "inertia", "mass", value=True), "inertia.mass is True: give a number"),
    (put("bodies", 1, "inertia", "mass", value=10**400), "inertia.mass is too large"),
    (put("bodies", 1, "inertia", "mass", value=-1.0), "body 'FR_abad': the mass is -1.0"),
    (put("bodies", 1, "inertia", "com", value=[1.0, 2.0]), "inertia.com is [1.0, 2.0]: give a list of 3"),
    (put("bodies", 1, "inertia", "realisable", value="yes"), "inertia.realisable is 'yes': give true or false"),
    (put("bodies", 1, "parent", value="FR_knee"), "its parents form a cycle"),
    (put("contact_points", 0, "body", value="x"), "contact point 'trunk_corner_0': body 'x' does not exist"),
]


@pytest.mark.parametrize(("edit", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_broken_file_is_named_in_one_line(edit: Edit, message: str, tmp_path: Path) -> None:
    record = json.loads(as_json(load("mini_cheetah")))
    edit(record)
    path = tmp_path / "robot.json"
    path.write_text(json.dumps(record))
    error = refusal(path)
    assert message in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON: line 1, column 1"),
        (b'{"name": "a",\n "bodies": [}', "is not JSON: line 2, column 13"),
        (b"[]", "the robot is []: give an object"),
        (b'{"name": "a", "gravity": [0, 0, NaN]}', "the number NaN is not allowed"),
        (b'{"name": "a", "gravity": [0, 0, -Infinity]}', "the number -Infinity is not allowed"),
        (b'{"name": "a", "gravity": [0, 0, 1e999]}', "gravity[2] is too large"),
        (b'{"name": "a"}', "robot 'a' has no bodies: add at least one"),
        (b'{"name": "a", "name": "b"}', "the key 'name' stands twice"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"[" * 100_000, "is nested too deeply"),
        (b" " * (MAX_BYTES + 1), "is larger than"),
    ],
)
def test_no_robot_at_all(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.json"
    path.write_bytes(content)
    assert message in refusal(path)


def refusal(path: Path) -> str:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the callers look at the whole text
        read_spec(path)
    text = str(error.value)
    assert text.startswith(f"file '{path}'")
    assert "\n" not in text
    return text


def test_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist or is no file"):
        read_spec(tmp_path)
