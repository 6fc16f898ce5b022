"""Names that would steer whoever reads them, planted in all that a jump is made of, through all that it writes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pandas as pd
import pytest
from mcap.reader import make_reader

from leapcheck_models.spec import Pose, as_json
from tests.harness.cli.command_line import Leapcheck
from tests.harness.cli.hostile_names import FILE, SEEN, UNSEEN, check_markdown, check_page, check_shown
from tests.harness.jumping.hopper import hopper

STAND = Pose("home", (0.0, 0.0, 0.32, 1.0, 0.0, 0.0, 0.0, -0.3))
CONTROLLER = f"""
from numpy import zeros

def make(spec):
    def policy(t, q, v):
        if t > 0.01:
            raise ValueError({UNSEEN!r})
        return zeros(1)
    return policy

globals()[{SEEN!r}] = make
"""
QUICK = ("--engines", "soft", "--levels", "1", "--workers", "1", "--mcap", "--out", "out")


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A hopper all of whose names are hostile, with a controller and a trajectory beside it, which is a hardware log as well."""
    monkeypatch.setenv("MUJOCO_GL", "off")  # no pictures: they hold no names
    text = as_json(dataclasses.replace(hopper(), poses=(STAND,)))
    for name in ("hopper", "trunk", "leg", "leg_joint", "base", "foot", "home"):
        text = text.replace(f'"{name}"', json.dumps(SEEN + name))
    (tmp_path / f"{FILE}.json").write_text(text, encoding="utf-8")
    (tmp_path / "hostile_controller.py").write_text(CONTROLLER, encoding="utf-8")
    rows = "\n".join(f"{t},{-0.3 - t / 10},0" for t in (0.0, 0.01, 0.02))
    (tmp_path / f"{FILE}.csv").write_text(f"time,q_{SEEN}leg_joint,{UNSEEN}\n{rows}\n", encoding="utf-8")
    return f"{FILE}.json"


@pytest.mark.parametrize(
    "words",
    [("--policy", f"hostile_controller:{SEEN}", "--duration", "0.02"), ("--trajectory", f"{FILE}.csv", "--monte-carlo", "2")],
)
def test_every_output_of_a_jump_shows_names_and_obeys_none(
    words: tuple[str, ...], robot: str, tmp_path: Path, leapcheck: Leapcheck
) -> None:
    said = leapcheck("jump", robot, *words, "--pose", f"{SEEN}home", "--hardware-log", f"{FILE}.csv", *QUICK)
    assert said.status == 1, said
    check_shown(said.out + said.err)
    out = tmp_path / "out"
    check_page(out / "report.html")
    check_page(out / "scene3d.html")
    check_markdown((out / "report.md").read_text(encoding="utf-8"))
    assert SEEN in json.loads((out / "results.json").read_text(encoding="utf-8"))["provenance"]["command"]
    assert f"torque_{SEEN}leg" in pd.read_parquet(out / "logs" / "soft.parquet").columns
    with (out / "logs" / "soft.mcap").open("rb") as file:
        messages = [json.loads(message.data) for _, channel, message in make_reader(file).iter_messages("/joint_states")]
    assert messages[0]["name"] == [f"{SEEN}leg_joint"]


@pytest.mark.parametrize(
    "words",
    [
        ("--policy", f"hostile_controller:{FILE}"),
        ("--policy", "hostile_controller:make", "--pose", UNSEEN),
        ("--policy", "hostile_controller:make", "--hardware-log", f"{FILE}.parquet"),
        ("--trajectory", f"{FILE}2.csv"),
        ("--trajectory", f"{FILE}3.csv"),
        ("--height", "0.1", "--set", f"{UNSEEN}=1"),
        ("--height", "0.1", "--threshold", f"{UNSEEN}=1"),
        ("--height", "0.1", "--vary", f"{UNSEEN}=1", "--monte-carlo", "2"),
        ("--height", "0.1", "--actuators", f"{FILE}2.json"),
        ("--height", "0.1", "--engines", UNSEEN),
        ("--height", "0.1"),
    ],
)
def test_a_refused_jump_shows_names_and_obeys_none(
    words: tuple[str, ...], robot: str, tmp_path: Path, leapcheck: Leapcheck
) -> None:
    (tmp_path / f"{FILE}2.csv").write_text(f"time,q_{UNSEEN}\n0,0\n1,0\n", encoding="utf-8")
    (tmp_path / f"{FILE}3.csv").write_text(f"time,q_{SEEN}leg_joint\n0,{UNSEEN}\n1,0\n", encoding="utf-8")
    (tmp_path / f"{FILE}2.json").write_text(json.dumps({SEEN: {UNSEEN: UNSEEN}}), encoding="utf-8")
    said = leapcheck("jump", robot, *words, *QUICK)
    assert said.status in (1, 2)
    assert said.err.count("\n") == 1 or said.status == 1
    check_shown(said.out + said.err)
