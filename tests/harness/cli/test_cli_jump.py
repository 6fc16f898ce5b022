"""`leapcheck jump`: from the words of the command line to the files of the report and the exit status."""

import json
from pathlib import Path

import pandas as pd
import pytest

from leapcheck.cli import main
from leapcheck.cli.jump import Jump

QUICK = ("--engines", "soft", "--levels", "1", "--workers", "1")
CONTROLLERS = """
import numpy as np
from leapcheck.jump.control import Command

def still(spec):
    q = np.array(spec.poses[0].q)[7:]
    n = len(q)
    return lambda t, q_, v: Command(np.zeros(n), q, np.zeros(n), np.full(n, 40.0), np.full(n, 1.0))

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
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "jump_controllers.py").write_text(CONTROLLERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUJOCO_GL", "off")  # pictures have their own tests
    return tmp_path


def results(folder: Path) -> dict:  # type: ignore[type-arg]
    found: dict = json.loads((folder / "results.json").read_text(encoding="utf-8"))  # type: ignore[type-arg]
    return found


def test_a_jump_is_planned_simulated_and_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(
        ["jump", "mini_cheetah", "--height", "0.15", "--engines", "soft", "rigid", "--levels", "2", "--mcap", "--out", "out"]
    )
    said = capsys.readouterr().out
    assert status == 0
    assert "take-off speed" in said
    assert "no pictures: MuJoCo found no OpenGL library" in " ".join((folder / "out" / "report.md").read_text().split())
    names = {str(path.relative_to(folder / "out")) for path in (folder / "out").rglob("*") if path.is_file()}
    logs = {f"logs/{name}.{kind}" for name in ("soft", "rigid") for kind in ("parquet", "mcap")}
    assert names == {"report.html", "report.md", "results.json", "scene3d.html"} | logs
    log = pd.read_parquet(folder / "out" / "logs" / "rigid.parquet")
    assert log["time"].diff().dropna().to_numpy() == pytest.approx(5e-4)  # the finest step
    assert log["base_z"].max() > log["base_z"].iloc[0] + 0.05


def test_what_is_not_feasible_is_a_no_go_with_the_reason_and_what_would_be(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["jump", "mini_cheetah", "--height", "3", *QUICK, "--out", "out"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "NO-GO" in said
    assert "cannot jump 3 m high" in said
    assert "the highest feasible jump is 0." in said
    assert "cannot jump 3 m high" in (folder / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("controller", "says"),
    [
        ("raising", "the controller stopped at t = 0.0510 s: RuntimeError: lost the gait"),
        ("broken", "not finite at t = 0.0000 s"),
        ("diverging", "the controller stopped at t = 0.1420 s: RuntimeWarning: overflow"),  # warnings are errors in tests
    ],
)
def test_a_controller_that_breaks_ends_in_a_finished_report(
    folder: Path, capsys: pytest.CaptureFixture[str], controller: str, says: str
) -> None:
    status = main(
        ["jump", "mini_cheetah", "--policy", f"jump_controllers:{controller}", "--duration", "0.2", *QUICK, "--out", "out"]
    )
    assert status == 1
    assert says in " ".join(capsys.readouterr().out.split())
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert says in page
    assert (folder / "out" / "logs" / "soft.parquet").exists()


def test_a_hardware_log_is_held_against_the_simulation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["jump", "mini_cheetah", "--policy", "jump_controllers:still", "--duration", "0.2", *QUICK]
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


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give one of --height, --highest, --policy and --trajectory"),
        (["--height", "0.2", "--highest"], "give one of --height"),
        (["--height", "-0.1"], "height is -0.1: give a finite positive number"),
        (["--height", "nan"], "give one of --height"),
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
        (["--policy", "jump_controllers"], "write it as module:factory"),
        (["--policy", "jump_controllers:still", "--pose", "sit"], "no pose 'sit'"),
        (["--height", "0.2", "--monte-carlo", "3", "--vary", "wind=1"], "unknown variation 'wind'"),
        (["--height", "0.2", "--threshold", "slip_no_go"], "write NAME=VALUE"),
        (["--trajectory", "none.csv"], "none.csv"),
        (["--height", "0.2", "--solref", "0.01", "-1"], "solref"),
    ],
)
def test_bad_words_are_refused_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    assert main(["jump", "mini_cheetah", *words, "--workers", "1", "--out", "out"]) == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.err.count("\n") == 1
    assert not (folder / "out").exists()


def test_the_command_of_the_report_repeats_every_choice() -> None:
    asked = Jump("mini_cheetah", height=0.2, set=("trunk.mass=4",), engines=("soft",), video=True, out=Path("x"), latency=0.002)
    assert asked.command() == "leapcheck jump mini_cheetah --height 0.2 --set trunk.mass=4 --engines soft --latency 0.002"
    assert Jump("mini_cheetah", highest=True).command() == "leapcheck jump mini_cheetah --highest"
