"""`diff_robots` on closed loops and coupled joints: differences planted one by one, each named alone, with its size."""

from __future__ import annotations

from pathlib import Path

import pytest

import leapcheck as lc
from tests.harness.robots.loop_files import BAR, CONNECT, EVERY_KIND, four_bar

pytestmark = pytest.mark.quick

CAM = 'polycoef="0.1 0.5 0.3 0.2 0.7"'
URDF_TIED = """
<robot name="pair">
  <link name="base"/>
  <link name="left"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="l" type="continuous"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/></joint>
  <joint name="r" type="continuous"><parent link="left"/><child link="right"/><axis xyz="0 0 1"/></joint>
  <joint name="t" type="continuous"><parent link="right"/><child link="tip"/><axis xyz="0 0 1"/>
    <mimic joint="r" multiplier="0.5" offset="0.1"/></joint>
</robot>
"""
BODY = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MJCF_TIED = f"""
<mujoco model="pair">
  <compiler angle="radian"/>
  <worldbody>
    <body name="left"><joint name="l" axis="0 0 1"/>{BODY}
      <body name="right"><joint name="r" axis="0 0 1"/>{BODY}
        <body name="tip"><joint name="t" axis="0 0 1"/>{BODY}</body>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="t" joint2="r" polycoef="0.1 0.5 0 0 0"/></equality>
</mujoco>
"""


def difference(folder: Path, first: str, second: str, kinds: tuple[str, str] = ("xml", "xml")) -> lc.api.robot_diff.RobotDiff:
    """What `diff_robots` says of two texts."""
    files = [folder / f"{stem}.{kind}" for stem, kind in zip("ab", kinds, strict=True)]
    for file, text in zip(files, (first, second), strict=True):
        file.write_text(text, encoding="utf-8")
    return lc.diff_robots(files[0], files[1])


PLANTED = {
    "anchor": (EVERY_KIND, ('pos="0.01 -0.02 0.03"', 'pos="0.01 -0.017 0.03"'), "end of a loop", 0.003, "3 mm apart on d"),
    "loop left out": (EVERY_KIND, ('<connect name="sites" site1="s1" site2="s2"/>', ""), "closed loop", 1.0, "in A alone"),
    "loop added": (
        four_bar(CONNECT),
        ("</equality>", '<connect name="more" body1="left" body2="right" anchor="0 0 0"/></equality>'),
        "closed loop",
        1.0,
        "a connect of left and right in B alone",
    ),
    "kind": (four_bar(CONNECT), ("<connect", "<weld"), "kind of a loop", 1.0, "connect in A, weld in B"),
    "coefficient": (EVERY_KIND, (CAM, CAM.replace("0.3", "0.4")), "coupled joint", 0.1, "0.602318 jc^2"),
    "coupling left out": (MJCF_TIED, ("joint1", 'active="false" joint1'), "coupled joint", 1.0, "t = 0.1 + 0.5 r; free in B"),
    "ratio": (MJCF_TIED, ("0.1 0.5", "0.1 0.6"), "coupled joint", 0.1, "t = 0.1 + 0.6 r in B"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_difference_is_named_alone(name: str, tmp_path: Path) -> None:
    text, edit, what, size, words = PLANTED[name]
    assert edit[0] in text
    (one,) = difference(tmp_path, text, text.replace(*edit, 1)).physics
    assert (one.aspect, one.what) == ("constraints", what)
    assert one.absolute == pytest.approx(size, rel=1e-6)
    assert words in one.message


@pytest.mark.parametrize("text", [EVERY_KIND, four_bar(CONNECT), MJCF_TIED])
def test_the_same_ties_are_no_difference(text: str, tmp_path: Path) -> None:
    assert difference(tmp_path, text, text).same


@pytest.mark.parametrize(
    ("law", "axis"),
    [
        ('joint1="t" joint2="r" polycoef="0.1 0.5 0 0 0"', "0 0 1"),
        ('joint1="r" joint2="t" polycoef="-0.2 2 0 0 0"', "0 0 1"),
        ('joint1="t" joint2="r" polycoef="-0.1 -0.5 0 0 0"', "0 0 -1"),
    ],
    ids=["same", "other way round", "about the other axis"],
)
def test_a_mimic_is_the_equality_that_means_the_same(law: str, axis: str, tmp_path: Path) -> None:
    turned = MJCF_TIED.replace('joint1="t" joint2="r" polycoef="0.1 0.5 0 0 0"', law).replace(
        '"t" axis="0 0 1"', f'"t" axis="{axis}"'
    )
    found = difference(tmp_path, URDF_TIED, turned, ("urdf", "xml"))
    assert not [one for one in found.physics if one.aspect == "constraints"]


def test_a_loop_in_other_link_frames_is_the_same(tmp_path: Path) -> None:
    """The right bar's frame is turned by a quarter about the hinge, with all that it carries."""
    joint, inertial = (
        '<joint name="right" axis="0 1 0"/>',
        '<inertial pos="0.1 0 0" mass="0.5" diaginertia="0.0002 0.0021 0.002"/>',
    )
    bar = f'<body name="right" pos="0.2 0 0">{joint}{BAR}'
    turned = f'<body name="right" pos="0.2 0 0" euler="0 90 0">{joint}{inertial}'
    text = four_bar('<connect name="tie" body1="right" body2="rod" anchor="0 0 -0.2"/>')
    other = text.replace(bar, turned).replace('anchor="0 0 -0.2"', 'anchor="0.2 0 0"')
    assert other.count("0.1 0 0") == 1
    found = difference(tmp_path, text, other)
    assert not [one for one in found.physics if one.aspect == "constraints"]
