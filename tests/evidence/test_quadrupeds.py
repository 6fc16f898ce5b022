"""The table of robot files that are asked for one jump."""

from pathlib import Path

from leapcheck_evidence.quadrupeds import quadruped_row, quadrupeds_page

MODELS = Path(__file__).parents[2] / "models" / "generated"
HEIGHT = 0.1


def test_a_file_that_cannot_jump_says_why() -> None:
    row = quadruped_row(MODELS / "two_link_arm" / "two_link_arm.urdf", HEIGHT, 1)
    assert row["verdict"] == "refused"
    assert "stands on a fixed base" in row["why"]
    assert row["file"] == "two_link_arm/two_link_arm.urdf"


def test_a_robot_without_a_plan_has_its_verdict_and_no_simulators() -> None:
    row = quadruped_row(MODELS / "mini_cheetah_armature" / "mini_cheetah_armature.xml", 3.0, 1)
    assert row["verdict"] == "NO-GO"
    assert (row["ran"], row["heights"]) == ("", "")
    assert "cannot jump 3 m high" in row["why"] or "no push for a jump of 3 m" in row["why"]


def test_the_page_has_a_line_for_each_file() -> None:
    row = {"file": "a.urdf", "verdict": "GO", "ran": "5 of 5", "heights": "0.1 to 0.1", "why": "", "notes": "a|b"}
    lines = quadrupeds_page([row, row], HEIGHT).splitlines()
    assert lines[-2:] == 2 * ["| a.urdf | GO | 5 of 5 | 0.1 to 0.1 |  | a/b |"]
