"""`leapcheck lint --fix`: each safe remedy, the rest byte for byte, the findings gone, and why others are left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import leapcheck as lc
from tests.harness.cli.command_line import Leapcheck

URDF = """<?xml version="1.0"?>
<!-- \N{LATIN SMALL LETTER A WITH DIAERESIS} comment > with signs -->
<robot name="arm">
  <mujoco><compiler fusestatic="false"   discardvisual="true"/></mujoco>
  <link name="world"/>
  <link name="upper"><inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0"/><mass value="1.5"/>
    <inertia ixx="0.01"  iyy='0.011' izz="0.002" ixy="0.0003" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.011" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="world"/><child link="upper"/><axis xyz="0 0.6 0.8"/>
    <limit lower='-1.5' upper="1.5" effort="5" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
</robot>
"""

Change = tuple[str, str, str, str]
"""What is spoilt in the text, how, the rule of the finding, and a piece of the repaired file."""

SPOILT: dict[str, Change] = {
    "axis": ('xyz="0 0.6 0.8"', 'xyz="0 3 4"', "axis", '<axis xyz="0 0.6 0.8"/>'),
    "limits": ("lower='-1.5' upper=\"1.5\"", "lower='1.5' upper=\"-1.5\"", "limits", '<limit lower="-1.5" upper="1.5" effort'),
    "no limits": ('<limit lower="-1" upper="1" effort="5" velocity="3"/>', "", "limits", 'name="elbow" type="continuous">'),
    "inertia": ("iyy='0.011'", "iyy='0.02'", "realisability", "ixx="),
    "fusestatic": (
        '<mujoco><compiler fusestatic="false"   discardvisual="true"/></mujoco>', "", "fusestatic", 'fusestatic="false"'
    ),
    "option": ('discardvisual="true"', 'balanceinertia="true"', "compiler options", '<compiler fusestatic="false"/>'),
}  # fmt: skip

FIXED = """  <link name="tool"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="tool_joint" type="fixed"><parent link="lower"/><child link="tool"/></joint>
</robot>"""


@pytest.mark.parametrize("name", SPOILT)
def test_a_safe_remedy(leapcheck: Leapcheck, tmp_path: Path, name: str) -> None:
    right, wrong, rule, piece = SPOILT[name]
    spoilt = URDF.replace(right, wrong)
    assert spoilt != URDF
    if name == "fusestatic":
        spoilt = spoilt.replace("</robot>", FIXED)
    (tmp_path / "a.urdf").write_text(spoilt, encoding="utf-8")
    before = [finding for finding in lc.lint(str(tmp_path / "a.urdf")) if finding.rule == rule]
    assert before
    result = leapcheck("lint", "a.urdf", "--fix", "b.urdf")
    repaired = (tmp_path / "b.urdf").read_text(encoding="utf-8")
    assert piece in repaired
    assert not [finding for finding in lc.lint(str(tmp_path / "b.urdf")) if finding.rule == rule]
    assert f"[{rule}]" in result.out
    assert "--- a.urdf\n+++ b.urdf\n@@" in result.out
    changed = [line for line in spoilt.splitlines() if line not in repaired.splitlines()]
    assert len(changed) <= 1  # of the rest no byte
    assert result.status == 0
    assert (tmp_path / "a.urdf").read_text(encoding="utf-8") == spoilt


def test_the_nearest_inertia_is_taken(leapcheck: Leapcheck, tmp_path: Path) -> None:
    """Principal moments 0.02, 0.01, 0.002 fail by 0.008: a third of that is shared out to each, and the axes stay."""
    right, wrong, _, _ = SPOILT["inertia"]
    (tmp_path / "a.urdf").write_text(URDF.replace(right, wrong).replace('ixy="0.0003"', 'ixy="0"'), encoding="utf-8")
    leapcheck("lint", "a.urdf", "--fix", "b.urdf")
    inertia = lc.load(str(tmp_path / "b.urdf")).bodies[0].inertia
    xx, xy, xz, yy, yz, zz = inertia.rotational
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert inertia.realisable
    assert moments == pytest.approx([0.002 + 0.008 / 3, 0.01 + 0.008 / 3, 0.02 - 0.008 / 3], rel=1e-6)  # and a hair inside


def test_what_is_left_has_a_reason(leapcheck: Leapcheck, tmp_path: Path) -> None:
    spoilt = URDF.replace("ixx=\"0.01\"  iyy='0.011'", "ixx=\"-0.01\"  iyy='0.011'").replace('xyz="0 0.6 0.8"', 'xyz="0 3 4"')
    (tmp_path / "a.urdf").write_text(spoilt, encoding="utf-8")
    result = leapcheck("lint", "a.urdf", "--fix", "b.urdf")
    assert result.status == 1
    assert "left     error  body 'upper'" in result.out
    assert "not repaired: a principal moment is negative" in result.out
    assert "repaired warning  joint 'shoulder': its axis has the norm 5" in result.out
    assert 'ixx="-0.01"' in (tmp_path / "b.urdf").read_text(encoding="utf-8")


MJCF = """<mujoco model="arm">
  <compiler balanceinertia="true" angle="radian"/>
  <worldbody>
    <body name="upper" axisangle="0 2 0 0.3"><joint name="q" axis="0 1 0"/><geom type="capsule" size="0.02 0.1"/></body>
  </worldbody>
