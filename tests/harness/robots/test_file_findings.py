"""What importers change, measured by loading the file: each change is planted and must be named."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.robots.file_findings import findings_on_file
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.lint.finding import Finding
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from tests.harness.engines.test_other_version import GENERIC
from tests.harness.robots.files import INERTIAL, MULTI, URDF
from tests.harness.robots.test_file_engines import read

pytestmark = pytest.mark.quick

BOX = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
CHANGED: dict[str, tuple[str, str, str, str, str]] = {
    "base mass lost": (URDF, "urdf", "total mass", "robot.urdf in MuJoCo", "it has 6 of 8 kg, 2 dof and 2 links"),
    "alphabetical order": (URDF, "urdf", "order", "robot.urdf in Pinocchio", "'a_second' where the file has 'z_first'"),
    "settotalmass": (
        URDF.replace("</robot>", '<mujoco><compiler settotalmass="16"/></mujoco></robot>'),
        "urdf",
        "compiler options",
        '<compiler settotalmass="...">',
        "becomes",
    ),
    "balanceinertia": (
        URDF.replace('izz="0.04"', 'izz="0.9"').replace("</robot>", '<mujoco><compiler balanceinertia="true"/></mujoco></robot>'),
        "urdf",
        "load",
        "robot.urdf in MuJoCo",
        "M differs from the tree's by up to",
    ),
    "mass of geometry": (
        URDF.replace(f'"tool">{INERTIAL}', f'"tool">{BOX}'),
        "urdf",
        "load",
        "robot.urdf in MuJoCo",
        "M differs from the tree's by up to",
    ),
    "refused": (URDF.replace('izz="0.04"', 'izz="0.9"'), "urdf", "load", "robot.urdf in MuJoCo", "inertia must satisfy"),
    "gravity": (MULTI, "xml", "Pinocchio", "the option gravity", "ignored by Pinocchio's reader"),
    "frame": (MULTI, "xml", "Pinocchio", "the pose of a <frame>", "ignored by Pinocchio's reader"),
    "replicate": (MULTI, "xml", "Pinocchio", "the copies of a <replicate>", "ignored by Pinocchio's reader"),
    "actuators": (MULTI, "xml", "Pinocchio", "the armature of actuators", "ignored by Pinocchio's reader"),
    "turned base": (MULTI, "xml", "Pinocchio", "the pose of a body with a free joint", "ignored by Pinocchio's reader"),
    "coupled joint": (MULTI, "xml", "closed loops", "1 coupled joint", "M and h are those of the open tree"),
    "equality": (
        MULTI.replace('joint2="hy"', 'joint2="hy" active="false"'),
        "xml",
        "equality",
        "1 equality constraint",
        "not in the comparison",
    ),
    "several joints": (MULTI, "xml", "several joints", "body 'hip'", "it has 3 joints"),
    "springs": (
        MULTI.replace('name="hx"', 'name="hx" stiffness="3"'),
        "xml",
        "passive forces",
        "springs of joints",
        "not compared",
    ),
    "eulerseq": (
        MULTI.replace('angle="radian"', 'angle="radian" eulerseq="XYZ"'),
        "xml",
        "Pinocchio",
        "an upper-case eulerseq, which turns about fixed axes",
        "ignored",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGED)
def test_a_change_is_named(case: str, tmp_path: Path) -> None:
    text, kind, rule, place, words = CHANGED[case]
    found = findings_on_file(read(text, tmp_path, kind))
    assert len([f for f in found if (f.rule, f.place) == (rule, place) and words in f.message]) == 1, found


def of_rule(file: ImportedRobot, *rules: str) -> list[Finding]:
    return [finding for finding in findings_on_file(file) if finding.rule in rules]


@GENERIC
def test_a_file_that_everyone_reads_alike_has_no_such_finding(tmp_path: Path) -> None:
    assert (
        of_rule(read(mjcf_text(load("tree4_7")), tmp_path, "xml"), "load", "order", "total mass", "compiler options", "Pinocchio")
        == []
    )


def test_bodies_in_two_sections_are_read_twice_by_pinocchio_and_are_no_traceback(tmp_path: Path) -> None:
    text = mjcf_text(load("tree4_7"))
    end = text.index("</worldbody>") + len("</worldbody>")
    floor = '<worldbody><geom type="plane" size="1 1 1"/></worldbody>'
    imported = read(text[:end] + floor + text[end:], tmp_path, "xml")
    assert "order" not in {finding.rule for finding in findings_on_file(imported)}


def test_a_first_body_that_pinocchio_moves_to_the_origin_is_named(tmp_path: Path) -> None:
    text = '<mujoco><worldbody><body name="post" pos="0 0 1"><geom size="0.1"/>{}</body></worldbody></mujoco>'
    arm = '<body name="arm"><joint name="j"/><geom size="0.1" pos="0.1 0 0"/></body>'
    findings = read(text.format(arm), tmp_path, "xml").findings
    assert any(finding.rule == "Pinocchio" and "first body without joints" in finding.place for finding in findings)
    findings = read(text.format(arm).replace('pos="0 0 1"', ""), tmp_path, "xml").findings
    assert not any(finding.rule == "Pinocchio" for finding in findings)


def test_a_com_that_mujoco_takes_for_the_origin_is_named(tmp_path: Path) -> None:
    inertial = '<inertial pos="{} 0 0" mass="1" diaginertia="1 1 1"/>'
    text = f'<mujoco><worldbody><body name="b"><freejoint/>{inertial}</body></worldbody></mujoco>'
    near, far = (read(text.format(x), tmp_path, "xml").findings for x in ("1e-8", "1e-3"))
    assert [finding.rule for finding in near].count("rounded com") == 1
    assert all(finding.rule != "rounded com" for finding in far)


@pytest.mark.parametrize(("geom", "named"), [("", True), ('mass="0"', False), ('conaffinity="1"', False)])
def test_the_mass_of_what_touches_nothing_is_missing_in_pinocchio(geom: str, named: bool, tmp_path: Path) -> None:
    untouchable = f'<geom size="0.1" contype="0" conaffinity="0" {geom}/>'.replace('conaffinity="0" conaffinity', "conaffinity")
    arm = f'<body name="arm"><joint name="j"/><geom size="0.1" pos="0.1 0 0"/>{untouchable}</body>'
    findings = read(f"<mujoco><worldbody>{arm}</worldbody></mujoco>", tmp_path, "xml").findings
    assert any("touch nothing" in finding.place and finding.rule == "Pinocchio" for finding in findings) is named


def test_a_mass_in_a_default_is_missing_in_pinocchio(tmp_path: Path) -> None:
    arm = '<body name="arm"><joint name="j"/><geom size="0.1" pos="0.1 0 0"/></body>'
    text = f'<mujoco><default><geom mass="3"/></default><worldbody>{arm}</worldbody></mujoco>'
    file = read(text, tmp_path, "xml")
    assert any("geoms in a <default>" in finding.place and finding.rule == "Pinocchio" for finding in file.findings)
    assert any(finding.rule == "load" and finding.place.endswith("in Pinocchio") for finding in findings_on_file(file))
