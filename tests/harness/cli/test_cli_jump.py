"""`leapcheck jump`: from the words of the command line to the files of the report and the exit status."""

import dataclasses
import json
import os
from pathlib import Path

import pandas as pd
import pytest

from leapcheck.cli import main
from leapcheck.cli.jump import JumpCommand
from leapcheck_models.robots import load
from leapcheck_models.spec import Pose
from leapcheck_models.spec_file import write_spec
from tests.harness.jumping.hopper import hopper

ROBOT = "mini_cheetah_armature"
JUMP = ("jump", ROBOT)
QUICK = ("--engines", "soft", "--levels", "1", "--workers", "1")
CONTROLLERS = """
import sys
import numpy as np
from leapcheck.jumping.control import JointCommand

def still(spec):
    q = np.array(spec.poses[0].q)[7:]
    n = len(q)
    return lambda t, q_, v: JointCommand(np.zeros(n), q, np.zeros(n), np.full(n, 40.0), np.full(n, 1.0))

def raising(spec):
    hold = still(spec)
    def policy(t, q, v):
        if t > 0.05:
            raise RuntimeError("lost the gait")
        return hold(t, q, v)
    return policy

def diverging(spec):
    return lambda t, q, v: np.exp(np.full(len(spec.actuators), 5e3 * t))

def broken(spec):
    return lambda t, q, v: [float("nan")] * 12

def leaving(spec):
    hold = still(spec)
    return lambda t, q, v: hold(t, q, v) if t <= 0.05 else sys.exit(7)

def writing(spec):
    hold = still(spec)
    def policy(t, q, v):
        q[:], v[:] = np.nan, np.nan
        return hold(t, q, v)
    return policy

def speaking(spec):
    hold = still(spec)
    def policy(t, q, v):
        print("noise")
        return hold(t, q, v)
    return policy

class Walker:
    def __init__(self, spec):
        self.hold, self.calls = still(spec), 0
    def __call__(self, t, q, v):
        print("noise")
        self.calls += 1
        assert self.calls == round(t / 1e-3) + 1, "made anew for each run"
        return self.hold(t, q, v)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "jump_controllers.py").write_text(CONTROLLERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUJOCO_GL", "off")  # pictures have their own tests
    return tmp_path


def results(folder: Path) -> dict:
    found: dict = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return found


def test_a_jump_is_planned_simulated_and_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main([*JUMP, "--height", "0.15", "--engines", "soft", "rigid", "--levels", "2", "--out", "out"])
    said, aside = capsys.readouterr()
    assert status == 0
    assert "take-off speed" in said
    assert aside.count("preliminary, at the coarsest step: GO: used at most") == 1
    assert "no pictures: MuJoCo found no OpenGL library" in " ".join((folder / "out" / "report.md").read_text().split())
    names = {str(path.relative_to(folder / "out")) for path in (folder / "out").rglob("*") if path.is_file()}
    assert names == {"report.html", "report.md", "results.json", "scene3d.html", "logs/soft.parquet", "logs/rigid.parquet"}
    log = pd.read_parquet(folder / "out" / "logs" / "rigid.parquet")
    assert log["time"].diff().dropna().to_numpy() == pytest.approx(5e-4)  # the finest step
    assert log["base_z"].max() > log["base_z"].iloc[0] + 0.05


def test_what_is_not_feasible_is_a_no_go_with_the_reason_and_what_would_be(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crouch = ("--crouch", "0.2")  # as given: not searched for at each height
    assert main([*JUMP, "--height", "3", *crouch, *QUICK, "--out", "out"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "NO-GO" in said
    assert "cannot jump 3 m high" in said
    assert "the highest feasible jump is 0." in said
    assert "--planner optimised" in said
    assert "cannot jump 3 m high" in (folder / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("controller", "says"),
    [
        ("raising", "the controller stopped at t = 0.0510 s: RuntimeError: lost the gait"),
        ("broken", "not finite at t = 0.0000 s"),
        ("diverging", "the controller stopped at t = 0.0060 s: ValueError: the controller asks for 1.07e+13 N m"),
        ("leaving", "the controller stopped at t = 0.0510 s: SystemExit: 7"),
        ("writing", "robot does not leave the ground"),
        ("speaking", "robot does not leave the ground"),
    ],
)
def test_a_controller_that_breaks_ends_in_a_finished_report(
    folder: Path, capsys: pytest.CaptureFixture[str], controller: str, says: str
) -> None:
    status = main([*JUMP, "--policy", f"jump_controllers:{controller}", "--duration", "0.2", *QUICK, "--out", "out"])
    assert status == 1
    assert says in " ".join(capsys.readouterr().out.split())
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert says in page
    assert (folder / "out" / "logs" / "soft.parquet").exists()


def test_a_hardware_log_is_held_against_the_simulation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*JUMP, "--policy", "jump_controllers:still", "--duration", "0.2", *QUICK]
    main([*words, "--out", "first"])
    log = pd.read_parquet(folder / "first" / "logs" / "soft.parquet")
    log["q_FR_hip_joint"] += 0.03
    log[["time", *(f"q_{leg}_{joint}_joint" for leg in ("FR", "FL", "HL") for joint in ("hip", "knee"))]].to_csv(
        "hardware.csv", index=False
    )
    main([*words, "--hardware-log", "hardware.csv", "--out", "second"])
    capsys.readouterr()
    residuals = results(folder / "second")["hardware"]["residuals"]
    assert residuals[0]["joint"] == "FR_hip_joint"
    assert residuals[0]["offset"] == pytest.approx(0.03, rel=0.2)  # a motion this short leaves the shift loose
    assert "FR_hip_joint" in (folder / "second" / "report.html").read_text(encoding="utf-8")


def test_a_broken_hardware_log_loses_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("nan.csv").write_text("time,q_FR_hip_joint\n0,1\n0.1,nan\n", encoding="utf-8")
    Path("fine.csv").write_text("time,q_FR_hip_joint\n0,1\n0.1,2\n", encoding="utf-8")
    words = [*JUMP, "--policy", "jump_controllers:broken", *QUICK, "--out", "out", "--hardware-log"]
    assert main([*words, "nan.csv"]) == 2  # before any work
    assert "column 'q_FR_hip_joint', row 3: 'nan' is no finite number" in capsys.readouterr().err
    assert main([*words, "fine.csv"]) == 1
    assert "'fine.csv' is not compared: soft stopped at once" in " ".join(capsys.readouterr().out.split())
    assert (folder / "out" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give one of --height, --highest, --onto-box, --over-gap, --plan"),
        (["--height", "0.2", "--highest"], "give one of --height"),
        (["--height", "-0.1"], "height is -0.1: give a finite positive number"),
        (["--height", "nan"], "height is nan: give a finite positive number"),
        (["--height", "0.2", "--engines", "bullet"], "unknown simulator 'bullet': use one of mujoco,"),
        (["--height", "0.2", "--set", "trunk.mass=-3"], "mass"),
        (["--height", "0.2", "--set", "trunk.mas=3"], "no field 'mas'"),
        (["--height", "0.2", "--dt", "0"], "--dt 0.0"),
        (["--height", "0.2", "--dt", "0.1"], "at most 0.01 s"),
        (["--height", "0.2", "--friction", "-1"], "--friction -1.0"),
        (["--height", "0.2", "--threshold", "slip=1"], "unknown threshold 'slip'"),
        (["--height", "0.2", "--threshold", "slip_no_go=far"], "threshold slip_no_go is 'far'"),
        (["--height", "0.2", "--actuators", "none.json"], "none.json"),
        (["--height", "0.2", "--hardware-log", "none.csv"], "none.csv"),
        (["--height", "0.2", "--motor-rating", "0", "10"], "thermal rating: current is 0.0"),
        (["--policy", "jump_controllers"], "write it as module:factory"),
        (["--policy", "jump_controllers:still", "--pose", "sit"], "no pose 'sit'"),
        (["--height", "0.2", "--monte-carlo", "3", "--vary", "wind=1"], "unknown variation 'wind'"),
        (["--height", "0.2", "--threshold", "slip_no_go"], "write NAME=VALUE"),
        (["--trajectory", "none.csv"], "none.csv"),
        (["--height", "0.2", "--solref", "0.01", "-1"], "solref"),
        (["--height", "0.2", "--pose", "fold"], "--pose does nothing here: the plan chooses it: leave it out"),
        (
            ["--onto-box", "0.3", "--planner", "quick"],
            "--onto-box: the quick planner sees neither boxes nor gaps: leave --planner",
        ),
        (["--over-gap", "0", "--planner", "optimised"], "--over-gap 0.0: give m above 0"),
        (["--onto-box", "0.3", "--height", "0.4", "--planner", "optimised"], "give one of --height, --highest, --onto-box"),
        (["--onto-box", "0.3", "--box", "0.2,0.4", "--planner", "optimised"], "--box does nothing here: --onto-box chooses"),
        (["--turn", "90", "--planner", "quick"], "--turn: the quick planner pushes straight: leave --planner quick out"),
        (["--take-off", "together"], "give one of --height, --highest, --onto-box"),
        (["--height", "0.2", "--turn", "400", "--planner", "optimised"], "--turn 400: give degrees from -360 to 360"),
        (
            ["--height", "0.2", "--turn", "90", "--flip", "back", "--planner", "optimised"],
            "--flip does nothing here: a jump with",
        ),
        (["--highest", "--duration", "2"], "--duration does nothing here"),
        (["--policy", "jump_controllers:still", "--crouch", "0.2"], "--crouch does nothing here: only a plan uses it"),
        (["--height", "0.2", "--vary", "friction=0.1"], "--vary does nothing here: only --monte-carlo uses it"),
        (["--height", "0.2", "--seed", "-1"], "--seed: give whole numbers, 0 or more"),
        (["--policy", "jump_controllers:still", "--engines", "soft", "soft"], "stands twice"),
    ],
)
def test_bad_words_are_refused_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    assert main([*JUMP, *words, "--workers", "1", "--out", "out"]) == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.err.count("\n") == 1
    assert not (folder / "out").exists()


def test_the_command_of_the_report_repeats_every_choice() -> None:
    command = JumpCommand(
        robot="mini_cheetah", height=0.2, set=("trunk.mass=4",), engines=("soft",), video=True, out=Path("x"), latency=0.002
    )
    assert (
        command.command(command.robot)
        == "leapcheck jump mini_cheetah --height 0.2 --set trunk.mass=4 --engines soft --latency 0.002"
    )
    assert JumpCommand(robot="mini_cheetah", highest=True).command("mini_cheetah") == "leapcheck jump mini_cheetah --highest"


def test_a_controller_with_a_state_gives_the_same_bytes_again_in_any_number_of_processes(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And what it prints is not among the results."""
    words = [*JUMP, "--policy", "jump_controllers:Walker", "--duration", "0.05", "--json"]
    for name, workers in (("first", "1"), ("again", "1"), ("spread", "2")):
        main([*words, "--engines", "soft", "mujoco", "--levels", "2", "--workers", workers, "--out", name])
        printed = capfd.readouterr()
        assert json.loads(printed.out) == results(folder / name)
        assert "made anew" not in printed.out
        assert "noise" in printed.err
    for file in ("results.json", "report.html", "report.md", "scene3d.html"):
        assert len({(folder / name / file).read_bytes() for name in ("first", "again", "spread")}) == 1