</mujoco>
"""


def test_an_mjcf(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(MJCF)
    result = leapcheck("lint", "a.xml", "--fix", "b.xml")
    assert result.status == 0
    repaired = (tmp_path / "b.xml").read_text()
    assert repaired == MJCF.replace(' balanceinertia="true"', "").replace("0 2 0 0.3", "0 1 0 0.3")
    assert lc.diff_robots(str(tmp_path / "a.xml"), str(tmp_path / "b.xml")).same


def test_an_option_that_does_something_stays(leapcheck: Leapcheck, tmp_path: Path) -> None:
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="0.02 0.005 0.005"/><geom'
    (tmp_path / "a.xml").write_text(MJCF.replace("<geom", inertial))
    result = leapcheck("lint", "a.xml", "--fix", "b.xml")
    assert "balanceinertia" in (tmp_path / "b.xml").read_text()
    assert "not repaired: without it MuJoCo" in result.out


@pytest.mark.parametrize(
    ("robot", "out", "said"),
    [
        ("mini_cheetah", "b.urdf", "--fix repairs the text of such a file"),
        ("a.urdf", "b.xml", "'b.xml' does not end in .urdf"),
        ("none.urdf", "b.urdf", "does not exist"),
        ("a.urdf", "none/b.urdf", "none/b.urdf"),
        ("latin.urdf", "b.urdf", "is not in UTF-8"),
    ],
)
def test_refusals(leapcheck: Leapcheck, tmp_path: Path, robot: str, out: str, said: str) -> None:
    (tmp_path / "a.urdf").write_text(URDF, encoding="utf-8")
    latin = URDF.replace('version="1.0"', 'version="1.0" encoding="latin-1"')
    (tmp_path / "latin.urdf").write_bytes(latin.encode("latin-1"))
    result = leapcheck("lint", robot, "--fix", out)
    assert result.status == 2
    assert said in result.err
    assert not (tmp_path / "b.urdf").exists()


def test_what_a_repaired_file_shows_is_no_reason_to_leave_it(leapcheck: Leapcheck, tmp_path: Path) -> None:
    """MuJoCo refuses a file with such an inertia; once it loads it, the base of 3 kg is lost there, which is another finding."""
    inertial = '<inertial><mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = f"""<robot name="hopper">
      <link name="trunk">{inertial.format(3, 0.01, 0.02, 0.02)}</link>
      <link name="leg">{inertial.format(0.2, 0.0003, 0.0009, 0.0003)}</link>
      <joint name="hip" type="continuous"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/></joint>
    </robot>"""
    (tmp_path / "a.urdf").write_text(text, encoding="utf-8")
    leapcheck("lint", "a.urdf", "--fix", "b.urdf")
    assert lc.load(str(tmp_path / "b.urdf")).bodies[1].inertia.realisable
