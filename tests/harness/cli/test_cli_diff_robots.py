"""`leapcheck diff-robots`: status, 80 columns, JSON, refusals; and the same result in Python and in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

import leapcheck as lc
from leapcheck.system.strict_json import loads
from tests.harness.cli.command_line import ANSI, Leapcheck

ARM = """<robot name="arm"><link name="world"/>
<link name="upper"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="world"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""


def test_the_same_robot(leapcheck: Leapcheck) -> None:
    result = leapcheck("diff-robots", "pupper_leg", "pupper_leg")
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith("The same physics: 3 joints matched, no difference.\n")


def test_differences_are_readable_at_80_columns(leapcheck: Leapcheck, tmp_path: Path) -> None:
    result = leapcheck("diff-robots", "mini_cheetah", "mini_cheetah_armature", "--json", "made.json")
    assert result.status == 1
    assert ANSI not in result.out
    assert max(map(len, result.out.splitlines())) < 80
    assert "only A has the rotor" in result.out
    record = loads((tmp_path / "made.json").read_text())
    assert record["same"] is False
    assert record["sentence"] in " ".join(result.out.split())
    assert len(record["joints"]) == 13
    first = record["differences"][0]
    assert first["aspect"] == "dynamics"
    assert max(first["effect"]["M"], first["effect"]["h"]) == max(
        max(one["effect"]["M"], one["effect"]["h"]) for one in record["differences"] if one["effect"]
    )


def test_a_tolerance(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text(ARM.format(mass="1.00"))
    (tmp_path / "b.urdf").write_text(ARM.format(mass="1.01"))
    assert leapcheck("diff-robots", "a.urdf", "a.urdf").status == 0
    result = leapcheck("diff-robots", "a.urdf", "b.urdf")
    assert result.status == 1
    assert "mass of upper: 1 kg in A, 1.01 kg in B (+1 %)" in result.out
    assert leapcheck("diff-robots", "a.urdf", "b.urdf", "--tolerance", "0.02").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mini_cheetah", "nothing.urdf"), "file 'nothing.urdf' does not exist"),
        (("mini_cheetah", "cheetah"), "cheetah"),
        (("mini_cheetah",), "diff-robots --help"),
        (("box", "box", "--tolerance", "-1"), "give a share of at least 0"),
    ],
)
def test_what_cannot_be_read_is_one_line(leapcheck: Leapcheck, words: tuple[str, ...], said: str) -> None:
    result = leapcheck("diff-robots", *words)
    assert result.status == 2
    assert said in result.err
    assert result.err.count("\n") == 1


def test_robots_without_a_joint_in_common(leapcheck: Leapcheck) -> None:
    result = leapcheck("diff-robots", "box", "two_link_arm")
    assert result.status == 1
    assert "0 joints matched" in result.out


def test_the_result_shows_itself() -> None:
    difference = lc.diff_robots("mini_cheetah", "mini_cheetah_armature")
    frame = difference.to_frame()
    assert len(frame) == len(difference) == len(list(difference))
    assert frame["M"][0] == pytest.approx(difference.differences[0].size) or frame["h"][0] > frame["M"][0]
    assert "only A has the rotor" in difference._repr_html_()
    assert "Not the same" in repr(difference)