def test_a_trajectory_is_followed_to_its_end(folder: Path) -> None:
    names = [actuator.joint for actuator in load(ROBOT).actuators]
    rows = [f"{t}," + ",".join(map(str, (0.0, -0.8 - t, 1.6 + 2 * t) * 4)) for t in (0.0, 0.05, 0.1)]
    Path("crouch.csv").write_text("\n".join(["time," + ",".join(f"q_{name}" for name in names), *rows]) + "\n", encoding="utf-8")
    main([*JUMP, "--trajectory", "crouch.csv", *QUICK, "--mcap", "--out", "out"])
    assert {path.name for path in (folder / "out" / "logs").iterdir()} == {"soft.parquet", "soft.mcap"}
    log = pd.read_parquet(folder / "out" / "logs" / "soft.parquet")
    assert log["time"].iloc[-1] == pytest.approx(0.1)
    assert log["q_FR_knee_joint"].iloc[-1] == pytest.approx(1.8, abs=0.1)  # it sags under its weight


def test_names_of_all_kinds_are_shown_as_they_are_written(folder: Path) -> None:
    odd = "</script><b>\"R' & \u732b"
    spec = hopper()
    actuator = dataclasses.replace(spec.actuators[0], name=f"{odd}_leg")
    stand = Pose("home", (0.0, 0.0, 0.32, 1.0, 0.0, 0.0, 0.0, -0.3))
    write_spec(dataclasses.replace(spec, name=odd, actuators=(actuator,), poses=(stand,)), folder / "my robot.json")
    main(["jump", "my robot.json", "--policy", "jump_controllers:still", "--duration", "0.02", *QUICK])
    out = folder / "runs" / "jump_my robot"
    for name in ("report.html", "scene3d.html", "report.md"):
        assert odd not in (out / name).read_text(encoding="utf-8")
    assert f"torque_{odd}_leg" in pd.read_parquet(out / "logs" / "soft.parquet").columns


@pytest.mark.parametrize(("word", "package"), [("--mcap", "mcap"), ("--video", "imageio_ffmpeg"), ("--rerun", "rerun")])
def test_a_missing_package_is_told_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, word: str, package: str
) -> None:
    monkeypatch.setattr("leapcheck.jumping.media.find_spec", lambda name: None if name == package else object())
    assert main([*JUMP, "--height", "0.1", word, "--out", "out"]) == 2
    assert f"pip install 'leapcheck[{word[2:]}]'" in capsys.readouterr().err
    assert not (folder / "out").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "locked").mkdir(mode=0o500)
    assert main([*JUMP, "--height", "0.1", "--out", "locked/out"]) == 2
    assert "cannot be written" in capsys.readouterr().err
