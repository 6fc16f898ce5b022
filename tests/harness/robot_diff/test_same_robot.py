"""`diff_robots` on one robot in two guises: no difference of physics, whatever the format, the link frames, names and order."""

from __future__ import annotations

import copy
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import leapcheck as lc
from leapcheck_models.generate import write_robot_files
from leapcheck_models.robots import ROBOTS
from leapcheck_models.spec import as_json

RECORD: dict[str, Any] = json.loads(as_json(lc.load("mini_cheetah")))

UNREALISABLE = {("inertia", f"{leg}_hip") for leg in ("FR", "FL", "HR", "HL")}
"""What Mini Cheetah's URDF has and no MJCF can have: the writer puts the nearest inertia that a body has, and says so."""


@pytest.mark.parametrize("name", ROBOTS)
def test_the_writers_files_are_one_robot(tmp_path: Path, name: str) -> None:
    mjcf, urdf = tmp_path / f"{name}.xml", tmp_path / f"{name}.urdf"
    write_robot_files(lc.load(name), tmp_path, "bodies")
    for first, second in ((name, str(urdf)), (name, str(mjcf)), (str(urdf), str(mjcf))):
        difference = lc.diff_robots(first, second)
        expected: set[tuple[str, str]] = set()
        if name.startswith("mini_cheetah") and str(mjcf) in (first, second):
            expected = UNREALISABLE & {(one.what, one.place) for one in difference.physics}
        if name == "mini_cheetah_armature" and str(urdf) in (first, second):
            expected |= {("armature", one.place) for one in difference.physics if one.what == "armature"}
            assert len(expected) in (12, 12 + len(UNREALISABLE))  # a URDF has no word for it
        assert {(one.what, one.place) for one in difference.physics} == expected, str(difference)
        assert all("nearest that one has" in one.message for one in difference.physics if one.what == "inertia")


def diff_with(tmp_path: Path, record: dict[str, Any]) -> lc.RobotDiff:
    file = tmp_path / "other.json"
    file.write_text(json.dumps(record))
    return lc.diff_robots("mini_cheetah", str(file))


def matrix(quaternion: list[float]) -> Any:
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(R: Any) -> list[float]:
    """Quaternion wxyz."""
    return [float(x) for x in Rotation.from_matrix(R).as_quat(scalar_first=True)]


