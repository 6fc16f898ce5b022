"""`leapcheck lint`: findings with place and remedy, errors first; status 1 where there is an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leapcheck_models.lint import lint
from leapcheck_models.robots import load
from leapcheck_models.spec_file import write_spec
from tests.harness.cli.command_line import ANSI, Leapcheck

pytestmark = pytest.mark.quick


def test_the_hip_of_the_mini_cheetah_is_an_error(leapcheck: Leapcheck) -> None:
    result = leapcheck("lint", "mini_cheetah")
    assert (result.status, result.err) == (1, "")
    lines = result.out.splitlines()
    assert lines[0].startswith("mini_cheetah has the figures as they were published")
    assert lines[1].startswith("error  body 'FR_hip': no physical body has this inertia")
    assert lines[2].startswith("         ask its source; the nearest realisable one is (0.00199065, ")
    assert lines[-1] == "mini_cheetah: 4 errors, 0 warnings, 6 notes"
    assert ANSI not in result.out


def test_a_clean_robot(leapcheck: Leapcheck) -> None:
    result = leapcheck("lint", "two_link_arm")
    assert result.status == 0
    assert result.out.splitlines()[-1] == "two_link_arm: 0 errors, 0 warnings, 1 note"


def test_every_finding_is_shown_once_errors_first(leapcheck: Leapcheck) -> None:
    findings = lint(load("mini_cheetah"))
    lines = leapcheck("lint", "mini_cheetah").out.splitlines()[1:-2]  # the publisher; what explains the rules, the counts
    severities = [line.split()[0] for line in lines[::2]]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert sorted(lines[::2]) == sorted(f"{f.severity}  {f.place}: {f.message}" for f in findings)
    assert sorted(lines[1::2]) == sorted(f"         {f.remedy}  [{f.rule}]" for f in findings)


def test_a_robot_of_ones_own(leapcheck: Leapcheck, tmp_path: Path) -> None:
    spec = load("two_link_arm")
    first, last = spec.bodies
    massless = replace(last, inertia=replace(last.inertia, mass=0.0, rotational=(0.0,) * 6))
    write_spec(replace(spec, bodies=(first, massless)), tmp_path / "mine.json")
    result = leapcheck("lint", "mine.json")
    assert result.status == 1
    assert "[massless links]" in result.out


def test_names_are_shown_not_obeyed(leapcheck: Leapcheck, tmp_path: Path) -> None:
    write_spec(replace(load("two_link_arm"), name="[bold red]arm[/]"), tmp_path / "mine.json")
    assert leapcheck("lint", "mine.json").out.splitlines()[-1].startswith("[bold red]arm[/]: 0 errors")
