"""The examples of engines, built and compared as a user does: C, C in single precision, C++ with Eigen, a program over a pipe."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leapcheck.quantities import CANONICAL, QUANTITIES, QuantityGroup
from leapcheck_models.robots import load
from leapcheck_reference.trace.c99 import c_files
from leapcheck_reference.trace.c_robot import robot_function
from tests.harness.cli.command_line import Leapcheck

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "tests" / "examples" / "engines"
HEADERS = ROOT / "harness" / "leapcheck" / "engines" / "outside"
EIGEN = Path("/usr/include/eigen3")
FORCES = ("mass_matrix", "bias_force")
GENERATED = 2e-15
"""Of a quantity's scale: the kernels' bits, but for the Coriolis matrix, which has a normal form; measured 4.2e-16."""

UNCONSTRAINED = {name for name in CANONICAL if QUANTITIES[name].group is not QuantityGroup.CONSTRAINTS}

BY_HAND = 1e-12
"""Of a quantity's scale, far states among them; measured 3.0e-14, in dID/dq."""

AGAINST = ("--engines", "reference", "--workers", "1", "--json")

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
needs_eigen = pytest.mark.skipif(shutil.which("g++") is None or not EIGEN.is_dir(), reason="no g++, or no Eigen (libeigen3-dev)")


def generated_library(folder: Path, *options: str) -> str:
    """The C example, built with the C99 that leapcheck generates."""
    for quantity in (*FORCES, "contact_jacobians"):
        for name, text in c_files(robot_function(load("mini_cheetah"), (quantity,))).items():
            (folder / name).write_text(text, encoding="utf-8")
    sources = [str(EXAMPLES / "mini_cheetah.c"), *(path.name for path in folder.glob("*.c"))]
    flags = ("-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC")
    subprocess.run(["gcc", *flags, *options, f"-I{HEADERS}", "-I.", *sources, "-lm", "-o", "libown.so"], cwd=folder, check=True)
    return "./libown.so"


