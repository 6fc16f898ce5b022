"""`leapcheck versions`: the routes mean the robot, versions are asked and told apart, and bad input is refused in one line."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from leapcheck.cli import main
from leapcheck.engines.errors import EngineError
from leapcheck.engines.other_version.engine import environment, pip_environment
from leapcheck.quantities import CORE
from leapcheck.report.versions.history import history_json
from leapcheck.versions.measure import VersionQuestion, measure_versions
from leapcheck.versions.routes import Route, model_file, read_model_file
from leapcheck.versions.run import history
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load

HERE = version("mujoco")


def in_this_python(folder: Path, *versions: str) -> Path:
    """A folder of environments in which each of the versions is this very Python."""
    for name in versions:
        place = folder / f"mujoco-{name}" / "bin"
        place.mkdir(parents=True)
        (place / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (place / "python").chmod(0o755)
    return folder


def question(folder: Path, robot: str, route: str, quantities: tuple[str, ...] = CORE) -> VersionQuestion:
    return VersionQuestion("mujoco", robot, model_file(load(robot), route), quantities, 24, 0, folder)


@pytest.mark.parametrize(("robot", "route"), [*(("tree4_7", route) for route in Route), ("mini_cheetah_armature", "urdf")])
def test_every_route_means_the_robot(tmp_path: Path, robot: str, route: str) -> None:
    """With unreal inertias, armatures, turned axes: this version is right by each."""
    found = measure_versions(question(in_this_python(tmp_path, HERE), robot, route), (HERE,))
    assert found.versions == (HERE,)
    assert not found.failures
    assert {figure.quantity for figure in found.figures} == set(CORE)
    assert {figure.verdict for figure in found.figures} <= {"right to rounding", "right but imprecise"}


def test_a_file_of_the_users_is_taken_as_it_is(tmp_path: Path) -> None:
    spec, path = load("two_link_arm"), tmp_path / "arm.xml"
    path.write_text(mjcf_text(spec).replace('gravity="0 0 -9.81"', 'gravity="0 0 -1.62"'))
    asked = VersionQuestion("mujoco", "two_link_arm", read_model_file(spec, path), CORE, 16, 0, in_this_python(tmp_path, HERE))
    wrong = {figure.quantity for figure in measure_versions(asked, (HERE,)).figures if figure.verdict == "wrong"}
    assert wrong == {"gravity_force", "bias_force", "forward_dynamics", "potential_energy"}


def test_two_versions_that_are_the_same_and_one_that_cannot_be_run(tmp_path: Path) -> None:
    folder = in_this_python(tmp_path, "1.0", HERE)
    (folder / "mujoco-0.9" / "bin").mkdir(parents=True)  # an environment without a Python
    asked = question(folder, "two_link_arm", "mjcf", ("mass_matrix",))
    found = history(asked, (HERE, "0.9"), False, "leapcheck versions")
    assert found.exit_status == 2
    assert [failure.engine for failure in found.failures] == ["mujoco-0.9"]
    assert "cannot be started" in found.failures[0].message
    again = history(asked, (HERE, "1.0"), False, "leapcheck versions")  # an environment that holds another version than it says
    assert "holds version" in again.failures[0].message
    assert json.loads(history_json(again))["exit_status"] == 2


def test_pip_is_not_held_to_the_constraints_of_this_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONSTRAINT", "constraints.txt")
    assert "PIP_CONSTRAINT" not in pip_environment()
    assert pip_environment()["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("bullet", "1", "2"), "unknown package 'bullet': use one of mujoco, pinocchio, pin"),
        (("mujoco", "3.3.7"), "1 versions of mujoco: give at least two"),
        (("mujoco", "3.3.7", "newest"), "'newest' is not a version: give one like 3.10.0"),
        (("mujoco", "3.3.7", "3.3.7"), "version 3.3.7 is given twice: name each once"),
        (("mujoco", "1", "2", "--route", "sdf"), "unknown route 'sdf': use one of mjcf, urdf, urdf-turned, urdf-fused"),
        (("mujoco", "1", "2", "--quantities", "qM"), "quantity 'qM' is MuJoCo's own: use one of mass_matrix"),
        (("mujoco", "1", "2", "--states", "0"), "0 states: give at least 1"),
        (("pin", "1", "2", "--robot", "random:1", "--route", "urdf"), "cannot be written as URDF"),
    ],
)
def test_bad_words_are_refused_in_one_line(given: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["versions", *given]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("leapcheck: ")
    assert said.err.count("\n") == 1
    assert message in said.err


@pytest.mark.slow
def test_the_release_that_mended_inertial_rpy_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """google-deepmind/mujoco#3559: wrong up to 3.13.0, right from 3.14.0; 3.3.7 and 3.10.0 are alike."""
    if not reachable():
        pytest.skip("no environment with MuJoCo 3.10.0 can be made: is the registry in reach?")
    words = ("--robot", "tree4_7", "--route", "urdf-turned", "--states", "32", "--bisect", "--json")
    status = main(["versions", "mujoco", "3.3.7", "3.10.0", HERE, *words])
    found = json.loads(capsys.readouterr().out)
    assert status == found["exit_status"] == 1
    mass = [change for change in found["changes"] if change["quantity"] == "mass_matrix"]
    assert [(change["before"], change["after"], change["exact"]) for change in mass] == [("3.13.0", "3.14.0", True)]
    assert mass[0]["error_before"] > 1e-3
    assert mass[0]["error_after"] < 1e-13


@pytest.mark.slow
def test_a_version_that_is_not_released_is_named_and_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    if not reachable():
        pytest.skip("no environment with MuJoCo 3.10.0 can be made: is the registry in reach?")
    words = ("--robot", "two_link_arm", "--states", "16", "--json")
    assert main(["versions", "mujoco", "3.10.0", "3.10.999", "3.3.7", *words]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["versions"] == ["3.10.0", "3.3.7"]
    assert [failure["engine"] for failure in found["failures"]] == ["mujoco-3.10.999"]


def reachable() -> bool:
    try:
        environment("mujoco", "3.10.0", Path(os.environ["LEAPCHECK_CACHE"]) / "environments")
    except EngineError:
        return False
    return True
