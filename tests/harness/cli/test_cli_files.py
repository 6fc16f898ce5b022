"""Robots of the user on the command line: compare and lint with .urdf and .xml; names are shown, not obeyed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec
from tests.harness.cli.command_line import Leapcheck
from tests.harness.robots.files import INERTIAL, MULTI, URDF

QUICK = ("--states", "8", "--workers", "1", "--quantities", "mass_matrix", "bias_force", "--out", "out")


@pytest.mark.parametrize(("name", "text"), [("robot.urdf", URDF), ("robot.xml", MULTI)])
def test_a_file_is_compared_with_what_engines_load(leapcheck: Leapcheck, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    result = leapcheck("compare", name, *QUICK, "--json")
    assert (result.status, result.err) == (0, "")
    engines = [engine["name"] for engine in result.json["engines"]]
    assert "mujoco-file" in engines
    assert ("pinocchio-file" in engines) == (name == "robot.urdf")  # Pinocchio refuses the other: its keyframe
    assert result.json["provenance"]["robot"] == name


def test_what_an_importer_changes_is_a_discrepancy(leapcheck: Leapcheck, tmp_path: Path) -> None:
    box = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    (tmp_path / "robot.urdf").write_text(URDF.replace(f'"tool">{INERTIAL}', f'"tool">{box}'))
    result = leapcheck("compare", "robot.urdf", *QUICK, "--engines", "reference", "mujoco-file")
    assert result.status == 1
    assert "mujoco-file differs in mass matrix" in " ".join(result.out.split())


def test_engines_that_hold_a_file_need_one(leapcheck: Leapcheck) -> None:
    result = leapcheck("compare", "two_link_arm", "--engines", "reference", "mujoco-file")
    assert result.status == 2
    assert "'mujoco-file' loads a .urdf or .xml as it is, and the robot is neither: leave it out" in result.err


def test_lint_of_a_file(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(URDF)
    result = leapcheck("lint", "robot.urdf")
    assert (result.status, result.err) == (0, "")
    for rule in ("base mass", "fusestatic", "axis", "order", "total mass", "contact points"):
        assert f"[{rule}]" in result.out


def test_a_file_is_generated_from_a_file(leapcheck: Leapcheck, tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(URDF)
    assert leapcheck("generate", "robot.urdf", "--out", "made").status == 0
    assert leapcheck("compare", "made/little.xml", *QUICK).status == 0


SCRIPT = "<script>alert(1)</script>"


def test_script_in_names_is_text_in_the_report(leapcheck: Leapcheck, tmp_path: Path) -> None:
    """In a spec and in a URDF: every name is one of a script; the page holds none of them as markup."""
    spec = load("two_link_arm")
    bodies = tuple(
        replace(body, name=f"{body.name}{SCRIPT}", joint=replace(body.joint, name=f"{body.joint.name}{SCRIPT}"), parent=parent)
        for body, parent in zip(spec.bodies, ("world", f"{spec.bodies[0].name}{SCRIPT}"), strict=True)
    )
    write_spec(replace(spec, name=SCRIPT, bodies=bodies, contact_points=(), actuators=()), tmp_path / "robot.json")
    name = SCRIPT.replace("<", "&lt;").replace(">", "&gt;")
    (tmp_path / "robot.urdf").write_text(URDF.replace('"base"', f'"{name}"').replace('"z_first"', f'"{name}"'))
    for file in ("robot.json", "robot.urdf"):
        status = leapcheck("compare", file, *QUICK).status
        assert status == 0
        page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert SCRIPT not in page
        assert "alert(1)" in page