@pytest.fixture(scope="module")
def quadruped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ example, compiled once: its fault is there where the environment says so."""
    library = tmp_path_factory.mktemp("quadruped") / "libquadruped.so"
    flags = ("-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}", f"-isystem{EIGEN}")
    fault = '-DPLANTED_FAULT=(std::getenv("PLANTED_FAULT") != nullptr)'
    subprocess.run(["g++", *flags, fault, str(EXAMPLES / "quadruped.cpp"), "-o", library], check=True)
    return library


@needs_gcc
def test_generated_c_behind_the_abi_gives_the_reference_s_bits(leapcheck: Leapcheck, tmp_path: Path) -> None:
    engine = generated_library(tmp_path)
    result = leapcheck("compare", "mini_cheetah", *AGAINST, "--engine", engine, "--states", "300", "--quantities", *FORCES)
    assert result.status == 0
    assert [row["error"] for row in result.json["comparisons"]] == [0.0, 0.0]
    routes = {e["name"]: (e["version"], e["route"]) for e in result.json["engines"]}
    assert routes[engine] == ("1.0", "a robot of its own; library with a C ABI 'generated C' in a process of its own")


@needs_gcc
@pytest.mark.parametrize("robot", ["two_link_arm", pytest.param("mini_cheetah_armature", marks=pytest.mark.slow)])
def test_an_engine_that_leapcheck_generates_answers_every_quantity(leapcheck: Leapcheck, tmp_path: Path, robot: str) -> None:
    """As its file says, and with a fault in its last answers."""
    assert leapcheck("generate", robot, "--out", ".", "--c", "all", "--engine").status == 0
    sources = [f"{robot}_dynamics.c", f"{robot}_dynamics_engine.c"]
    flags = ("-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC", f"-I{HEADERS}")
    subprocess.run(["gcc", *flags, *sources, "-lm", "-o", "libown.so"], cwd=tmp_path, check=True)
    words = ("compare", robot, *AGAINST, "--engine", "./libown.so", "--states", "32", "--quantities")
    result = leapcheck(*words, "all")
    assert result.status == 0
    assert {row["quantity"] for row in result.json["comparisons"]} == UNCONSTRAINED
    assert max(row["error"] for row in result.json["comparisons"]) < GENERATED
    text = (tmp_path / sources[1]).read_text()
    (tmp_path / sources[1]).write_text(text.replace("at(states->vdot,", "at(states->tau,"))
    subprocess.run(["gcc", *flags, *sources, "-lm", "-o", "libfaulty.so"], cwd=tmp_path, check=True)
    faulty = [word.replace("libown", "libfaulty") for word in words]
    contacts = "inverse_dynamics_with_contacts"
    result = leapcheck(*faulty, "bias_force", "inverse_dynamics", contacts, "joint_torque_regressor")
    wrong = {row["quantity"] for row in result.json["comparisons"] if row["verdict"] == "discrepancy"}
    assert (result.status, wrong) == (1, {"inverse_dynamics", contacts, "joint_torque_regressor"})
    for case in result.json["reproducers"]:  # each hands vdot and contact forces over by itself
        done = subprocess.run([sys.executable, "-c", case["script"]], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, "the error is there" in done.stdout) == (1, True), done.stdout + done.stderr
    assert result.json["reproducers"]


@needs_gcc
def test_a_library_in_single_precision_is_imprecise_and_not_wrong(leapcheck: Leapcheck, tmp_path: Path) -> None:
    engine = generated_library(tmp_path, "-DLEAPCHECK_FLOAT32")
    words = ("--engine", engine, "--states", "64", "--quantities", "mass_matrix")
    result = leapcheck("compare", "mini_cheetah", *AGAINST, *words)
    run = result.json
    assert (result.status, run["discrepancies"]) == (0, [])
    (verdict,) = (row for row in run["verdicts"] if row["engine"] == engine)
    assert verdict["verdict"] == "right but imprecise"
    assert "single precision" in next(e["route"] for e in run["engines"] if e["name"] == engine)


@needs_eigen
def test_a_user_s_quadruped_code_agrees_in_its_own_convention(leapcheck: Leapcheck, quadruped: Path) -> None:
    words = ("--engine", quadruped, "--states", "300", "--quantities", *FORCES)
    result = leapcheck("compare", "mini_cheetah_armature", *AGAINST, *words)
    assert result.status == 0
    assert all(row["verdict"] == "agree" for row in result.json["comparisons"])


@needs_eigen
@pytest.mark.slow
def test_a_user_s_whole_quadruped_answers_every_quantity(
    leapcheck: Leapcheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand with Eigen; then with the armature left out of inverse dynamics alone."""
    flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}", f"-isystem{EIGEN}")
    fault = '-DPLANTED_FAULT=(std::getenv("PLANTED_FAULT") != nullptr)'
    command = ["g++", *flags, fault, str(EXAMPLES / "whole_quadruped.cpp"), "-o", "libwhole.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    words = ("compare", "mini_cheetah_armature", *AGAINST, "--engine", "./libwhole.so", "--states", "32", "--quantities")
    result = leapcheck(*words, "all")
    assert result.status == 0
    assert {row["quantity"] for row in result.json["comparisons"]} == UNCONSTRAINED
    assert max(row["error"] for row in result.json["comparisons"]) < BY_HAND
    monkeypatch.setenv("PLANTED_FAULT", "1")
    result = leapcheck(*words, "mass_matrix", "bias_force", "inverse_dynamics")
    assert [row["quantity"] for row in result.json["discrepancies"]] == ["inverse_dynamics"]
    (diagnosis,) = result.json["diagnoses"]
    assert [cause["name"] for cause in diagnosis["causes"]] == ["armature/left-out-in-part:inverse_dynamics"]


@needs_eigen
def test_the_fault_in_a_user_s_quadruped_code_is_named(
    leapcheck: Leapcheck, quadruped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_FAULT", "1")
    shutil.copy(quadruped, tmp_path)
    engine = "./libquadruped.so"
    words = ("--engine", engine, "--states", "64", "--quantities", "mass_matrix")
    result = leapcheck("compare", "mini_cheetah_armature", *AGAINST, *words)
    assert result.status == 1
    (diagnosis,) = result.json["diagnoses"]
    assert [cause["name"] for cause in diagnosis["causes"]] == ["inertia-xy/FR_hip+HR_hip"]
    assert not diagnosis["unexplained"]
    (case,) = result.json["reproducers"]
    (tmp_path / "case.py").write_text(case["script"], encoding="utf-8")
    done = subprocess.run([sys.executable, "case.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert engine in done.stdout


@pytest.mark.parametrize("words", ["", " --memory"])
def test_a_program_over_a_pipe_agrees(leapcheck: Leapcheck, words: str) -> None:
    engine = f"pipe:{sys.executable} {EXAMPLES / 'pipe_program.py'}{words}"
    quantities = ("--states", "300", "--quantities", "mass_matrix", "gravity_force", "kinetic_energy", "potential_energy")
    result = leapcheck("compare", "two_link_arm", *AGAINST, *quantities, "--engine", engine)
    assert result.status == 0
    assert len(result.json["comparisons"]) == 4