def with_link_turned(record: dict[str, Any], name: str, turn: list[float], along: float = 0.0) -> dict[str, Any]:
    """The record with one link's frame in other axes, and shifted along the joint's axis: all that is given in it follows."""
    record = copy.deepcopy(record)
    body = next(body for body in record["bodies"] if body["name"] == name)
    R = matrix(turn)
    p = along * np.array(body["joint"]["axis"] or (0.0, 0.0, 0.0))

    def moved(point: list[float]) -> list[float]:
        return [float(x) for x in R.T @ (np.array(point) - p)]

    def replaced(placement: dict[str, Any]) -> dict[str, Any]:
        return {"p": moved(placement["p"]), "quaternion": quaternion(R.T @ matrix(placement["quaternion"]))}

    if body["joint"]["type"] != "free":
        placement = body["placement"]
        turned = matrix(placement["quaternion"])
        body["placement"] = {"p": [float(x) for x in placement["p"] + turned @ p], "quaternion": quaternion(turned @ R)}
        if body["joint"]["axis"]:
            body["joint"]["axis"] = [float(x) for x in R.T @ np.array(body["joint"]["axis"])]
    inertia = body["inertia"]
    for key in ("rotational", "nearest"):
        if inertia[key]:
            xx, xy, xz, yy, yz, zz = inertia[key]
            I = R.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R
            inertia[key] = [float(I[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    inertia["com"] = moved(inertia["com"])
    body["shapes"] = [shape | {"placement": replaced(shape["placement"])} for shape in body["shapes"]]
    for child in (child for child in record["bodies"] if child["parent"] == name):
        child["placement"] = replaced(child["placement"])
        if child["rotor"]:
            child["rotor"]["placement"] = replaced(child["rotor"]["placement"])
    for point in (point for point in record["contact_points"] if point["body"] == name):
        point["position"] = moved(point["position"])
    return record


@pytest.mark.parametrize(("link", "along"), [("FR_abad", 0.0), ("FL_knee", 0.03), ("HR_abad", -0.02), ("trunk", 0.0)])
def test_where_a_link_frame_stands_is_a_choice(tmp_path: Path, link: str, along: float) -> None:
    turn = [0.9, 0.1, -0.3, float(np.sqrt(1.0 - 0.81 - 0.01 - 0.09))]
    difference = diff_with(tmp_path, with_link_turned(RECORD, link, turn, along))
    assert difference.same, str(difference)
    (note,) = (one for one in difference if one.aspect == "frames")
    assert link in note.message or note.place == link
    angle = 2.0 * np.arccos(0.9)
    assert f"{np.degrees(angle):.3g} deg" in note.message


def test_a_difference_is_named_in_turned_frames_too(tmp_path: Path) -> None:
    record = copy.deepcopy(RECORD)
    record["bodies"][1]["inertia"]["mass"] += 0.1
    record["bodies"][2]["placement"]["p"][1] -= 0.005
    for link in ("trunk", "FR_abad", "FR_hip"):
        record = with_link_turned(record, link, [0.8, 0.0, 0.6, 0.0])
    difference = diff_with(tmp_path, record)
    assert {(one.what, one.place) for one in difference.physics} == {("mass", "FR_abad"), ("joint place", "FR_hip_joint")}
    assert [one.absolute for one in sorted(difference.physics, key=lambda one: one.what)] == pytest.approx([0.005, 0.1])


def renamed(record: dict[str, Any], rename: Any) -> dict[str, Any]:
    """The record with every name of a body or joint sent through a function."""
    record = copy.deepcopy(record)
    for body in record["bodies"]:
        body["name"], body["joint"]["name"] = rename(body["name"]), rename(body["joint"]["name"])
        body["parent"] = body["parent"] if body["parent"] == "world" else rename(body["parent"])
    for point in record["contact_points"]:
        point["body"] = rename(point["body"])
    for actuator in record["actuators"]:
        actuator["joint"] = rename(actuator["joint"])
    return record


LEGS = {"FR": "rf", "FL": "lf", "HR": "rh", "HL": "lh"}


@pytest.mark.parametrize(
    ("style", "by"),
    [
        (lambda name: f"cheetah/{name}_link", "name"),
        (lambda name: name.replace("_", "-").lower(), "name"),
        (lambda name: LEGS.get(name[:2], name[:2]) + name[2:], "name"),
        (lambda name: f"part_{zlib.crc32(name.encode()):x}_q", "shape"),
    ],
)
def test_names_may_differ(tmp_path: Path, style: Any, by: str) -> None:
    difference = diff_with(tmp_path, renamed(RECORD, style))
    assert difference.same, str(difference)
    assert [joint.second for joint in difference.joints] == [style(joint.first) for joint in difference.joints]
    assert {joint.by for joint in difference.joints if joint.first != "trunk_joint"} == {by}
    assert "12 of 12 joints have other names" in str(difference)


def test_the_order_of_joints_is_told(tmp_path: Path) -> None:
    record = copy.deepcopy(RECORD)
    bodies = record["bodies"]
    record["bodies"] = [bodies[0], *bodies[4:7], *bodies[1:4], *bodies[7:]]
    record["poses"] = []
    difference = diff_with(tmp_path, record)
    assert difference.same
    (note,) = difference
    assert "A's are number 0, 4, 5, 6, 1, 2, 3, 7, 8, 9, 10, 11, 12 of B" in note.message


def test_a_link_may_be_cut_in_two(tmp_path: Path) -> None:
    """Half of the trunk's mass on a fixed joint 2 cm above, the other half as far below."""
    record = copy.deepcopy(RECORD)
    half = copy.deepcopy(record["bodies"][0])
    inertia = half["inertia"]
    inertia["mass"] /= 2.0
    xx, xy, xz, yy, yz, zz = inertia["rotational"]
    steiner = inertia["mass"] * 0.02**2
    inertia["rotational"] = [xx / 2 - steiner, xy / 2, xz / 2, yy / 2 - steiner, yz / 2, zz / 2]
    record["bodies"][0]["inertia"] = inertia | {"com": [0.0, 0.0, -0.02]}
    half |= {"name": "lid", "parent": "trunk", "shapes": [], "placement": {"p": [0.0, 0.0, 0.02], "quaternion": [1, 0, 0, 0]}}
    half["joint"] |= {"name": "lid_fixed", "type": "fixed"}
    half["inertia"] = inertia | {"com": [0.0, 0.0, 0.0]}
    record["bodies"].append(half)
    assert diff_with(tmp_path, record).same
    half["placement"]["p"][2] = 0.03
    assert {one.what for one in diff_with(tmp_path, record).physics} == {"com", "inertia"}


@pytest.mark.parametrize("seed", [3, 7, 11, 29, 31])
def test_random_trees_are_themselves(seed: int) -> None:
    """Every kind of joint, generic axes, rotors."""
    difference = lc.diff_robots(f"random:{seed}", f"random:{seed}")
    assert difference.same
    assert len(difference) == 0


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_in_other_frames_are_the_same(tmp_path: Path, seed: int) -> None:
    """Every link's frame turned at random and shifted along its axis, with the names of the robot and with none."""
    rng = np.random.default_rng(seed)
    record = json.loads(as_json(lc.load(f"random:{seed}")))
    other = record
    for body in record["bodies"]:
        if body["joint"]["type"] != "fixed":
            along = float(rng.normal()) * 0.05 if body["joint"]["type"] == "revolute" else 0.0
            turn = rng.normal(size=4)
            other = with_link_turned(other, body["name"], (turn / np.linalg.norm(turn)).tolist(), along)
    for number, one in enumerate((record, other, renamed(other, lambda name: f"part_{zlib.crc32(name.encode()):x}_q"))):
        (tmp_path / f"{number}.json").write_text(json.dumps(one))
    for number in (1, 2):
        difference = lc.diff_robots(str(tmp_path / "0.json"), str(tmp_path / f"{number}.json"))
        assert difference.same, str(difference)


def test_digits_that_a_file_does_not_print_are_no_difference(tmp_path: Path) -> None:
    """0.634 and 0.6342 kg are the same to the digits of the first file, 0.634 and 0.64 kg are not: both have at least three."""
    write_robot_files(lc.load("mini_cheetah"), tmp_path, "bodies")
    whole = tmp_path / "mini_cheetah.urdf"
    mass = re.compile(r'<mass value="0\.634"')
    assert mass.search(whole.read_text())
    near, far = tmp_path / "near.urdf", tmp_path / "far.urdf"
    near.write_text(mass.sub('<mass value="0.6342"', whole.read_text()))
    far.write_text(mass.sub('<mass value="0.64"', whole.read_text()))
    difference = lc.diff_robots(str(whole), str(near))
    assert difference.same
    assert "4 differ by less than the digits that the files print" in str(difference)
    assert {one.what for one in lc.diff_robots(str(whole), str(far)).physics} == {"mass"}


@pytest.mark.parametrize(("first", "second"), [(5, 6), (3, 11), (29, 4), (8, 2)])
def test_different_trees_differ(first: int, second: int) -> None:
    """Joints of one name and different kinds are not the same joint."""
    ours, theirs = (lc.load(f"random:{seed}") for seed in (first, second))
    difference = lc.diff_robots(ours, theirs)
    assert not difference.same
    kinds = [{body.joint.name: body.joint.type for body in spec.bodies} for spec in (ours, theirs)]
    one_dof = ("revolute", "prismatic")
    for joint in difference.joints:
        pair = kinds[0][joint.first], kinds[1][joint.second]
        assert pair[0] == pair[1] or set(pair) == set(one_dof)
