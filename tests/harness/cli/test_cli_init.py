"""`leapcheck init`: what it writes runs as it is, and nothing that exists is touched."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from leapcheck.starter.files import ENGINE, starter_files
from leapcheck_models.robots import ROBOTS, load
from leapcheck_reference import build
from tests.harness.cli.command_line import Leapcheck, program, refusal

FILES = {"my_dynamics.py", "test_dynamics.py", ".github/workflows/leapcheck.yml", ".pre-commit-config.yaml"}


def test_what_it_writes_passes_its_own_test(leapcheck: Leapcheck, tmp_path: Path) -> None:
    said = leapcheck("init", "two_link_arm", "--out", "mine")
    assert (said.status, said.err) == (0, "")
    assert {path.relative_to("mine").as_posix() for path in Path("mine").rglob("*") if path.is_file()} == FILES
    options = ("-W", "error", "-p", "no:cacheprovider", "--leapcheck-states", "64")  # the last two are the hook's
    done = program(tmp_path / "mine", "-q", *options, python=("-m", "pytest"))
    assert done.status == 0, done.out
    assert "6 passed" in done.out
    done = program(tmp_path / "mine", python=("my_dynamics.py",))
    assert "Agree: 3 engines agree on 18 quantities over 256 states of two_link_arm" in done.out


@pytest.mark.parametrize("robot", [*ROBOTS, "random:3"])
def test_it_fits_every_robot(robot: str) -> None:
    files = starter_files(robot, load(robot))
    assert set(files) == FILES
    for path, text in files.items():
        assert max(map(len, text.splitlines())) <= 150, path
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        if path.endswith(".py"):
            compile(text, path, "exec")


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:3"])
def test_joints_are_listed_with_their_own_coordinates(robot: str) -> None:
    spec = load(robot)
    text = starter_files(robot, spec)["my_dynamics.py"]
    for body, link in zip(spec.bodies, build(spec).links, strict=True):
        if link.v.stop > link.v.start:
            (line,) = [line for line in text.splitlines() if line.strip().startswith(f"{body.joint.name} (")]
            assert line.split()[2:] == [f"{name}[{_entries(part)}]" for name, part in (("q", link.q), ("v", link.v))]


def _entries(part: slice) -> str:
    return str(part.start) if part.stop == part.start + 1 else f"{part.start}:{part.stop}"


def test_files_that_exist_are_kept_and_named(leapcheck: Leapcheck) -> None:
    Path("my_dynamics.py").write_text("mine")
    said = leapcheck("init", "box")
    assert said.status == 0
    assert "kept    my_dynamics.py: it exists" in said.out
    assert "wrote   test_dynamics.py" in said.out
    assert Path("my_dynamics.py").read_text() == "mine"


def test_what_is_no_robot_is_refused(leapcheck: Leapcheck, tmp_path: Path) -> None:
    assert "unknown robot 'nobody'" in refusal(leapcheck, tmp_path, "init", "nobody")


def test_names_that_would_break_out_of_a_file_do_not(tmp_path: Path) -> None:
    robot = 'odd"""; $(touch x) \\N{dash}: #.json'
    files = starter_files(robot, load("box"))
    for path in ("my_dynamics.py", "test_dynamics.py"):
        compile(files[path], path, "exec")
    steps = yaml.safe_load(files[".github/workflows/leapcheck.yml"])["jobs"]["dynamics"]["steps"]
    (command,) = [line for step in steps for line in step.get("run", "").splitlines() if line.startswith("leapcheck")]
    assert shlex.split(command)[:3] == ["leapcheck", "compare", robot]
    with pytest.raises(ValueError, match="cannot be printed: give the file another name"):
        starter_files("a\nb.json", load("box"))


def test_the_workflow_and_the_hook_do_what_the_command_line_knows(leapcheck: Leapcheck, tmp_path: Path) -> None:
    leapcheck("init", "two_link_arm")
    workflow = yaml.safe_load(Path(".github/workflows/leapcheck.yml").read_text())
    assert set(workflow) == {"name", True, "permissions", "jobs"}  # YAML 1.1 reads the key `on` as true
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["dynamics"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    script = next(step["run"] for step in steps if "leapcheck compare" in step.get("run", ""))
    command = shlex.split(next(line for line in script.splitlines() if line.startswith("leapcheck")))
    assert ENGINE in command
    quick = ("--states", "16", "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--workers", "1")
    done = leapcheck(*command[1:-1], *quick)  # the last word is "$@"
    assert done.status == 0, done.err
    assert Path("report/junit.xml").exists()
    for last in (["report/junit.xml", "--github"], ["--baseline", "baseline.json"]):
        echo = ["bash", "-e", "-c", f"leapcheck() {{ echo $*; }}\n{script}"]  # -e, as the runner does
        said = subprocess.run(echo, check=True, capture_output=True, text=True).stdout
        assert said.split()[-2:] == last
        Path("baseline.json").touch()
    upload = steps[-1]
    assert (upload["if"], upload["with"]["path"]) == ("always()", "report")
    (repository,) = yaml.safe_load(Path(".pre-commit-config.yaml").read_text())["repos"]
    (hook,) = repository["hooks"]
    assert (repository["repo"], hook["language"], hook["pass_filenames"]) == ("local", "system", False)
    assert shlex.split(hook["entry"]) == ["python", "-m", "pytest", "-q", "test_dynamics.py", "--leapcheck-states", "64"]
