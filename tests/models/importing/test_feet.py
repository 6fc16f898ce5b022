"""Contact points chosen by name or in a table: where they stand, and what a wrong word says."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.robots.load import load, read_robot_file
from leapcheck_models.importing.marks import Mark, Spot, shape_spots
from leapcheck_models.spec import Placement, RobotSpec, Shape
from tests.harness.robots.files import INERTIAL

pytestmark = pytest.mark.quick

SPHERE = '<collision name="ball"><origin xyz="0 0 -0.2"/><geometry><sphere radius="0.02"/></geometry></collision>'
LEG = f"""
<robot name="leg">
  <link name="base">{INERTIAL}</link>
  <link name="shank">{INERTIAL}{SPHERE}</link>
  <link name="toe"/>
  <joint name="knee" type="continuous"><parent link="base"/><child link="shank"/><axis xyz="0 1 0"/></joint>
  <joint name="toe_joint" type="fixed"><origin xyz="0.01 0 -0.21"/><parent link="shank"/><child link="toe"/></joint>
</robot>
"""


def leg_file(folder: Path, table: str = "") -> str:
    (folder / "leg.urdf").write_text(LEG)
    if table:
        (folder / "leg.toml").write_text(table)
    return str(folder / "leg.urdf")


def points(spec: RobotSpec) -> list[tuple[str, str, tuple[float, ...], float, bool]]:
    return [(p.name, p.body, p.position, p.radius, p.is_foot) for p in spec.contact_points]


def test_links_and_collisions_may_be_named(tmp_path: Path) -> None:
    name = leg_file(tmp_path)
    ball = ("shank", (0.0, 0.0, -0.2), 0.02, True)
    assert points(load(name, ["toe,ball", "shank"])) == [
        ("toe", "toe", (0.0, 0.0, 0.0), 0.0, True),
        ("ball", *ball),
        ("shank", *ball),
    ]
    assert points(load(name)) == [("shank_point", *ball)]


def test_a_table_beside_the_file_counts_until_the_user_says_otherwise(tmp_path: Path) -> None:
    name = leg_file(
        tmp_path, 'feet = ["ball"]\n[[points]]\nname = "heel"\non = "shank"\nposition = [0.1, 0, -0.2]\nfoot = false\n'
    )
    assert [p.name for p in load(name).contact_points] == ["ball", "heel"]
    assert points(load(name))[1] == ("heel", "shank", (0.1, 0.0, -0.2), 0.0, False)
    assert [p.name for p in load(name, ["toe"]).contact_points] == ["toe"]
    found = read_robot_file(name)
    assert found is not None
    assert [f.message for f in found.findings if f.rule == "contact points"] == [
        f"2 contact points, chosen by file '{tmp_path / 'leg.toml'}'"
    ]
    assert [p.name for p in load(name, ["toe"], tmp_path / "leg.toml").contact_points] == ["toe", "ball", "heel"]


def test_a_table_about_something_else_is_left_alone(tmp_path: Path) -> None:
    assert [p.name for p in load(leg_file(tmp_path, 'library = "./x.so"')).contact_points] == ["shank_point"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('feet = ["tow"]', "has no collision or body 'tow': did you mean 'toe'?"),
        ('feet = ["zzz"]', "has no collision or body 'zzz': name one of ball, base, shank, toe"),
        ('feet = "toe"', "feet is 'toe': give a list of names"),
        ("feet = []", "names no point"),
        ('feet = ["toe"]\npoint = 3', "unknown key 'point': did you mean 'points'?"),
        ("points = [3]", "write each point as a table"),
        ("feet = [", "is no TOML"),
        ('[[points]]\nname = "a"', "and 'on', the body"),
        ('[[points]]\nname = "a"\non = "shink"', "which is no body: did you mean 'shank'?"),
        ('[[points]]\nname = "a"\non = "toe"\npositon = [0, 0, 0]', "did you mean 'position'?"),
        ('[[points]]\nname = "a"\non = "toe"\nposition = [0, 0]', "give three numbers"),
        ('[[points]]\nname = "a"\non = "toe"\nposition = [0, 0, nan]', "position"),
        ('[[points]]\nname = "a"\non = "toe"\nradius = "big"', "give a number for radius"),
        (f"feet = {['toe'] * 65}".replace("'", '"'), "65 contact points: give at most 64"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(table: str, words: str, tmp_path: Path) -> None:
    name = leg_file(tmp_path, table)
    with pytest.raises(ValueError, match="leg") as error:
        load(name)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_table_may_not_lead_elsewhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text('feet = ["toe"]')
    (tmp_path / "robots").mkdir()
    name = leg_file(tmp_path / "robots")
    (tmp_path / "robots" / "leg.toml").symlink_to(secret)
    with pytest.raises(ValueError, match="outside the model's folder"):
        load(name)
    with pytest.raises(FileNotFoundError, match=r"none\.toml' does not exist"):
        load(name, (), tmp_path / "none.toml")


def test_shapes_touch_where_they_end() -> None:
    hanging = Placement((0.0, 0.0, -0.1))
    assert shape_spots(Shape("capsule", (0.02, 0.2), hanging)) == (Spot((0.0, 0.0, -0.2), 0.02),)
    assert [spot.position for spot in shape_spots(Shape("capsule", (0.02, 0.2), Placement((0.1, 0.0, -0.1))))] == [
        (0.1, 0.0, 0.0),
        (0.1, 0.0, -0.2),
    ]
    sole = [spot.position for spot in shape_spots(Shape("box", (0.2, 0.1, 0.04), Placement((0.05, 0.0, -0.08))))]
    assert {(round(x, 9), y, z) for x, y, z in sole} == {(x, y, -0.1) for x in (0.15, -0.05) for y in (0.05, -0.05)}
    assert shape_spots(Shape("cylinder", (0.1, 0.2), hanging)) == (Spot((0.0, 0.0, -0.1)),)


def test_a_site_that_is_called_a_foot_is_one_by_default() -> None:
    from leapcheck_models.importing.chain_ends import contact_points
    from tests.models.importing.test_chain_ends import star

    marks = [Mark("site", name, "tool0", (Spot((0.0, 0.0, -0.1)),)) for name in ("left_foot", "imu")]
    first, second = contact_points(star(2), marks)
    assert (first.name, first.position, first.is_foot) == ("left_foot", (0.0, 0.0, -0.1), True)
    assert not second.is_foot
